/**
 * What a rule would do if its event came at a given moment, and what that sets off in turn. Times, list changes and
 * loops are those of the sandbox's engine (`action-time.ts`, `list-change.ts`, `chain.ts`). What the interface doesn't
 * show is taken to stand in nobody's way: the subscriber has an address, there are credits, and those lists alone that the
 * event and the actions themselves put them on.
 */
import { type ActionPlan, type ActionTiming, actionPlan } from './action-time.ts';
import { type Chain, roundOf } from './chain.ts';
import { isListAction, listChange } from './list-change.ts';
import type { AutomationRule, SmsRule, TimedRule } from './rules.ts';
import { answerTiming, type Moment, timingOf } from './timing.ts';

/** One action that would be done. */
export interface Foretold {
  /** Unix seconds. */
  readonly time: number;
  readonly rule: AutomationRule;
  /** `actiontype`, or of an sms rule what it does: `addtolist`, `notifyurl`. */
  readonly action: string;
  readonly target: string;
  /** Undefined for what an sms rule does as soon as the SMS is there. */
  readonly due: { readonly timing: ActionTiming; readonly plan: ActionPlan } | undefined;
  /** Done only where the text of the SMS holds an e-mail address. */
  readonly needsEmail: boolean;
  /** The subscription that set it off was made by another rule of the same chain. */
  readonly isFollowUp: boolean;
  /** Rules that it would set off for ever, and that are stopped: each a round, the first named again last. */
  readonly rounds: readonly Chain[];
}

/** An action that would fall due when the subscriber has left the list that it is about. */
export interface NotDone {
  readonly time: number;
  readonly rule: TimedRule;
  readonly list: string;
}

export interface Simulation {
  /** In the order in which they would be done. */
  readonly rows: readonly Foretold[];
  readonly notDone: readonly NotDone[];
  /** There would be more. */
  readonly isCut: boolean;
}

/** More actions than these nobody reads. */
export const MOST_FORETOLD = 500;

/**
 * @param rule one that is not paused
 * @param subscriptionRules the company's rules that a list may set off, in order of their ids
 */
export function simulate(
  rule: AutomationRule,
  moment: Moment,
  subscriptionRules: readonly TimedRule[],
): Simulation {
  const state: State = { moment, subscriptionRules, queue: [], lists: new Map() };
  const rows = rule.kind === 'sms' ? receive(rule, state) : [];
  if (rule.kind !== 'sms') {
    if (rule.list !== null) listsOf(state, SUBSCRIBER).add(rule.list);
    enqueue(state, { rule, person: SUBSCRIBER, chain: [rule.ref], isFollowUp: false }, moment);
  }
  const notDone: NotDone[] = [];
  while (rows.length < MOST_FORETOLD) {
    const next = state.queue.shift();
    if (next === undefined) return { rows, notDone, isCut: false };
    const done = act(next, state);
    if ('list' in done) notDone.push(done);
    else rows.push(done);
  }
  return { rows, notDone, isCut: state.queue.length > 0 };
}

/** Who the event is about; an e-mail address in an SMS is taken to be somebody else's. */
type Person = 'subscriber' | 'address';
const SUBSCRIBER: Person = 'subscriber';

interface Queued {
  readonly rule: AutomationRule;
  readonly person: Person;
  readonly chain: Chain;
  readonly isFollowUp: boolean;
  readonly timing: ActionTiming;
  readonly plan: ActionPlan;
}

interface State {
  readonly moment: Moment;
  readonly subscriptionRules: readonly TimedRule[];
  /** By time; what was queued first comes first at the same. */
  readonly queue: Queued[];
  readonly lists: Map<Person, Set<string>>;
}

function enqueue(state: State, action: Omit<Queued, 'timing' | 'plan'>, moment: Moment): void {
  const { rule } = action;
  const timing = rule.kind === 'sms' ? answerTiming(rule, moment) : timingOf(rule.kind, rule, moment);
  const plan = actionPlan(timing);
  const later = state.queue.findIndex((each) => each.plan.time > plan.time);
  state.queue.splice(later < 0 ? state.queue.length : later, 0, { ...action, timing, plan });
}

/** What an sms rule does at once; its answer is queued. */
function receive(rule: SmsRule, state: State): Foretold[] {
  const { event } = state.moment;
  const at = { time: event, rule, due: undefined, isFollowUp: false };
  const add = (list: string, person: Person): Foretold => ({
    ...at,
    action: 'addtolist',
    target: list,
    needsEmail: person !== SUBSCRIBER,
    rounds: subscribe(state, { list, person, time: event, chain: [rule.ref] }),
  });
  const tell = (action: 'notifymsisdn' | 'notifyemail' | 'notifyurl'): readonly Foretold[] => {
    const target = rule[action];
    return target === null ? [] : [{ ...at, action, target, needsEmail: false, rounds: [] }];
  };
  const rows = [
    add(rule.list, SUBSCRIBER),
    ...(rule.emailList === null ? [] : [add(rule.emailList, 'address')]),
  ];
  if (rule.message !== null)
    enqueue(state, { rule, person: SUBSCRIBER, chain: [rule.ref], isFollowUp: false }, state.moment);
  return [...rows, ...tell('notifymsisdn'), ...tell('notifyemail'), ...tell('notifyurl')];
}

function act({ rule, person, chain, isFollowUp, timing, plan }: Queued, state: State): Foretold | NotDone {
  const { time } = plan;
  const needsEmail = person !== SUBSCRIBER;
  const row = { time, rule, due: { timing, plan }, needsEmail, isFollowUp, rounds: [] };
  if (rule.kind === 'sms') return { ...row, action: 'sms_autoresponder', target: rule.message ?? '' };
  const { actiontype: action, actiontarget: target } = rule;
  if (!isListAction(action)) return { ...row, action, target };
  const { from, leaves, to } = listChange(action, rule.list ?? undefined, target);
  const lists = listsOf(state, person);
  if (from !== undefined && !lists.has(from)) return { time, rule, list: from };
  if (from !== undefined && leaves) lists.delete(from);
  return {
    ...row,
    action,
    target,
    rounds: to === undefined ? [] : subscribe(state, { list: to, person, time, chain }),
  };
}

/** Sets off the list's rules, unless the subscriber is on it already. @returns the rounds that are stopped */
function subscribe(
  state: State,
  { list, person, time, chain }: { list: string; person: Person; time: number; chain: Chain },
): readonly Chain[] {
  const lists = listsOf(state, person);
  if (lists.has(list)) return [];
  lists.add(list);
  const rounds: Chain[] = [];
  for (const rule of state.subscriptionRules) {
    if (rule.paused || rule.list !== list) continue;
    const round = roundOf(chain, rule.ref);
    if (round !== undefined) rounds.push(round);
    else {
      const moment = { ...state.moment, event: time, now: time };
      enqueue(state, { rule, person, chain: [...chain, rule.ref], isFollowUp: true }, moment);
    }
  }
  return rounds;
}

function listsOf({ lists }: State, person: Person): Set<string> {
  const known = lists.get(person) ?? new Set();
  lists.set(person, known);
  return known;
}
