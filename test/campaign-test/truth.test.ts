/**
 * Acceptance, C9, and contract, "Tests of campaigns", A test: its verdicts are those of what really happens. Random accounts, campaigns and
 * statements: the campaign is applied for real in the sandbox, two people act there, and an oracle that reads only the tables says which
 * statements hold.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, expect, it } from 'vitest';
import { readTestFile } from '../../src/features/campaign/test-file/test-file.ts';
import { readAccountCopy } from '../../src/features/rehearse/read-account.ts';
import { copiedAccount } from '../../src/features/rehearse/tests/account.ts';
import { runTests } from '../../src/features/rehearse/tests/run.ts';
import { seededRandom } from '../../src/sandbox/seeded-random.ts';
import { clientOf } from '../campaign/support.ts';
import { applyForReal, randomAccount } from '../rehearse/random-account.ts';
import { depth, tried } from '../support/depth.ts';
import { createTestSandbox, IDS, NOW, type TestSandbox } from '../support/sandbox.ts';
import { randomStatements } from './random-statements.ts';
import { playForReal, SHORTCODE } from './real-steps.ts';

const RUNS = depth('SVC_CAMPAIGN_TESTS', { few: 2, full: 1000 });
const FIRST = Number(process.env['SVC_SEED'] ?? 1);
const seeds = Array.from({ length: RUNS }, (_, index) => FIRST + index);

const opened: TestSandbox[] = [];
afterEach(async () => {
  for (const { service } of opened.splice(0)) await service.store.close();
});

/** Counts the verdicts of all runs by kind of statement, so that each kind occurs with both. */
const seen = new Map<string, { holds: number; fails: number }>();
let refused = 0;
afterAll(() => {
  const rows = [...seen].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [kind, { holds, fails }] of rows)
    console.log(`${kind.padEnd(32)} holds ${String(holds).padStart(6)}  fails ${String(fails).padStart(6)}`);
  console.log(`${RUNS} accounts and campaigns, of which ${refused} cannot be applied`);
  if (RUNS < 300) return;
  expect(rows.filter(([, { holds, fails }]) => holds === 0 || fails === 0)).toEqual([]);
  expect(refused).toBeGreaterThan(0);
  tried('C9', RUNS);
});

it.each(seeds)('gives the verdicts of what happens (seed %i)', async (seed) => {
  const random = seededRandom(seed + 7_000_000);
  const sandbox = await createTestSandbox();
  opened.push(sandbox);
  const account = await randomAccount(sandbox, seed, { hasUnknown: false });
  const { campaign, zone, simulatedRecipients } = account;
  const lists = (await sandbox.rows('list')).map(({ id }) => Number(id));
  const one = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;
  await sandbox.put('sms_destination', { account_id: IDS.company, destination: SHORTCODE, isshortcode: 1 });
  if (random() < 0.7) {
    const made = { account_id: IDS.company, user_id: IDS.admin, name: 'Joins', cdate: NOW, mdate: NOW };
    await sandbox.put('sms_automation', { ...made, list_id: one(lists), keyword: 'JOIN' });
  }
  const read = await readAccountCopy(clientOf(sandbox), { keepsNotificationTargets: true });
  const people = [];
  for (const [index, name] of ['ada', 'bob'].entries()) {
    const own = [...new Set([one(lists), ...(random() < 0.3 ? [one(lists)] : [])])];
    const email = random() < 0.95 || index === 0 ? `${name}@people.example` : undefined;
    const contact = { email: email ?? null, email_domain: email ? 'people.example' : null };
    const msisdn = `44770099000${index}`;
    // The id that the person has in the copy: who else reacts depends on the ids of all.
    const others = (await sandbox.rows('subscriber')).map((row) => Number(row['id']));
    const id = Math.max(0, ...others.filter((each) => each < 1_000_000)) + 1;
    await sandbox.put('subscriber', { id, account_id: IDS.company, cdate: NOW, ...contact, msisdn });
    for (const list_id of own) await sandbox.put('subscription', { list_id, subscriber_id: id, cdate: NOW });
    people.push({ name, id, lists: own, email, msisdn });
  }

  // For real, with the steps, and what the oracle says.
  const options = { overwrite: false, prune: false, zone, madeAt: NOW };
  const membersAtStart = await sandbox.rows('subscription');
  const balances = async () => {
    const row = (await sandbox.rows('account')).find(({ id }) => id === IDS.company);
    return { email: Number(row?.['emailcreditbalance']), sms: Number(row?.['smscreditbalance']) };
  };
  const refusal = await applyForReal(sandbox, account, options);
  const before = await balances();
  const played = await playForReal(sandbox, { people, campaign, lists, simulatedRecipients, random });
  const after = await balances();
  const credits = { email: before.email - after.email, sms: before.sms - after.sms };
  const statements = await randomStatements(sandbox, {
    ...{ people, campaign, lists, zone, random, membersAtStart, credits },
    ...played,
  });

  // A test of its own with one check, which ends as soon as the check is certain.
  const isMeasure = ({ text }: { readonly text: string }): boolean => text.includes(':');
  const single = statements.findLast((each) => !isMeasure(each) && !each.kind.startsWith('step'));
  const alone = single ? [...statements.filter(({ kind }) => kind.startsWith('step')), single] : [];

  // The test.
  const octets = Buffer.from(
    [
      ...['version: 1', 'campaign: random.yaml', 'people:'],
      ...people.map(
        ({ name, lists: own, email, msisdn }) =>
          `  ${name}: {list: [${own.join(', ')}], ${email ? `email: ${email}, ` : ''}msisdn: "${msisdn}"}`,
      ),
      ...['tests:', '  t:', ...statements.map(({ text }) => `    - ${text}`)],
      ...['  alone:', ...alone.map(({ text }) => `    - ${text}`)],
    ].join('\n'),
  );
  const bytes = (count: number) => randomBytes(count);
  const { seeded, lists: known } = copiedAccount({ ...read, unknown: [] }, campaign, bytes);
  const parsed = await readTestFile({ path: 'random.test.yaml', octets }, async () => ({
    ...{ campaign, start: NOW, zone, lists: known },
  }));
  if ('faults' in parsed) throw new Error(parsed.faults.map(({ message }) => message).join('\n'));
  const { tests } = await runTests(
    { ...parsed.file, shares: simulatedRecipients.shares },
    {
      ...{ campaign, planOptions: options, account: { seeded, zone, start: NOW } },
      ...{ seeds: [simulatedRecipients.seed], listSizes: new Map(), random: bytes },
      signal: new AbortController().signal,
      shrunkFailures: 0,
    },
  );
  const failures = tests.flatMap((each) => each.failures);
  if (refusal.length > 0) {
    refused += 1;
    const blocked = expect.stringContaining('the campaign cannot be applied');
    expect(failures.map(({ happened }) => happened)).toEqual([blocked, blocked]);
    return;
  }
  const failed = new Map(failures.map(({ place, happened }) => [place.line, happened]));
  const firstLine = 3 + people.length + 3;
  const all = [...statements, ...alone];
  const verdicts = all.map(({ text }, index) => {
    const line = firstLine + index + (index < statements.length ? 0 : 1);
    const happened = failed.get(line);
    return happened === undefined ? `${text}: holds` : `${text}: fails, ${happened}`;
  });
  const plain = verdicts.map((verdict) => verdict.replace(/: fails, .*$/s, ': fails'));
  expect(plain, verdicts.join('\n')).toEqual(
    all.map(({ text, holds }) => `${text}: ${holds ? 'holds' : 'fails'}`),
  );
  const counted = single ? [...statements, { ...single, kind: 'check alone' }] : statements;
  for (const { kind, holds } of counted) {
    const counts = seen.get(kind) ?? { holds: 0, fails: 0 };
    counts[holds ? 'holds' : 'fails'] += 1;
    seen.set(kind, counts);
  }
});
