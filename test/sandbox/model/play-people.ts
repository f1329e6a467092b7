/** Subscribers are created, put on lists and suspended, and act as recipients do. */
import { at, DONE, idAt, NOTHING, type Outcome } from './outcome.ts';
import type { Real } from './real.ts';
import { block, isBlocked, type Model, type Subscriber, type Task } from './state.ts';
import type { StepOf } from './steps.ts';
import { subscribe, trigger } from './time.ts';

export async function subscribeTo(model: Model, real: Real, step: StepOf<'subscribe'>): Promise<Outcome> {
  const list = idAt(model.made.list, step.list);
  const id = idAt(model.made.subscriber, step.subscriber);
  const { status: got } = await real.control('event subscribe', { list, subscriber: id });
  const subscriber = model.subscribers.get(id);
  if (!subscriber || !model.lists.has(list)) return { expected: 404, got };
  if (isBlocked(model, subscriber)) return { expected: 409, got };
  subscribe(model, subscriber, list);
  return { expected: 200, got };
}

export async function newSubscriber(
  model: Model,
  real: Real,
  step: StepOf<'new subscriber'>,
): Promise<Outcome> {
  const { email, msisdn } = step;
  if (email === null && msisdn === null) return NOTHING;
  const lists = step.lists.map((pick) => idAt(model.made.list, pick));
  const { status: got, id } = await real.control('subscriber create', { email, msisdn, lists });
  if (lists.some((list) => !model.lists.has(list))) return { expected: 404, got };
  const isTaken = [...model.subscribers.values()].some(
    (other) => (email !== null && other.email === email) || (msisdn !== null && other.msisdn === msisdn),
  );
  if (isTaken || isBlocked(model, { email, msisdn })) return { expected: 409, got };
  addSubscriber(model, id, { email, msisdn }, lists);
  return { expected: 200, got };
}

function addSubscriber(
  model: Model,
  id: number,
  contact: Pick<Subscriber, 'email' | 'msisdn'>,
  lists: readonly number[],
): void {
  const suspended = { email: false, sms: false };
  model.subscribers.set(id, { id, ...contact, suspended, city: null, lists: new Set(lists) });
  model.made.subscriber = id;
}

export async function newList(model: Model, real: Real, step: StepOf<'new list'>): Promise<Outcome> {
  const folder = step.folder === null ? null : idAt(model.made.folder, step.folder);
  const { status: got, id } = await real.control('list create', { name: 'List', folder });
  if (folder !== null && !model.folders.has(folder)) return { expected: 404, got };
  model.lists.set(id, folder);
  model.made.list = id;
  return { expected: 200, got };
}

export async function changeSubscriber(
  model: Model,
  real: Real,
  step: StepOf<'locate'> | StepOf<'suspend'>,
): Promise<Outcome> {
  const subscriber = model.subscribers.get(idAt(model.made.subscriber, step.subscriber));
  if (!subscriber) return NOTHING;
  if (step.kind === 'suspend') {
    subscriber.suspended[step.channel] = step.on;
    await real.suspend(subscriber.id, { [`${step.channel}suspended`]: Number(step.on) });
    return DONE;
  }
  const isNew = subscriber.city === null;
  subscriber.city = step.city;
  const body = { subscriber_id: subscriber.id, subscriberprofilefield_id: 1, value: step.city };
  const { status: got } = await real.send(isNew ? 'POST' : 'PUT', '/v1/subscriberProfileData', body);
  return { expected: isNew ? 202 : 200, got };
}

/** A deleted person who got a message of a task signs up again: leaves Do Not Contact and becomes a subscriber of its list. */
export async function comeBack(model: Model, real: Real, step: StepOf<'come back'>): Promise<Outcome> {
  const isHere = (address: string): boolean =>
    [...model.subscribers.values()].some(({ email, msisdn }) => [email, msisdn].includes(address));
  const gone = [...model.tasks.values()].flatMap((task) =>
    [...task.sent.values()].filter((address) => !isHere(address)).map((address) => ({ task, address })),
  );
  const found = at(gone, step.recipient);
  const list = found?.task.list;
  if (!found || list == null || !model.lists.has(list)) return NOTHING;
  const { address } = found;
  for (const entry of [address, address.slice(address.indexOf('@') + 1)])
    if (model.blocked.delete(entry)) await real.send('DELETE', `/v1/doNotContact?contactdata=${entry}`);
  const isEmail = found.task.message.channel === 'email';
  const contact = { email: isEmail ? address : null, msisdn: isEmail ? null : address };
  const { status: got, id } = await real.control('subscriber create', { ...contact, lists: [list] });
  addSubscriber(model, id, contact, [list]);
  return { expected: 200, got };
}

/** README, "Events": counted once for each recipient and task. An open or click that names no task counts for the newest. */
export async function report(model: Model, real: Real, step: StepOf<'event'>): Promise<Outcome> {
  const recipients = [...model.tasks.values()].flatMap((each) =>
    [...each.sent.keys()].map((subscriber) => ({ task: each, subscriber })),
  );
  const found = at(recipients, step.recipient);
  const task = found?.task;
  const recipient =
    step.stranger === null && found ? found.subscriber : idAt(model.made.subscriber, step.stranger ?? 0);
  if (step.what === 'open' || step.what === 'click')
    return read(model, real, step.what, recipient, step.named ? task : undefined);
  if (!task) return NOTHING;
  const { status: got } = await real.control(`event ${step.what}`, { task: task.id, subscriber: recipient });
  const address = task.sent.get(recipient);
  if (address === undefined) return { expected: 404, got };
  task.did[step.what].add(recipient);
  // Interface, doNotContact: "Subscribers who unsubscribe are added automatically"; wire: the channel's address.
  if (step.what === 'unsubscribe') block(model, address);
  return { expected: 200, got };
}

/** An open of the first e-mail message, or a click on its link. */
async function read(
  model: Model,
  real: Real,
  what: 'open' | 'click',
  subscriber: number,
  named: Task | undefined,
): Promise<Outcome> {
  const about = what === 'open' ? { message: FIRST_EMAIL } : { link: FIRST_LINK };
  const task = named === undefined ? {} : { task: named.id };
  const { status: got } = await real.control(`event ${what}`, { ...about, subscriber, ...task });
  const sent = (each: Task) => isOfFirstEmail(each) && each.sent.has(subscriber);
  if (!model.subscribers.has(subscriber) || (named && !sent(named))) return { expected: 404, got };
  const newest = [...model.tasks.values()].filter(sent).at(-1);
  (named ?? newest)?.did[what].add(subscriber);
  trigger(model, ({ kind, watches }) => kind === what && watches === FIRST_EMAIL, subscriber);
  return { expected: 200, got };
}

const FIRST_EMAIL = 1;
const FIRST_LINK = 1;
const isOfFirstEmail = ({ message }: Task): boolean =>
  message.channel === 'email' && message.id === FIRST_EMAIL;
