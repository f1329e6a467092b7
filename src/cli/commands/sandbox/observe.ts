/** What the sandbox delivered, what it noticed, and how it is to misbehave. */
import type { JsonObject } from '../../../protocol/envelope.ts';
import type { Group, Verb } from '../../command/command.ts';
import type { Column } from '../../output/result.ts';
import { askSandbox, DATA_FLAG } from './connection.ts';
import { controlVerb, resultOf } from './control-verb.ts';
import { exportMail, withEml } from './eml.ts';
import { beyondNote, limitIn, PAGE, PAGING_FLAGS, pagedRows } from './pages.ts';

const deliveryColumns: readonly Column[] = [
  { name: 'id' },
  { name: 'time', kind: 'timestamp' },
  { name: 'channel' },
  { name: 'to' },
  { name: 'from' },
  { name: 'subject' },
  { name: 'cause' },
];

/** The newest so many where a number is given, else from the first on. */
const listed: Verb = {
  name: 'list',
  summary: 'List what was delivered, newest last',
  example: 'sandbox outbox list --limit 20',
  flags: [...PAGING_FLAGS, DATA_FLAG],
  run: async (session, input) => {
    const wanted = limitIn(session, input);
    const { limit, noted } = wanted;
    const empty = 'Nothing was delivered yet.';
    const columns = deliveryColumns;
    if (limit <= PAGE) {
      const asked = { limit: noted ? PAGE : Math.max(1, limit) };
      const answer = await askSandbox(session, input, 'outbox list', asked);
      const isTable = (await session.format()) === 'table';
      const result = resultOf(answer, { columns, empty }, isTable);
      const found = result.kind === 'rows' ? (result.rows as readonly JsonObject[]) : [];
      const shown = limit === 0 ? [] : found.slice(-limit);
      const rows = isTable ? shown.map(withCause) : shown;
      const notes = (): readonly string[] => beyondNote('newest', found.length, wanted);
      return { result: { kind: 'rows', columns, empty, rows, notes } };
    }
    const args = {};
    const paging = { operation: 'outbox list', args, first: '', limit: wanted, columns, empty };
    return { result: await pagedRows(session, input, { ...paging, shownInTable: withCause }) };
  },
};

/** `task 3`, `rule click 4`, `sms 12`. */
function withCause(row: JsonObject): JsonObject {
  const { kind, id, rule_kind } = Object(row['cause']) as Readonly<Record<string, unknown>>;
  return { ...row, cause: [kind, rule_kind, id].filter((word) => word !== null).join(' ') };
}

export const outbox: Group = {
  name: 'outbox',
  summary: 'See every message that was delivered',
  commands: [
    listed,
    withEml(
      controlVerb({
        operation: 'outbox show',
        summary: 'Show one delivered message in full',
        example: 'outbox show t1-12',
        positional: { name: 'id', kind: 'text', describe: 'Its id in the list' },
        columns: deliveryColumns,
      }),
    ),
    exportMail,
  ],
};

export const log: Group = {
  name: 'log',
  summary: 'See what the sandbox noticed',
  commands: [
    controlVerb({
      operation: 'log list',
      summary: 'List the newest lines of the log',
      example: 'log list',
      params: [{ name: 'limit', kind: 'number', describe: 'How many; 100 unless given' }],
      columns: [{ name: 'time', kind: 'timestamp' }, { name: 'kind' }, { name: 'text' }],
      empty: 'The log is empty.',
    }),
  ],
};

const faultColumns: readonly Column[] = [
  { name: 'kind' },
  { name: 'rate', kind: 'number' },
  { name: 'times', kind: 'number' },
  { name: 'match' },
  { name: 'delay', kind: 'number' },
];

export const fault: Group = {
  name: 'fault',
  summary: 'Let the service misbehave on purpose',
  commands: [
    controlVerb({
      operation: 'fault set',
      summary: 'Add a fault',
      about:
        'error answers 503 and rate-limit 429, without doing anything; slow waits before it does the work; ' +
        'reset cuts the connection before, lost-answer after the work was done. Faults end with the process',
      example: 'fault set --kind lost-answer --times 1 --match "POST /v1/task"',
      params: [
        {
          name: 'kind',
          kind: 'text',
          value: 'kind',
          describe: 'error, rate-limit, slow, reset or lost-answer',
          required: true,
          choices: ['error', 'rate-limit', 'slow', 'reset', 'lost-answer'],
        },
        { name: 'rate', kind: 'number', value: '0..1', describe: 'Share of the requests that it hits' },
        { name: 'times', kind: 'number', describe: 'How many requests it hits at most' },
        { name: 'match', kind: 'text', describe: 'Method, path below /v1/, or both' },
        { name: 'delay', kind: 'milliseconds', describe: 'How long slow waits; 2s unless given' },
      ],
      columns: faultColumns,
    }),
    controlVerb({
      operation: 'fault list',
      summary: 'Show the faults',
      example: 'fault list',
      columns: faultColumns,
      empty: 'The service behaves.',
    }),
    controlVerb({
      operation: 'fault clear',
      summary: 'Take all faults back',
      example: 'fault clear',
      columns: [{ name: 'cleared', kind: 'number' }],
    }),
  ],
};
