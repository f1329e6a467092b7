/** Tasks are created, moved and cancelled, and a single SMS is sent. */
import type { JsonObject } from '../../../src/service/protocol/envelope.ts';
import { at, idAt, NOTHING, type Outcome } from './outcome.ts';
import type { Real } from './real.ts';
import { audienceOf, type Model, type Task } from './state.ts';
import type { StepOf } from './steps.ts';

interface Audience {
  readonly list: number | null;
  readonly search: number | null;
}

function audienceAt(
  model: Model,
  { search, pick }: { readonly search: boolean; readonly pick: number },
): Audience {
  return search
    ? { list: null, search: idAt(model.searches.size, pick) }
    : { list: idAt(model.made.list, pick), search: null };
}

const exists = (model: Model, { list }: Audience): boolean => list === null || model.lists.has(list);

export async function schedule(model: Model, real: Real, step: StepOf<'schedule'>): Promise<Outcome> {
  const message = at(model.messages, step.message);
  if (!message) return NOTHING;
  const audience = audienceAt(model, step.audience);
  const scheduledtime = model.now + 60 * step.minutes;
  const { status, data } = await real.send('POST', '/v1/task', {
    channel: message.channel,
    message_id: message.id,
    name: 'Task',
    scheduledtime,
    list_id: audience.list,
    search_id: audience.search,
    ...(step.rate === null ? {} : { rate: step.rate }),
  });
  if (message.deleted || !exists(model, audience)) return { expected: 400, got: status };
  message.used = true;
  const id = Number(data['id']);
  // Interface, task: "A `scheduledtime` earlier than the current Unix time is set to the current time."
  const start = Math.max(model.now, scheduledtime);
  model.tasks.set(id, {
    id,
    message,
    rate: step.rate,
    ...audience,
    scheduledtime: start,
    size: audienceOf(model, message.channel, audience).length,
    cancelled: false,
    completed: false,
    endtime: null,
    started: false,
    cursor: 0,
    due: start,
    skipped: 0,
    sent: new Map(),
    spent: 0,
    stopped: false,
    did: {
      open: new Set(),
      click: new Set(),
      bounce: new Set(),
      unsubscribe: new Set(),
      complaint: new Set(),
    },
  });
  return { expected: 202, got: status };
}

/** Returns a task, usually one that has not ended. */
function taskAt({ tasks }: Model, pick: number): Task | undefined {
  const active = [...tasks.values()].filter(({ endtime }) => endtime === null);
  return at(pick % 4 === 0 || active.length === 0 ? [...tasks.values()] : active, pick);
}

/** wire: any PUT of a cancelled or completed task is 409; README: a task that is being sent only allows cancel and rename. */
export async function changeTask(
  model: Model,
  real: Real,
  step: StepOf<'cancel'> | StepOf<'move'> | StepOf<'retarget'>,
): Promise<Outcome> {
  const task = taskAt(model, step.task);
  if (!task) return NOTHING;
  const put = async (body: JsonObject) => (await real.send('PUT', `/v1/task/${task.id}`, body)).status;
  const hasEnded = task.endtime !== null;
  switch (step.kind) {
    case 'cancel': {
      const got = await put({ cancelled: true });
      if (hasEnded) return { expected: 409, got };
      Object.assign(task, { cancelled: true, endtime: model.now, due: null });
      return { expected: 200, got };
    }
    case 'move': {
      const scheduledtime = model.now + 60 * step.minutes;
      const got = await put({ scheduledtime });
      const start = Math.max(model.now, scheduledtime);
      if (hasEnded || (task.started && scheduledtime !== task.scheduledtime)) return { expected: 409, got };
      if (!task.started) Object.assign(task, { scheduledtime: start, due: start });
      return { expected: 200, got };
    }
    case 'retarget':
      return retarget(model, task, audienceAt(model, step.audience), put);
  }
}

async function retarget(
  model: Model,
  task: Task,
  audience: Audience,
  put: (body: JsonObject) => Promise<number>,
): Promise<Outcome> {
  const got = await put({ list_id: audience.list, search_id: audience.search });
  if (task.endtime !== null) return { expected: 409, got };
  if (!exists(model, audience)) return { expected: 400, got };
  if (task.list === audience.list && task.search === audience.search) return { expected: 200, got };
  if (task.started) return { expected: 409, got };
  // wire: "`size` is counted again after a new list or search".
  Object.assign(task, { ...audience, size: audienceOf(model, task.message.channel, audience).length });
  return { expected: 200, got };
}

export async function sendSms(model: Model, real: Real, step: StepOf<'sms'>): Promise<Outcome> {
  const msisdn = step.number;
  const senddate = step.minutes === null ? null : model.now + 60 * step.minutes;
  const body = { msisdn, fromaddress: 'Company', message: 'Hi', senddate };
  const { status, data } = await real.send('POST', '/v1/sms', body);
  const id = Number(data['id']);
  model.sms.set(id, { id, msisdn, due: Math.max(model.now, senddate ?? model.now), outcome: 'waiting' });
  return { expected: 202, got: status };
}
