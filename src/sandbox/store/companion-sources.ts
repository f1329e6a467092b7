/** The selects behind the companions: what the control plane makes, under the names that clients know. */
import { TIMED_KINDS } from '../../resources/automation.ts';
import type { CompanionName } from '../../resources/companions/catalogue.ts';
import { timedTable } from './automations.ts';
import type { Condition, Source, SqlValue } from './rows.ts';
import { sql } from './sql.ts';
import { type Viewer, visibleLists } from './viewer.ts';

export const companionSources = {
  list: (viewer) => ({
    rows: sql`select t.*, 1 - t.permanent as deletable,
      (select count(*) from subscription s where s.list_id = t.id) as subscription_count,
      ${rulesThatName} as automation_count, 0 as form_count, coalesce(t.changed, t.cdate) as mdate
      from list t where t.account_id = ${viewer.accountId} and t.id in ${visibleLists(viewer)}`,
  }),
  subscriber: (viewer) => ({
    rows: sql`select t.*, null as list_id, coalesce(t.changed, t.cdate) as mdate,
      (select count(*) from subscription s where s.subscriber_id = t.id
        ${viewer.restricted ? sql`and s.list_id in ${visibleLists(viewer)}` : sql``}) as subscription_count
      from subscriber t where t.account_id = ${viewer.accountId} and ${visibleSubscriber(viewer)}`,
    computed: {
      // Kept in lower case, whatever the case in which it was given.
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
    rows: sql`select t.list_id * 1000000000 + t.subscriber_id as id, t.list_id, t.subscriber_id, t.confirmed,
      t.confirmationredirect, t.source, t.cdate, coalesce(t.changed, t.cdate) as mdate
      from subscription t where t.list_id in ${visibleLists(viewer)}`,
    computed: { id: ofKey },
  }),
  subscriberProfileField: (viewer) => ({
    rows: sql`select t.id, t.name, coalesce(t.columnheader, t.name) as columnheader, t.type, t.cdate,
      coalesce(t.changed, t.cdate) as mdate
      from profile_field t where t.account_id = ${viewer.accountId}`,
  }),
} satisfies Readonly<Record<CompanionName, (viewer: Viewer) => Source>>;

/**
 * A subscription is a pair, and its id a number made of both: list 7 and subscriber 42 are 7000000042. It holds for as many
 * subscribers as this, and for nine million lists.
 */
const LISTS_APART = 1_000_000_000;

export const subscriptionId = (listId: number, subscriberId: number): number =>
  listId * LISTS_APART + subscriberId;

function ofKey(id: SqlValue): Condition {
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 0) return sql`false`;
  return sql`list_id = ${Math.floor(id / LISTS_APART)} and subscriber_id = ${id % LISTS_APART}`;
}

/** By a list action whose target it is, or as the list that they watch or add to. */
const rulesThatName: Condition = sql`(${sql.join(
  TIMED_KINDS.map((kind) => {
    const target = sql`r.actiontype in ('addtolist', 'copytolist', 'movetolist') and r.actiontarget = cast(t.id as text)`;
    const named = kind === 'subscription' ? sql`(r.list_id = t.id or ${target})` : target;
    return sql`(select count(*) from ${sql.table(timedTable(kind))} r where r.account_id = t.account_id and ${named})`;
  }),
  ' + ',
)} + (select count(*) from sms_automation r
  where r.account_id = t.account_id and (r.list_id = t.id or r.email_list_id = t.id)))`;

/** A restricted viewer sees those on a list in one of their folders, and those on no list. */
const visibleSubscriber = (viewer: Viewer): Condition =>
  viewer.restricted
    ? sql`(exists (select 1 from subscription s where s.subscriber_id = t.id and s.list_id in ${visibleLists(viewer)})
        or not exists (select 1 from subscription s where s.subscriber_id = t.id))`
    : sql`true`;
