import {
  creationTime,
  filterable,
  filterableAndSortable,
  id,
  int,
  lastChangeTime,
  string,
} from '../../kit/schema/field.ts';
import { defineResource } from '../../kit/schema/resource.ts';

/** Interface, "form (limited attributes)", which announces POST and PUT, but does not have them yet. */
export const form = defineResource({
  name: 'form',
  noun: 'form',
  describe: 'A web form with which people subscribe',
  singular: 'a form',
  plural: 'forms',
  comesFrom: 'The interface cannot create forms yet. Create them on the website of the service.',
  fields: {
    id: id('Form id'),
    gacode: string('Tracking code of the form for web analytics'),
    name: string('Name of the form', filterableAndSortable),
    suppressoptin: int('1 suppresses opt-in messages to people who already subscribed'),
    // The table does not mark the field as a filter, but the overview says that it is one (wire, "form filter user_id").
    user_id: int('User who created the form', { ...filterable, refersTo: 'user', byName: true }),
    cdate: creationTime(),
    mdate: lastChangeTime(),
  },
  methods: { get: {}, head: { attributes: ['id', 'name'] }, delete: { by: ['id'] } },
  announced: ['POST', 'PUT'],
  calledBy: 'name',
  identifiedBy: [],
  deleteWarning: { consequence: () => ', which takes no more subscriptions' },
  columns: ['id', 'name', 'user_id', 'suppressoptin', 'gacode', 'cdate'],
});
