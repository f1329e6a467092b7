/** `sandbox outbox list`: what was delivered. */
import { operationOf } from '../../../protocol/control.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { Verb } from '../../command/command.ts';
import { askSandbox, dataFlag } from './connection.ts';
import { resultOf, wordsOf } from './control-verb.ts';
import { beyondNote, limitIn, PAGE, PAGING_FLAGS, pagedRows } from './pages.ts';

/** The newest so many where a number is given, else from the first on. */
export const listOutbox: Verb = {
  ...wordsOf('outbox list'),
  flags: [...PAGING_FLAGS, dataFlag],
  run: async (session, input) => {
    const wanted = limitIn(session, input);
    const { limit, noted } = wanted;
    if (limit <= PAGE) {
      const asked = { limit: noted ? PAGE : Math.max(1, limit) };
      const answer = await askSandbox(session, input, 'outbox list', asked);
      const isTable = (await session.format()) === 'table';
      const result = resultOf(answer, operationOf('outbox list'), isTable);
      if (result.kind !== 'rows') throw new Error('outbox list gave no list');
      const found = result.rows as readonly JsonObject[];
      const shown = limit === 0 ? [] : found.slice(-limit);
      const rows = isTable ? shown.map(withCause) : shown;
      const notes = (): readonly string[] => beyondNote('newest', found.length, wanted);
      return { result: { ...result, columns: operationOf('outbox list').columns, rows, notes } };
    }
    const paging = { operation: 'outbox list', args: {}, first: '', limit: wanted } as const;
    return { result: await pagedRows(session, input, { ...paging, shownInTable: withCause }) };
  },
};

/** `task 3`, `rule click 4`, `sms 12`. */
function withCause(row: JsonObject): JsonObject {
  const { kind, id, rule_kind } = Object(row['cause']) as Readonly<Record<string, unknown>>;
  return { ...row, cause: [kind, rule_kind, id].filter((word) => word !== null).join(' ') };
}
