import { bool, cdate, F, FS, id, int, mdate, orNull, string } from '../../schema/field.ts';
import { defineResource } from '../../schema/resource.ts';

const CHANGEABLE = ['folder_id', 'note', 'optin', 'smsdefault'] as const;

/** Declaration of list, which is not in the interface: `src/protocol/README.md`, "Companions". */
export const list = defineResource({
  name: 'list',
  noun: 'list',
  describe: 'A list that subscribers are on',
  singular: 'a list',
  plural: 'lists',
  fields: {
    id: id('List id'),
    name: string('Name', { ...FS, octets: [1, 255] }),
    folder_id: orNull(int('Folder it is in', { ...F, refersTo: 'folder' })),
    note: orNull(string('Note about the list')),
    optin: bool('Whether new subscriptions must be confirmed', { default: false }),
    smsdefault: bool('Whether it is the default list for phone numbers', { ...F, default: false }),
    deletable: bool('False for a permanent list'),
    subscription_count: int('Subscriptions to it'),
    automation_count: int('Click, open, subscription and date rules that use the list'),
    smsautomation_count: int('SMS rules that use the list'),
    form_count: int('Forms that use the list'),
    cdate: cdate(),
    mdate: mdate(),
  },
  methods: {
    get: {},
    head: { attributes: ['id', 'name', 'folder_id', 'smsdefault'] },
    post: { required: ['name'], optional: CHANGEABLE },
    put: { optional: ['name', ...CHANGEABLE] },
    delete: { by: ['id'] },
  },
  identifiedBy: ['name'],
  columns: ['id', 'name', 'folder_id', 'subscription_count'],
});
