/** Shows and moves the clock of the service. Moving it runs the work that becomes due. */

import { MAX_UNIX_SECONDS } from '../../kit/schema/integer.ts';
import { createConflictError, createInvalidRequestError } from '../../service/protocol/service-errors.ts';
import { readRuleReference } from '../../service/resources/rule-kinds.ts';
import { readClockMode, readServiceTime } from '../engine/clock.ts';
import { listUpcomingDueWork } from '../engine/due.ts';
import { listOutbox } from '../engine/mail/outbox.ts';
import { advanceClockTo, advanceClockUntilIdle } from '../engine/tick.ts';
import { listRuleActions } from '../store/automations.ts';
import { DUE_WORK_KINDS, type DueWorkEntry } from '../store/due-work.ts';
import type { Db } from '../store/open.ts';
import { listCompletedTasks } from '../store/tasks.ts';
import type { ControlContext, ControlOperationsForNoun } from './operation.ts';

export const clockControlOperations = {
  'clock show': async ({ db, account, now }) => ({
    clock: await readClockMode(db),
    time: now,
    zone: account.timezone,
  }),
  'clock set': async (sandbox, { time }) =>
    moved(sandbox, () => advanceClockTo(sandbox.service.store, time, sandbox.engine)),
  'clock advance': async (sandbox, { seconds }) =>
    moved(sandbox, async () => {
      const now = await timeOf(sandbox);
      if (now + seconds > MAX_UNIX_SECONDS)
        throw new RangeError(`the clock shows ${now} and cannot go past the year 9999 (${MAX_UNIX_SECONDS})`);
      return advanceClockTo(sandbox.service.store, now + seconds, sandbox.engine);
    }),
  'clock run': (sandbox) =>
    moved(sandbox, () => advanceClockUntilIdle(sandbox.service.store, sandbox.engine)),
} satisfies ControlOperationsForNoun<'clock'>;

async function moved(sandbox: ControlContext, move: () => Promise<number>) {
  try {
    const before = await timeOf(sandbox);
    const done = await move();
    const time = await timeOf(sandbox);
    return { clock: 'manual', time, done, tasks: await sendsBetween(sandbox.service.store.db, before, time) };
  } catch (error) {
    // The clock is real, or the time is in the past or too far ahead.
    if (error instanceof RangeError) throw createConflictError(error.message);
    throw error;
  }
}

/** Returns the sends that ended after `from` and up to `to`, newest last, at most ten. */
async function sendsBetween(db: Db, from: number, to: number) {
  const rows = await listCompletedTasks(db, { from, to, limit: 10 });
  return rows.map(({ id, name, channel, sent, skipped, completed }) => ({
    ...{ id, name, channel, sent, skipped },
    completed: completed === 1,
  }));
}

const timeOf = ({ service }: ControlContext): Promise<number> =>
  readServiceTime(service.store.db, service.environment.machineNow());

export const dueWorkOperations = {
  queue: async ({ db, account, now }, { until, rule, after, limit }) => {
    const page = {
      rule: rule === undefined ? undefined : readRuleReference(rule),
      until,
      after: after === undefined ? undefined : entryIn(after),
      limit,
    };
    const items = await listUpcomingDueWork(db, account.id, page);
    return items.map(({ at, ...item }) => ({ at, in: at - now, ...item }));
  },
  /** Lists the past actions of a rule, newest first: messages, changes to lists, and skipped actions. */
  'rule done': async ({ db, account }, { rule, limit }) => {
    const named = readRuleReference(rule);
    if (named === undefined)
      throw createInvalidRequestError([{ attribute: 'rule', reason: 'is not a rule, such as click:12' }]);
    const filter = { rule: named };
    const sent = (await listOutbox(db, { accountId: account.id, limit, filter })).map((entry) => ({
      ...{ time: entry.time, action: entry.channel, target: entry.to, subscriber: null },
      ...{ why: null, delivery: entry.id },
    }));
    const others = (await listRuleActions(db, account.id, { ...named, limit })).map((row) => ({
      ...{ time: row.time, action: row.action, target: row.target, subscriber: row.subscriber_id },
      ...{ why: row.why, delivery: null },
    }));
    return [...sent.toReversed(), ...others].sort((a, b) => b.time - a.time).slice(0, limit);
  },
} satisfies ControlOperationsForNoun<'queue' | 'rule'>;

/** Parses the position after which a page begins: the id of a row, `<at>-<kind>-<id>`. Returns undefined for an empty text. */
function entryIn(text: string): DueWorkEntry | undefined {
  if (text === '') return undefined;
  const [, due, word, id] = /^([0-9]{1,12})-([a-z]+)-([0-9]{1,15})$/.exec(text) ?? [];
  const kind = DUE_WORK_KINDS.find((each) => each === word);
  if (kind) return { due: Number(due), kind, id: Number(id) };
  throw createInvalidRequestError([{ attribute: 'after', reason: 'is not a place in the queue' }]);
}
