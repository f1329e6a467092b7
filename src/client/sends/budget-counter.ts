/**
 * Counts every send in the budget of its profile. Before a request, svc reserves a share of the budget, which no other process
 * can use then. Afterwards, the share becomes what the send really used, or stays reserved if the outcome is unknown.
 */

import { type Id, isId } from '../../kit/schema/integer.ts';
import type { BodyOf } from '../../kit/schema/resource.ts';
import { formatDuration } from '../../kit/text/duration.ts';
import { sms } from '../../service/resources/sms.ts';
import { type TaskRecord, task } from '../../service/resources/task.ts';
import type { Budget } from '../profiles/profile.ts';
import type { Client } from '../requests/client.ts';
import { ClientError } from '../requests/errors.ts';
import { type ResourceWrite, type Send, type Stage, type Written, writtenRecord } from '../requests/write.ts';
import {
  type BudgetLedgerEntry,
  budgetLedgerPath,
  hasRecipientOrCreditLimit,
  type LedgerLocation,
  localSendDay,
  overBudgetReason,
  type PlannedSend,
  updateDailySendBudgetLedger,
} from './budget.ts';
import { countSmsParts, creditsOfTask, findSizeOfNewestTask } from './cost.ts';
import { SendError, type TaskCheck } from './errors.ts';
import { SEND_TIME_MARGINS_IF_CANCELLABLE } from './send-time.ts';

export { budgetAccount } from './budget.ts';

interface SendBudgetCounterOptions {
  readonly budget: Budget;
  /** Returns the time zone of days and hours, which is the company's. Throws if svc does not know it: svc then counts and sends nothing. */
  readonly zone: () => Promise<string>;
  /** Profile, company and origin of the service. Sends with the same text share one budget. */
  readonly account: string;
  readonly place: LedgerLocation;
  readonly newId: () => string;
  /** Returns Unix seconds: the later of the service's time and this machine's time. */
  readonly latestNow: () => Promise<number>;
  /** Returns the earlier of these two times. Only the entries of days that are over by both clocks may be dropped. */
  readonly earliestNow: () => Promise<number>;
}

/** Planned send. `replaces` is the id of an existing task that the send changes or replaces, and whose amounts are then free. */
export interface SendCountedInBudget extends PlannedSend {
  readonly replaces?: string | undefined;
}

export interface SendBudgetCounter {
  /** Counts every send of a client. `checksEachNewTask`: `checkNewTask` runs after each new task. */
  readonly stage: (client: Client, checksEachNewTask: boolean) => Stage;
  /** Checks a new task against the budget, after the service has counted its recipients. Returns a fault if the task exceeds the budget. */
  readonly checkNewTask: TaskCheck;
  /**
   * Checks that several sends together do not exceed the budget. Call this before the first of these sends. Throws SendError.
   * `others` are sends of other companies that start with them.
   */
  readonly checkFits: (
    client: Client,
    sends: readonly SendCountedInBudget[],
    others?: readonly PlannedSend[],
  ) => Promise<void>;
}

export function createSendBudgetCounter(options: SendBudgetCounterOptions): SendBudgetCounter {
  const faults = new Map<string, string>();
  return {
    stage: (client, checksEachNewTask) => (next) => async (write) => {
      if (write.request !== undefined) return next(write);
      const send = await countedSend(client, write, options, checksEachNewTask);
      return send === undefined ? next(write) : sendCounted(client, { options, faults, send, write, next });
    },
    checkNewTask: async (record) => {
      const fault = faults.get(String(record.id));
      if (fault === undefined) return undefined;
      return { kind: 'over-budget', why: `task ${String(record.id)}: ${fault}`, hint: await hintOf(options) };
    },
    checkFits: async (client, sends, others) => {
      const fault = await checkSharesFit(client, options, sends, (shares) => shares, others);
      if (fault !== undefined) throw await refused(fault, options);
    },
  };
}

/** Returns undefined for a write that sends nothing, or moves no send. */
async function countedSend(
  client: Client,
  { method, resource, id, body }: ResourceWrite,
  options: SendBudgetCounterOptions,
  checksEachNewTask: boolean,
): Promise<SendCountedInBudget | undefined> {
  if (method === 'POST' && resource.name === sms.name) {
    const { senddate }: BodyOf<typeof sms> = body;
    const due = senddate == null ? await options.latestNow() : timeOf(senddate);
    return { due, recipients: 1, credits: countSmsParts(body) ?? null, tasks: 0 };
  }
  if (method === 'DELETE' || resource.name !== task.name) return undefined;
  const isNew = method === 'POST';
  if (!isNew && !movesSend(body)) return undefined;
  const record = isNew ? undefined : await found(client, id, body);
  if (!isNew && record === undefined) return undefined;
  const after: BodyOf<typeof task> = { ...record, ...body };
  const hasOtherRecipients =
    !isNew &&
    TARGETS.some((name) => Object.hasOwn(body, name) && String(body[name]) !== String(record?.[name]));
  const needsCount = isNew || hasOtherRecipients;
  const countable = hasRecipientOrCreditLimit(options.budget);
  if (needsCount && countable && !checksEachNewTask) throw uncounted(options);
  const due = timeOf(after.scheduledtime);
  if (needsCount && countable) await checkCancelTime(options, due);
  const isEstimated = hasOtherRecipients || (isNew && countable);
  const size = isEstimated ? await findSizeOfNewestTask(client, after) : (record?.size ?? null);
  return {
    ...{ due, recipients: size, credits: await creditsOfTask(client, after, size), tasks: 1 },
    ...(record === undefined ? {} : { replaces: String(record.id) }),
  };
}

/** Counts an unknown number as 1 until the service has counted the recipients, when svc checks the budget again. */
const withAssumedSize = (send: PlannedSend): PlannedSend => ({
  ...send,
  recipients: send.recipients ?? 1,
  credits: send.credits ?? 1,
});

/**
 * Returns why the sends exceed the budget, or undefined if they fit. If they do not fit, first updates the entries of their days from the
 * service, and checks again.
 * @param change returns the entries to store in the ledger if the sends fit
 */
async function checkSharesFit(
  client: Client,
  options: SendBudgetCounterOptions,
  sends: readonly SendCountedInBudget[],
  change: (shares: readonly BudgetLedgerEntry[]) => readonly BudgetLedgerEntry[],
  together: readonly PlannedSend[] = [],
): Promise<string | undefined> {
  const zone = await options.zone();
  const replaced = new Set(sends.map(({ replaces }) => replaces));
  const look = () =>
    updateDailySendBudgetLedger(options.place, (shares) => {
      const others = ownShares(shares, options).filter(({ task: id }) => id === null || !replaced.has(id));
      const taken = together.map(withAssumedSize);
      for (const send of sends) {
        const fault = overBudgetReason(options.budget, zone, [...others, ...taken], withAssumedSize(send));
        if (fault !== undefined) return { shares, result: fault };
        taken.push(withAssumedSize(send));
      }
      return { shares: change(shares), result: undefined };
    });
  const fault = await look();
  if (fault === undefined) return undefined;
  const days = new Set(sends.map((send) => localSendDay(send, zone)));
  return (await refreshShares(client, options, days, zone)) ? look() : fault;
}

const ownShares = (shares: readonly BudgetLedgerEntry[], { account }: SendBudgetCounterOptions) =>
  shares.filter((each) => each.account === account);

interface CountedWrite {
  readonly options: SendBudgetCounterOptions;
  /** Why new tasks exceed the budget, by their ids. */
  readonly faults: Map<string, string>;
  readonly send: SendCountedInBudget;
  readonly write: ResourceWrite;
  readonly next: Send;
}

async function sendCounted(client: Client, counted: CountedWrite): Promise<Written> {
  const { options, faults, send, write, next } = counted;
  const isOfTask = write.resource.name === task.name;
  const mustBeCancellable = isOfTask && send.recipients === null && hasRecipientOrCreditLimit(options.budget);
  const share = await reserve(client, options, send);
  let attempted = false;
  let written: Written;
  try {
    written = await next({
      ...write,
      options: {
        ...write.options,
        beforeAttempt: async () => {
          await write.options?.beforeAttempt?.();
          if (mustBeCancellable) await checkCancelTime(options, share.due);
          attempted = true;
        },
      },
    });
  } catch (error) {
    if (!attempted || isRefusal(error)) await release(options, share);
    throw error;
  }
  const record = isOfTask ? (writtenRecord(written) as TaskRecord) : undefined;
  try {
    await settle(client, counted, share, record);
  } catch (error) {
    // The task exists, so the error must lead to its cancellation.
    if (record === undefined) throw error;
    faults.set(String(record.id), error instanceof Error ? error.message : String(error));
  }
  return written;
}

async function reserve(
  client: Client,
  options: SendBudgetCounterOptions,
  send: SendCountedInBudget,
): Promise<BudgetLedgerEntry> {
  const [now, earliest] = [await options.latestNow(), await options.earliestNow()];
  const { replaces: _, ...planned } = { ...send, due: Math.max(send.due, Math.floor(now)) };
  const share: BudgetLedgerEntry = {
    id: options.newId(),
    account: options.account,
    ...planned,
    task: null,
    state: 'reserved',
  };
  const fault = await checkSharesFit(client, options, [{ ...send, ...planned }], (shares) => [
    ...withoutOld(shares, options, earliest),
    share,
  ]);
  if (fault !== undefined) throw await refused(fault, options);
  return share;
}

/** Replaces the reserved amounts with the real ones. If they exceed the budget, `checkNewTask` finds the reason in `faults`. */
async function settle(
  client: Client,
  { options, faults }: CountedWrite,
  share: BudgetLedgerEntry,
  record: TaskRecord | undefined,
): Promise<void> {
  const zone = await options.zone();
  const id = record === undefined ? null : String(record.id);
  const settled: BudgetLedgerEntry = {
    ...share,
    state: 'counted',
    ...(record ? await factsOf(client, record, share) : {}),
    task: id,
  };
  const fault = await updateDailySendBudgetLedger(options.place, (shares) => {
    const others = shares.filter((each) => each.id !== share.id && !isOfTask(each, share.account, id));
    const found = overBudgetReason(options.budget, zone, ownShares(others, options), settled);
    return {
      shares: id === null ? withSmsOfDay(others, settled, zone) : [...others, settled],
      result: found,
    };
  });
  if (fault !== undefined && id !== null) faults.set(id, fault);
}

const release = ({ place }: SendBudgetCounterOptions, { id }: BudgetLedgerEntry): Promise<void> =>
  updateDailySendBudgetLedger(place, (shares) => ({
    shares: shares.filter((each) => each.id !== id),
    result: undefined,
  }));

async function factsOf(client: Client, record: TaskRecord, share: BudgetLedgerEntry): Promise<PlannedSend> {
  const recipients = record.size ?? null;
  const time = record.scheduledtime;
  const credits = await creditsOfTask(client, record, recipients);
  return { due: Number.isFinite(time) ? time : share.due, recipients, credits, tasks: 1 };
}

const TARGETS = ['list_id', 'search_id'] as const;

/** Reports whether a change of a task moves its send to another time or to other people. A cancellation does not. */
const movesSend = (body: BodyOf<typeof task>): boolean =>
  body.cancelled !== true && [...TARGETS, 'scheduledtime'].some((name) => Object.hasOwn(body, name));

const found = async (
  client: Client,
  id: Id | undefined,
  body: BodyOf<typeof task>,
): Promise<TaskRecord | undefined> => {
  const wanted = id ?? body.id;
  return isId(wanted) || typeof wanted === 'string' ? client.get(task, wanted) : undefined;
};

const isOfTask = (share: BudgetLedgerEntry, account: string, id: string | null): boolean =>
  id !== null && share.account === account && share.task === id;

/** Adds a single SMS. All single SMS of a day share one entry, which keeps the ledger short. */
function withSmsOfDay(
  shares: readonly BudgetLedgerEntry[],
  single: BudgetLedgerEntry,
  zone: string,
): readonly BudgetLedgerEntry[] {
  const isSame = (each: BudgetLedgerEntry): boolean =>
    each.account === single.account &&
    each.state === 'counted' &&
    each.task === null &&
    localSendDay(each, zone) === localSendDay(single, zone);
  const before = shares.find(isSame);
  if (before === undefined) return [...shares, single];
  const sum = (a: number | null, b: number | null) => (a === null || b === null ? null : a + b);
  return [
    ...shares.filter((each) => each !== before),
    {
      ...before,
      recipients: sum(before.recipients, single.recipients),
      credits: sum(before.credits, single.credits),
    },
  ];
}

/**
 * Updates the entries of tasks that are due on these days from the service: removes cancelled ones, changes their times, and adds amounts
 * that were unknown.
 * @param days days in `zone`, the time zone of the company: `2026-11-24`
 * @returns true if any entry was changed or removed
 */
async function refreshShares(
  client: Client,
  { place, account }: SendBudgetCounterOptions,
  days: ReadonlySet<string>,
  zone: string,
): Promise<boolean> {
  const shares = await updateDailySendBudgetLedger(place, (all) => ({ shares: all, result: all }));
  const changed = new Map<string, BudgetLedgerEntry | undefined>();
  for (const share of shares) {
    if (share.account !== account || share.task === null || !days.has(localSendDay(share, zone))) continue;
    const record = await client.get(task, share.task).catch(() => undefined);
    if (record === undefined) continue;
    const due = Number.isFinite(record.scheduledtime) ? record.scheduledtime : share.due;
    const recipients = share.recipients ?? record.size ?? null;
    const credits = share.credits ?? (await creditsOfTask(client, record, recipients).catch(() => null));
    const isSame = due === share.due && recipients === share.recipients && credits === share.credits;
    if (record.cancelled && !mayHaveReachedPeople(record)) changed.set(share.id, undefined);
    else if (!isSame) changed.set(share.id, { ...share, due, recipients, credits });
  }
  if (changed.size === 0) return false;
  await updateDailySendBudgetLedger(place, (all) => ({
    shares: all.flatMap((share) => {
      const now = changed.has(share.id) ? changed.get(share.id) : share;
      return now === undefined ? [] : [now];
    }),
    result: undefined,
  }));
  return true;
}

/** Reports whether a cancelled task may have reached some recipients before. True also if the time of the cancellation is unknown. */
const mayHaveReachedPeople = ({ endtime, scheduledtime }: TaskRecord): boolean =>
  endtime == null || !(endtime < scheduledtime);

const KEPT_SECONDS = 3 * 24 * 3600;

/**
 * Drops the account's entries that are more than three days old. Their days are over in every time zone.
 * @param earliestNow by the earlier clock, because a clock that is ahead once would drop the entries of coming days
 */
const withoutOld = (
  shares: readonly BudgetLedgerEntry[],
  { account }: SendBudgetCounterOptions,
  earliestNow: number,
): readonly BudgetLedgerEntry[] =>
  shares.filter((each) => each.account !== account || each.due > earliestNow - KEPT_SECONDS);

const isRefusal = (error: unknown): boolean =>
  !(error instanceof ClientError) || ['refused', 'throttled', 'unreachable', 'redirect'].includes(error.kind);

function timeOf(value: unknown): number {
  const time = Number(value);
  if (Number.isFinite(time)) return time;
  throw new SendError(
    'over-budget',
    'budget: svc cannot check the budget, because svc does not know the send time of this request; nothing was sent',
    { outcome: 'refused' },
  );
}

/** Checks that a task can still be cancelled once the service has counted its recipients. */
async function checkCancelTime({ latestNow }: SendBudgetCounterOptions, due: number): Promise<void> {
  if (due - (await latestNow()) >= SEND_TIME_MARGINS_IF_CANCELLABLE.minSecondsLeftAtRequest) return;
  const least = formatDuration(SEND_TIME_MARGINS_IF_CANCELLABLE.minSecondsLeftAtRequest);
  throw new SendError(
    'over-budget',
    `budget: svc can count the recipients only after the task is created. The send time must be at least ${least} ahead, so that svc has time to cancel a task that exceeds the budget; nothing was sent`,
    { outcome: 'refused', hint: 'give a later --at' },
  );
}

const uncounted = ({ account }: SendBudgetCounterOptions): SendError =>
  new SendError(
    'over-budget',
    `budget: svc cannot count the recipients of this command (${account}); nothing was sent`,
    {
      outcome: 'refused',
      hint: 'use svc task create, svc task update or svc apply, whose recipients svc can count',
    },
  );

const refused = async (fault: string, options: SendBudgetCounterOptions): Promise<SendError> =>
  new SendError('over-budget', `${fault}; nothing was sent`, {
    outcome: 'refused',
    hint: await hintOf(options),
  });

const hintOf = async ({ place, zone }: SendBudgetCounterOptions): Promise<string> =>
  `days and hours are in the time zone ${await zone()}; svc profile show shows the budget, and ${budgetLedgerPath(place.folder ?? '')} lists the sends that the budget counts`;
