/** Returns the table of click, open, subscription or date rules: the common columns and the kind's own. */
const timedRule = (table: string, own: readonly string[]): string => `create table ${table} (
  id integer primary key autoincrement,
  account_id integer not null references account (id),
  user_id integer not null,
${own.map((column) => `  ${column},\n`).join('')}  actiononweekend integer not null,
  actiontarget text not null,
  actionhour text,
  actiontimediff integer not null,
  actiontype text not null,
  name text not null,
  paused integer not null default 0,
  summary text,
  cdate integer not null,
  mdate integer not null
);`;

/** The first tables: those of the interface's resources, and others that the sandbox needs. */
export const initialSchema = `
create table setting (
  key text primary key,
  value text not null
) without rowid;

create table partner (
  id integer primary key autoincrement,
  name text not null,
  api_key text not null,
  timezone text not null
);

-- account and accountFeatures are two views of one record.
create table account (
  id integer primary key autoincrement,
  partner_id integer not null references partner (id),
  api_key text not null,
  name text not null,
  address text not null default '',
  contactemail text not null,
  country text not null default '',
  folderrestrict integer not null default 0,
  goaltrackingdomain text not null default '',
  telephone text,
  timezone text not null,
  website text,
  emailcreditbalance integer not null default 0,
  inboxtestcreditbalance integer not null default 0,
  smscreditbalance integer not null default 0,
  automation_limit integer,
  list_limit integer not null default 200,
  search_limit integer,
  smsautomation_limit integer,
  subscriber_limit integer,
  subscriberprofileattribute_limit integer,
  subscriberprofilefield_limit integer,
  user_limit integer not null default 0,
  custommaildomaintype text,
  enableanalyse integer not null default 0,
  enableaudienceinsights integer not null default 1,
  enablechangepassword integer not null default 1,
  enablecustommaildomain integer not null default 0,
  enabledkim integer not null default 1,
  enabledynamiccontent integer not null default 0,
  enableemail integer not null default 1,
  enableemailcredits integer not null default 1,
  enablesocialnetworka integer not null default 0,
  enablehttpapi integer not null default 1,
  enableinboxtest integer not null default 0,
  enablecrm integer not null default 1,
  enablesendbulkemail integer not null default 1,
  enablesendbulksms integer not null default 1,
  enablesms integer not null default 1,
  enablesplittest integer default 0,
  enablesubscriberprofilefields integer not null default 1,
  enablesubscriptionmo integer default 1,
  enabletimezonepremium integer not null default 0,
  enablesocialnetworkb integer not null default 0,
  enablecms integer not null default 0,
  locked integer not null default 0,
  maildomainprimary text,
  cdate integer not null,
  mdate integer not null
);

create table user (
  id integer primary key autoincrement,
  account_id integer not null references account (id),
  active integer not null default 1,
  email text not null,
  firstname text not null,
  lastname text not null,
  isadmin integer not null default 0,
  lastlogon integer,
  locked integer not null default 0,
  failed_logins integer not null default 0,
  logins integer not null default 0,
  msisdn text,
  username text not null,
  timezone text not null,
  cdate integer not null,
  mdate integer not null,
  unique (account_id, username)
);

create table folder (
  id integer primary key autoincrement,
  account_id integer not null references account (id),
  name text not null,
  cdate integer not null,
  mdate integer not null
);
create index folder_account on folder (account_id);

-- A user with rows here sees only these folders and what is in them.
create table folder_access (
  user_id integer not null references user (id) on delete cascade,
  folder_id integer not null references folder (id) on delete cascade,
  primary key (user_id, folder_id)
) without rowid;

create table list (
  id integer primary key autoincrement,
  account_id integer not null references account (id),
  folder_id integer references folder (id),
  name text not null,
  permanent integer not null default 0,
  cdate integer not null
);
create index list_account on list (account_id);
create index list_folder on list (folder_id);

create table subscriber (
  id integer primary key autoincrement,
  account_id integer not null references account (id),
  email text,
  email_domain text,
  msisdn text,
  emailsuspended integer not null default 0,
  smssuspended integer not null default 0,
  cdate integer not null
);
create unique index subscriber_email on subscriber (account_id, email) where email is not null;
create unique index subscriber_msisdn on subscriber (account_id, msisdn) where msisdn is not null;
create index subscriber_domain on subscriber (account_id, email_domain);

create table subscription (
  list_id integer not null references list (id) on delete cascade,
  subscriber_id integer not null references subscriber (id) on delete cascade,
  cdate integer not null,
  primary key (list_id, subscriber_id)
) without rowid;
create index subscription_subscriber on subscription (subscriber_id);

create table profile_field (
  id integer primary key autoincrement,
  account_id integer not null references account (id),
  name text not null,
  unique (account_id, name)
);

create table profile_data (
  field_id integer not null references profile_field (id) on delete cascade,
  subscriber_id integer not null references subscriber (id) on delete cascade,
  account_id integer not null references account (id),
  value text not null,
  primary key (field_id, subscriber_id)
) without rowid;
create index profile_data_subscriber on profile_data (subscriber_id);

create table search (
  id integer primary key autoincrement,
  account_id integer not null references account (id),
  name text not null,
  field_id integer not null references profile_field (id),
  equals text not null,
  cdate integer not null
);

create table sms_destination (
  id integer primary key autoincrement,
  account_id integer not null references account (id),
  keyword text,
  destination text not null,
  isshortcode integer not null default 0,
  mdate integer
);

create table form (
  id integer primary key autoincrement,
  account_id integer not null references account (id),
  gacode text not null default '',
  name text not null,
  suppressoptin integer not null default 0,
  user_id integer not null,
  cdate integer not null,
  mdate integer not null
);

create table sender_address (
  account_id integer not null references account (id),
  email text not null,
  primary key (account_id, email)
) without rowid;

create table do_not_contact (
  id integer primary key autoincrement,
  account_id integer not null references account (id),
  contactdata text not null,
  cdate integer not null,
  unique (account_id, contactdata)
);

create table sms (
  id integer primary key autoincrement,
  account_id integer not null references account (id),
  user_id integer not null,
  msisdn text not null,
  fromaddress text not null,
  message text not null,
  senddate integer,
  dispatched integer not null default 0,
  failed integer not null default 0,
  -- When it was sent to a number that takes none; it fails when it is due again.
  tried integer,
  -- When it is to be dispatched; null once it was dispatched or has failed.
  due integer,
  cdate integer not null,
  mdate integer not null
);
create index sms_account on sms (account_id);
create index sms_due on sms (due) where due is not null;

create table sms_message (
  id integer primary key autoincrement,
  account_id integer not null references account (id),
  user_id integer not null,
  name text not null,
  fromname text not null,
  message text not null,
  subinfo integer not null default 0,
  editable integer not null default 1,
  used integer not null default 0,
  deleted integer not null default 0,
  cdate integer not null,
  mdate integer not null
);
create index sms_message_account on sms_message (account_id);

create table email_message (
  id integer primary key autoincrement,
  account_id integer not null references account (id),
  user_id integer not null,
  name text not null,
  customoptin integer not null default 0,
  defaultoptin integer not null default 0,
  editable integer not null default 1,
  editor integer not null default 1,
  fromemail text,
  fromname text not null,
  galinkdata integer not null default 0,
  html text not null,
  replyemail text not null,
  friendlink integer not null default 0,
  subject text not null,
  text text not null,
  tracktextlinks integer not null default 0,
  used integer not null default 0,
  deleted integer not null default 0,
  cdate integer not null,
  mdate integer not null
);
create index email_message_account on email_message (account_id);

create table email_message_link (
  id integer primary key autoincrement,
  account_id integer not null references account (id),
  message_id integer not null references email_message (id),
  name text,
  target text not null,
  -- The newest task of the message; 0 while it has none.
  task_id integer not null default 0,
  type text not null,
  cdate integer not null
);
create index email_message_link_message on email_message_link (message_id);

create table task (
  id integer primary key autoincrement,
  account_id integer not null references account (id),
  user_id integer not null,
  name text not null,
  channel text not null,
  message_id integer not null,
  list_id integer,
  search_id integer,
  splittest_id integer,
  rate integer,
  scheduledtime integer not null,
  size integer not null,
  cancelled integer not null default 0,
  completed integer not null default 0,
  endtime integer,
  emailuniquebounces integer,
  emailuniqueclicks integer,
  emailuniqueopens integer,
  emailuniqueunsubscriptions integer,
  emailuniquecomplaints integer,
  smsuniquebounces integer,
  -- When its next recipients are due; null once it is completed or cancelled.
  due integer,
  -- The last subscriber that was looked at; recipients go in order of their ids.
  cursor integer not null default 0,
  started integer not null default 0,
  sent integer not null default 0,
  -- Left out: on Do Not Contact or suspended.
  skipped integer not null default 0,
  credits integer not null default 0,
  -- Why it ended early.
  stopped text,
  cdate integer not null
);
create index task_account on task (account_id);
create index task_due on task (due) where due is not null;
create index task_message on task (channel, message_id);
create index task_list on task (list_id);

-- The contact record of each recipient, with what the recipient did and when first.
create table task_recipient (
  task_id integer not null references task (id),
  subscriber_id integer not null,
  address text not null,
  senttime integer not null,
  opened integer,
  clicked integer,
  unsubscribed integer,
  complained integer,
  bounced integer,
  primary key (task_id, subscriber_id)
) without rowid;

-- Of tasks that go on: addresses sent to whose subscriber has been deleted since, and may come back under another id.
create table departed_recipient (
  task_id integer not null references task (id),
  address text not null,
  primary key (task_id, address)
) without rowid;

-- What was delivered one by one: sms, answers and notices of rules. Deliveries of tasks are their task_recipient rows.
create table delivery (
  id integer primary key autoincrement,
  account_id integer not null references account (id),
  channel text not null,
  recipient text not null,
  sender text not null,
  subject text,
  body text not null,
  message_id integer,
  subscriber_id integer,
  time integer not null,
  cause text not null,
  cause_id integer,
  rule_kind text
);
create index delivery_account on delivery (account_id, time);

${timedRule('click_automation', ['link_id integer', 'message_id integer'])}
${timedRule('open_automation', ['message_id integer not null'])}
${timedRule('subscription_automation', ['list_id integer not null'])}
${timedRule('date_automation', [])}
create table sms_automation (
  id integer primary key autoincrement,
  account_id integer not null references account (id),
  user_id integer not null,
  email_list_id integer,
  keyword text,
  list_id integer not null,
  message_id integer,
  message_actionhour text,
  message_actiontimediff integer,
  message_actiononweekend integer,
  name text not null,
  notifyemail text,
  notifymsisdn text,
  notifyurl text,
  paused integer not null default 0,
  summary text,
  cdate integer not null,
  mdate integer not null
);
create index click_automation_account on click_automation (account_id);
create index open_automation_account on open_automation (account_id);
create index subscription_automation_account on subscription_automation (account_id);
create index date_automation_account on date_automation (account_id);
create index sms_automation_account on sms_automation (account_id);

-- What rules have set off and is still to be done.
create table queued_action (
  id integer primary key autoincrement,
  account_id integer not null references account (id),
  rule_kind text not null,
  rule_id integer not null,
  subscriber_id integer not null,
  due integer not null,
  -- What the event was, as JSON, for the words of a notice.
  event text not null
);
create index queued_action_due on queued_action (due, id);
create index queued_action_rule on queued_action (rule_kind, rule_id);

-- How far the SMTP relay has come, by task: the last subscriber; task 0 stands for the deliveries one by one.
create table relayed (
  task_id integer primary key,
  last integer not null
);

create table nonce (
  identity text not null,
  nonce text not null,
  expires integer not null,
  primary key (identity, nonce)
) without rowid;
create index nonce_expires on nonce (expires);

create table log (
  id integer primary key autoincrement,
  time integer not null,
  kind text not null,
  text text not null
);
`;
