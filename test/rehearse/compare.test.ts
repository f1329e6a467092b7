/**
 * Contract, "Rehearse", `--against`: "Both run in copies of the same account with the same people and seed, so what differs comes from the
 * change alone." Random accounts and campaigns are compared with themselves, and with nothing.
 */
import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import type { Campaign } from '../../src/features/campaign/model.ts';
import { compareRehearsals, isWithoutDifference } from '../../src/features/rehearse/compare.ts';
import { readAccountCopy } from '../../src/features/rehearse/read-account.ts';
import type { RehearsalResult } from '../../src/features/rehearse/rehearsal-result.ts';
import { rehearse } from '../../src/features/rehearse/rehearse.ts';
import { clientOf } from '../campaign/support.ts';
import { depth } from '../support/depth.ts';
import { createTestSandbox, NOW, type TestSandbox } from '../support/sandbox.ts';
import { randomAccount } from './random-account.ts';

const RUNS = depth('SVC_COMPARISONS', { few: 2, full: 300 });
const FIRST = Number(process.env['SVC_SEED'] ?? 1);
const seeds = Array.from({ length: RUNS }, (_, index) => FIRST + index);

const opened: TestSandbox[] = [];
afterEach(async () => {
  for (const { service } of opened.splice(0)) await service.store.close();
});

/** Returns a function that rehearses campaigns in copies of one random account. */
async function open(seed: number) {
  const sandbox = await createTestSandbox();
  opened.push(sandbox);
  const account = await randomAccount(sandbox, seed, { hasUnknown: false });
  const { copy, ...known } = await readAccountCopy(clientOf(sandbox), { keepsNotificationTargets: true });
  const options = { overwrite: false, prune: account.pruned, zone: account.zone, madeAt: NOW };
  const play = (campaigns: readonly Campaign[]): Promise<RehearsalResult> =>
    rehearse(
      copy,
      campaigns.map((campaign) => ({ campaign, options, file: 'random.yaml' })),
      {
        ...{ random: randomBytes, signal: new AbortController().signal, ...known },
        ...{ simulatedRecipients: account.simulatedRecipients, maxDuration: 30 * 86_400, minGap: 86_400 },
        countsMessagesPerPerson: true,
      },
    );
  return { play, campaign: account.campaign, copy };
}

const messagesIn = ({ sends, rules }: RehearsalResult): number =>
  [...sends, ...rules].reduce((sum, { sent }) => sum + (sent ?? 0), 0);

describe('a random campaign', () => {
  it.each(seeds)('differs in nothing from itself (seed %i)', async (seed) => {
    const { play, campaign } = await open(seed);
    const difference = compareRehearsals(await play([campaign]), await play([campaign]));
    expect(isWithoutDifference(difference)).toBe(true);
    expect(difference.unknown).toEqual({ added: [], removed: [] });
  });

  it.each(seeds)('differs in nothing if its items have another order (seed %i)', async (seed) => {
    const { play, campaign } = await open(seed);
    const messages = campaign.items.filter(({ kind }) => kind === 'message');
    const others = campaign.items.filter(({ kind }) => kind !== 'message');
    const reversed = { ...campaign, items: [...messages.toReversed(), ...others.toReversed()] };
    const [one, two] = [await play([campaign]), await play([reversed])];
    // Which item is refused or gets the last credits depends on the order.
    if (one.findings.some(({ severity }) => severity === 'error')) return;
    const { sends, credits, people } = compareRehearsals(one, two);
    expect(sends.filter(({ change }) => change !== 'changed')).toEqual([]);
    expect(credits.sms.after).toBe(credits.sms.before);
    // Tasks of the same second are sent in the order of their ids, which decides what a person who leaves still gets.
    const times = one.sends.map(({ time }) => time);
    if (new Set(times).size === times.length) expect([sends, people.messages]).toEqual([[], []]);
  });

  it.each(seeds)('differs from none in everything but the sends of the account (seed %i)', async (seed) => {
    const { play, campaign, copy } = await open(seed);
    const [before, after] = [await play([]), await play([campaign])];
    const difference = compareRehearsals(before, after);
    const own = new Set(copy.tasks.map(({ id }) => Number(id)));
    const added = difference.sends.filter(({ change }) => change === 'added');
    expect(added.map((each) => each.after)).toEqual(after.sends.filter(({ task }) => !own.has(task)));
    expect(difference.sends.filter(({ change }) => change === 'removed')).toEqual([]);
    // A campaign may take credits or people from a send of the account.
    const same = after.sends.filter(
      (send) => own.has(send.task) && !difference.sends.some((each) => each.after === send),
    );
    const told = (sends: RehearsalResult['sends']) => sends.map(({ balance: _, ...send }) => send);
    expect(told(same)).toEqual(
      told(before.sends.filter(({ task }) => same.some((send) => send.task === task))),
    );
    expect(difference.credits.email).toEqual({ before: before.spent.email, after: after.spent.email });
    const isNotice = [...Object.values(copy.rules).flat(), ...campaign.items].some((rule) =>
      JSON.stringify(rule).includes('"notify"'),
    );
    // A notice goes to no subscriber.
    if (isNotice) return;
    const more = difference.people.messages.reduce((sum, each) => sum + each.more - each.fewer, 0);
    expect(more).toBe(messagesIn(after) - messagesIn(before));
  });
});
