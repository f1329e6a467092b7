/**
 * Acceptance, Y6, I9 and C3, and contract, "Safety": random pairs of commands that can make the same thing, with kills, faults of the
 * network, lists that lag and a person in between, judged by the records and the outbox of the service. To replay one history:
 * `SVC_SEED=123 SVC_HISTORIES=1 npx vitest run --config .config/vitest.config.ts test/sends/histories.test.ts`.
 */
import { expect, it } from 'vitest';
import { depth, tried } from '../support/depth.ts';
import type { Maker } from './histories/makers.ts';
import { ALL_FAULTS, KILLS } from './histories/network.ts';
import { makerOf, runSeed } from './histories/session.ts';

const FIRST = Number(process.env['SVC_SEED'] ?? 1);
const HISTORIES = depth('SVC_HISTORIES', { few: 12, full: 5_000 });
const SEEDS = Array.from({ length: HISTORIES }, (_, each) => FIRST + each);
const OF = `of ${HISTORIES} from seed ${FIRST}`;
const TIMEOUT = { timeout: 1e9 };

const KEYS: readonly Maker[] = [
  ...(['same-key', 'two-keys', 'corrected', 'hand-key', 'unrelated', 'proofs'] as const),
  ...(['rule-key', 'rule-two-keys', 'rule-corrected'] as const),
  ...(['folder-key', 'email-key', 'sms-message-key'] as const),
];
const ONE_CAMPAIGN: readonly Maker[] = ['one-campaign', 'renamed-keys', 'hand-campaign'];
const CAMPAIGNS: readonly Maker[] = ['two-campaigns', 'key-campaign', 'rule-campaigns', 'rule-key-campaign'];

it(`Y6: jobs with a key make nothing twice, in their histories ${OF}`, TIMEOUT, async () => {
  const count = await runHistories(KEYS, ['exit 10', 'paused by hand', 'told']);
  if (count > 0) tried('Y6', count);
});

it(`I9: a campaign makes nothing twice, in its histories ${OF}`, TIMEOUT, async () => {
  const count = await runHistories(ONE_CAMPAIGN, ['exit 11']);
  if (count > 0) tried('I9', count);
});

it(`C3: campaigns and jobs make nothing twice, in their histories ${OF}`, TIMEOUT, async () => {
  const count = await runHistories(CAMPAIGNS, ['exit 11', 'paused by hand', 'told']);
  if (count > 0) tried('C3', count);
});

/** Runs the histories of these makers, and returns their number. @param occurring what must also occur in many histories */
async function runHistories(makers: readonly Maker[], occurring: readonly string[]): Promise<number> {
  const seeds = SEEDS.filter((seed) => makers.includes(makerOf(seed)));
  const faults: string[] = [];
  const counts: Record<string, number> = {};
  const log = HISTORIES === 1 ? (line: string) => console.log(line) : undefined;
  for (const seed of seeds) {
    const tally = await runSeed(seed, log);
    faults.push(...tally.faults);
    for (const [name, value] of Object.entries(tally.counts)) counts[name] = (counts[name] ?? 0) + value;
  }
  console.log(`${seeds.length} histories: ${JSON.stringify(counts)}`);
  expect(faults).toEqual([]);
  // A few histories cannot show whether everything occurred.
  if (seeds.length < 500) return seeds.length;
  const kills = KILLS.map((how) => `killed ${how}`);
  for (const name of [...makers, ...ALL_FAULTS, ...kills, ...ALWAYS, ...occurring])
    expect([name, counts[name] ?? 0]).toEqual([name, expect.toSatisfy((count: number) => count > 0)]);
  return seeds.length;
}

const ALWAYS = ['exit 0', 'exit 5', 'cancelled by hand', 'copied by hand', 'made by hand', 'received'];
