/** The migrations from an empty file to the current tables. A merged step is never edited; a change is a new step. */
import { initialSchema } from './initial-schema.ts';
import { LIST_INDEXES } from './list-indexes.ts';

/**
 * Lookups of the outbox. An index by address on the recipient records would make a large send many times slower. They are found by the ids
 * of the subscribers that have, or had, the address.
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

/** Indexes for lookups of the control plane, the engine and the checks of a request. */
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

/** Index that finds a subscriber's deliveries without a query per task. It slows sends, which stay faster than inserts of single rows. */
const RECIPIENT_LOOKUP = `
create index task_recipient_subscriber on task_recipient (subscriber_id, task_id);
`;

/** Columns of lists, subscribers and profile fields that clients know and the engine does not need. */
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

/** Incoming requests, by the machine's clock, newest id last. Old rows are deleted. */
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

/** Actions of rules on lists, and skipped actions; sent messages are in `delivery`. Also an index for the queue of one rule. */
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

/** The message of a refusal and the problem of each field, as JSON. Null if the request was not refused. */
const REQUEST_PROBLEMS = `
alter table request_log add column problems text;
`;

/** Drops the task of a link, which is now read from the tasks of its message. Cancelling a task then changes no link. */
const LINK_TASKS = `
drop index email_message_link_by_task_id;
drop index email_message_link_by_task_id_cdate;
alter table email_message_link drop column task_id;
`;

/**
 * Gives subscriptions ids from a counter. SQLite can't add a key to a table, so the table is created again. Lookups by subscriber read the
 * list from the index.
 */
const SUBSCRIPTION_IDS = `
create table subscription_with_id (
  id integer primary key autoincrement,
  list_id integer not null references list (id) on delete cascade,
  subscriber_id integer not null references subscriber (id) on delete cascade,
  cdate integer not null,
  confirmed integer not null default 1,
  confirmationredirect text,
  source text,
  changed integer,
  unique (list_id, subscriber_id)
);
insert into subscription_with_id
  (list_id, subscriber_id, cdate, confirmed, confirmationredirect, source, changed)
  select list_id, subscriber_id, cdate, confirmed, confirmationredirect, source, changed from subscription
  order by list_id, subscriber_id;
drop table subscription;
alter table subscription_with_id rename to subscription;
create index subscription_subscriber on subscription (subscriber_id, list_id);
`;

/** Steps with different statements on PostgreSQL, which can add a column of ids to a table. */
export const STEPS_OF_POSTGRES: ReadonlyMap<string, string> = new Map([
  [
    SUBSCRIPTION_IDS,
    `alter table subscription add column id integer primary key;
    create index subscription_id on subscription (id);`,
  ],
]);

/** Columns for the person behind a subscriber, and further attributes of profile fields. */
const PEOPLE = `
${[
  ...[
    'firstname',
    'lastname',
    'title',
    'companyname',
    'gender',
    'housenumber',
    'streetname',
    'town',
    'county',
  ],
  ...['postcode', 'country'],
]
  .map((name) => `alter table subscriber add column ${name} text;`)
  .join('\n')}
alter table subscriber add column daybirth integer;
alter table subscriber add column monthbirth integer;
alter table subscriber add column yearbirth integer;
alter table profile_field add column goaltracking integer not null default 0;
create index list_smsdefault on list (account_id, smsdefault);
`;

/** Tables for logins. Only hashes of passwords and tokens are stored; `expires` uses the machine's clock. */
const SESSION_TOKENS = `
alter table user add column password_hash text;
create table session_token (
  hash text primary key,
  account_id integer not null references account (id),
  user_id integer not null references user (id) on delete cascade,
  expires integer not null
) without rowid;
create index session_token_user on session_token (user_id);
`;

/** What recipients of tasks will do by themselves, each at its own time. A row goes once it is done. */
const REACTIONS = `
create table reaction (
  id integer primary key autoincrement,
  account_id integer not null references account (id),
  task_id integer not null references task (id),
  subscriber_id integer not null,
  -- open, click, unsubscribe, complaint or bounce.
  kind text not null,
  -- Of a click.
  link_id integer,
  due integer not null
);
create index reaction_due on reaction (due, id);
create index reaction_account_due on reaction (account_id, due, id);
`;

/** The steps in SQL. The database stores the number of the last step that was run. */
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
  LINK_TASKS,
  SUBSCRIPTION_IDS,
  PEOPLE,
  SESSION_TOKENS,
  REACTIONS,
];
