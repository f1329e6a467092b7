import {
  creationTime,
  filterableAndSortable,
  id,
  int,
  lastChangeTime,
  string,
} from '../../kit/schema/field.ts';
import { defineResource, type RecordOf } from '../../kit/schema/resource.ts';
import { formatCountWithNoun } from '../../kit/text/words.ts';

/** Declares the resource `folder` (interface, "folder"). */
export const folder = defineResource({
  name: 'folder',
  noun: 'folder',
  describe: 'A group of lists',
  singular: 'a folder',
  plural: 'folders',
  fields: {
    id: id('Folder id'),
    list_count: int('Lists in it'),
    name: string('Name, 1 to 40 bytes', { ...filterableAndSortable, octets: [1, 40] }),
    subscription_count: int('Number of subscriptions in all lists of the folder'),
    cdate: creationTime(),
    mdate: lastChangeTime(),
  },
  methods: {
    get: {},
    head: { attributes: ['id', 'name'] },
    post: { required: ['name'] },
    put: { optional: ['name'] },
    delete: { by: ['id'] },
  },
  calledBy: 'name',
  identifiedBy: ['name'],
  examples: {
    create: 'folder create --name News',
    delete: 'folder delete 2 --yes',
    update: 'folder update 2 --name Archive',
  },
  deleteWarning: {
    about: 'Also deletes the lists in the folder',
    consequence: ({ list_count, subscription_count }) =>
      `, ${countOf(list_count, 'list')} with ${countOf(subscription_count, 'subscription')}`,
  },
  columns: ['id', 'name', 'list_count', 'subscription_count', 'cdate', 'mdate'],
});

const countOf = (count: unknown, what: string): string =>
  typeof count === 'number' ? formatCountWithNoun(count, what) : `an unknown number of ${what}s`;

export type FolderRecord = RecordOf<typeof folder>;
