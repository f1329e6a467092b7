/**
 * Simulates the actions of a rule, and of those that it triggers, as the sandbox's engine does (`action-time.ts`, `rules.ts`). Assumes what the
 * interface does not show: the subscriber has an address, the account has credits, and the subscriber is on no other list.
 */
import {
  type ActionTimeWithReasons,
  type ActionTiming,
  computeActionTimeWithReasons,
} from './action-time.ts';
import {
  type AutomationRule,
  computeActionTimingOfSmsReply,
  computeActionTimingOfTimedRule,
  computeListChange,
  type EventTimes,
  findCycleThroughRule,
  isListAction,
  type SmsRule,
  type TimedRule,
  type TriggeringRuleChain,
} from './rules.ts';

export interface PredictedAction {
  /** Time at which the action happens, in Unix seconds. */
  readonly time: number;
  readonly rule: AutomationRule;
  /** The rule's `actiontype`. For an sms rule, the name of its action: `addtolist`, `notifyurl`. */
  readonly action: string;
  readonly target: string;
  /** Times and reasons from which `time` was computed. Undefined for the actions of an sms rule that happen as soon as the SMS arrives. */
  readonly due: { readonly timing: ActionTiming; readonly plan: ActionTimeWithReasons } | undefined;
  /** True if the action happens only if the text of the SMS holds an e-mail address. */
  readonly needsEmail: boolean;
  /** True if the subscription that triggered the rule was made by another rule of the same chain. */
  readonly isFollowUp: boolean;
  /** Loops that the service stops. Each rule triggers the next one, and the last rule is the first rule again. */
  readonly stoppedCycles: readonly TriggeringRuleChain[];
}

/** An action that is not performed, because the subscriber has left the rule's list by the time that the action is due. */
export interface SkippedAction {
  readonly time: number;
  readonly rule: TimedRule;
  readonly list: string;
}

export interface RuleSimulation {
  /** Actions in the order in which they would happen. */
  readonly rows: readonly PredictedAction[];
  readonly skippedActions: readonly SkippedAction[];
  /** True if the simulation stopped at `MAX_PREDICTED_ACTIONS`, although more actions would follow. */
  readonly hasMoreActions: boolean;
}

/** Maximum number of predicted actions. The simulation then stops. */
export const MAX_PREDICTED_ACTIONS = 500;

/** Simulates a rule that is not paused. `subscriptionRules` may be triggered by its actions, in order of ids. */
export function predictRuleActions(
  rule: AutomationRule,
  moment: EventTimes,
  subscriptionRules: readonly TimedRule[],
): RuleSimulation {
  const state: State = { moment, subscriptionRules, queue: [], lists: new Map() };
  const rows = rule.kind === 'sms' ? receive(rule, state) : [];
  if (rule.kind !== 'sms') {
    if (rule.list !== null) listsOf(state, SUBSCRIBER).add(rule.list);
    enqueue(state, { rule, person: SUBSCRIBER, chain: [rule.ref], isFollowUp: false }, moment);
  }
  const skippedActions: SkippedAction[] = [];
  while (rows.length < MAX_PREDICTED_ACTIONS) {
    const next = state.queue.shift();
    if (next === undefined) return { rows, skippedActions, hasMoreActions: false };
    const done = act(next, state);
    if ('list' in done) skippedActions.push(done);
    else rows.push(done);
  }
  return { rows, skippedActions, hasMoreActions: state.queue.length > 0 };
}

/** The subscriber whose event triggers the rule, or the person whose e-mail address is in the SMS. They count as two persons. */
type Person = 'subscriber' | 'address';
const SUBSCRIBER: Person = 'subscriber';

interface Queued {
  readonly rule: AutomationRule;
  readonly person: Person;
  readonly chain: TriggeringRuleChain;
  readonly isFollowUp: boolean;
  readonly timing: ActionTiming;
  readonly plan: ActionTimeWithReasons;
}

interface State {
  readonly moment: EventTimes;
  readonly subscriptionRules: readonly TimedRule[];
  /** Actions in order of their times. Actions with equal times are in the order in which they were queued. */
  readonly queue: Queued[];
  readonly lists: Map<Person, Set<string>>;
}

function enqueue(state: State, action: Omit<Queued, 'timing' | 'plan'>, moment: EventTimes): void {
  const { rule } = action;
  const timing =
    rule.kind === 'sms'
      ? computeActionTimingOfSmsReply(rule, moment)
      : computeActionTimingOfTimedRule(rule.kind, rule, moment);
  const plan = computeActionTimeWithReasons(timing);
  const later = state.queue.findIndex((each) => each.plan.time > plan.time);
  state.queue.splice(later < 0 ? state.queue.length : later, 0, { ...action, timing, plan });
}

/** Returns the immediate actions of an sms rule, and queues its reply. */
function receive(rule: SmsRule, state: State): PredictedAction[] {
  const { event } = state.moment;
  const at = { time: event, rule, due: undefined, isFollowUp: false };
  const add = (list: string, person: Person): PredictedAction => ({
    ...at,
    action: 'addtolist',
    target: list,
    needsEmail: person !== SUBSCRIBER,
    stoppedCycles: subscribe(state, { list, person, time: event, chain: [rule.ref] }),
  });
  const tell = (action: 'notifymsisdn' | 'notifyemail' | 'notifyurl'): readonly PredictedAction[] => {
    const target = rule[action];
    return target === null ? [] : [{ ...at, action, target, needsEmail: false, stoppedCycles: [] }];
  };
  const rows = [
    add(rule.list, SUBSCRIBER),
    ...(rule.emailList === null ? [] : [add(rule.emailList, 'address')]),
  ];
  if (rule.message !== null)
    enqueue(state, { rule, person: SUBSCRIBER, chain: [rule.ref], isFollowUp: false }, state.moment);
  return [...rows, ...tell('notifymsisdn'), ...tell('notifyemail'), ...tell('notifyurl')];
}

function act(
  { rule, person, chain, isFollowUp, timing, plan }: Queued,
  state: State,
): PredictedAction | SkippedAction {
  const { time } = plan;
  const needsEmail = person !== SUBSCRIBER;
  const row = { time, rule, due: { timing, plan }, needsEmail, isFollowUp, stoppedCycles: [] };
  if (rule.kind === 'sms') return { ...row, action: 'sms_autoresponder', target: rule.message ?? '' };
  const { actiontype: action, actiontarget: target } = rule;
  if (!isListAction(action)) return { ...row, action, target };
  const { from, leavesFrom: leaves, to } = computeListChange(action, rule.list ?? undefined, target);
  const lists = listsOf(state, person);
  if (from !== undefined && !lists.has(from)) return { time, rule, list: from };
  if (from !== undefined && leaves) lists.delete(from);
  return {
    ...row,
    action,
    target,
    stoppedCycles: to === undefined ? [] : subscribe(state, { list: to, person, time, chain }),
  };
}

/** Adds the person, and triggers the list's active subscription rules if the person is new. Returns the loops that the service stops. */
function subscribe(
  state: State,
  { list, person, time, chain }: { list: string; person: Person; time: number; chain: TriggeringRuleChain },
): readonly TriggeringRuleChain[] {
  const lists = listsOf(state, person);
  if (lists.has(list)) return [];
  lists.add(list);
  const stoppedCycles: TriggeringRuleChain[] = [];
  for (const rule of state.subscriptionRules) {
    if (rule.paused || rule.list !== list) continue;
    const round = findCycleThroughRule(chain, rule.ref);
    if (round !== undefined) stoppedCycles.push(round);
    else {
      const moment = { ...state.moment, event: time, now: time };
      enqueue(state, { rule, person, chain: [...chain, rule.ref], isFollowUp: true }, moment);
    }
  }
  return stoppedCycles;
}

function listsOf({ lists }: State, person: Person): Set<string> {
  const known = lists.get(person) ?? new Set();
  lists.set(person, known);
  return known;
}
