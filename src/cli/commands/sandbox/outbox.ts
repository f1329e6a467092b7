/** Declares `svc sandbox outbox list` and `svc sandbox outbox show`, which show delivered messages. */
import { operationOf } from '../../../protocol/control.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { Verb } from '../../command/command.ts';
import { askSandbox, dataFlag } from './connection.ts';
import { operationHelp, operationResult, verbForOperation } from './control-verb.ts';
import { PAGING_FLAGS, readLimit, readNewestRows } from './pages.ts';
import { parameterFlags, readParameters } from './parameters.ts';

const OPERATION = operationOf('outbox list');

/** Declares `svc sandbox outbox list`, which lists delivered messages, newest first. */
export const listOutbox: Verb = {
  ...operationHelp('outbox list'),
  flags: [...parameterFlags(OPERATION), ...PAGING_FLAGS, dataFlag],
  run: async (session, input) => {
    const filter = await readParameters(session, input, OPERATION);
    const paging = {
      operation: 'outbox list',
      args: filter,
      limit: await readLimit(session, input),
    } as const;
    const rows = await readNewestRows(session, input, { ...paging, shownInTable: asTableRow });
    return {
      result:
        Object.keys(filter).length > 0
          ? { ...rows, empty: 'No delivered message matches the filters.' }
          : rows,
    };
  },
};

/** Declares `svc sandbox outbox show`, which shows a delivered message in full. */
export const showDelivery: Verb = {
  ...verbForOperation('outbox show'),
  run: async (session, input) => {
    const operation = operationOf('outbox show');
    const args = await readParameters(session, input, operation);
    const answer = await askSandbox(session, input, 'outbox show', args);
    const isTable = (await session.format()) === 'table';
    const result = operationResult(answer, operation, isTable);
    if (result.kind !== 'object' || !isTable) return { result };
    const columns = operation.columns.map((column) => ({ ...column, kind: 'text' as const }));
    return { result: { ...result, columns, value: { ...result.value, cause: causeOf(result.value) } } };
  },
};

/** Returns a table row for a delivered message. For an SMS, the subject column shows its text. */
const asTableRow = (row: JsonObject): JsonObject => ({
  ...row,
  subject: row['subject'] ?? row['text'] ?? null,
  cause: causeOf(row),
});

/** Returns the cause of a delivered message: `task 3`, `rule click:4` or `sms 12`. */
function causeOf({ cause }: JsonObject): string {
  const { kind, id, rule_kind } = Object(cause) as Readonly<Record<string, unknown>>;
  const named = rule_kind === null ? id : `${String(rule_kind)}:${String(id)}`;
  return [kind, named].filter((word) => word !== null).join(' ');
}
