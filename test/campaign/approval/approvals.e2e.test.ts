/**
 * Contract, "Campaigns as files": signatures of different people over this plan, in the namespace `svc-plan`. The keys and the program
 * that verifies them are real.
 */
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Approvals,
  areApprovalsSufficient,
  checkApprovals,
  type RequiredApprovals,
  requiredApprovals,
  unlistedPeople,
} from '../../../src/features/campaign/approval/approvals.ts';
import {
  describeSigningKey,
  readSignatures,
  type Signature,
  signPlanDigest,
} from '../../../src/features/campaign/approval/signatures.ts';
import { CampaignError } from '../../../src/features/campaign/errors.ts';
import { readPlanFile } from '../../../src/features/campaign/plan-file/plan-file.ts';
import { planParts, putPlan } from '../../support/plans.ts';
import { makeKey, putSignature, type SshKey, signatureOf, sshKeygen } from '../../support/ssh-keys.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporary-folder.ts';

let keys: string;
let alice: SshKey;
let alicesOther: SshKey;
let bob: SshKey;
let stranger: SshKey;
beforeAll(async () => {
  keys = await makeTemporaryFolder('keys');
  alice = await makeKey(keys, 'alice');
  alicesOther = await makeKey(keys, 'alice-phone');
  bob = await makeKey(keys, 'bob');
  stranger = await makeKey(keys, 'stranger');
});
afterAll(() => removeFolder(keys));

let folder: string;
let plan: string;
let digest: string;
let signers: string;
beforeEach(async () => {
  folder = await makeTemporaryFolder('plan');
  plan = join(folder, 'spring.plan');
  digest = await putPlan(plan);
  signers = join(folder, 'team.signers');
  await allow(`alice@example.com ${alice.line}`, `bob@example.com ${bob.line}`);
});
afterEach(() => removeFolder(folder));

const allow = (...lines: readonly string[]): Promise<void> => writeFile(signers, `${lines.join('\n')}\n`);
const now = planParts.made + 60;
const ports = { env: process.env, signal: new AbortController().signal, now };

const check = (count: number, path = plan, at = now): Promise<Approvals> =>
  checkApprovals(
    path,
    readPlanFile(path, 'spring.plan'),
    { count, signers: { path: signers, name: 'team.signers' } },
    { ...ports, now: at },
  );

async function refusal(work: Promise<unknown>): Promise<CampaignError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof CampaignError && error.kind === 'refused') return error;
    throw error;
  }
  throw new Error('it was taken');
}

async function only(): Promise<Signature> {
  const found = await readSignatures(plan, digest, { path: signers, name: 'team.signers' }, ports);
  expect(found).toHaveLength(1);
  return found[0] as Signature;
}

describe('approvals', () => {
  it('by two people count as two, with any file names', async () => {
    await putSignature(plan, 'bob', alice, digest);
    await putSignature(plan, 'x', bob, digest);
    const { people } = await check(2);
    expect(people).toEqual([
      {
        name: 'alice@example.com',
        names: ['alice@example.com'],
        fingerprints: [alice.fingerprint],
        files: ['spring.plan.bob.sig'],
      },
      {
        name: 'bob@example.com',
        names: ['bob@example.com'],
        fingerprints: [bob.fingerprint],
        files: ['spring.plan.x.sig'],
      },
    ]);
  });

  it('are refused if there are too few, with both numbers and the names', async () => {
    await putSignature(plan, 'alice', alice, digest);
    await putSignature(plan, 'stranger', stranger, digest);
    const error = await refusal(check(2));
    expect(error.message).toBe('the plan has 1 of 2 approvals, by alice@example.com');
    expect(error.details).toEqual([
      {
        attribute: 'spring.plan.stranger.sig',
        reason: 'does not count: the signers file team.signers does not list this key',
        fingerprint: stranger.fingerprint,
      },
    ]);
    expect((await refusal(check(2, plan, now))).hints).not.toEqual([]);
  });

  it.each([
    ['as the signers file has it', 'alice@example.com'],
    ['in another case', 'Alice@Example.com'],
    ['by another name of the same line', 'al@example.com'],
    ['by the name of another key with a common name', 'alice@home.example'],
  ])('do not count if they are by the author, named %s', async (_, author) => {
    const home = await makeKey(folder, 'home');
    await writeFile(
      signers,
      [
        `# people who may approve`,
        `"alice@example.com,al@example.com" namespaces="svc-plan" ${alice.line} laptop`,
        `alice@example.com ${home.line}`,
        `alice@home.example ${home.line}`,
        `bob@example.com ${bob.line}`,
      ].join('\n'),
      { mode: 0o600 },
    );
    await putSignature(plan, 'alice', alice, digest);
    const verify = (count: number) =>
      checkApprovals(
        plan,
        readPlanFile(plan, 'spring.plan'),
        requiredApprovals(undefined, {
          approvals: count,
          signers: { path: signers, name: 'team.signers' },
          notBy: [author],
        }),
        ports,
      );
    const error = await refusal(verify(1));
    expect(error.message).toBe('the plan has 0 of 1 approvals');
    expect(error.hints.join('\n')).toMatch(
      /^svc approve \S+\.plan --identity KEYFILE adds an approval by another person\nthe SHA-256 of the plan is [0-9a-f]{64}$/,
    );
    expect(JSON.stringify(error.details)).toContain('is excluded by --not-by');
    await putSignature(plan, 'bob', bob, digest);
    expect((await verify(1)).people.map(({ name }) => name)).toEqual(['bob@example.com']);
    expect((await refusal(verify(2))).message).toContain('1 of 2');
  });

  it('need a number of approvals, and the name of a person, to leave out the author', () => {
    const file = { path: signers, name: 'team.signers' };
    expect(() => requiredApprovals(undefined, { notBy: ['alice@example.com'] })).toThrow('--approvals N');
    expect(() => requiredApprovals(undefined, { approvals: 1, signers: file, notBy: [''] })).toThrow('empty');
    const misspelt = { approvals: 1, signers: file, notBy: ['alise@example.com', 'BOB@example.com'] };
    expect(unlistedPeople(requiredApprovals(undefined, misspelt))).toEqual(['alise@example.com']);
  });

  it('are not needed if nothing requires them', async () => {
    expect((await check(0)).people).toEqual([]);
  });

  it('are refused for an expired plan', async () => {
    await putSignature(plan, 'alice', alice, digest);
    expect((await refusal(check(1, plan, planParts.validUntil))).message).toContain('expired');
  });

  it('leave the plan unchanged, byte for byte', async () => {
    const before = await readFile(plan);
    await putSignature(plan, 'alice', alice, digest);
    await check(1);
    expect(await readFile(plan)).toEqual(before);
  });
});

describe('a person is a principal of the signers file', () => {
  const signed = async (...by: readonly SshKey[]): Promise<void> => {
    for (const [at, key] of by.entries()) await putSignature(plan, `n${at}`, key, digest);
  };
  const counted = async (): Promise<number> => {
    for (let count = 5; count > 0; count -= 1) {
      const isEnough = await check(count).then(
        () => true,
        () => false,
      );
      if (isEnough) return count;
    }
    return 0;
  };

  it.each<[string, () => readonly string[], () => readonly SshKey[], number]>([
    [
      'two keys on two lines',
      () => [`alice@example.com ${alice.line}`, `alice@example.com ${alicesOther.line}`],
      () => [alice, alicesOther],
      1,
    ],
    ['two copies', () => [`alice@example.com ${alice.line}`], () => [alice, alice], 1],
    [
      'the same line twice',
      () => [`alice@example.com ${alice.line}`, `alice@example.com ${alice.line}`],
      () => [alice, alice],
      1,
    ],
    [
      'one key under two names',
      () => [`alice@example.com ${alice.line}`, `carol@example.com ${alice.line}`],
      () => [alice, alice],
      1,
    ],
    [
      'one key with a list of names',
      () => [`alice@example.com,carol@example.com ${alice.line}`],
      () => [alice],
      1,
    ],
    [
      'names that two keys share in part',
      () => [`alice,alice@example.com ${alice.line}`, `alice@example.com,al ${alicesOther.line}`],
      () => [alice, alicesOther],
      1,
    ],
    [
      'a third key that shares a name with each of two',
      () => [`alice ${alice.line}`, `al ${alicesOther.line}`, `alice,al ${stranger.line}`],
      () => [alice, alicesOther, stranger],
      1,
    ],
    [
      'the same name in other letters',
      () => [`Alice@Example.com ${alice.line}`, `alice@example.com ${alicesOther.line}`],
      () => [alice, alicesOther],
      1,
    ],
    // Second attack L4: names that people cannot tell apart are not two people.
    ...(
      [
        ['a zero-width space', 'ali\u200bce@example.com'],
        ['a soft hyphen', 'ali\u00adce@example.com'],
        ['a mark that changes the direction', 'alice\u202e@example.com'],
        ['a variation selector', 'alice\ufe0f@example.com'],
        ['a blank that is no space', 'alice\u00a0@example.com'],
        ['a Cyrillic letter', '\u0430lice@example.com'],
        ['a Greek letter', 'alic\u03b5@example.com'],
        ['letters of another width', '\uff41lice@example.com'],
        ['a dot at the end', 'alice@example.com.'],
      ] as const
    ).map(([what, name]): [string, () => readonly string[], () => readonly SshKey[], number] => [
      `the same name with ${what}`,
      () => [`alice@example.com ${alice.line}`, `"${name}" ${bob.line}`],
      () => [alice, bob],
      1,
    ]),
    [
      'names in other scripts, each in one',
      () => [`\u0438\u0432\u0430\u043d@example.com ${alice.line}`, `"Zo\u00eb \u5c71\u7530" ${bob.line}`],
      () => [alice, bob],
      2,
    ],
    [
      'a pattern, which does not identify one person',
      () => [`*@example.com ${alice.line}`, `?ob@example.com ${bob.line}`],
      () => [alice, bob],
      0,
    ],
    [
      'a name with a pattern beside it',
      () => [`alice@example.com,*@example.org ${alice.line}`],
      () => [alice],
      0,
    ],
    [
      'a line that has expired',
      () => [`alice@example.com valid-before="20200101" ${alice.line}`],
      () => [alice],
      0,
    ],
    [
      'a line that is not valid yet',
      () => [`alice@example.com valid-after="29990101" ${alice.line}`],
      () => [alice],
      0,
    ],
    ['a key for another use', () => [`alice@example.com namespaces="git" ${alice.line}`], () => [alice], 0],
    [
      'a key for this use',
      () => [`alice@example.com namespaces="git,svc-plan" ${alice.line}`],
      () => [alice],
      1,
    ],
    ['an unknown key', () => [`bob@example.com ${bob.line}`], () => [alice], 0],
    ['no one', () => ['# nobody yet'], () => [alice], 0],
    [
      'a valid line beside an invalid line',
      () => ['what is this', `bob@example.com ${bob.line}`],
      () => [bob],
      1,
    ],
  ])('%s', async (_, lines, by, people) => {
    await allow(...lines());
    await signed(...by());
    expect(await counted()).toBe(people);
  });

  it('only the names that the authority put into a certificate count', async () => {
    const [ca, dora, eve] = await Promise.all(['ca', 'dora', 'eve'].map((name) => makeKey(folder, name)));
    if (!ca || !dora || !eve) throw new Error('there are no keys');
    for (const [key, names] of [
      [dora, 'dora@example.com'],
      [eve, 'eve@elsewhere.example'],
    ] as const)
      sshKeygen(['-q', '-s', ca.path, '-I', 'id', '-n', names, '-V', '20260101:20280101', `${key.path}.pub`]);
    await allow(`*@example.com cert-authority ${ca.line}`);
    for (const key of [dora, eve])
      await putSignature(plan, names(key), { ...key, path: `${key.path}-cert.pub` }, digest);
    const { people } = await check(1);
    expect(people.map(({ name, fingerprints }) => [name, fingerprints])).toEqual([
      ['dora@example.com', [dora.fingerprint]],
    ]);
    expect((await refusal(check(2))).message).toContain('1 of 2');
  });
  const names = ({ path }: SshKey): string => path.split('/').at(-1) ?? '';

  it.each([
    ['alice\u200b@example.com', /under the name "alice.*", which has characters that people cannot see/],
    [
      '\u0430lice@example.com',
      /under the name .lice@example.com, which mixes Latin and Cyrillic letters in one word/,
    ],
  ])('second attack L4: the reason names %j', async (name, reason) => {
    await allow(`"${name}" ${alice.line}`);
    await putSignature(plan, 'alice', alice, digest);
    expect(await only()).toMatchObject({ state: 'invalid', reason: expect.stringMatching(reason) });
  });

  it('an expired line is reported as expired', async () => {
    await allow(`alice@example.com valid-before="20200101" ${alice.line}`);
    await putSignature(plan, 'alice', alice, digest);
    expect(await only()).toMatchObject({ state: 'invalid', fingerprint: alice.fingerprint });
    expect((await only()).reason).toContain('team.signers:1: key has expired');
  });
});

describe('an invalid signature for this plan', () => {
  const inNone = { principals: [], fingerprint: null, state: 'invalid' };

  it('is a signature over another plan', async () => {
    const other = await putPlan(join(folder, 'other.plan'), { campaign: 'spring', made: planParts.made - 1 });
    expect(other).not.toBe(digest);
    await putSignature(plan, 'alice', alice, other);
    expect(await only()).toMatchObject(inNone);
    expect((await only()).reason).toMatch(/^this is not a signature of this plan: .*incorrect signature/);
    await refusal(check(1));
  });

  it('is that of a plan that was changed by one byte after the approval', async () => {
    await putSignature(plan, 'alice', alice, digest);
    await writeFile(plan, (await readFile(plan, 'utf8')).replace('½', '¼'));
    expect((await refusal(Promise.resolve().then(() => check(1)))).message).toContain('was changed');
  });

  it('is that of a plan that was made again with other content', async () => {
    await putSignature(plan, 'alice', alice, digest);
    await putPlan(plan, { company: { id: '1', name: 'Another' } });
    expect((await refusal(check(1))).message).toBe('the plan has 0 of 1 approvals');
  });

  it('is that of a plan in memory that differs from the plan that was read', async () => {
    await putSignature(plan, 'alice', alice, digest);
    const read = readPlanFile(plan, 'spring.plan');
    const changed = { ...read, steps: [] };
    const required = { count: 1, signers: { path: signers, name: 'team.signers' } };
    await refusal(checkApprovals(plan, changed, required, { ...ports, now }));
  });

  it.each(['git', 'file', 'svc-plan2'])('is a signature for another use: %s', async (namespace) => {
    await putSignature(plan, 'alice', alice, digest, namespace);
    expect(await only()).toMatchObject(inNone);
    await refusal(check(1));
  });

  it('is a signature with a changed byte', async () => {
    const text = await signatureOf(alice, digest);
    const lines = text.split('\n');
    const body = lines.slice(1, -2).join('');
    for (const at of [40, 90, body.length - 8]) {
      const changed = body.slice(0, at) + (body[at] === 'A' ? 'B' : 'A') + body.slice(at + 1);
      await writeFile(`${plan}.alice.sig`, `${lines[0]}\n${changed}\n${lines.at(-2)}\n`);
      await refusal(check(1));
    }
  });

  it.each<[string, (file: string) => Promise<unknown>]>([
    ['a folder', (file) => mkdir(file)],
    ['a link to nowhere', (file) => symlink('/nonexistent/x', file)],
    ['a link to itself', (file) => symlink(file, file)],
    ['a device without an end', (file) => symlink('/dev/zero', file)],
    ['a named pipe', async (file) => execFileSync('mkfifo', [file])],
    ['a huge file', (file) => writeFile(file, '').then(() => truncate(file, 1024 ** 4))],
    ['an empty file', (file) => writeFile(file, '')],
    ['other text', (file) => writeFile(file, 'I approve')],
    ['a private key', async (file) => writeFile(file, await readFile(alice.path))],
  ])('%s', async (_, make) => {
    await make(`${plan}.alice.sig`);
    await putSignature(plan, 'bob', bob, digest);
    expect((await check(1)).people.map(({ name }) => name)).toEqual(['bob@example.com']);
    expect((await refusal(check(2))).message).toBe('the plan has 1 of 2 approvals, by bob@example.com');
  });

  it('has another file name, or the name of a plan with the same beginning', async () => {
    for (const name of ['spring.plan.sig', 'spring.plan..sig', 'other.plan.alice.sig', 'spring.plan.alice'])
      await writeFile(join(folder, name), await signatureOf(alice, digest));
    await refusal(check(1));
    await putSignature(join(folder, 'spring.plan.alice'), 'x', alice, '0'.repeat(64));
    expect(await only()).toMatchObject({ file: 'spring.plan.alice.x.sig', state: 'invalid' });
  });

  it('is one of more files than there can be people', async () => {
    await Promise.all(Array.from({ length: 101 }, (_, at) => writeFile(`${plan}.${at}.sig`, 'x')));
    expect((await refusal(check(1))).message).toContain('more than 100 files');
  });
});

describe('the locations of the plan and the signers', () => {
  it('a link to a plan has its own signatures beside it, over the content of the target', async () => {
    await mkdir(join(folder, 'real'));
    const real = join(folder, 'real', 'p');
    await rename(plan, real);
    await symlink(real, plan);
    await putSignature(real, 'alice', alice, digest);
    expect((await refusal(check(1))).message).toContain('0 of 1');
    await putSignature(plan, 'alice', alice, digest);
    await check(1);
  });

  it('second attack L3: a signers file that every user can write is refused', async () => {
    await putSignature(plan, 'alice', alice, digest);
    await chmod(signers, 0o666);
    const error = await refusal(check(1));
    expect(error.message).toBe(
      'cannot trust the signers file: other users can write to team.signers (mode 0666)',
    );
    expect(error.hints).toContain('chmod go-w team.signers');
    await chmod(signers, 0o644);
    await check(1);
  });

  it('second attack M3: a program that changes the copy of the signers approves nothing', async () => {
    const bin = join(folder, 'bin');
    await mkdir(bin);
    // A stand-in for another program of this user that writes to the copy just before ssh-keygen reads it.
    const script = [
      '#!/bin/sh',
      'for word; do [ "$last" = -f ] && file="$word"; last="$word"; done',
      `case "$*" in *find-principals*) echo 'mallory@example.com ${stranger.line}' >> "$file";; esac`,
      'PATH="$REAL_PATH" exec ssh-keygen "$@"',
    ];
    await writeFile(join(bin, 'ssh-keygen'), script.join('\n'), { mode: 0o755 });
    const env = { ...process.env, REAL_PATH: process.env['PATH'], PATH: `${bin}:${process.env['PATH']}` };
    await putSignature(plan, 'mallory', stranger, digest);
    const read = readPlanFile(plan, 'spring.plan');
    const required = { count: 1, signers: { path: signers, name: 'team.signers' } };
    const error = await refusal(checkApprovals(plan, read, required, { ...ports, env }));
    expect(error.message).toBe('another program changed the signers while svc verified approvals');
    expect(error.message).not.toContain(tmpdir());
  });

  it('second attack M3: signers in memory count, whatever is in their file', async () => {
    await putSignature(plan, 'alice', alice, digest);
    await putSignature(plan, 'mallory', stranger, digest);
    const content = await readFile(signers);
    await allow(`mallory@example.com ${stranger.line}`);
    const read = readPlanFile(plan, 'spring.plan');
    const given = { path: signers, name: 'team.signers', content };
    const approvals = await checkApprovals(plan, read, { count: 1, signers: given }, { ...ports, now });
    expect(approvals.people.map(({ name }) => name)).toEqual(['alice@example.com']);
    const profile = { requireApprovals: 1, signers };
    expect(areApprovalsSufficient(approvals, { ...profile, signersContent: content })).toBe(true);
    // Approvals by other signers than those in memory are not enough.
    expect(areApprovalsSufficient(approvals, profile)).toBe(false);
    expect(areApprovalsSufficient(await check(1), { ...profile, signersContent: content })).toBe(false);
  });

  it.each<[string, (file: string) => Promise<unknown>]>([
    ['a folder', (file) => mkdir(file)],
    ['nothing', async () => undefined],
    ['a huge file', (file) => writeFile(file, '').then(() => truncate(file, 1024 ** 4))],
    ['a pipe', async (file) => execFileSync('mkfifo', [file])],
  ])('a signers file that is %s is refused', async (_, make) => {
    await rm(signers);
    await make(signers);
    await putSignature(plan, 'alice', alice, digest);
    expect((await refusal(check(1))).message).toContain('cannot read the signers file');
  });

  it.each<[string, (file: string) => Promise<unknown>]>([
    ['a folder', (file) => mkdir(file)],
    ['nothing', async () => undefined],
    ['a huge file', (file) => writeFile(file, '').then(() => truncate(file, 1024 ** 4))],
    ['a pipe', async (file) => execFileSync('mkfifo', [file])],
    ['another encoding', (file) => writeFile(file, Buffer.from([0xff, 0xfe, 0x7b, 0]))],
  ])('a plan that is %s is refused', async (_, make) => {
    await rm(plan);
    await make(plan);
    await refusal(Promise.resolve().then(() => check(0)));
  });

  it('without a signers file every signature is unknown, and the fingerprints are printed', async () => {
    await putSignature(plan, 'alice', alice, digest);
    expect(await readSignatures(plan, digest, undefined, ports)).toEqual([
      {
        file: 'spring.plan.alice.sig',
        state: 'unknown',
        principals: [],
        fingerprint: alice.fingerprint,
        reason: 'svc does not know whose key signed the plan: there is no signers file',
        offline: false,
      },
    ]);
  });

  it('without ssh-keygen the error says what to install', async () => {
    await putSignature(plan, 'alice', alice, digest);
    const without = { ...ports, env: { PATH: folder } };
    const work = readSignatures(plan, digest, { path: signers, name: 's' }, without);
    const error = await refusal(work);
    expect([error.message, error.hints.join()]).toEqual([
      'approvals need ssh-keygen, which is not on PATH',
      expect.stringContaining('openssh-client'),
    ]);
  });
});

describe('signing', () => {
  const identity = ({ path }: SshKey) => ({ path, name: 'the key' });
  const quietly = { ...ports, onTerminal: false };

  it('makes signatures that other programs verify', async () => {
    const { text, fingerprint } = await signPlanDigest(digest, identity(alice), quietly);
    expect(fingerprint).toBe(alice.fingerprint);
    await writeFile(`${plan}.a.sig`, text);
    const verify = ['-Y', 'verify', '-f', signers, '-I', 'alice@example.com', '-n', 'svc-plan'];
    expect(sshKeygen([...verify, '-s', `${plan}.a.sig`], digest)).toContain('Good "svc-plan" signature');
    await check(1);
  });

  it('asks for no passphrase without a terminal, and fails with the message of ssh-keygen', async () => {
    const locked = await makeKey(folder, 'locked', { passphrase: 'open sesame' });
    await expect(signPlanDigest(digest, identity(locked), quietly)).rejects.toMatchObject({
      kind: 'input',
      message: expect.stringContaining('incorrect passphrase'),
    });
  });

  it('names a key that other users can read, and what to run', async () => {
    const readable = await makeKey(folder, 'readable');
    await chmod(readable.path, 0o644);
    const refused = {
      kind: 'input',
      message: expect.stringMatching(/other users can read the file$/),
      hints: [expect.stringMatching(/^run chmod 600 /)],
    };
    await expect(signPlanDigest(digest, identity(readable), quietly)).rejects.toMatchObject(refused);
  });

  it.each([
    ['a file that is not a key', () => writeFile(join(folder, 'k'), 'x')],
    ['no file', async () => undefined],
  ])('%s', async (_, make) => {
    await make();
    const identity = { path: join(folder, 'k'), name: 'my key' };
    const refused = { kind: 'input', message: expect.stringContaining('my key') };
    await expect(signPlanDigest(digest, identity, quietly)).rejects.toMatchObject(refused);
    await expect(describeSigningKey(identity, ports)).rejects.toMatchObject(refused);
  });

  it('reports the comment of a key, or that it has none', async () => {
    expect(await describeSigningKey(identity(alice), ports)).toEqual({
      fingerprint: alice.fingerprint,
      comment: 'alice@laptop',
    });
    const plain = await makeKey(folder, 'plain', { comment: '' });
    expect((await describeSigningKey(identity(plain), ports)).comment).toBeUndefined();
    const odd = await makeKey(folder, 'odd', { comment: 'Ada (work) x' });
    expect((await describeSigningKey(identity(odd), ports)).comment).toBe('Ada (work) x');
  });
});

describe('the required approvals', () => {
  const own = { path: '/team/signers', name: 'signers' };
  const other = { path: '/tmp/mine', name: 'mine' };
  const prod = { name: 'prod', requireApprovals: 2, signers: own.path };
  const kept = { path: own.path, name: own.path };

  it.each<[string, Parameters<typeof requiredApprovals>, RequiredApprovals]>([
    ['nothing', [undefined, {}], { count: 0, signers: undefined }],
    ['flags alone', [undefined, { approvals: 1, signers: own }], { count: 1, signers: own }],
    ['the profile', [prod, {}], { count: 2, signers: kept }],
    ['a flag raises it', [prod, { approvals: 3 }], { count: 3, signers: kept }],
    ['a flag never lowers it', [prod, { approvals: 1 }], { count: 2, signers: kept }],
    ['the same file', [prod, { signers: own }], { count: 2, signers: kept }],
    [
      'signers of a profile that requires no approvals',
      [{ name: 'dev', signers: own.path }, { approvals: 1 }],
      { count: 1, signers: kept },
    ],
    ['signers alone require nothing', [{ name: 'dev', signers: own.path }, {}], { count: 0, signers: kept }],
  ])('%s', (_, given, expected) => {
    expect(requiredApprovals(...given)).toEqual(expected);
  });

  it.each<[string, Parameters<typeof requiredApprovals>, string]>([
    ["signers of a flag never replace the profile's", [prod, { signers: other }], 'refused'],
    ['with any other flags', [prod, { approvals: 9, signers: other }], 'refused'],
    [
      'and do not replace missing signers of the profile',
      [
        { name: 'prod', requireApprovals: 1 },
        { approvals: 1, signers: other },
      ],
      'refused',
    ],
    ['a number without signers', [undefined, { approvals: 1 }], 'input'],
    ['signers without a number', [undefined, { signers: own }], 'input'],
  ])('%s', (_, given, kind) => {
    expect(() => requiredApprovals(...given)).toThrow(
      expect.objectContaining({ name: 'CampaignError', kind }),
    );
  });
});

describe('the approvals that a profile accepts', () => {
  it('were checked with its own signers, and are as many as it requires', async () => {
    await putSignature(plan, 'alice', alice, digest);
    const approvals = await check(1);
    expect(areApprovalsSufficient(approvals, { requireApprovals: 1, signers })).toBe(true);
    expect(areApprovalsSufficient(approvals, { requireApprovals: 2, signers })).toBe(false);
    expect(areApprovalsSufficient(approvals, { requireApprovals: 1, signers: '/tmp/mine' })).toBe(false);
    expect(areApprovalsSufficient(approvals, { requireApprovals: 1 })).toBe(false);
    expect(areApprovalsSufficient({ ...approvals }, { requireApprovals: 1, signers })).toBe(false);
    expect(areApprovalsSufficient(await check(0), { requireApprovals: 1, signers })).toBe(false);
    expect(() => Object.assign(approvals, { people: [1, 2] })).toThrow(TypeError);
  });
});
