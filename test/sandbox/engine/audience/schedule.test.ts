/**
 * Contract, "The everyday screen": "Shares are exact for each send. The same shares, seed and recipients give the same counts and times.
 * Each person keeps a place in the order of reacting, so a person who is added or left out changes at most who is the last to react."
 */
import { describe, expect, it } from 'vitest';
import {
  scheduleReactionsOfKind,
  scheduleSimulatedReactions,
} from '../../../../src/sandbox/engine/audience/plan.ts';
import {
  REACTION_SHARE_PRESETS,
  RECIPIENT_REACTIONS,
  type RecipientReaction,
} from '../../../../src/service/protocol/control/audience.ts';

const { lively } = REACTION_SHARE_PRESETS;
/** Ids as a sandbox gives them. */
const people = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at + 1);
const of = (all: ReturnType<typeof scheduleSimulatedReactions>, reaction: RecipientReaction) =>
  all.filter((each) => each.reaction === reaction);
const ranks = (all: ReturnType<typeof scheduleSimulatedReactions>) =>
  new Set(all.map(({ recipientRank }) => recipientRank));

describe.each([1, 2, 7, 443, 20_000])('an audience of %i', (count) => {
  const all = scheduleSimulatedReactions(people(count), lively, 1);

  it.each(RECIPIENT_REACTIONS)(
    'has exactly the rounded share of each reaction, once for each person: %s',
    (reaction) => {
      const some = of(all, reaction);
      expect(some).toHaveLength(Math.round(count * lively[reaction]));
      expect(ranks(some).size).toBe(some.length);
      for (const { recipientRank } of some) expect(recipientRank).toBeLessThan(count);
    },
  );

  it('opens no bounced message, and clicks only after an open', () => {
    const bounced = ranks(of(all, 'bounce'));
    const opened = new Map(of(all, 'open').map(({ recipientRank, delay }) => [recipientRank, delay]));
    for (const { recipientRank } of of(all, 'open')) expect(bounced).not.toContain(recipientRank);
    for (const { recipientRank, delay } of of(all, 'click'))
      expect(delay).toBeGreaterThan(opened.get(recipientRank) ?? Infinity);
  });

  it('repeats its reactions for the same seed, and selects other people for another seed', () => {
    expect(scheduleSimulatedReactions(people(count), lively, 1)).toEqual(all);
    if (count > 100)
      expect(ranks(of(scheduleSimulatedReactions(people(count), lively, 2), 'open'))).not.toEqual(
        ranks(of(all, 'open')),
      );
  });
});

describe('times', () => {
  const delays = of(scheduleSimulatedReactions(people(20_000), lively, 3), 'open').map(({ delay }) => delay);

  it('are mostly within a day, and most within six hours', () => {
    const within = (hours: number) => delays.filter((delay) => delay <= hours * 3600).length / delays.length;
    expect(within(24)).toBeGreaterThan(0.95);
    expect(within(6)).toBeGreaterThan(0.5);
    expect(within(1)).toBeLessThan(0.35);
    expect(Math.min(...delays)).toBeGreaterThan(0);
  });

  it('stay within --over, and reach into its second half', () => {
    const span = 2 * 86_400;
    const some = scheduleReactionsOfKind('open', { recipients: people(1000), share: 0.35, seed: 1, span });
    expect(some).toHaveLength(350);
    expect(Math.max(...some.map(({ delay }) => delay))).toBeLessThanOrEqual(span);
    expect(Math.max(...some.map(({ delay }) => delay))).toBeGreaterThan(span / 2);
  });

  it('are immediate without a span', () => {
    const some = scheduleReactionsOfKind('click', { recipients: people(100), share: 0.1, seed: 1, span: 0 });
    expect(some.map(({ delay }) => delay)).toEqual(Array(10).fill(0));
  });
});

describe('a share of one kind', () => {
  it('of clicks is among the opens of the same seed, and a larger share includes a smaller one', () => {
    const some = (reaction: RecipientReaction, share: number) =>
      ranks(scheduleReactionsOfKind(reaction, { recipients: people(443), share, seed: 5, span: 0 }));
    const opens = some('open', 0.35);
    for (const rank of some('click', 0.1)) expect(opens).toContain(rank);
    for (const rank of opens) expect(some('open', 0.5)).toContain(rank);
    for (const rank of some('bounce', 0.1)) expect(opens).not.toContain(rank);
  });

  it('of 100% is everyone, and of 0% no one', () => {
    const all = scheduleReactionsOfKind('open', { recipients: people(10), share: 1, seed: 1, span: 0 });
    expect([...ranks(all)].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(scheduleReactionsOfKind('open', { recipients: people(10), share: 0, seed: 1, span: 0 })).toEqual(
      [],
    );
  });
});

describe('the reactions of a person', () => {
  const everyone = people(443);
  /** Reactions by person: kind and delay of each. */
  const reactionsOf = (recipients: readonly number[]) => {
    const found = new Map<number, string[]>();
    for (const { reaction, recipientRank, delay } of scheduleSimulatedReactions(recipients, lively, 7)) {
      const id = recipients[recipientRank] ?? 0;
      found.set(id, [...(found.get(id) ?? []), `${reaction} ${delay}`]);
    }
    return found;
  };

  it.each([
    ['one is left out', everyone.filter((id) => id !== 200)],
    ['the first ten are left out', everyone.slice(10)],
    ['one is added', [...everyone, 444]],
  ])('are the same if %s, except at the ends of the shares', (_, others) => {
    const [before, after] = [reactionsOf(everyone), reactionsOf(others)];
    const both = everyone.filter((id) => others.includes(id));
    const different = both.filter((id) => String(before.get(id)) !== String(after.get(id)));
    // A reaction has two ends, and each moves by at most as many places as there are other people.
    const moved = Math.abs(everyone.length - both.length) + Math.abs(others.length - both.length);
    expect(different.length).toBeLessThanOrEqual(2 * RECIPIENT_REACTIONS.length * moved);
    expect(different.length).toBeLessThan(before.size / 3);
  });
});
