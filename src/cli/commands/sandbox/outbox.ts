/** Declares `sandbox outbox list` and `show`, for delivered messages. */
import { operationOf } from '../../../protocol/control.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { Verb } from '../../command/command.ts';
import { askSandbox, dataFlag } from './connection.ts';
import { controlResult, controlVerb, helpOf } from './control-verb.ts';
import { newestRows, PAGING_FLAGS, readLimit } from './pages.ts';
import { flagsOf, readParameters } from './parameters.ts';

const OPERATION = operationOf('outbox list');

/** Lists deliveries. With a limit, lists the newest ones. Otherwise starts with the first delivery. */
export const listOutbox: Verb = {
  ...helpOf('outbox list'),
  flags: [...flagsOf(OPERATION), ...PAGING_FLAGS, dataFlag],
  run: async (session, input) => {
    const filter = await readParameters(session, input, OPERATION);
    const paging = {
      operation: 'outbox list',
      args: filter,
      limit: await readLimit(session, input),
    } as const;
    const rows = await newestRows(session, input, { ...paging, shownInTable: asTableRow });
    return {
      result: Object.keys(filter).length > 0 ? { ...rows, empty: 'No delivered message matches.' } : rows,
    };
  },
};

/** Shows one message in full. */
export const showDelivery: Verb = {
  ...controlVerb('outbox show'),
  run: async (session, input) => {
    const operation = operationOf('outbox show');
    const args = await readParameters(session, input, operation);
    const answer = await askSandbox(session, input, 'outbox show', args);
    const isTable = (await session.format()) === 'table';
    const result = controlResult(answer, operation, isTable);
    if (result.kind !== 'object' || !isTable) return { result };
    const columns = operation.columns.map((column) => ({ ...column, kind: 'text' as const }));
    return { result: { ...result, columns, value: { ...result.value, cause: causeOf(result.value) } } };
  },
};

/** Returns the row for a table. For an SMS, the subject column shows its text. */
const asTableRow = (row: JsonObject): JsonObject => ({
  ...row,
  subject: row['subject'] ?? row['text'] ?? null,
  cause: causeOf(row),
});

/** Returns `task 3`, `rule click:4`, `sms 12`. */
function causeOf({ cause }: JsonObject): string {
  const { kind, id, rule_kind } = Object(cause) as Readonly<Record<string, unknown>>;
  const named = rule_kind === null ? id : `${String(rule_kind)}:${String(id)}`;
  return [kind, named].filter((word) => word !== null).join(' ');
}
