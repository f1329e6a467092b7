/**
 * Acceptance, C4, and contract, "Sends and campaigns, once more": `--checkpoint` after a crash looks up the request of the company in
 * flight, like the recovery of a POST. The tests kill a run by cutting it off at one request and restoring the earlier checkpoint.
 */
import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TransportError } from '../../../src/client/requests/errors.ts';
import type { Transport, WireRequest } from '../../../src/service/protocol/wire.ts';
import { createChance } from '../../client/simulation-world.ts';
import { depth, SEED, tried } from '../../support/depth.ts';
import { type PartnerProfile, withPartnerProfile } from '../../support/partner-profile.ts';
import { fillConfig } from '../../support/profiles.ts';
import type { Run } from '../../support/run-cli.ts';
import { KEYS, NOW } from '../../support/sandbox.ts';

let agency: PartnerProfile;
let now: number;
const ids = [1, 2, 3];
beforeEach(async () => {
  now = NOW;
  agency = await withPartnerProfile(() => now * 1000);
  const times = { cdate: NOW - 500, mdate: NOW - 500 };
  // In the service, company 3 belongs to a stranger. This one belongs to the partner.
  const third = await agency.sandbox.put('account', {
    name: 'Company C',
    contactemail: 'a@example.com',
    timezone: 'Europe/London',
    api_key: KEYS.other,
    partner_id: 1,
    smscreditbalance: 1000,
    ...times,
  });
  ids[2] = third;
  const user = { username: 'admin', email: 'a@example.com', timezone: 'Europe/London', isadmin: 1 };
  await agency.sandbox.put('user', { ...user, firstname: 'A', lastname: 'B', account_id: third, ...times });
  const lines = ids.map((id) => `${id},Company ${id}`);
  await fillConfig(join(agency.folder, 'config'), 'agency with three companies', () =>
    agency.done(['company', 'import', '-'], { stdin: `id,name\n${lines.join('\n')}\n` }),
  );
  for (const id of ids) await agency.sandbox.put('folder', { account_id: id, name: 'Shared', ...times });
});
afterEach(() => agency.remove());

const ALL = ['--companies', 'all', '--write', '--yes', '--checkpoint', 'cp', '--concurrency', '1'];
const isWrite = ({ method }: WireRequest): boolean => method !== 'GET' && method !== 'HEAD';
const checkpoint = (): string => join(agency.folder, 'cp');

/** Ends a run at its n-th write, before or after the service performed that write. No other request of the run arrives. */
async function killedAt(argv: readonly string[], nth: number, when: 'before' | 'after'): Promise<Run> {
  let writes = 0;
  let kept: Buffer | undefined;
  const cutting: Transport = async (request, signal) => {
    if (kept !== undefined) throw new TransportError('not-sent', 'killed');
    if (isWrite(request)) writes += 1;
    if (!isWrite(request) || writes < nth) return agency.transport(request, signal);
    kept = await readFile(checkpoint());
    if (when === 'after') await agency.transport(request, signal);
    throw new TransportError('unknown', 'killed');
  };
  const run = await agency.svc(argv, { transport: cutting, now });
  if (kept !== undefined) await writeFile(checkpoint(), kept);
  return run;
}
const again = (argv: readonly string[]): Promise<Run> => agency.svc([...argv, '-o', 'json'], { now });
/** Returns the number of writes that the service has performed for each company since. */
const writesByCompany = (): readonly number[] =>
  ids.map(
    (id) => agency.sent.filter((each) => isWrite(each) && each.headers['x-svc-cid'] === String(id)).length,
  );
const errorsIn = ({ stderr }: Run) =>
  stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line).error);

const BASELINE = 'user_limit: 3\nenablecms: true\n';
const COMMANDS: readonly (readonly [string, readonly string[]])[] = [
  ['a POST', ['folder', 'create', '--name', 'New']],
  ['a POST that is harmless twice', ['dnc', 'add', 'a@example.com']],
  [
    'a POST with a time from now',
    ['sms', 'send', '--to', '447700900123', '--from', 'News', '--text', 'Hi', '--at', '+3h'],
  ],
  ['a PUT by a name that it changes', ['folder', 'update', 'Shared', '--name', 'Other']],
  ['a DELETE by a name', ['folder', 'delete', 'Shared']],
  ['features apply', ['features', 'apply', 'baseline.yaml']],
];

describe.each(COMMANDS)('a run that was killed at %s', (what, words) => {
  const argv = [...words, ...ALL];
  beforeEach(() => writeFile(join(agency.folder, 'baseline.yaml'), BASELINE));

  it('after the service processed it, the same command exits with 0 and writes nothing twice', async () => {
    expect((await killedAt(argv, 2, 'after')).exitCode).not.toBe(0);
    // The clock advances, so a relative time now means another moment.
    now += 60;
    const run = await again(argv);
    expect([run.exitCode, run.stderr.includes('"error"')], run.stderr).toEqual([0, false]);
    expect(writesByCompany()).toEqual([1, 1, 1]);
    expect((await again(argv)).exitCode).toBe(0);
    expect(writesByCompany()).toEqual([1, 1, 1]);
  });

  it('before it arrived, the same command sends it again once it can no longer arrive', async () => {
    await killedAt(argv, 2, 'before');
    expect(writesByCompany()).toEqual([1, 0, 0]);
    const run = await again(argv);
    if (what === 'a POST' || what === 'a POST with a time from now') {
      expect(run.exitCode).toBe(8);
      expect(errorsIn(run)).toMatchObject([{ kind: 'unknown', exit: 10, company_id: 2 }]);
      expect(errorsIn(run)[0].hint).toContain('run the same command again after 2026-12-01T09:');
      now += 40 * 60;
      const later = await again(argv);
      expect([later.exitCode, later.stderr.includes('"error"')], later.stderr).toEqual([0, false]);
    } else expect(run.exitCode, run.stderr).toBe(0);
    expect(writesByCompany()).toEqual([1, 1, 1]);
  });
});

it('a run killed at any write, any number of times, writes to each company exactly once', async () => {
  const argv = ['folder', 'create', '--name', 'New', ...ALL];
  const cases = [1, 2, 3].flatMap((nth) =>
    (['before', 'after'] as const).map((when) => [nth, when] as const),
  );
  for (const [nth, when] of cases) {
    await killedAt(argv, nth, when);
    now += 40 * 60;
  }
  await again(argv);
  now += 40 * 60;
  const run = await again(argv);
  expect(run.exitCode, run.stderr).toBe(0);
  const made = (await agency.sandbox.rows('folder')).filter(({ name }) => name === 'New');
  expect(made.map(({ account_id }) => account_id).sort()).toEqual([...ids].sort());
});

it('the next run finds a write whose response was lost', async () => {
  const argv = ['folder', 'create', '--name', 'New', ...ALL];
  const lost: Transport = async (request, signal) => {
    if (request.headers['x-svc-cid'] !== '1') return agency.transport(request, signal);
    if (request.method === 'GET') throw new TransportError('not-sent', 'no way');
    await agency.transport(request, signal);
    throw new TransportError('unknown', 'the answer was lost');
  };
  const first = await agency.svc([...argv, '-o', 'json'], { transport: lost, now });
  expect([first.exitCode, errorsIn(first)]).toMatchObject([8, [{ company_id: 1 }]]);
  const run = await again(argv);
  expect(run.exitCode, run.stderr).toBe(0);
  expect(writesByCompany()).toEqual([1, 1, 1]);
});

it('does not overwrite a change by someone else: exit 5', async () => {
  const argv = ['folder', 'update', 'Shared', '--name', 'Other', ...ALL];
  await killedAt(argv, 2, 'after');
  const folder = (await agency.sandbox.rows('folder')).find(({ account_id }) => account_id === 2);
  await agency.done([
    'folder',
    'update',
    String(folder?.['id']),
    '--name',
    'By hand',
    '--company',
    '2',
    '--yes',
  ]);
  const run = await again(argv);
  expect(run.exitCode).toBe(8);
  expect(errorsIn(run)).toMatchObject([{ kind: 'changed-since', exit: 5, company_id: 2 }]);
  expect((await agency.sandbox.rows('folder')).map(({ name }) => name)).toEqual([
    'Other',
    'By hand',
    'Other',
  ]);
});

it('does not send a POST of svc api again, because its result cannot be looked up', async () => {
  const argv = ['api', 'POST', '/v1/folder', '--data', '{"name":"New"}', ...ALL];
  await killedAt(argv, 2, 'after');
  now += 40 * 60;
  const run = await again(argv);
  expect(errorsIn(run)).toMatchObject([{ kind: 'unknown', exit: 10, company_id: 2 }]);
  expect(writesByCompany()).toEqual([1, 1, 1]);
});

it('rejects a truncated checkpoint and writes nothing again: exit 2', async () => {
  const argv = ['folder', 'create', '--name', 'New', ...ALL];
  await agency.done(argv);
  const { length } = await readFile(checkpoint());
  for (const part of [0, 0.1, 0.5, 0.9, 0.99]) {
    await truncate(checkpoint(), Math.floor(length * part));
    const run = await again(argv);
    expect([part, run.exitCode, run.stdout]).toEqual([part, 2, '']);
    expect(errorsIn(run)[0].message).toContain('cannot resume from cp');
  }
  expect(writesByCompany()).toEqual([1, 1, 1]);
});

const RUNS = depth('SVC_COMPANY_RUNS', { few: 3, full: 300 });

it(`C4: ${RUNS} commands, each killed at random writes and run again, write once in each company (SVC_SEED=${SEED})`, {
  timeout: 1e9,
}, async () => {
  const chance = createChance(SEED);
  let kills = 0;
  let shared = 'Shared';
  for (let run = 1; run <= RUNS; run += 1) {
    const renamed = `Shared ${run}`;
    const words = chance.pick([
      ['folder', 'create', '--name', `New ${run}`],
      ['dnc', 'add', `person${run}@example.com`],
      ['sms', 'send', '--to', '447700900123', '--from', 'News', '--text', `Hi ${run}`, '--at', '+3h'],
      ['folder', 'update', shared, '--name', renamed],
    ]);
    if (words[1] === 'update') shared = renamed;
    const argv = [...words, ...ALL];
    const about = `run ${run} of seed ${SEED}: ${words.join(' ')}`;
    const before = writesByCompany();
    await rm(checkpoint(), { force: true });
    // The first command is killed for every seed.
    const times = Math.max(Math.floor(chance.between(0, 4)), run === 1 ? 1 : 0);
    for (let kill = times; kill > 0; kill -= 1) {
      await killedAt(argv, Math.ceil(chance.between(0, 3)), chance.pick(['before', 'after']));
      kills += 1;
      // Half of the next runs start while the lost request may still arrive.
      now += chance.pick([60, 40 * 60]);
    }
    let last = await again(argv);
    // The time after which a lost request can no longer arrive.
    for (let tries = 0; last.exitCode !== 0 && tries < 3; tries += 1) {
      now += 40 * 60;
      last = await again(argv);
    }
    expect([about, last.exitCode, last.stderr]).toEqual([about, 0, expect.any(String)]);
    const written = () => writesByCompany().map((count, at) => count - (before[at] ?? 0));
    expect([about, written()]).toEqual([about, [1, 1, 1]]);

    // A checkpoint that was truncated or edited sends nothing.
    const whole = await readFile(checkpoint());
    const at = Math.floor(chance.between(0, whole.length - 1));
    const edited = Buffer.from(whole);
    edited[at] = (edited[at] ?? 0) ^ 1;
    await writeFile(checkpoint(), chance.is(0.5) ? whole.subarray(0, at) : edited);
    const refused = await again(argv);
    expect([about, at, refused.exitCode, refused.stderr]).toEqual([about, at, 2, expect.any(String)]);
    expect([about, written()]).toEqual([about, [1, 1, 1]]);
  }
  process.stdout.write(`${kills} kills in ${RUNS} commands\n`);
  // In a small sample, kills may be rare.
  expect(kills).toBeGreaterThan(RUNS < 100 ? 0 : RUNS / 2);
  tried('C4', RUNS);
});
