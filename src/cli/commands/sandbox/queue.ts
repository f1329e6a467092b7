/** Declares `svc sandbox queue`, which lists the queued actions of a sandbox and when each is due. */

import { formatDuration } from '../../../kit/text/duration.ts';
import type { Answer } from '../../../sandbox/control/all.ts';
import { describeAction } from '../../../service/automations/rule-words.ts';
import type { Input, Verb } from '../../command/command.ts';
import type { Column, Rows } from '../../output/result.ts';
import { formatStoppedClockLines } from '../../request/send-time.ts';
import type { Changes, Invocation, Profiles, Tell } from '../../session/ports.ts';
import { requestSandboxOperation } from './connection.ts';
import { createListVerb } from './pages.ts';

export const sandboxQueue: Verb = createListVerb(
  'queue',
  { first: '', cursorOf: ({ at, kind, id }) => `${at}-${kind}-${id}`, shownInTable: asTableRow },
  async (rows, { until, rule }, session, input) => {
    const noneOfRule = rule === undefined ? rows.empty : 'The rule has no queued actions.';
    const empty = until === undefined ? noneOfRule : 'No action is due by the given time.';
    if ((await session.format()) !== 'table') return { ...rows, empty };
    return { ...asTable(rows, await stoppedClockNote(session, input)), empty };
  },
);

/** An empty queue has no note. */
function asTable(rows: Rows, note: string | undefined): Rows {
  let some = false;
  async function* counted() {
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
  // Times are never truncated.
  { name: 'at', kind: 'timestamp' },
  { name: 'in', kind: 'text' },
  { name: 'cause', kind: 'text' },
  { name: 'action', kind: 'text' },
  { name: 'name' },
];

/** The column `cause` has the same form as in `svc sandbox outbox list`. */
function asTableRow(row: QueuedRow) {
  return {
    ...row,
    in: row.in <= 0 ? 'now' : formatDuration(row.in),
    cause: row.kind === 'rule' ? `rule ${row.rule}` : `${row.kind} ${row.id}`,
    action: wordsFor(row),
  };
}

type QueuedRow = Answer<'queue'>[number];

function wordsFor({ kind, action, target, subscriber, size }: QueuedRow): string {
  const recipients = `${size} ${size === 1 ? 'recipient' : 'recipients'} of ${target}`;
  switch (action) {
    case 'start':
      return `send to ${recipients}`;
    case 'continue':
      return `continue sending to ${recipients}`;
    case 'send':
      return `send to ${target}`;
    case 'expire':
      return `give up on ${target}, which receives no SMS`;
    default:
      return kind === 'rule' ? `${describeAction(action, target)}, for subscriber ${subscriber}` : action;
  }
}

async function stoppedClockNote(
  session: Invocation & Tell & Profiles & Changes,
  input: Input,
): Promise<string | undefined> {
  const { data, zone } = await requestSandboxOperation(session, input, 'clock show', {});
  return data.clock === 'manual' ? formatStoppedClockLines(data.time, zone).join(' ') : undefined;
}
