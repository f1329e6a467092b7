/** Messages of both channels, and the links in e-mails. */
import { accountId, decimal, id, index, indexesForListing, integer, table, text } from './table.ts';

const sms_message = table(
  {
    id,
    account_id: accountId,
    user_id: integer,
    name: text,
    fromname: text,
    message: text,
    subinfo: integer.or(0),
    editable: integer.or(1),
    used: integer.or(0),
    deleted: integer.or(0),
    cdate: decimal,
    mdate: decimal,
  },
  {
    indexes: {
      ...indexesForListing(['editable', 'name', 'used'], ['name', 'cdate'], 'deleted = 0'),
    },
  },
);

const email_message = table(
  {
    id,
    account_id: accountId,
    user_id: integer,
    name: text,
    customoptin: integer.or(0),
    defaultoptin: integer.or(0),
    editable: integer.or(1),
    editor: integer.or(1),
    fromemail: text.orNull,
    fromname: text,
    galinkdata: integer.or(0),
    html: text,
    replyemail: text,
    friendlink: integer.or(0),
    subject: text,
    text,
    tracktextlinks: integer.or(0),
    used: integer.or(0),
    deleted: integer.or(0),
    cdate: decimal,
    mdate: decimal,
  },
  {
    indexes: {
      ...indexesForListing(['customoptin', 'editable', 'name', 'used'], ['name', 'cdate'], 'deleted = 0'),
    },
  },
);

const email_message_link = table(
  {
    id,
    account_id: accountId,
    message_id: integer.to('email_message'),
    name: text.orNull,
    target: text,
    type: text,
    cdate: decimal,
  },
  {
    indexes: {
      ...indexesForListing(['message_id', 'type'], ['cdate']),
      message: index('message_id'),
    },
  },
);

export const messageTables = {
  sms_message,
  email_message,
  email_message_link,
};
