import { cdate, FS, id, int, mdate, string } from '../schema/field.ts';
import { defineResource } from '../schema/resource.ts';

/** Interface, "folder". */
export const folder = defineResource({
  name: 'folder',
  noun: 'folder',
  describe: 'A group of lists; its name must never be made public',
  fields: {
    id: id('Folder id'),
    list_count: int('Lists in it'),
    name: string('Name, 1 to 40 octets', { ...FS, octets: [1, 40] }),
    subscription_count: int('Subscriptions of its lists, added up'),
    cdate: cdate(),
    mdate: mdate(),
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
  columns: ['id', 'name', 'list_count', 'subscription_count', 'cdate', 'mdate'],
});
