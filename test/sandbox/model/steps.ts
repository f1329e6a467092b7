/** The possible steps, as data. fast-check generates, prints and shrinks them. */
import fc from 'fast-check';
import { type Channel, RULE_KINDS, type RuleKind, STATISTICS } from './state.ts';

export const EMAILS = ['a@one.example', 'b@one.example', 'c@two.example', 'd@two.example'];
export const NUMBERS = ['447700900001', '447700900002', '447700900003', '447700900004'];
export const CITIES = ['Paris', 'Rome'];
/** README, "Single SMS": a number that no network accepts. */
export const UNDELIVERABLE = '12025550190';
const CONTACTS = [...EMAILS, ...NUMBERS, 'one.example', 'two.example', 'office@example.com'];

/** A number that selects one of the records that exist at that time, deleted ones included. */
const pick = fc.nat(60);
const one = <T>(...choices: readonly T[]) => fc.constantFrom(...choices);
const channel = one<Channel>('email', 'sms');
/** A number that usually selects the first record: the subscriber on most lists, or the list with most subscribers. */
const low = fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 3, arbitrary: pick });
const audience = fc.record({
  search: fc.oneof(fc.constant(false), fc.constant(false), fc.boolean()),
  pick: low,
});
const minutes = one(0, 0, 1, 5, 90);

const STEPS = {
  schedule: {
    message: pick,
    audience,
    minutes: one(-60, 0, 0, 0, 1, 5, 60),
    rate: one(null, null, null, 1, 60, 90, 7200),
  },
  cancel: { task: pick },
  move: { task: pick, minutes: one(-60, 0, 3, 60) },
  retarget: { task: pick, audience },
  sms: { number: one(...NUMBERS, UNDELIVERABLE), minutes: one(null, -5, 0, 1, 60) },
  subscribe: { list: low, subscriber: pick },
  'new subscriber': {
    email: fc.option(one(...EMAILS), { freq: 3 }),
    msisdn: fc.option(one(...NUMBERS), { freq: 3 }),
    lists: fc.array(pick, { minLength: 1, maxLength: 3 }),
  },
  'new list': { folder: fc.option(pick) },
  locate: { subscriber: pick, city: one(...CITIES) },
  suspend: { subscriber: pick, channel, on: fc.boolean() },
  event: {
    what: one(...STATISTICS),
    recipient: pick,
    named: fc.boolean(),
    stranger: fc.option(pick, { freq: 6 }),
  },
  'come back': { recipient: pick },
  date: { rule: pick, subscriber: pick, minutes: one(-90, 0, 30) },
  block: { contact: one(...CONTACTS) },
  'block with subscribers kept': { contact: one(...CONTACTS) },
  unblock: { entry: pick },
  'new rule': {
    on: one<RuleKind>(...RULE_KINDS, 'subscription', 'subscription', 'subscription'),
    watches: low,
    type: one('list', 'list', 'remove', 'answer', 'answer', 'notify', 'move'),
    target: pick,
    minutes,
  },
  pause: { rule: pick, paused: fc.boolean() },
  'delete rule': { rule: pick },
  'delete list': { list: pick },
  'delete folder': { folder: pick },
  'delete message': { message: pick },
  'set credits': { channel, credits: one(0, 1, 2, 3, 50, 50, 50) },
  advance: {
    seconds: one(0, 60, 60, 600, 600, 3600, 3600, 86_400, 4 * 86_400, 15 * 86_400),
    cutAfter: one(undefined, undefined, undefined, 0, 1, 2, 5),
  },
  settle: {},
  restart: {},
} as const;

type Drawn<T> = T extends fc.Arbitrary<infer V> ? V : never;
export type StepKind = keyof typeof STEPS;
export type Step = {
  [K in StepKind]: { readonly kind: K } & {
    readonly [F in keyof (typeof STEPS)[K]]: Drawn<(typeof STEPS)[K][F]>;
  };
}[StepKind];
export type StepOf<K extends StepKind> = Extract<Step, { readonly kind: K }>;

export const STEP_KINDS = Object.keys(STEPS) as readonly StepKind[];

/** The weights of the steps. Steps that create work are more frequent than steps that end it. */
const WEIGHTS: Partial<Record<StepKind, number>> = {
  schedule: 8,
  advance: 14,
  subscribe: 4,
  event: 6,
  'come back': 5,
  'new subscriber': 3,
  cancel: 2,
  move: 2,
  date: 2,
  unblock: 2,
  'new rule': 4,
  'block with subscribers kept': 2,
  settle: 2,
};

export const steps: readonly fc.Arbitrary<Step>[] = STEP_KINDS.flatMap((kind) => {
  const step = fc.record({ kind: fc.constant(kind), ...STEPS[kind] }) as fc.Arbitrary<Step>;
  return Array.from({ length: WEIGHTS[kind] ?? 1 }, () => step);
});
