/** Lists due work with its times, and the latest actions of a rule. */

import { invalid } from '../../protocol/service-errors.ts';
import { readRuleName } from '../../resources/rule-kinds.ts';
import { listDue } from '../engine/due-list.ts';
import { listOutbox } from '../engine/mail/outbox.ts';
import { ruleActions } from '../store/automations.ts';
import { DUE_KINDS, type DueEntry } from '../store/queue.ts';
import type { OperationsOf } from './operation.ts';

export const queueOperations = {
  queue: async ({ db, account, now }, { until, rule, after, limit }) => {
    const page = {
      rule: rule === undefined ? undefined : readRuleName(rule),
      until,
      after: after === undefined ? undefined : entryIn(after),
      limit,
    };
    const items = await listDue(db, account.id, page);
    return items.map(({ at, ...item }) => ({ at, in: at - now, ...item }));
  },
  /** Lists the rule's messages, its changes to lists, and its skipped actions, newest first. */
  'rule done': async ({ db, account }, { rule, limit }) => {
    const named = readRuleName(rule);
    if (named === undefined)
      throw invalid([{ attribute: 'rule', reason: 'is not a rule, such as click:12' }]);
    const filter = { rule: named };
    const sent = (await listOutbox(db, { accountId: account.id, limit, filter })).map((entry) => ({
      ...{ time: entry.time, action: entry.channel, target: entry.to, subscriber: null },
      ...{ why: null, delivery: entry.id },
    }));
    const others = (await ruleActions(db, account.id, { ...named, limit })).map((row) => ({
      ...{ time: row.time, action: row.action, target: row.target, subscriber: row.subscriber_id },
      ...{ why: row.why, delivery: null },
    }));
    return [...sent.toReversed(), ...others].sort((a, b) => b.time - a.time).slice(0, limit);
  },
} satisfies OperationsOf<'queue' | 'rule'>;

/** Parses the place of the previous page's last row, `<at>-<kind>-<id>`. Empty for the first page. */
function entryIn(text: string): DueEntry | undefined {
  if (text === '') return undefined;
  const [, due, word, id] = /^([0-9]{1,12})-([a-z]+)-([0-9]{1,15})$/.exec(text) ?? [];
  const kind = DUE_KINDS.find((each) => each === word);
  if (kind) return { due: Number(due), kind, id: Number(id) };
  throw invalid([{ attribute: 'after', reason: 'is not a place in the queue' }]);
}
