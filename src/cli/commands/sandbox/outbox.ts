/** Declares `svc sandbox outbox list` and `svc sandbox outbox show`, which show delivered messages. */
import { controlOperationNamed } from '../../../protocol/control.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { Verb } from '../../command/command.ts';
import { dataFlag, requestSandboxOperation } from './connection.ts';
import { convertOperationResponse, createOperationVerb, operationVerbHelp } from './control-verb.ts';
import { ROW_LIMIT_FLAGS, readNewestRows, readSandboxRowLimit } from './pages.ts';
import { operationParameterFlags, readOperationParameters } from './parameters.ts';

const OPERATION = controlOperationNamed('outbox list');

/** Declares `svc sandbox outbox list`, which lists delivered messages, newest first. */
export const listOutbox: Verb = {
  ...operationVerbHelp('outbox list'),
  flags: [...operationParameterFlags(OPERATION), ...ROW_LIMIT_FLAGS, dataFlag],
  run: async (session, input) => {
    const filter = await readOperationParameters(session, input, OPERATION);
    const paging = {
      operation: 'outbox list',
      args: filter,
      limit: await readSandboxRowLimit(session, input),
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
  ...createOperationVerb('outbox show'),
  run: async (session, input) => {
    const operation = controlOperationNamed('outbox show');
    const args = await readOperationParameters(session, input, operation);
    const answer = await requestSandboxOperation(session, input, 'outbox show', args);
    const isTable = (await session.format()) === 'table';
    const result = convertOperationResponse(answer, operation, isTable);
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
