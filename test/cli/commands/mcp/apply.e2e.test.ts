/** Contract, "Assistants": `apply` takes a plan with the SSH approval of at least one person, by the signers that were read at start. */
import { appendFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Assistant,
  type AssistantWorld,
  assistantWorld,
  openAssistant,
} from '../../../support/assistant.ts';
import { writesIn } from '../../../support/run-cli.ts';
import { makeKey, putSignature } from '../../../support/ssh-keys.ts';

let world: AssistantWorld;
let assistant: Assistant;
beforeEach(async () => {
  world = await assistantWorld();
  assistant = await world.open();
});
afterEach(async () => {
  await assistant.close();
  await world.remove();
});

const plan = async (): Promise<string> => {
  const { result } = await assistant.call('plan', { file: ['spring.yaml'], out: 'spring.plan' });
  return result.sha256;
};

it('applies a plan that a person has approved, once', async () => {
  await plan();
  const approved = await world.svc('approve', 'spring.plan', '--yes', '--identity', world.alice.path);
  expect(approved.exitCode, approved.stderr).toBe(0);
  const applied = await assistant.call('apply', { file: 'spring.plan' });
  expect(applied).toMatchObject({ ok: true, exit: 0 });
  // The page of the plan has more lines than a result has notes.
  expect(applied.untrusted?.notes ?? []).not.toContain('Plan of a campaign');
  expect(applied.rows).toContainEqual(
    expect.objectContaining({
      action: 'create',
      kind: 'task',
      done: true,
      untrusted: expect.objectContaining({ key: 'newsletter' }),
    }),
  );
  expect(writesIn(world.sent).filter((write) => write === 'POST /v1/task')).toHaveLength(2);
  const before = writesIn(world.sent).length;
  expect(await assistant.call('apply', { file: 'spring.plan' })).toMatchObject({ ok: true, exit: 0 });
  expect(writesIn(world.sent)).toHaveLength(before);
});

it('the set all has an audit, which finds the approval of what apply sent', async () => {
  await plan();
  await world.svc('approve', 'spring.plan', '--yes', '--name', 'alice', '--identity', world.alice.path);
  await assistant.call('apply', { file: 'spring.plan' });
  const all = await world.open('--tools', 'all');
  const { ok, rows } = await all.call('audit', { plans: ['.'], since: '2026-12-01' });
  expect(ok).toBe(true);
  expect(rows).toContainEqual(
    expect.objectContaining({
      ...{ kind: 'task', id: expect.any(Number), verdict: 'approved' },
      untrusted: expect.objectContaining({ approvedBy: ['alice@example.com'] }),
    }),
  );
  expect(await all.close()).toBe(0);
});

it('refuses a plan without approval, even if the profile requires none, and sends nothing', async () => {
  await plan();
  const refused = await assistant.call('apply', { file: 'spring.plan' });
  expect(refused).toMatchObject({ ok: false, exit: 2, kind: 'refused' });
  expect(refused.untrusted.message).toContain('the plan has 0 of 1 approvals');
  expect(writesIn(world.sent)).toEqual([]);
});

it('answers a refusal with the command for a person, and with the digest of the plan', async () => {
  const sha256 = await plan();
  const { approve } = await assistant.call('apply', { file: 'spring.plan' });
  const path = join(world.folder, 'spring.plan');
  expect(approve).toEqual({ command: `svc approve ${path} --profile prod`, sha256 });
  const [, ...words] = approve.command.split(' ');
  const ran = await world.svc(...words, '--yes', '--identity', world.alice.path);
  expect(ran.exitCode, ran.stderr).toBe(0);
  expect(await assistant.call('apply', { file: 'spring.plan' })).toMatchObject({ ok: true });
});

describe('a client that can ask', () => {
  const questions: string[] = [];
  let other: Assistant;
  const withAnswer = async (answer: () => Promise<string | undefined>) => {
    questions.length = 0;
    other = await openAssistant(['--profile', 'prod'], world.outside, (question) => {
      questions.push(question);
      return answer();
    });
    const { result } = await other.call('plan', { file: ['spring.yaml'], out: 'spring.plan' });
    const applied = await other.call('apply', { file: 'spring.plan' });
    expect(await other.close()).toBe(0);
    return { applied, sha256: result.sha256 };
  };

  it('asks once for the approval file, with the command and the digest, and applies', async () => {
    const { applied, sha256 } = await withAnswer(async () => {
      await world.svc('approve', 'spring.plan', '--yes', '--name', 'alice', '--identity', world.alice.path);
      return 'spring.plan.alice.sig';
    });
    expect(applied).toMatchObject({ ok: true, exit: 0 });
    expect(applied).not.toHaveProperty('approve');
    expect(questions).toEqual([expect.stringContaining(`svc approve ${join(world.folder, 'spring.plan')}`)]);
    expect(questions[0]).toContain(sha256);
    expect(questions[0]).toContain('Never enter a key here');
  });

  it('takes an approval file from another place below the folder', async () => {
    const { applied } = await withAnswer(async () => {
      await world.svc('approve', 'spring.plan', '--yes', '--name', 'alice', '--identity', world.alice.path);
      await mkdir(join(world.folder, 'approvals'));
      await rename(join(world.folder, 'spring.plan.alice.sig'), join(world.folder, 'approvals/alice.sig'));
      return 'approvals/alice.sig';
    });
    expect(applied).toMatchObject({ ok: true, exit: 0 });
  });

  it('applies nothing with the approval of a stranger, and asks no second time', async () => {
    const { applied } = await withAnswer(async () => {
      const stranger = await makeKey(world.folder, 'mallory');
      const { sha256 } = JSON.parse(await readFile(join(world.folder, 'spring.plan'), 'utf8'));
      return putSignature(join(world.folder, 'spring.plan'), 'mallory', stranger, sha256);
    });
    expect(applied).toMatchObject({ ok: false, exit: 2, kind: 'refused' });
    expect(questions).toHaveLength(1);
    expect(writesIn(world.sent)).toEqual([]);
  });

  it.each([
    ['nothing', undefined],
    ['a path outside of the folder', '../alice'],
    ['an absolute path', '/etc/passwd'],
    ['a key', 'pat-canary-of-a-key'],
    ['a file that is no approval', 'spring.yaml'],
  ])('is refused as before after the answer: %s, which no result repeats', async (_, answer) => {
    const { applied } = await withAnswer(async () => answer);
    expect(applied).toMatchObject({
      ok: false,
      exit: 2,
      kind: 'refused',
      approve: { sha256: expect.any(String) },
    });
    if (answer !== undefined) expect(JSON.stringify(applied)).not.toContain(answer);
    expect(writesIn(world.sent)).toEqual([]);
  });
});

it('refuses a campaign file, and the approval of a stranger', async () => {
  const file = await assistant.call('apply', { file: 'spring.yaml' });
  expect(file).toMatchObject({ ok: false, exit: 2 });
  expect(file.untrusted.message).toContain('needs a plan with an approval');
  const stranger = await makeKey(world.folder, 'mallory');
  await putSignature(join(world.folder, 'spring.plan'), 'mallory', stranger, await plan());
  expect(await assistant.call('apply', { file: 'spring.plan' })).toMatchObject({ ok: false, exit: 2 });
  expect(writesIn(world.sent)).toEqual([]);
});

it('uses the signers that were read at the start, whatever is written to the file later', async () => {
  const stranger = await makeKey(world.folder, 'mallory');
  await appendFile(join(world.folder, 'team.signers'), `mallory@example.com ${stranger.line}\n`);
  await putSignature(join(world.folder, 'spring.plan'), 'mallory', stranger, await plan());
  expect(await assistant.call('apply', { file: 'spring.plan' })).toMatchObject({ ok: false, exit: 2 });
  expect(writesIn(world.sent)).toEqual([]);
});

it('does not count an approval made with --offline', async () => {
  await plan();
  await world.svc('approve', 'spring.plan', '--yes', '--offline', '--identity', world.alice.path);
  expect(await assistant.call('apply', { file: 'spring.plan' })).toMatchObject({ ok: false, exit: 2 });
  expect(writesIn(world.sent)).toEqual([]);
});

it('refuses a plan that was changed after its approval', async () => {
  await plan();
  await world.svc('approve', 'spring.plan', '--yes', '--identity', world.alice.path);
  const path = join(world.folder, 'spring.plan');
  await writeFile(path, (await readFile(path, 'utf8')).replace('Spring coffee offers', 'You have won'));
  expect(await assistant.call('apply', { file: 'spring.plan' })).toMatchObject({ ok: false, exit: 2 });
  expect(writesIn(world.sent)).toEqual([]);
});

it('uses only the profile, company and address of the start', async () => {
  // Someone changes the default profile, and selects another one, while the server runs.
  await writeFile(join(world.folder, '.svc.json'), JSON.stringify({ profile: 'other' }));
  expect(await assistant.call('get_record', { noun: 'account' })).toMatchObject({
    ok: true,
    result: { id: 1 },
  });
  const config = join(world.env['SVC_CONFIG_DIR'] ?? '', 'config.json');
  await writeFile(config, (await readFile(config, 'utf8')).replaceAll('api.example.com', 'evil.example.com'));
  const refused = await assistant.call('get_record', { noun: 'account' });
  expect(refused).toMatchObject({ ok: false, exit: 2 });
  expect(refused.untrusted.message).toContain('to https://evil.example.com; nothing was sent');
});
