/** Contract, "Campaigns as files": `svc approve PLAN --identity KEYFILE`, and `svc plan show`, with real keys. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { putPlan } from '../../../support/plans.ts';
import { NOBODY, type Outside, type Run, runCli, serviceOf } from '../../../support/run-cli.ts';
import { createTestSandbox, NOW, type TestSandbox } from '../../../support/sandbox.ts';
import { makeKey, putSignature, type SshKey, sshKeygen } from '../../../support/ssh-keys.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

let keys: string;
let alice: SshKey;
let bob: SshKey;
beforeAll(async () => {
  keys = await makeTemporaryFolder('keys');
  alice = await makeKey(keys, 'alice', { comment: 'Alice (work) ../../x' });
  bob = await makeKey(keys, 'bob');
});
afterAll(() => rm(keys, { recursive: true }));

let folder: string;
let digest: string;
let sandbox: TestSandbox;
beforeEach(async () => {
  folder = await makeTemporaryFolder('approve');
  digest = await putPlan(join(folder, 'spring.plan'));
  sandbox = await createTestSandbox();
  const lines = [`alice@example.com ${alice.line}`, `bob@example.com ${bob.line}`];
  await writeFile(join(folder, 'team.signers'), `${lines.join('\n')}\n`);
});
afterEach(() => rm(folder, { recursive: true }));

const svc = (argv: readonly string[], more: Outside = {}): Promise<Run> =>
  runCli(argv, {
    cwd: folder,
    transport: serviceOf(sandbox).transport,
    ...more,
    env: { PATH: process.env['PATH'], USER: 'ada', ...more.env },
  });
const approve = (key: SshKey, ...more: readonly string[]): Promise<Run> =>
  svc(['approve', 'spring.plan', '--identity', key.path, '--yes', '-o', 'json', ...more]);
const files = () => readdir(folder).then((names) => names.sort());
const BEFORE = ['spring.plan', 'team.signers'];

describe('svc approve', () => {
  it('signs the digest in the namespace svc-plan, beside the plan, which stays byte for byte', async () => {
    const before = await readFile(join(folder, 'spring.plan'));
    const run = await approve(alice);
    expect(run.exitCode, run.stderr).toBe(0);
    const file = 'spring.plan.Alice-work-..-..-x.sig';
    expect(JSON.parse(run.stdout)).toEqual({
      file,
      campaign: 'spring',
      sha256: digest,
      fingerprint: alice.fingerprint,
    });
    expect(await files()).toEqual([BEFORE[0], file, BEFORE[1]]);
    expect(await readFile(join(folder, 'spring.plan'))).toEqual(before);
    const verify = ['-Y', 'verify', '-f', join(folder, 'team.signers'), '-I', 'alice@example.com'];
    const good = sshKeygen([...verify, '-n', 'svc-plan', '-s', join(folder, file)], digest);
    expect(good).toContain('Good "svc-plan" signature for alice@example.com');
  });

  it('shows the plan first: campaign, company, steps counted, times, digest', async () => {
    const { stderr } = await approve(alice);
    for (const words of [
      'Plan of campaign spring',
      'Harbour Coffee (company 1)',
      '1 to create, 1 to change, 1 blocked, 1 as the file says, 1 orphaned and left',
      'at Wed 2026-12-02 10:00:00 +01:00 (Europe/Berlin)',
      '(1 day left)',
      'subject: "Spring sale" → "Spring ½ price"',
      digest,
    ])
      expect(stderr).toContain(words);
  });

  it('asks on a terminal', async () => {
    const argv = ['approve', 'spring.plan', '--identity', alice.path, '--name', 'alice'];
    const no = await svc(argv, { tty: true, answers: [false] });
    expect([no.exitCode, await files()]).toEqual([2, BEFORE]);
    expect(no.questions).toEqual([
      'Really approve this plan of campaign spring for Harbour Coffee (company 1)?',
    ]);
    const yes = await svc(argv, { tty: true, answers: [true] });
    expect([yes.exitCode, (await files()).length]).toEqual([0, 3]);
  });

  it('elsewhere it needs --yes', async () => {
    const run = await svc(['approve', 'spring.plan', '--identity', alice.path]);
    expect([run.exitCode, run.stdout, await files()]).toEqual([2, '', BEFORE]);
    expect(run.stderr).toContain('--yes');
  });

  it('--dry-run writes nothing', async () => {
    const run = await approve(alice, '--dry-run', '--name', 'a');
    expect([run.exitCode, run.stdout.includes('write spring.plan.a.sig'), await files()]).toEqual([
      0,
      true,
      BEFORE,
    ]);
  });

  it('is named by --name, or by the user where the key says nothing', async () => {
    await approve(bob, '--name', 'b.ob+1');
    const plain = await makeKey(folder, 'plain', { comment: '' });
    await approve(plain);
    expect(await files()).toEqual(expect.arrayContaining(['spring.plan.b.ob+1.sig', 'spring.plan.ada.sig']));
  });

  it.each(['', '.', '../x', 'a/b', 'a b', '-a', 'a\u202eb', 'x'.repeat(65)])(
    '--name %j is no name of a file',
    async (name) => {
      const run = await approve(alice, `--name=${name}`);
      expect([run.exitCode, run.stdout, await files()]).toEqual([2, '', BEFORE]);
    },
  );

  it.each<[string, () => Promise<unknown>]>([
    ['has expired', () => putPlan(join(folder, 'spring.plan'), { made: NOW - 9, validUntil: NOW })],
    [
      'was changed',
      async () => {
        const path = join(folder, 'spring.plan');
        await writeFile(path, (await readFile(path, 'utf8')).replace('"rate": null', '"rate": 1'));
      },
    ],
    ['is not JSON', () => writeFile(join(folder, 'spring.plan'), 'version: 1\n')],
    ['there is no file', () => rm(join(folder, 'spring.plan'))],
  ])('a plan that %s is refused', async (words, make) => {
    await make();
    const run = await approve(alice);
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(JSON.parse(run.stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({
      error: { kind: 'refused', exit: 2, message: expect.stringContaining(words) },
    });
    expect((await files()).filter((file) => file.endsWith('.sig'))).toEqual([]);
  });

  it('a key that needs a passphrase fails without a terminal, and says why', async () => {
    const locked = await makeKey(folder, 'locked', { passphrase: 'open sesame' });
    const run = await approve(locked, '--no-input');
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain('incorrect passphrase');
  });

  it('a key that is not there is exit 2', async () => {
    const run = await svc(['approve', 'spring.plan', '--identity', 'nothing', '--yes']);
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain("the key nothing can't be used");
  });

  it('without --identity it says what is missing', async () => {
    const run = await svc(['approve', 'spring.plan', '--yes']);
    expect([run.exitCode, run.stderr.includes('--identity')]).toEqual([2, true]);
  });

  it("where the service can't be reached this machine's clock is taken, and said", async () => {
    const argv = ['approve', 'spring.plan', '--identity', alice.path, '--yes'];
    const run = await svc(argv, { env: NOBODY });
    expect(run.exitCode, run.stderr).toBe(0);
    expect(run.stderr).toContain("the service's clock can't be asked");
  });
});

describe('a file of the same name', () => {
  const file = 'spring.plan.alice.sig';

  it('with an approval of the same key stays as it is', async () => {
    await putSignature(join(folder, 'spring.plan'), 'alice', alice, digest);
    const before = await readFile(join(folder, file));
    const run = await approve(alice, '--name', 'alice');
    expect([run.exitCode, run.stderr.includes('approved the plan already')]).toEqual([0, true]);
    expect(await readFile(join(folder, file))).toEqual(before);
  });

  it("with somebody else's approval of this plan is never replaced", async () => {
    await putSignature(join(folder, 'spring.plan'), 'alice', bob, digest);
    const before = await readFile(join(folder, file));
    const run = await approve(alice, '--name', 'alice');
    expect([run.exitCode, await readFile(join(folder, file))]).toEqual([2, before]);
    expect(run.stderr).toContain(bob.fingerprint);
  });

  it('with anything else is replaced once that is answered', async () => {
    await putSignature(join(folder, 'spring.plan'), 'alice', alice, '0'.repeat(64));
    const argv = ['approve', 'spring.plan', '--identity', alice.path, '--name', 'alice'];
    const before = await readFile(join(folder, file));
    const no = await svc(argv, { tty: true, answers: [false] });
    expect([no.exitCode, await readFile(join(folder, file))]).toEqual([2, before]);
    expect(no.questions[0]).toContain(`and replace ${file}, which is no signature over it`);
    expect((await svc(argv, { tty: true, answers: [true] })).exitCode).toBe(0);
    expect(await readFile(join(folder, file))).not.toEqual(before);
  });

  it('that is a folder is exit 2', async () => {
    await mkdir(join(folder, file));
    expect((await approve(alice, '--name', 'alice')).exitCode).toBe(2);
  });
});

describe('svc plan show', () => {
  const show = (...more: readonly string[]): Promise<Run> => svc(['plan', 'show', 'spring.plan', ...more]);

  it('says who has approved it, and which signatures do not count, each with its key', async () => {
    await approve(alice, '--name', 'alice');
    const plan = join(folder, 'spring.plan');
    const stranger = await makeKey(folder, 'stranger');
    await putSignature(plan, 'stranger', stranger, digest);
    await putSignature(plan, 'old', bob, '0'.repeat(64));
    const run = await show('--signers', 'team.signers', '-o', 'json');
    expect(run.exitCode, run.stderr).toBe(0);
    const shown = JSON.parse(run.stdout);
    expect(shown).toMatchObject({ campaign: 'spring', sha256: digest, expired: false });
    expect(shown.approvals.people).toEqual([
      {
        name: 'alice@example.com',
        names: ['alice@example.com'],
        fingerprints: [alice.fingerprint],
        files: ['spring.plan.alice.sig'],
      },
    ]);
    const states = shown.approvals.signatures.map((each: Record<string, unknown>) => [
      each['file'],
      each['state'],
      each['fingerprint'],
    ]);
    expect(states).toEqual([
      ['spring.plan.alice.sig', 'valid', alice.fingerprint],
      ['spring.plan.old.sig', 'invalid', null],
      ['spring.plan.stranger.sig', 'unknown', stranger.fingerprint],
    ]);
    const page = await show('--signers', 'team.signers');
    expect(page.stdout).toContain('Approvals: 1');
    expect(page.stdout.replaceAll(/\s+/g, ' ')).toContain(
      `spring.plan.stranger.sig does not count, by ${stranger.fingerprint}: team.signers knows no such key`,
    );
  });

  it('says that it has expired, and that nobody has approved it', async () => {
    await putPlan(join(folder, 'spring.plan'), { made: NOW - 90, validUntil: NOW - 60 });
    const run = await show();
    expect(run.exitCode).toBe(0);
    expect(run.stdout).toContain('(expired 1 minute ago)');
    expect(run.stdout).toContain('Nobody has approved it');
    expect(JSON.parse((await show('-o', 'json')).stdout)).toMatchObject({ expired: true });
  });

  it('text of a plan never reaches the terminal as control sequences', async () => {
    const company = { id: '1', name: '\u001b[31mred\u202e' };
    await putPlan(join(folder, 'spring.plan'), { company });
    for (const run of [await show(), await approve(alice)]) {
      expect(run.exitCode).toBe(0);
      expect(`${run.stdout}${run.stderr}`).not.toMatch(/\u001b|\u202e/);
    }
  });

  it('a plan that was changed is refused', async () => {
    const path = join(folder, 'spring.plan');
    await writeFile(path, (await readFile(path, 'utf8')).replace('Offer', 'Other'));
    expect((await show()).exitCode).toBe(2);
  });

  it('the signers of the profile count, and no others', async () => {
    const env = { ...NOBODY, SVC_CONFIG_DIR: join(folder, 'config'), SVC_STATE_DIR: join(folder, 'state') };
    const add = ['profile', 'add', 'prod', '--base-url', 'https://api.example.com', '--company', '1'];
    const key = { stdin: 'c0ffee00c0ffee00c0ffee00c0ffee00', env };
    await svc([...add, '--user', '1', '--no-check', '--api-key-stdin'], key);
    await svc(['profile', 'set', 'prod', 'require-approvals', '2'], { env });
    const without = await svc(['plan', 'show', 'spring.plan'], { env });
    expect([without.exitCode, without.stderr.includes('names no signers')]).toEqual([2, true]);
    await svc(['profile', 'set', 'prod', 'signers', 'team.signers'], { env });
    await approve(alice, '--name', 'alice');
    const run = await svc(['plan', 'show', 'spring.plan'], { env });
    expect(run.stdout, run.stderr).toContain('Approvals: 1 of 2');
    await writeFile(join(folder, 'mine'), `x ${bob.line}\n`);
    const other = await svc(['plan', 'show', 'spring.plan', '--signers', 'mine'], { env });
    expect([other.exitCode, other.stdout]).toEqual([2, '']);
  });
});
