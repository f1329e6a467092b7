import { creationTime, filterable, id, int, oneOf, orNull, string } from '../../kit/schema/field.ts';
import { defineResource, type RecordOf } from '../../kit/schema/resource.ts';

/** Declares the resource `emailMessageLink` (interface, "emailMessageLink (read-only)"). */
export const emailMessageLink = defineResource({
  name: 'emailMessageLink',
  noun: 'link',
  describe: 'A tracked link inside an e-mail message',
  singular: 'a tracked link',
  plural: 'tracked links',
  comesFrom: 'Links are in the HTML of messages. To list the messages: svc email list',
  fields: {
    id: id('Link id'),
    message_id: int('E-mail message that contains the link', {
      ...filterable,
      refersTo: 'emailMessage',
      byName: true,
      flag: 'message',
    }),
    name: orNull(string('Name of a personalised link')),
    target: string('URL to which the link leads'),
    task_id: int('Task that sent the message', {
      ...filterable,
      refersTo: 'task',
      byName: true,
      flag: 'task',
    }),
    type: oneOf(['html', 'text'], 'Message part that contains the link: html or text', filterable),
    cdate: creationTime(),
  },
  methods: { get: {}, head: { attributes: ['id', 'message_id', 'task_id', 'type'] } },
  identifiedBy: [],
  columns: ['id', 'message_id', 'task_id', 'type', 'name', 'target'],
});

export type EmailMessageLinkRecord = RecordOf<typeof emailMessageLink>;
