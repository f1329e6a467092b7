/** All tables. The type of a row is made from its table: `Row<'task'>`. */
import { account, partner, sender_address, session_token, user } from './accounts.ts';
import {
  do_not_contact,
  folder,
  folder_access,
  form,
  list,
  profile_data,
  profile_field,
  search,
  subscriber,
  subscription,
} from './contacts.ts';
import { email_message, email_message_link, sms_message } from './messages.ts';
import { control_token, log, nonce, request_log, setting } from './records.ts';
import {
  click_automation,
  date_automation,
  open_automation,
  queued_action,
  rule_action,
  sms_automation,
  subscription_automation,
} from './rules.ts';
import {
  delivery,
  departed_recipient,
  former_recipient,
  reaction,
  relayed,
  sms,
  sms_destination,
  task,
  task_recipient,
} from './sends.ts';
import type { RowOf } from './table.ts';

/** A table follows those that it references, as PostgreSQL requires. */
export const tables = {
  partner,
  account,
  user,
  sender_address,
  session_token,
  folder,
  folder_access,
  list,
  subscriber,
  subscription,
  profile_field,
  profile_data,
  search,
  form,
  do_not_contact,
  sms_message,
  email_message,
  email_message_link,
  sms,
  sms_destination,
  task,
  task_recipient,
  departed_recipient,
  former_recipient,
  delivery,
  relayed,
  reaction,
  click_automation,
  open_automation,
  subscription_automation,
  date_automation,
  sms_automation,
  queued_action,
  rule_action,
  setting,
  nonce,
  log,
  request_log,
  control_token,
};

export type Tables = typeof tables;
export type Row<Name extends keyof Tables> = RowOf<Tables[Name]>;

/** Reports whether the rows of the table have an id. */
export const hasId = (name: keyof Tables): boolean => 'id' in tables[name].columns;
