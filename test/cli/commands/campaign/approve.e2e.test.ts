/** Contract, "Campaigns as files": `svc approve PLAN --identity KEYFILE`, and `svc plan show`, with real keys. */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { displayWidth } from '../../../../src/kit/text/display-width.ts';
import { sql } from '../../../../src/sandbox/store/driver/sql.ts';
import { CAMPAIGN_FILES, putCampaignFiles } from '../../../support/campaign-files.ts';
import { withEverything } from '../../../support/everything.ts';
import { NOBODY, type Outside, type Run, runCli, serviceOf } from '../../../support/run-cli.ts';
import type { TestSandbox } from '../../../support/sandbox.ts';
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
  sandbox = await withEverything();
  await putCampaignFiles(folder);
  digest = await makePlan();
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
/** @returns the digest of the plan */
async function makePlan(...more: readonly string[]): Promise<string> {
  const run = await svc(['plan', 'spring.yaml', '--out', 'spring.plan', '--force', ...more]);
  expect(run.exitCode, run.stderr).toBe(0);
  return JSON.parse(await readFile(join(folder, 'spring.plan'), 'utf8')).sha256;
}
const rename = (name: string): Promise<unknown> =>
  sandbox.service.store.db.run(sql`update account set name = ${name} where id = 1`);
const approve = (key: SshKey, ...more: readonly string[]): Promise<Run> =>
  svc(['approve', 'spring.plan', '--yes', '--identity', key.path, '-o', 'json', ...more]);
const files = async () =>
  (await readdir(folder)).filter((name) => /\.(?:plan|sig|signers)$/.test(name)).sort();
const BEFORE = ['spring.plan', 'team.signers'];

describe('svc approve', () => {
  it('signs the digest in the namespace svc-plan, and leaves the plan unchanged byte for byte', async () => {
    const before = await readFile(join(folder, 'spring.plan'));
    const run = await approve(alice);
    expect(run.exitCode, run.stderr).toBe(0);
    const file = 'spring.plan.Alice-work-..-..-x.sig';
    expect(JSON.parse(run.stdout)).toEqual({
      file,
      campaign: 'Spring',
      sha256: digest,
      fingerprint: alice.fingerprint,
      offline: false,
    });
    expect(await files()).toEqual([BEFORE[0], file, BEFORE[1]]);
    expect(await readFile(join(folder, 'spring.plan'))).toEqual(before);
    const verify = ['-Y', 'verify', '-f', join(folder, 'team.signers'), '-I', 'alice@example.com'];
    const good = sshKeygen([...verify, '-n', 'svc-plan', '-s', join(folder, file)], digest);
    expect(good).toContain('Good "svc-plan" signature for alice@example.com');
  });

  // Contract: "The page that is approved comes from what will be sent".
  it('shows the plan first, with everything that people will receive', async () => {
    const { stderr } = await approve(alice);
    for (const words of [
      'Plan of a campaign\n',
      'campaign     "Spring"\n',
      'company      "Company" (company 1)\n',
      'service      https://api.example.com\n',
      'steps        6 to create\n',
      digest,
      '(1 day left)',
      'e-mail from "Company", address null\n',
      'replies to: "office@example.com"\n',
      'subject: "Spring is here"\n',
      `HTML: 90 bytes, SHA-256 ${createHash('sha256').update(CAMPAIGN_FILES['news.html']).digest('hex')}\n`,
      '"Hello our shop <https://shop.example/spring>"\n',
      'link to "https://shop.example/spring"\n',
      'link to "https://shop.example/text"\n',
      'SMS from "Example"\n',
      'text: "The last day of spring"\n',
      'sends message news to list 1\n',
      'only if it has 0 to 10 subscriptions\n',
      'recipients and credits: known only after the task is created\n',
      'at Thu 2026-12-03 09:00:00 +00:00 (Europe/London)\n',
      'open, message news: notify office@example.com\n',
    ])
      expect(stderr).toContain(words);
  });

  it('asks nothing, with or without a terminal', async () => {
    const run = await svc(['approve', 'spring.plan', '--yes', '--identity', alice.path, '--name', 'alice'], {
      tty: true,
    });
    expect([run.exitCode, run.questions, (await files()).length]).toEqual([0, [], 3]);
  });

  it('--dry-run writes nothing', async () => {
    const run = await approve(alice, '--dry-run', '--name', 'a');
    expect([run.exitCode, run.stdout.includes('write spring.plan.a.sig'), await files()]).toEqual([
      0,
      true,
      BEFORE,
    ]);
  });

  it("uses the name of --name, or the user's if the key has none", async () => {
    await approve(bob, '--name', 'b.ob+1');
    const plain = await makeKey(folder, 'plain', { comment: '' });
    await approve(plain);
    expect(await files()).toEqual(expect.arrayContaining(['spring.plan.b.ob+1.sig', 'spring.plan.ada.sig']));
  });

  it.each(['', '.', '../x', 'a/b', 'a b', '-a', 'a\u202eb', 'x'.repeat(65)])(
    'rejects --name %j, which is no file name',
    async (name) => {
      const run = await approve(alice, `--name=${name}`);
      expect([run.exitCode, run.stdout, await files()]).toEqual([2, '', BEFORE]);
    },
  );

  it.each<[string, () => Promise<unknown>]>([
    [
      'has expired',
      async () => {
        await makePlan('--valid', '1m');
        await sandbox.at(60);
      },
    ],
    [
      'was changed',
      async () => {
        const path = join(folder, 'spring.plan');
        await writeFile(path, (await readFile(path, 'utf8')).replace('"rate": null', '"rate": 1'));
      },
    ],
    ['has changed since the plan was made', () => putCampaignFiles(folder, { 'last.txt': 'Another' })],
    ['does not exist', () => rm(join(folder, 'news.html'))],
    ['cannot find spring.yaml', () => rm(join(folder, 'spring.yaml'))],
    ['is not JSON', () => writeFile(join(folder, 'spring.plan'), 'version: 1\n')],
    ['file not found', () => rm(join(folder, 'spring.plan'))],
  ])('refuses a plan that %s', async (words, make) => {
    await make();
    const run = await approve(alice);
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(JSON.parse(run.stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({
      error: { kind: 'refused', exit: 2, message: expect.stringContaining(words) },
    });
    expect((await files()).filter((file) => file.endsWith('.sig'))).toEqual([]);
  });

  it('fails for a key with a passphrase without a terminal, and says why', async () => {
    const locked = await makeKey(folder, 'locked', { passphrase: 'open sesame' });
    const run = await approve(locked, '--no-input');
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain('incorrect passphrase');
  });

  it('exits with 2 for a missing key', async () => {
    const run = await svc(['approve', 'spring.plan', '--yes', '--identity', 'nothing']);
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain('cannot use the key nothing');
  });

  it('signs nothing if the service cannot be reached, and names --offline', async () => {
    const run = await svc(['approve', 'spring.plan', '--yes', '--identity', alice.path], { env: NOBODY });
    expect([run.exitCode, await files()]).toEqual([3, BEFORE]);
    expect(run.stderr).toContain('To approve without the service, add --offline');
  });
});

// Contract, "Campaigns as files": approve shows the page and asks, with the sends in the question. It needs --yes without a terminal.
describe('the question of svc approve', () => {
  const unasked = (more: readonly string[] = [], outside: Outside = {}): Promise<Run> =>
    svc(['approve', 'spring.plan', '--identity', alice.path, '--name', 'a', ...more], outside);

  it('comes after the page, names the sends, and signs nothing after a no', async () => {
    const page: string[] = [];
    const stderr = { write: async (text: string) => void page.push(text), isTTY: true, columns: 200 };
    const no = await unasked([], {
      tty: true,
      answers: [false],
      stderr,
      onQuestion: async () => {
        expect(page.join('')).toContain('Plan of a campaign');
      },
    });
    expect(no.exitCode).toBe(2);
    expect(no.questions).toEqual([
      'Really sign this plan (2 tasks: list 1, Thu 2026-12-03 09:00:00 +00:00 (Europe/London); ' +
        'list 1, Thu 2026-12-10 09:00:00 +00:00 (Europe/London); 1 rule)?',
    ]);
    expect(await files()).toEqual(BEFORE);
    expect((await unasked([], { tty: true, answers: [true] })).exitCode).toBe(0);
    expect(await files()).toEqual(['spring.plan', 'spring.plan.a.sig', 'team.signers']);
  });

  it('needs --yes without a terminal', async () => {
    const run = await unasked();
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain('Plan of a campaign');
    expect(run.stderr.replace(/\s+/g, ' ')).toContain('needs --yes; nothing was sent');
    expect(await files()).toEqual(BEFORE);
    expect((await unasked(['--yes'])).exitCode).toBe(0);
    // The signature exists, so there is nothing to ask.
    expect((await unasked()).exitCode).toBe(0);
  });
});

// Contract: "`approve` also makes a new plan against the service, and refuses (5) if steps, sizes or observed state differ".
describe('a service that has changed', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['has another name for the company', () => rename('New')],
    [
      'now has a record of the campaign',
      async () => {
        const run = await svc(['apply', 'spring.plan', '--yes']);
        expect(run.exitCode, run.stderr).toBe(0);
      },
    ],
    ['has a clock that makes a task too late', () => sandbox.at(2 * 86_400 - 60)],
  ])('%s exits with 5 and signs nothing', async (_, change) => {
    digest = await makePlan('--valid', '3d');
    await change();
    const run = await approve(alice);
    expect([run.exitCode, run.stdout, await files()], run.stderr).toEqual([5, '', BEFORE]);
    expect(JSON.parse(run.stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({
      error: { kind: 'drift', exit: 5, message: expect.stringContaining('nothing was signed') },
    });
  });
});

// Contract: "It names its service …; svc refuses another origin (2)."
it.each<[string, Outside['env'], string]>([
  ['another origin', { SVC_BASE_URL: 'http://127.0.0.1:4010' }, 'the plan is for https://api.example.com'],
  ['another company', { SVC_COMPANY_ID: '2', SVC_USER_ID: '4' }, 'the plan is for company 1'],
])('approve and apply refuse a plan for %s', async (_, env = {}, words) => {
  for (const argv of [
    ['approve', 'spring.plan', '--yes', '--identity', alice.path],
    ['apply', 'spring.plan', '--yes'],
  ]) {
    const run = await svc(argv, { env });
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain(words);
  }
  expect(await files()).toEqual(BEFORE);
});

/** Contract: "without `--identity` the one key of the agent, of git's `user.signingkey` or of `~/.ssh` is used and named". */
describe('svc approve without --identity', () => {
  let home: string;
  beforeEach(async () => {
    home = join(folder, 'home');
    await mkdir(join(home, '.ssh'), { recursive: true });
  });
  const approveAtHome = (env: Outside['env'] = {}): Promise<Run> =>
    svc(['approve', 'spring.plan', '--yes', '--name', 'a'], {
      homeDir: home,
      env: { SVC_STATE_DIR: join(folder, 'state'), GIT_CONFIG_GLOBAL: join(home, 'gitconfig'), ...env },
    });
  const git = (value: string): Promise<void> =>
    writeFile(join(home, 'gitconfig'), `[gpg]\nformat = ssh\n[user]\nsigningkey = ${value}\n`);

  it('uses the only key of ~/.ssh, and names it', async () => {
    const key = await makeKey(join(home, '.ssh'), 'id_ed25519');
    await writeFile(join(home, '.ssh', 'known_hosts'), 'x');
    const run = await approveAtHome();
    expect(run.exitCode, run.stderr).toBe(0);
    expect(run.stderr).toContain('approved the plan (SSH key: ~/.ssh/id_ed25519');
    expect(run.stdout).toContain(key.fingerprint);
  });

  it("uses git's key, and counts a key of several sources once", async () => {
    const key = await makeKey(join(home, '.ssh'), 'id_ed25519');
    await git('~/.ssh/id_ed25519.pub');
    const run = await approveAtHome();
    expect([run.exitCode, run.stdout.includes(key.fingerprint)], run.stderr).toEqual([0, true]);
  });

  it('uses a key of the agent', async () => {
    const socket = join(home, 'agent');
    const started = execFileSync('ssh-agent', ['-s', '-a', socket], { encoding: 'utf8' });
    const [, pid = ''] = /SSH_AGENT_PID=([0-9]+)/.exec(started) ?? [];
    try {
      execFileSync('ssh-add', [bob.path], {
        env: { ...process.env, SSH_AUTH_SOCK: socket },
        stdio: 'ignore',
      });
      const run = await approveAtHome({ SSH_AUTH_SOCK: socket });
      expect([run.exitCode, run.stdout.includes(bob.fingerprint)], run.stderr).toEqual([0, true]);
      expect(run.stderr).toContain('approved the plan (SSH key: bob@laptop in ssh-agent');
    } finally {
      process.kill(Number(pid));
    }
  });

  it('exits with 2 for more than one key, and lists them', async () => {
    const one = await makeKey(join(home, '.ssh'), 'id_ed25519');
    await git(bob.path);
    const run = await approveAtHome();
    expect([run.exitCode, await files()]).toEqual([2, BEFORE]);
    for (const words of [one.fingerprint, bob.fingerprint, '~/.ssh/id_ed25519', '--identity'])
      expect(run.stderr).toContain(words);
  });

  it('exits with 2 without any key, because an OpenPGP key of git does not count', async () => {
    await writeFile(join(home, 'gitconfig'), '[user]\nsigningkey = 0A1B2C3D4E5F6071\n');
    const run = await approveAtHome();
    expect([run.exitCode, run.stderr.includes('cannot find a key to approve with')]).toEqual([2, true]);
  });
});

describe('svc approve --offline', () => {
  const apply = (...more: readonly string[]): Promise<Run> =>
    svc(['apply', 'spring.plan', '--approvals', '1', '--signers', 'team.signers', '--yes', ...more]);

  it('signs in another namespace, says so on the page, and counts only with --allow-offline', async () => {
    const run = await svc(
      ['approve', 'spring.plan', '--yes', '--identity', alice.path, '--name', 'a', '--offline'],
      {
        env: NOBODY,
      },
    );
    expect(run.exitCode, run.stderr).toBe(0);
    expect(run.stderr).toContain('compares the plan with the files only, not with the service');
    expect(run.stderr).toContain('company 1, called "Company" in the plan (not checked with the service)');
    const verify = [
      '-Y',
      'check-novalidate',
      '-n',
      'svc-plan-offline',
      '-s',
      join(folder, 'spring.plan.a.sig'),
    ];
    expect(sshKeygen(verify, digest)).toContain('Good "svc-plan-offline" signature');
    const refused = await apply();
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('made with --offline; svc apply accepts it only with --allow-offline');
    expect((await apply('--allow-offline')).exitCode).toBe(0);
  });

  it('is replaced by an approval of the same key that was compared with the service', async () => {
    expect((await approve(alice, '--name', 'a', '--offline')).exitCode).toBe(0);
    expect((await approve(alice, '--name', 'a')).exitCode).toBe(0);
    expect((await apply()).exitCode).toBe(0);
  });

  it('refuses a plan that differs from its files', async () => {
    await putCampaignFiles(folder, { 'last.txt': 'Another' });
    const run = await approve(alice, '--offline');
    expect([run.exitCode, await files()]).toEqual([2, BEFORE]);
  });
});

describe('a file of the same name', () => {
  const file = 'spring.plan.alice.sig';

  it('leaves an approval by the same key unchanged', async () => {
    await putSignature(join(folder, 'spring.plan'), 'alice', alice, digest);
    const before = await readFile(join(folder, file));
    const run = await approve(alice, '--name', 'alice');
    expect([run.exitCode, run.stderr.includes('already approved the plan')]).toEqual([0, true]);
    expect(await readFile(join(folder, file))).toEqual(before);
  });

  it("never replaces another person's approval of this plan", async () => {
    await putSignature(join(folder, 'spring.plan'), 'alice', bob, digest);
    const before = await readFile(join(folder, file));
    const run = await approve(alice, '--name', 'alice');
    expect([run.exitCode, await readFile(join(folder, file))]).toEqual([2, before]);
    expect(run.stderr).toContain(bob.fingerprint);
  });

  it('replaces a signature over another plan', async () => {
    await putSignature(join(folder, 'spring.plan'), 'alice', bob, '0'.repeat(64));
    const before = await readFile(join(folder, file));
    expect((await approve(alice, '--name', 'alice')).exitCode).toBe(0);
    expect(await readFile(join(folder, file))).not.toEqual(before);
  });

  it('never replaces any other file', async () => {
    await writeFile(join(folder, file), 'notes of mine');
    const run = await approve(alice, '--name', 'alice');
    expect([run.exitCode, await readFile(join(folder, file), 'utf8')]).toEqual([2, 'notes of mine']);
  });

  it('exits with 2 if the name is a folder', async () => {
    await mkdir(join(folder, file));
    expect((await approve(alice, '--name', 'alice')).exitCode).toBe(2);
  });
});

describe('svc plan show', () => {
  const show = (...more: readonly string[]): Promise<Run> => svc(['plan', 'show', 'spring.plan', ...more]);

  it('lists who approved it, and which signatures do not count, each with its key', async () => {
    await approve(alice, '--name', 'alice');
    const plan = join(folder, 'spring.plan');
    const stranger = await makeKey(folder, 'stranger');
    await putSignature(plan, 'stranger', stranger, digest);
    await putSignature(plan, 'old', bob, '0'.repeat(64));
    const run = await show('--signers', 'team.signers', '-o', 'json');
    expect(run.exitCode, run.stderr).toBe(0);
    const shown = JSON.parse(run.stdout);
    expect(shown).toMatchObject({ campaign: 'Spring', sha256: digest, expired: false });
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
      `spring.plan.stranger.sig does not count, by ${stranger.fingerprint}: the signers file team.signers does not list this key`,
    );
  });

  it('shows that the plan has expired, and that no one approved it', async () => {
    await makePlan('--valid', '1m');
    await sandbox.at(120);
    const run = await show();
    expect(run.exitCode).toBe(0);
    expect(run.stdout).toContain('(expired 1 minute ago)');
    expect(run.stdout).toContain('No approvals yet');
    expect(JSON.parse((await show('-o', 'json')).stdout)).toMatchObject({ expired: true });
  });

  // Contract: "Every text is on one line of its own, with control characters and line feeds escaped".
  it('keeps every text of a plan apart from the lines of the page, and without control sequences', async () => {
    const evil = 'x\u001b[31m\u202e\n\nTo create\n  nothing at all';
    await rename(evil.replaceAll('\n', '\u2028'));
    await putCampaignFiles(folder, { 'last.txt': evil });
    digest = await makePlan();
    for (const run of [await show(), await approve(alice)]) {
      expect(run.exitCode, run.stderr).toBe(0);
      const page = `${run.stdout}${run.stderr}`;
      expect(page).not.toMatch(/\u001b|\u202e|\u2028/);
      expect(page.match(/^ *nothing at all/gm)).toBeNull();
      expect(page.match(/^To create$/gm)).toHaveLength(1);
    }
  });

  it('marks each continued line of a text on a terminal, so that it does not look like a line of the page', async () => {
    await putCampaignFiles(folder, { 'last.txt': `${'x'.repeat(68)}${'To create nothing '.repeat(12)}` });
    digest = await makePlan();
    const argv = ['approve', 'spring.plan', '--yes', '--identity', alice.path];
    const { stderr } = await svc(argv, { tty: true, columns: 80 });
    // The note that names the key contains its path, whose length depends on the temporary folder of the machine.
    const lines = stderr.split('\n').filter((line) => !line.startsWith('approved the plan '));
    expect(Math.max(...lines.map((line) => displayWidth(line)))).toBeLessThanOrEqual(80);
    expect(lines.filter((line) => line.includes('nothing') && !/^ +(?:┆|text: ")/.test(line))).toEqual([]);
    expect((await svc([...argv, '--name', 'b'])).stderr).toContain('To create nothing '.repeat(12));
  });

  it('prints the same page as approve and apply', async () => {
    const pageIn = (text: string): string =>
      text.slice(
        text.indexOf('Plan of a campaign'),
        text.indexOf('\n\n', text.indexOf('automation readers')),
      );
    const shown = pageIn((await show()).stdout);
    expect(shown).toContain('The last day of spring');
    expect(pageIn((await approve(alice, '--name', 'a')).stderr)).toBe(shown);
    const applied = await svc(['apply', 'spring.plan', '--yes']);
    expect(pageIn(`${applied.stderr}\n\n`)).toContain(shown);
  });

  it('refuses a changed plan', async () => {
    const path = join(folder, 'spring.plan');
    await writeFile(path, (await readFile(path, 'utf8')).replace('Spring', 'Other'));
    expect((await show()).exitCode).toBe(2);
  });

  it('counts only the signers of the profile', async () => {
    const env = { ...NOBODY, SVC_CONFIG_DIR: join(folder, 'config'), SVC_STATE_DIR: join(folder, 'state') };
    const add = ['profile', 'add', 'prod', '--base-url', 'https://api.example.com', '--company', '1'];
    const key = { stdin: 'c0ffee00c0ffee00c0ffee00c0ffee00', env };
    await svc([...add, '--user', '1', '--no-check', '--api-key-stdin'], key);
    await svc(['profile', 'set', 'prod', 'require-approvals', '2'], { env });
    const without = await svc(['plan', 'show', 'spring.plan'], { env });
    expect([without.exitCode, without.stderr.includes('has no signers file')]).toEqual([2, true]);
    await svc(['profile', 'set', 'prod', 'signers', 'team.signers', '--yes'], { env });
    await approve(alice, '--name', 'alice');
    const run = await svc(['plan', 'show', 'spring.plan'], { env });
    expect(run.stdout, run.stderr).toContain('Approvals: 1 of 2');
    await writeFile(join(folder, 'mine'), `x ${bob.line}\n`);
    const other = await svc(['plan', 'show', 'spring.plan', '--signers', 'mine'], { env });
    expect([other.exitCode, other.stdout]).toEqual([2, '']);
  });
});
