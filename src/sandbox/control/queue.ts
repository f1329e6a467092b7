/** What is due, and when. */
import { invalid } from '../../protocol/service-errors.ts';
import { listDue } from '../engine/due-list.ts';
import { DUE_KINDS, type DueEntry } from '../store/queue.ts';
import type { OperationsOf } from './operation.ts';

export const queueOperations = {
  queue: async ({ db, account, now }, { until, after, limit }) => {
    const page = { until, after: after === undefined ? undefined : entryIn(after), limit };
    const items = await listDue(db, account.id, page);
    return items.map(({ at, ...item }) => ({ at, in: at - now, ...item }));
  },
} satisfies OperationsOf<'queue'>;

/** `<at>-<kind>-<id>` of the last row of the page before; empty for the first page. */
function entryIn(text: string): DueEntry | undefined {
  if (text === '') return undefined;
  const [, due, word, id] = /^([0-9]{1,12})-([a-z]+)-([0-9]{1,15})$/.exec(text) ?? [];
  const kind = DUE_KINDS.find((each) => each === word);
  if (kind) return { due: Number(due), kind, id: Number(id) };
  throw invalid([{ attribute: 'after', reason: 'is not a place in the queue' }]);
}
