/** Selects the rows of the companions, which the control plane creates, with the names that clients know. */

import type { CompanionName } from '../../resources/companions/catalogue.ts';
import { TIMED_KINDS, TIMED_RULES } from '../../resources/rule-kinds.ts';
import { timedTable } from './automations.ts';
import { sql } from './driver/sql.ts';
import type { Condition, Source, SqlValue } from './rows.ts';
import { type Viewer, visibleLists } from './viewer.ts';

export const companionSources = {
  list: (viewer) => ({
    rows: sql`select t.*, 1 - t.permanent as deletable,
      (select count(*) from subscription s where s.list_id = t.id) as subscription_count,
      ${timedRulesThatName} as automation_count, ${smsRulesThatName} as smsautomation_count, 0 as form_count, coalesce(t.changed, t.cdate) as mdate
      from list t where t.account_id = ${viewer.accountId} and t.id in ${visibleLists(viewer)}`,
  }),
  subscriber: (viewer) => ({
    // SQLite has no MD5, so the behaviour fills in emailmd5.
    rows: sql`select t.*, null as list_id, null as emailmd5, coalesce(t.changed, t.cdate) as mdate,
      case when exists (select 1 from task_recipient r where r.subscriber_id = t.id) then 1 else 0 end
        as contact_exists,
      case when exists (select 1 from task_recipient r where r.subscriber_id = t.id and r.bounced is not null)
        then 1 else 0 end as bounce_exists,
      (select count(*) from subscription s where s.subscriber_id = t.id
        ${viewer.restricted ? sql`and s.list_id in ${visibleLists(viewer)}` : sql``}) as subscription_count
      from subscriber t where t.account_id = ${viewer.accountId} and ${visibleSubscriber(viewer)}`,
    computed: {
      // Stored addresses are in lower case.
      email: (value: SqlValue) =>
        value === null ? sql`email is null` : sql`email = ${String(value).toLowerCase()}`,
      list_id: (value: SqlValue) =>
        value === null
          ? sql`id not in (select s.subscriber_id from subscription s)`
          : sql`id in (select s.subscriber_id from subscription s
              where s.list_id = ${value} and s.list_id in ${visibleLists(viewer)})`,
    },
  }),
  subscription: (viewer) => ({
    rows: sql`select t.*, coalesce(t.changed, t.cdate) as mdate
      from subscription t where t.list_id in ${visibleLists(viewer)}`,
  }),
  subscriberProfileField: (viewer) => ({
    rows: sql`select t.id, t.name, coalesce(t.columnheader, t.name) as columnheader, t.type, t.goaltracking, t.cdate,
      coalesce(t.changed, t.cdate) as mdate
      from profile_field t where t.account_id = ${viewer.accountId}`,
  }),
  // These two resources have no rows; they only accept POST.
  token: () => NO_ROWS,
  emailOptIn: () => NO_ROWS,
} satisfies Readonly<Record<CompanionName, (viewer: Viewer) => Source>>;

const NO_ROWS: Source = { rows: sql`select null as id where false` };

/** Counts the rules that name the list, as the target of a list action or as their trigger. */
const timedRulesThatName: Condition = sql`(${sql.join(
  TIMED_KINDS.map((kind) => {
    const target = sql`r.actiontype in ('addtolist', 'copytolist', 'movetolist') and r.actiontarget = cast(t.id as text)`;
    const named = Object.hasOwn(TIMED_RULES[kind].watches, 'list_id')
      ? sql`(r.list_id = t.id or ${target})`
      : target;
    return sql`(select count(*) from ${sql.ref(timedTable(kind))} r where r.account_id = t.account_id and ${named})`;
  }),
  ' + ',
)})`;

const smsRulesThatName: Condition = sql`(select count(*) from sms_automation r
  where r.account_id = t.account_id and (r.list_id = t.id or r.email_list_id = t.id))`;

/** Limits a restricted viewer to subscribers without a list, and to those on a list in one of the viewer's folders. */
const visibleSubscriber = (viewer: Viewer): Condition =>
  viewer.restricted
    ? sql`(exists (select 1 from subscription s where s.subscriber_id = t.id and s.list_id in ${visibleLists(viewer)})
        or not exists (select 1 from subscription s where s.subscriber_id = t.id))`
    : sql`true`;
