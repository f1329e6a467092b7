import { creationTime, filterableAndSortable, id, string } from '../../kit/schema/field.ts';
import { defineResource } from '../../kit/schema/resource.ts';

/** Declares the resource `doNotContact` (interface, "doNotContact"). */
export const doNotContact = defineResource({
  name: 'doNotContact',
  noun: 'dnc',
  describe: 'An address, domain or phone number you must not contact',
  singular: 'an entry of Do Not Contact',
  plural: 'the entries of Do Not Contact',
  fields: {
    id: id('Entry id'),
    contactdata: string('E-mail address, domain name or phone number', {
      ...filterableAndSortable,
      format: 'contactdata',
    }),
    cdate: creationTime(),
  },
  methods: {
    get: {},
    head: { attributes: ['id', 'contactdata'] },
    post: { required: ['contactdata'] },
    delete: { by: ['id', 'contactdata'], exclusive: true },
  },
  verbs: { post: 'add', delete: 'remove' },
  calledBy: 'contactdata',
  identifiedBy: ['contactdata'],
  inDoubt: 'send-again',
  undo: { create: 'remove', delete: 'add' },
  examples: { exists: 'dnc exists no.thanks@example.org' },
  columns: ['id', 'contactdata', 'cdate'],
});
