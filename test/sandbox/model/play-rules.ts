/** Rules are created, paused, resumed and deleted, and the date of a date rule arrives. */
import { at, idAt, NOTHING, type Outcome } from './outcome.ts';
import type { Real } from './real.ts';
import type { Action, Model, Rule } from './state.ts';
import type { StepOf } from './steps.ts';
import { OFFICE, trigger } from './time.ts';

export async function makeRule(model: Model, real: Real, step: StepOf<'new rule'>): Promise<Outcome> {
  const { on, target } = step;
  const watches: number | null =
    on === 'subscription' ? idAt(model.made.list, step.watches) : on === 'date' ? null : 1;
  const action = actionOf(model, step, watches, target);
  if (!action) return NOTHING;
  // Rule 3: list actions never run at once.
  const minutes =
    'list' in action || action.type === 'removefromlist' ? Math.max(1, step.minutes) : step.minutes;
  const { status: got, data } = await real.send('POST', `/v1/${on}Automation`, {
    ...watchedAttributes(on, watches),
    actiontype: action.type,
    actiontarget: targetOf(action),
    actiontimediff: on === 'subscription' ? minutes : minutes * 60,
    actiononweekend: true,
    name: 'Rule',
    summary: null,
  });
  const rule: Rule = {
    kind: on,
    id: Number(data['id']),
    watches,
    action,
    offset: minutes * 60,
    paused: false,
  };
  if (isLacking(model, rule)) return { expected: 400, got };
  model.rules.push(rule);
  return { expected: 202, got };
}

function actionOf(
  model: Model,
  { on, type }: StepOf<'new rule'>,
  watches: number | null,
  target: number,
): Action | undefined {
  switch (type) {
    case 'notify':
      return { type };
    case 'answer': {
      const message = at(model.messages, target);
      return message && { type: `${message.channel}_autoresponder`, message };
    }
    case 'remove':
      return on === 'subscription' ? { type: 'removefromlist' } : undefined;
    default: {
      const list = idAt(model.made.list, target);
      if (on !== 'subscription') return { type: 'addtolist', list };
      // Rule 10: `list_id` and `actiontarget` must differ.
      if (list === watches) return undefined;
      return { type: type === 'move' ? 'movetolist' : 'copytolist', list };
    }
  }
}

function watchedAttributes(on: Rule['kind'], watches: number | null): Record<string, number | null> {
  switch (on) {
    case 'click':
      return { link_id: null, message_id: watches };
    case 'open':
      return { message_id: watches };
    case 'subscription':
      return { list_id: watches };
    case 'date':
      return {};
  }
}

function targetOf(action: Action): string {
  if ('list' in action) return String(action.list);
  if ('message' in action) return String(action.message.id);
  return action.type === 'notify' ? OFFICE : '0';
}

/** Returns whether a record that the rule needs is missing: its message or list, or the target of its action. */
function isLacking(model: Model, { kind, watches, action }: Rule): boolean {
  const isGone = (list: number | null): boolean => list === null || !model.lists.has(list);
  const watchesGone =
    kind === 'subscription' ? isGone(watches) : kind !== 'date' && model.messages[0]?.deleted === true;
  if (watchesGone) return true;
  if ('list' in action) return isGone(action.list);
  return 'message' in action && action.message.deleted;
}

export async function playRule(
  model: Model,
  real: Real,
  step: StepOf<'pause'> | StepOf<'delete rule'> | StepOf<'date'>,
): Promise<Outcome> {
  const ofDates = model.rules.filter(({ kind }) => kind === 'date');
  const rule = at(step.kind === 'date' ? ofDates : model.rules, step.rule);
  if (!rule) return NOTHING;
  const target = `/v1/${rule.kind}Automation/${rule.id}`;
  switch (step.kind) {
    case 'pause': {
      const { status: got } = await real.send('PUT', target, { paused: step.paused });
      // Interface, "States": unpausing is refused while a dependent resource is gone.
      if (rule.paused && !step.paused && isLacking(model, rule)) return { expected: 409, got };
      rule.paused = step.paused;
      return { expected: 200, got };
    }
    case 'delete rule': {
      const { status: got } = await real.send('DELETE', target);
      model.rules.splice(model.rules.indexOf(rule), 1);
      // Interface, "States": "Queued actions are aborted".
      model.queue = model.queue.filter((queued) => queued.rule !== rule);
      return { expected: 200, got };
    }
    case 'date':
      return reachDate(model, real, rule, step);
  }
}

async function reachDate(model: Model, real: Real, rule: Rule, step: StepOf<'date'>): Promise<Outcome> {
  const subscriber = idAt(model.made.subscriber, step.subscriber);
  const date = model.now + 60 * step.minutes;
  const { status: got } = await real.control('event date', { rule: rule.id, subscriber, at: date });
  if (!model.subscribers.has(subscriber)) return { expected: 404, got };
  trigger(model, (each) => each === rule, subscriber, [], date);
  return { expected: 200, got };
}
