/** Making and changing tasks: what sends to thousands is guarded here. */
import type { JsonObject } from '../../protocol/envelope.ts';
import { task } from '../../resources/task.ts';
import { type Draft, faulty } from '../body.ts';
import { CliError, UsageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { guardTime, tellTime } from '../send-time.ts';
import type { Session } from '../session.ts';
import { type Flag, type Input, isOn, textOf } from '../verb.ts';
import { createVerb } from './create.ts';
import { updateVerb } from './update.ts';

const nowFlag: Flag = {
  name: 'now',
  describe: 'Send at once; the only way to do so',
  group: 'Attributes',
};

const expectFlag: Flag = {
  name: 'expect-size',
  value: 'from..to',
  describe: 'Cancel it again unless it finds so many subscriptions, such as 9000..11000',
  group: 'Options',
};

/** Between the check of the size and the send there must be time to cancel. */
const LEAST_AHEAD_TO_CANCEL = 5 * 60;

export const taskCreate = createVerb(task, {
  summary: 'Schedule a message to a list or a search',
  about: 'The other of list_id and search_id is null',
  example:
    'task create --name "Spring sale" --channel email --message "Spring sale" --list 7 --at "tomorrow 09:00"',
  flags: [nowFlag, expectFlag],
  prepare: (session, input, draft) => {
    readRange(input);
    return scheduled(session, input, draft, true);
  },
  guard: async (session, input, body) => {
    if (isOn(input, 'now')) {
      if (readRange(input)) throw new UsageError('--expect-size needs time to cancel, so it excludes --now');
      await tellTime(session, Number(body['scheduledtime']));
      return undefined;
    }
    const leastAhead = readRange(input) ? LEAST_AHEAD_TO_CANCEL : undefined;
    return guardTime(session, 'scheduledtime', Number(body['scheduledtime']), leastAhead);
  },
  after: cancelUnlessExpected,
});

export const taskUpdate = updateVerb(task, {
  about:
    'With one of --list and --search the other is set to null, since exactly one of them may be set. ' +
    'To cancel, use svc task cancel',
  example: 'task update 12 --at "2026-12-01 09:00"',
  flags: [nowFlag],
  prepare: (session, input, draft) => scheduled(session, input, withOtherTarget(draft), false),
  guard: async (session, input, body) => {
    if (body['cancelled'] === true)
      throw new UsageError('to cancel a task, use svc task cancel', { hint: 'it asks first' });
    const time = body['scheduledtime'];
    if (typeof time !== 'number') return undefined;
    if (!isOn(input, 'now')) return guardTime(session, 'scheduledtime', time);
    await tellTime(session, time);
    return undefined;
  },
});

/** `--now` is the service's own now: its clock is the one that decides. */
function scheduled(session: Session, input: Input, draft: Draft, required: boolean): Draft {
  const given = Object.hasOwn(draft.body, 'scheduledtime');
  const isFaulty = draft.findings.some(({ attribute }) => attribute === 'scheduledtime');
  if (isOn(input, 'now')) {
    if (given || isFaulty) throw new UsageError('--at and --now exclude each other');
    const meanwhile = Math.floor(session.context.clock.now() / 1000);
    const later = new Map(draft.later).set('scheduledtime', async () => ({
      value: Math.floor(await session.serviceNow()),
    }));
    return { ...draft, body: { ...draft.body, scheduledtime: meanwhile }, later };
  }
  if (given || isFaulty || !required) return draft;
  const finding = {
    attribute: 'scheduledtime',
    reason: 'is required',
    instead: 'give --at, or --now to send at once',
  };
  return { ...draft, findings: [...draft.findings, finding] };
}

/** Interface, task PUT: exactly one of the two may be non-null. */
function withOtherTarget(draft: Draft): Draft {
  const { list_id, search_id } = draft.body;
  if (list_id !== undefined && list_id !== null && search_id === undefined)
    return { ...draft, body: { ...draft.body, search_id: null } };
  if (search_id !== undefined && search_id !== null && list_id === undefined)
    return { ...draft, body: { ...draft.body, list_id: null } };
  return draft;
}

function readRange(input: Input): { readonly from: number; readonly to: number } | undefined {
  const text = textOf(input, 'expect-size');
  if (text === undefined) return undefined;
  const match = /^([0-9]{1,12})\.\.([0-9]{1,12})$/.exec(text);
  const range = { from: Number(match?.[1]), to: Number(match?.[2]) };
  if (match && range.from <= range.to) return range;
  throw faulty([
    { attribute: 'expect-size', value: text, reason: 'must be two numbers', instead: 'write 9000..11000' },
  ]);
}

/** The size is known only once the task exists (contract, "Safety"). */
async function cancelUnlessExpected(session: Session, input: Input, record: JsonObject): Promise<void> {
  const range = readRange(input);
  const size = record['size'];
  if (!range || (typeof size === 'number' && size >= range.from && size <= range.to)) return;
  const client = await session.client();
  const id = Number(record['id']);
  await client.update(task, id, { cancelled: true });
  throw new CliError(
    'unexpected-size',
    `task ${id} found ${String(size)} subscriptions and ${range.from} to ${range.to} were expected; it is cancelled`,
    { exit: EXIT.usage, hint: 'Check the list, or the range of --expect-size.' },
  );
}
