/** Declares `sandbox queue`, which lists the queued actions with the time until each is due, by the sandbox's clock. */

import { actionWords } from '../../../automations/action-words.ts';
import { operationOf } from '../../../protocol/control.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { formatDuration } from '../../../text/duration.ts';
import type { Input, Verb } from '../../command/command.ts';
import type { Column, Rows } from '../../output/result.ts';
import { standingClockWords } from '../../request/standing-clock.ts';
import type { Session } from '../../session/session.ts';
import { askSandbox, dataFlag } from './connection.ts';
import { helpOf } from './control-verb.ts';
import { PAGING_FLAGS, pagedRows, readLimit } from './pages.ts';
import { flagsOf, readParameters } from './parameters.ts';

const OPERATION = operationOf('queue');

export const queue: Verb = {
  ...helpOf('queue'),
  flags: [...flagsOf(OPERATION), ...PAGING_FLAGS, dataFlag],
  run: async (session, input) => {
    const args = await readParameters(session, input, OPERATION);
    const rows = await pagedRows(session, input, {
      operation: 'queue',
      args,
      first: '',
      limit: await readLimit(session, input),
      cursorOf: ({ at, kind, id }) => `${String(at)}-${String(kind)}-${String(id)}`,
      shownInTable: asTableRow,
    });
    const empty =
      args['until'] !== undefined
        ? 'Nothing is due by then.'
        : args['rule'] !== undefined
          ? 'The rule has no queued actions.'
          : rows.empty;
    if (!(await isTable(session))) return { result: { ...rows, empty } };
    const note = await standingClockNote(session, input);
    return { result: { ...asTable(rows, note), empty } };
  },
};

const isTable = async (session: Session): Promise<boolean> => (await session.format()) === 'table';

/** Returns the rows with the note about the clock after them. For an empty queue, the line about the empty queue replaces the note. */
function asTable(rows: Rows, note: string | undefined): Rows {
  let some = false;
  async function* counted(): AsyncGenerator<JsonObject> {
    for await (const row of rows.rows) {
      some = true;
      yield row;
    }
  }
  const notes = (): readonly string[] => [
    ...(rows.notes?.() ?? []),
    ...(some && note !== undefined ? [note] : []),
  ];
  return { ...rows, columns: TABLE_COLUMNS, attributes: rows.columns, rows: counted(), notes };
}

const TABLE_COLUMNS: readonly Column[] = [
  // Formatted as text, and never truncated, like any time.
  { name: 'at', kind: 'timestamp' },
  { name: 'in', kind: 'text' },
  { name: 'cause', kind: 'text' },
  { name: 'action', kind: 'text' },
  { name: 'name' },
];

/** Returns the row for a table, with the cause of a delivery in the words of `sandbox outbox list`. */
function asTableRow(row: JsonObject): JsonObject {
  const seconds = Number(row['in']);
  return {
    ...row,
    in: seconds <= 0 ? 'now' : formatDuration(seconds),
    cause:
      row['kind'] === 'rule' ? `rule ${String(row['rule'])}` : `${String(row['kind'])} ${String(row['id'])}`,
    action: wordsFor(row),
  };
}

function wordsFor({ kind, action, target, subscriber, size }: JsonObject): string {
  const recipients = `${String(size)} ${size === 1 ? 'recipient' : 'recipients'} of ${String(target)}`;
  switch (action) {
    case 'start':
      return `send to ${recipients}`;
    case 'continue':
      return `continue sending to ${recipients}`;
    case 'send':
      return `send to ${String(target)}`;
    case 'expire':
      return `give up on ${String(target)}, which takes no SMS`;
    default:
      return kind === 'rule'
        ? `${actionWords(String(action), String(target))}, for subscriber ${String(subscriber)}`
        : String(action);
  }
}

/** Returns the note that the sandbox's clock is stopped, or undefined if the clock runs. */
async function standingClockNote(session: Session, input: Input): Promise<string | undefined> {
  const { data, zone } = await askSandbox(session, input, 'clock show');
  const { clock, time } = Object(data) as JsonObject;
  if (clock !== 'manual') return undefined;
  return standingClockWords(Number(time), zone).join(' ');
}
