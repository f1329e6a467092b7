/** The steps from an empty file to today's tables. A step that has landed is never edited; a change is a new one. */
import { initialSchema } from './initial-schema.ts';
import { LIST_INDEXES } from './list-indexes.ts';

/**
 * What the outbox is looked up by. An index by address on the contact records would make a large send many times slower:
 * they are found by the ids of who has, or had, the address.
 */
const OUTBOX_FILTERS = `
-- Recipients of tasks who have been deleted since.
create table former_recipient (
  account_id integer not null references account (id),
  address text not null,
  subscriber_id integer not null,
  primary key (account_id, address, subscriber_id)
) without rowid;
insert or ignore into former_recipient (account_id, address, subscriber_id)
  select k.account_id, r.address, r.subscriber_id from task k join task_recipient r on r.task_id = k.id
  where not exists (select 1 from subscriber s where s.id = r.subscriber_id);
create index delivery_recipient on delivery (account_id, lower(recipient), time);
create index delivery_channel on delivery (account_id, channel, time);
create index delivery_rule on delivery (account_id, rule_kind, cause_id, time) where rule_kind is not null;
`;

/** What the control plane, the engine and the checks of a request look up, each found in an index too. */
const LOOKUPS = `
create index subscriber_account on subscriber (account_id);
create index subscriber_emailsuspended on subscriber (account_id) where emailsuspended = 1;
create index subscriber_smssuspended on subscriber (account_id) where smssuspended = 1;
create index profile_field_account on profile_field (account_id);
create index search_account on search (account_id);
create index folder_access_folder on folder_access (folder_id);
create index user_admin on user (account_id) where isadmin = 1;
create index sender_address_lower on sender_address (account_id, lower(email));
create index sms_destination_number on sms_destination (destination);

-- What is due, of one account: for its queue.
create index task_account_due on task (account_id, due) where due is not null;
create index sms_account_due on sms (account_id, due) where due is not null;
create index queued_action_account on queued_action (account_id, due);
-- Tasks that are being sent: for the outbox.
create index task_running on task (account_id) where started = 1 and endtime is null;
-- Those that end with the list are task_by_list_id_endtime's.
drop index task_list;

-- What an event sets off, and what the end of a list pauses.
create index click_automation_link on click_automation (account_id, link_id) where link_id is not null;
create index click_automation_message on click_automation (account_id, message_id) where message_id is not null;
create index open_automation_message on open_automation (account_id, message_id);
create index subscription_automation_list on subscription_automation (account_id, list_id);
create index sms_automation_keyword on sms_automation (account_id, lower(keyword));
create index sms_automation_list on sms_automation (account_id, list_id);
create index sms_automation_email_list on sms_automation (account_id, email_list_id) where email_list_id is not null;
${['click', 'open', 'subscription', 'date']
  .map(
    (kind) => `create index ${kind}_automation_target on ${kind}_automation (account_id, actiontarget)
  where actiontype in ('addtolist', 'copytolist', 'movetolist');`,
  )
  .join('\n')}
`;

/** What somebody got is found without asking each task. A send pays for it, and stays faster than rows put in one by one. */
const RECIPIENT_LOOKUP = `
create index task_recipient_subscriber on task_recipient (subscriber_id, task_id);
`;

/** What clients know of lists, subscribers and profile fields, beside what the engine needs of them. */
const COMPANIONS = `
alter table list add column note text;
alter table list add column optin integer not null default 0;
alter table list add column smsdefault integer not null default 0;
-- Null until something is changed, here and below.
alter table list add column changed integer;
alter table subscriber add column confirmed integer not null default 1;
alter table subscriber add column changed integer;
alter table subscription add column confirmed integer not null default 1;
alter table subscription add column confirmationredirect text;
alter table subscription add column source text;
alter table subscription add column changed integer;
alter table profile_field add column columnheader text;
alter table profile_field add column type text not null default 'text';
alter table profile_field add column cdate integer not null default 0;
alter table profile_field add column changed integer;
`;

/** Requests to the service as they came, by the machine's clock; ids grow, and the oldest rows go. */
const REQUEST_LOG = `
create table request_log (
  id integer primary key,
  time integer not null,
  -- As the headers said.
  who text,
  method text not null,
  path text not null,
  -- Null where the connection was cut on purpose.
  status integer,
  milliseconds real not null,
  -- Of a 401: the check, what was wrong, the string that was signed without its key, and the beginnings of both signatures.
  failed text,
  why text,
  signed text,
  signature text,
  expected text
);
`;

/** Tokens of the control plane: SHA-256 of each, in hexadecimal. */
const CONTROL_TOKENS = `
create table control_token (
  name text primary key,
  role text not null,
  hash text not null,
  cdate integer not null
) without rowid;
`;

/** What rules did to lists, and what they did not do; what they sent stands in `delivery`. And the queue of one rule. */
const RULE_ACTIONS = `
create table rule_action (
  id integer primary key,
  account_id integer not null,
  rule_kind text not null,
  rule_id integer not null,
  subscriber_id integer,
  time integer not null,
  -- As an actiontype, and its list; null of what was skipped.
  action text,
  target text,
  -- Why it was skipped.
  why text
);
create index rule_action_rule on rule_action (account_id, rule_kind, rule_id, id);
drop index queued_action_rule;
create index queued_action_of_rule on queued_action (rule_kind, rule_id, due);
`;

/** The message of a refusal, and what was wrong field by field, as JSON. Null where the request was not refused. */
const REQUEST_PROBLEMS = `
alter table request_log add column problems text;
`;

/** Each is SQL; the number of the last one that was run is kept in the database. */
export const migrations: readonly string[] = [
  initialSchema,
  OUTBOX_FILTERS,
  LIST_INDEXES,
  LOOKUPS,
  RECIPIENT_LOOKUP,
  COMPANIONS,
  REQUEST_LOG,
  CONTROL_TOKENS,
  RULE_ACTIONS,
  REQUEST_PROBLEMS,
];
