/** Waiting for a task, and telling what changes meanwhile. */
import type { JsonObject } from '../../protocol/envelope.ts';
import { task } from '../../resources/task.ts';
import { parseDuration } from '../../text/duration.ts';
import { formatTime } from '../../text/timezone.ts';
import { CliError, UsageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { type Id, idOf, notFound } from '../references.ts';
import type { Session } from '../session.ts';
import { shown } from '../submit.ts';
import { type Flag, type Input, textOf, type Verb } from '../verb.ts';
import { idPositional } from './get.ts';

const STATES = ['completed', 'cancelled'] as const;
type State = (typeof STATES)[number];

const intervalFlag: Flag = {
  name: 'interval',
  value: 'duration',
  describe: 'Look so often; 5s unless said otherwise',
  group: 'Options',
};

export const taskWait: Verb = {
  name: 'wait',
  summary: 'Wait until one is completed or cancelled',
  example: 'task wait 12 --until completed --timeout 2h',
  about: 'Here --timeout is for the whole wait. Ending up in the other state is a failure',
  ownsTimeout: true,
  positionals: [idPositional(task)],
  flags: [
    {
      name: 'until',
      value: 'state',
      describe: 'The state to wait for; completed unless said otherwise',
      group: 'Options',
      choices: STATES,
    },
    intervalFlag,
  ],
  run: async (session, input) => {
    const until = readState(input);
    const deadline = session.context.clock.now() + readSpan(input, 'timeout', Number.POSITIVE_INFINITY);
    const id = await idOf(session, task, input.positionals[0] ?? '');
    for await (const record of looks(session, id, readSpan(input, 'interval', 5000), deadline)) {
      if (record[until] === true) return shown(task, record);
      const other = STATES.find((state) => record[state] === true);
      if (other) throw new CliError('other-state', `task ${id} is ${other}`, { exit: EXIT.failed });
    }
    throw new CliError('timeout', `task ${id} is not ${until} yet`, {
      exit: EXIT.failed,
      hint: 'Nothing was changed; wait longer with --timeout.',
    });
  },
};

const WATCHED = [
  'size',
  'emailuniqueopens',
  'emailuniqueclicks',
  'emailuniquebounces',
  'emailuniqueunsubscriptions',
  'emailuniquecomplaints',
  'smsuniquebounces',
] as const;

export const taskWatch: Verb = {
  name: 'watch',
  summary: 'Print a line whenever one changes, until it is completed or cancelled',
  example: 'task watch 12 -o ndjson',
  output: 'ndjson',
  positionals: [idPositional(task)],
  flags: [intervalFlag],
  run: async (session, input) => {
    const interval = readSpan(input, 'interval', 5000);
    const id = await idOf(session, task, input.positionals[0] ?? '');
    const columns = [{ name: 'time' }, { name: 'state' }, ...WATCHED.map((name) => ({ name }))];
    return {
      result: { kind: 'rows', rows: changes(session, id, interval), columns, empty: 'nothing changed' },
    };
  },
};

async function* changes(session: Session, id: Id, interval: number): AsyncGenerator<JsonObject> {
  let before = '';
  for await (const record of looks(session, id, interval, Number.POSITIVE_INFINITY)) {
    const state = STATES.find((each) => record[each] === true) ?? 'scheduled';
    const counts = Object.fromEntries(WATCHED.map((name) => [name, record[name] ?? null]));
    const now = JSON.stringify([state, counts]);
    if (now !== before) {
      const time = formatTime(await session.serviceNow(), await session.companyZone(), 'table');
      yield { time, state, ...counts };
    }
    before = now;
    if (state !== 'scheduled') return;
  }
}

/** The record again and again, the last time at the deadline. */
async function* looks(
  session: Session,
  id: Id,
  interval: number,
  deadline: number,
): AsyncGenerator<JsonObject> {
  const client = await session.client();
  const { clock, signal } = session.context;
  for (;;) {
    const record = await client.get(task, id);
    if (record === undefined) throw notFound(task, String(id));
    yield record;
    const left = deadline - clock.now();
    if (left <= 0) return;
    await clock.sleep(Math.min(interval, left), signal);
  }
}

function readState(input: Input): State {
  const text = textOf(input, 'until') ?? 'completed';
  const state = STATES.find((each) => each === text);
  if (state) return state;
  throw new UsageError(`--until: there is no state ${text}`, { hint: `states: ${STATES.join(', ')}` });
}

function readSpan(input: Input, flag: string, fallback: number): number {
  const text = textOf(input, flag);
  if (text === undefined) return fallback;
  const seconds = parseDuration(text);
  if (seconds !== undefined && seconds > 0) return seconds * 1000;
  throw new UsageError(`--${flag}: ${text} is not a length of time`, { hint: 'write 30s or 2h' });
}
