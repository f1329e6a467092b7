import { bool, cdate, FS, id, mdate, string } from '../../schema/field.ts';
import { defineResource } from '../../schema/resource.ts';

/** Declaration of subscriberProfileField, which is not in the interface: `src/protocol/README.md`, "Companions". */
export const subscriberProfileField = defineResource({
  name: 'subscriberProfileField',
  noun: 'field',
  describe: 'A custom field that subscribers have values in',
  singular: 'a profile field',
  plural: 'profile fields',
  fields: {
    id: id('Field id'),
    name: string('Name', { ...FS, octets: [1, 255] }),
    columnheader: string('Unique column heading in files (default: its name)', {
      ...FS,
      octets: [1, 255],
    }),
    type: string('Type of its values', { default: 'text', octets: [1, 40] }),
    goaltracking: bool('Whether goals are tracked with this field', { default: false }),
    cdate: cdate(),
    mdate: mdate(),
  },
  methods: {
    get: {},
    head: { attributes: ['id', 'name', 'columnheader'] },
    post: { required: ['name'], optional: ['columnheader', 'type', 'goaltracking'] },
    put: { optional: ['name', 'columnheader', 'type', 'goaltracking'] },
    delete: { by: ['id'] },
  },
  identifiedBy: ['name'],
  columns: ['id', 'name', 'columnheader', 'type'],
});
