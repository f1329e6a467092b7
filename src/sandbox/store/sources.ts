/** Defines the SQL query of each resource, with the rows that one viewer may see. The columns have the names of the interface. */
import { account } from '../../service/resources/account.ts';
import type { ResourceName } from '../../service/resources/catalogue.ts';
import type { SandboxOnlyResourceName, SandboxResourceName } from '../../service/resources/companions.ts';
import {
  mapTimedRuleKinds,
  TIMED_RULE_DEFINITIONS,
  TIMED_RULE_KINDS,
  type TimedKind,
} from '../../service/resources/rule-kinds.ts';
import { timedRuleTable } from './automations.ts';
import { type Sql, sql } from './driver/sql.ts';
import { visibleToRestrictedUser } from './lists.ts';
import type { ResourceRowsQuery, SqlCondition, SqlRow, SqlValue } from './rows.ts';

/** The account and user on whose behalf rows are read. */
export interface Viewer {
  readonly accountId: number;
  /** Id of the user. Null while a new account has no admin yet. */
  readonly userId: number | null;
  readonly isAdmin: boolean;
  /** True if the user sees only certain folders, the lists in them, and the user's own messages. */
  readonly restricted: boolean;
}

const createVisibleListIdsSubquery = (viewer: Viewer): SqlCondition =>
  viewer.restricted
    ? sql`(select l.id from list l join folder_access a on a.folder_id = l.folder_id where a.user_id = ${viewer.userId})`
    : sql`(select l.id from list l where l.account_id = ${viewer.accountId})`;

const all = sql`true`;

/** The queries for resources that only a sandbox started with `--companions` serves. */
const sandboxOnlyQueries = {
  list: (viewer) => ({
    select: sql`select t.*, 1 - t.permanent as deletable,
      (select count(*) from subscription s where s.list_id = t.id) as subscription_count,
      ${timedRuleCount} as automation_count, ${smsRuleCount} as smsautomation_count, 0 as form_count, coalesce(t.changed, t.cdate) as mdate
      from list t where t.account_id = ${viewer.accountId} and t.id in ${createVisibleListIdsSubquery(viewer)}`,
  }),
  subscriber: (viewer) => ({
    // SQLite has no MD5, so the behaviour fills in emailmd5.
    select: sql`select t.*, null as list_id, null as emailmd5, coalesce(t.changed, t.cdate) as mdate,
      case when exists (select 1 from task_recipient r where r.subscriber_id = t.id) then 1 else 0 end
        as contact_exists,
      case when exists (select 1 from task_recipient r where r.subscriber_id = t.id and r.bounced is not null)
        then 1 else 0 end as bounce_exists,
      (select count(*) from subscription s where s.subscriber_id = t.id
        ${viewer.restricted ? sql`and s.list_id in ${createVisibleListIdsSubquery(viewer)}` : sql``}) as subscription_count
      from subscriber t where t.account_id = ${viewer.accountId} and ${visibleSubscriber(viewer)}`,
    computedConditions: {
      // Stored addresses are in lower case.
      email: (value: SqlValue) =>
        value === null ? sql`email is null` : sql`email = ${String(value).toLowerCase()}`,
      list_id: (value: SqlValue) =>
        value === null
          ? sql`id not in (select s.subscriber_id from subscription s)`
          : sql`id in (select s.subscriber_id from subscription s
              where s.list_id = ${value} and s.list_id in ${createVisibleListIdsSubquery(viewer)})`,
    },
  }),
  subscription: (viewer) => ({
    select: sql`select t.*, coalesce(t.changed, t.cdate) as mdate
      from subscription t where t.list_id in ${createVisibleListIdsSubquery(viewer)}`,
  }),
  subscriberProfileField: (viewer) => ({
    select: sql`select t.id, t.name, coalesce(t.columnheader, t.name) as columnheader, t.type, t.goaltracking, t.cdate,
      coalesce(t.changed, t.cdate) as mdate
      from profile_field t where t.account_id = ${viewer.accountId}`,
  }),
  // These two resources have no rows; they only accept POST.
  token: () => NO_ROWS,
  emailOptIn: () => NO_ROWS,
} satisfies Readonly<Record<SandboxOnlyResourceName, (viewer: Viewer) => ResourceRowsQuery>>;

const NO_ROWS: ResourceRowsQuery = { select: sql`select null as id where false` };

/** Number of click, open, subscription and date rules that add subscribers to the list `t`, or that it triggers. */
const timedRuleCount: SqlCondition = sql`(${sql.join(
  TIMED_RULE_KINDS.map((kind) => {
    const target = sql`r.actiontype in ('addtolist', 'copytolist', 'movetolist') and r.actiontarget = cast(t.id as text)`;
    const named = Object.hasOwn(TIMED_RULE_DEFINITIONS[kind].watches, 'list_id')
      ? sql`(r.list_id = t.id or ${target})`
      : target;
    return sql`(select count(*) from ${sql.ref(timedRuleTable(kind))} r where r.account_id = t.account_id and ${named})`;
  }),
  ' + ',
)})`;

const smsRuleCount: SqlCondition = sql`(select count(*) from sms_automation r
  where r.account_id = t.account_id and (r.list_id = t.id or r.email_list_id = t.id))`;

/** A restricted viewer sees subscribers without a list, and those on a list in one of the viewer's folders. */
const visibleSubscriber = (viewer: Viewer): SqlCondition =>
  viewer.restricted ? visibleToRestrictedUser(viewer.userId, sql`t.id`) : all;

const select = (query: Sql<SqlRow>, rest: Omit<ResourceRowsQuery, 'select'> = {}): ResourceRowsQuery => ({
  select: query,
  ...rest,
});

const onlyOwn = (viewer: Viewer, condition: boolean): Omit<ResourceRowsQuery, 'select'> =>
  condition ? { requiredValues: { user_id: viewer.userId } } : {};

const rulesOf = (table: string, viewer: Viewer, lists: SqlCondition): ResourceRowsQuery =>
  select(sql`select t.* from ${sql.ref(table)} t where t.account_id = ${viewer.accountId} and ${lists}`);

/** A restricted viewer does not see a rule that adds subscribers to a hidden list. If the list was deleted, the rule stays visible. */
const visibleTarget = (viewer: Viewer): SqlCondition =>
  viewer.restricted
    ? sql`(t.actiontype not in ('addtolist', 'copytolist', 'movetolist')
        or t.actiontarget in (select cast(v.id as text) from list v where v.id in ${createVisibleListIdsSubquery(viewer)})
        or t.actiontarget not in (select cast(g.id as text) from list g where g.account_id = t.account_id))`
    : all;

const visibleList = (viewer: Viewer, column: string): SqlCondition =>
  viewer.restricted
    ? sql`(t.${sql.ref(column)} is null or t.${sql.ref(column)} in ${createVisibleListIdsSubquery(viewer)}
        or not exists (select 1 from list g where g.id = t.${sql.ref(column)}))`
    : all;

/** A restricted viewer does not see a rule that a hidden list triggers, or whose action uses one. */
const visibleRule = (kind: TimedKind, viewer: Viewer): SqlCondition =>
  Object.hasOwn(TIMED_RULE_DEFINITIONS[kind].watches, 'list_id')
    ? sql`${visibleTarget(viewer)} and ${visibleList(viewer, 'list_id')}`
    : visibleTarget(viewer);

const queries = {
  account: (viewer) => {
    // True while any sub-user is restricted (wire, `folderrestrict`).
    const isRestricted = sql`(t.folderrestrict = 1 or exists (select 1 from folder_access a
      join "user" u on u.id = a.user_id where u.account_id = t.id))`;
    // Interface, account: these counts "are null for sub-users when category restrictions are enabled".
    const counted = (query: SqlCondition): SqlCondition =>
      viewer.isAdmin ? query : sql`case when ${isRestricted} then null else ${query} end`;
    const computed: Readonly<Record<string, SqlCondition>> = {
      blacklist_count: counted(sql`(select count(*) from do_not_contact d where d.account_id = t.id)`),
      emailsuspended_count: counted(
        sql`(select count(*) from subscriber s where s.account_id = t.id and s.emailsuspended = 1)`,
      ),
      smssuspended_count: counted(
        sql`(select count(*) from subscriber s where s.account_id = t.id and s.smssuspended = 1)`,
      ),
      folder_count: sql`(select count(*) from folder f where f.account_id = t.id)`,
      folderrestrict: sql`case when ${isRestricted} then 1 else 0 end`,
      list_count: sql`(select count(*) from list l where l.account_id = t.id)`,
      subscriber_count: sql`(select count(*) from subscriber s where s.account_id = t.id)`,
      user_count: sql`(select count(*) from "user" u where u.account_id = t.id and u.isadmin = 0)`,
      custommaildomain: sql`t.enablecustommaildomain`,
    };
    const columns = Object.keys(account.fields).map((name) => {
      const expression = computed[name];
      return expression ? sql`${expression} as ${sql.ref(name)}` : sql`t.${sql.ref(name)}`;
    });
    return select(sql`select ${sql.join(columns)} from account t where t.id = ${viewer.accountId}`);
  },
  accountFeatures: (viewer) => select(sql`select t.* from account t where t.id = ${viewer.accountId}`),
  user: (viewer) => {
    const self = sql`id is not distinct from ${viewer.userId}`;
    return select(
      sql`select t.*, t.${self} as currentuser, null as password from "user" t
        where t.account_id = ${viewer.accountId} and ${viewer.isAdmin ? all : sql`t.${self}`}`,
      { computedConditions: { currentuser: (value) => (value === 1 ? self : sql`not (${self})`) } },
    );
  },
  sms: (viewer) =>
    select(
      sql`select t.* from sms t where t.account_id = ${viewer.accountId}`,
      onlyOwn(viewer, !viewer.isAdmin),
    ),
  smsMessage: (viewer) =>
    select(
      sql`select t.* from sms_message t where t.account_id = ${viewer.accountId} and t.deleted = 0`,
      onlyOwn(viewer, viewer.restricted),
    ),
  smsDestination: (viewer) =>
    select(sql`select t.* from sms_destination t where t.account_id = ${viewer.accountId}`),
  emailMessage: (viewer) =>
    select(
      sql`select t.* from email_message t where t.account_id = ${viewer.accountId} and t.deleted = 0`,
      onlyOwn(viewer, viewer.restricted),
    ),
  emailMessageLink: (viewer) =>
    select(
      sql`select t.*, coalesce((select k.id from task k where ${taskOfLink} order by k.id desc limit 1), 0) as task_id
        from email_message_link t where t.account_id = ${viewer.accountId} and ${linkOfOwnMessage(viewer)}`,
      { computedConditions: { task_id: ofTask(viewer) } },
    ),
  task: (viewer) =>
    select(
      sql`select t.* from task t where t.account_id = ${viewer.accountId} and ${taskOfOwnMessage(viewer)}`,
    ),
  folder: (viewer) =>
    select(sql`select t.*,
      (select count(*) from list l where l.folder_id = t.id) as list_count,
      (select count(*) from list l join subscription s on s.list_id = l.id where l.folder_id = t.id)
        as subscription_count
      from folder t where t.account_id = ${viewer.accountId} and ${givenFolder(viewer)}`),
  doNotContact: (viewer) =>
    select(sql`select t.* from do_not_contact t where t.account_id = ${viewer.accountId}`),
  form: (viewer) =>
    select(
      sql`select t.* from form t where t.account_id = ${viewer.accountId}`,
      onlyOwn(viewer, viewer.restricted),
    ),
  subscriberProfileData: (viewer) =>
    select(
      sql`select t.field_id || '_' || t.subscriber_id as id, t.subscriber_id,
        t.field_id as subscriberprofilefield_id, t.value
        from profile_data t where t.account_id = ${viewer.accountId}
          and ${viewer.restricted ? visibleToRestrictedUser(viewer.userId, sql`t.subscriber_id`) : all}`,
      { computedConditions: { id: ofProfileKey } },
    ),
  ...mapTimedRuleKinds(
    (kind) => (viewer: Viewer) => rulesOf(timedRuleTable(kind), viewer, visibleRule(kind, viewer)),
  ),
  smsAutomation: (viewer) =>
    rulesOf(
      'sms_automation',
      viewer,
      // Interface, smsAutomation: a rule whose list is inaccessible cannot be unpaused, so its creator still sees it.
      viewer.restricted
        ? sql`(t.user_id = ${viewer.userId}
            or (${visibleList(viewer, 'list_id')} and ${visibleList(viewer, 'email_list_id')}))`
        : all,
    ),
} satisfies Readonly<Record<ResourceName, (viewer: Viewer) => ResourceRowsQuery>>;

/** Returns the condition for a composite id `<field>_<subscriber>` without leading zeros. Any other text selects nothing. */
function ofProfileKey(id: SqlValue): SqlCondition {
  const [, field, subscriber] = /^(0|[1-9][0-9]{0,14})_(0|[1-9][0-9]{0,14})$/.exec(String(id)) ?? [];
  if (field === undefined) return sql`false`;
  return sql`subscriberprofilefield_id = ${Number(field)} and subscriber_id = ${Number(subscriber)}`;
}

const givenFolder = (viewer: Viewer): SqlCondition =>
  viewer.restricted
    ? sql`exists (select 1 from folder_access a where a.user_id = ${viewer.userId} and a.folder_id = t.id)`
    : all;

/** The task `k` sends the message of the link `t` (wire, "`task_id` of a link"). No index by `cancelled`: most tasks match. */
const taskOfLink = sql`k.account_id = t.account_id and k.message_id = t.message_id
  and ${sql.noIndex('k.channel')} = 'email' and ${sql.noIndex('k.cancelled')} = 0`;

/** Returns the condition for all links in the message of a task, even if a newer task sends it. 0 selects links without a task. */
const ofTask =
  ({ accountId }: Viewer) =>
  (id: SqlValue): SqlCondition =>
    id === 0
      ? sql`task_id = 0`
      : sql`message_id = (select k.message_id from task k
          where k.id = ${id} and k.account_id = ${accountId} and k.channel = 'email' and k.cancelled = 0)`;

const linkOfOwnMessage = (viewer: Viewer): SqlCondition =>
  viewer.restricted
    ? sql`exists (select 1 from email_message m where m.id = t.message_id and m.user_id is not distinct from ${viewer.userId})`
    : all;

// Interface, task: a user who may not view all messages sees only tasks whose message was created by that user.
function taskOfOwnMessage(viewer: Viewer): SqlCondition {
  if (!viewer.restricted) return all;
  return sql`(case t.channel
    when 'email' then exists (select 1 from email_message m where m.id = t.message_id and m.user_id is not distinct from ${viewer.userId})
    else exists (select 1 from sms_message m where m.id = t.message_id and m.user_id is not distinct from ${viewer.userId}) end)`;
}

const served = { ...queries, ...sandboxOnlyQueries } satisfies Readonly<
  Record<SandboxResourceName, (viewer: Viewer) => ResourceRowsQuery>
>;

/** Returns the SQL query for the rows of the resource that this viewer may see. */
export function rowsQuery(resource: SandboxResourceName, viewer: Viewer): ResourceRowsQuery {
  return served[resource](viewer);
}
