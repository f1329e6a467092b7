/**
 * Contract, "Campaigns as files": the same content to the same list at the same minute is sent once, "under another key or campaign". Second
 * attack H2 (`second attack H2`): two campaign files with a message record each, applied at once, were both sent, and no later run said so.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Transport } from '../../src/service/protocol/wire.ts';
import { campaign } from '../support/campaign.ts';
import { runCli } from '../support/run-cli.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

let world: Awaited<ReturnType<typeof campaign>>;
let folder: string;
beforeEach(async () => {
  world = await campaign();
  folder = await makeTemporaryFolder('at-once');
  for (const name of ['a', 'b']) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 't.txt'), 'Twenty percent off');
    await writeFile(join(folder, name, 'task.yaml'), [head(name), TASK].join('\n'));
    await writeFile(join(folder, name, 'rule.yaml'), [head(name), RULE].join('\n'));
  }
});

const head = (name: string): string =>
  `version: 1\ncampaign: Sale ${name}\nmessages:\n  m: {channel: sms, name: S, from: Me, message: t.txt}`;
const TASK = 'tasks:\n  t: {name: S, message: m, list: 1, at: 2026-12-14 09:00}\n';
const RULE =
  'automations:\n  r: {kind: subscription, name: Hi, list_id: 1, actiontype: sms_autoresponder, actiontarget: m, after: 1h, actiononweekend: true}\n';

const svc = (argv: readonly string[], transport: Transport = world.transport) => runCli(argv, { transport });
const fileOf = (name: string, file: string): string => join(folder, name, file);

/** Applies b while a is about to send its POST to `path`, and then kills a before or after that POST's later requests. */
async function race(file: string, path: string, isKilled: boolean) {
  let isRaced = false;
  let isDead = false;
  const runs: Awaited<ReturnType<typeof runCli>>[] = [];
  const a = await svc(['apply', fileOf('a', file), '--yes'], async (request, signal) => {
    if (isDead) throw new DOMException('killed', 'AbortError');
    if (request.method === 'POST' && request.path === path && !isRaced) {
      isRaced = true;
      runs.push(await svc(['apply', fileOf('b', file), '--yes']));
    }
    const answer = await world.transport(request, signal);
    if (isKilled && request.method === 'POST' && request.path === path) isDead = true;
    return answer;
  });
  return [a, ...runs];
}

describe('two campaigns with the same send', () => {
  const live = async () => (await world.tasks()).filter(({ cancelled }) => cancelled === 0);

  it('applied at once: the second gives way with exit 5, and people get one message', async () => {
    const runs = await race('task.yaml', '/v1/task', false);
    expect(runs.map(({ exitCode }) => exitCode)).toEqual([5, 0]);
    expect(runs[0]?.stderr).toMatch(/task t: task 1 sends the same message/);
    expect(await live()).toMatchObject([{ id: 1 }]);
  });

  it('if one is killed before it can look, every later plan of either says so, until the second gives way', async () => {
    await race('task.yaml', '/v1/task', true);
    expect(await live()).toHaveLength(2);
    for (const name of ['a', 'b', 'a'])
      expect((await svc(['plan', fileOf(name, 'task.yaml'), '--check'])).exitCode).toBe(11);
    // b owns the lowest id: it stays, and b says that there are two.
    const first = await svc(['apply', fileOf('b', 'task.yaml'), '--yes']);
    expect(first.exitCode).toBe(5);
    expect(first.stderr).toMatch(/task 2 of another campaign and task 1 send the same message/);
    expect(await live()).toHaveLength(2);
    const second = await svc(['apply', fileOf('a', 'task.yaml'), '--yes']);
    expect(second.exitCode).toBe(5);
    expect(await live()).toMatchObject([{ id: 1 }]);
    expect((await svc(['plan', fileOf('b', 'task.yaml'), '--check'])).exitCode).toBe(0);
    expect((await svc(['apply', fileOf('a', 'task.yaml'), '--yes'])).exitCode).toBe(5);
    expect(await live()).toMatchObject([{ id: 1 }]);
  });

  it('are both kept with --both', async () => {
    await race('task.yaml', '/v1/task', true);
    for (const name of ['a', 'b'])
      expect((await svc(['plan', fileOf(name, 'task.yaml'), '--check', '--both'])).exitCode).toBe(0);
  });
});

describe('two campaigns with the same rule', () => {
  const active = async () =>
    (await world.sandbox.rows('subscription_automation')).filter(({ paused }) => paused === 0);

  it('applied at once: the second gives way with exit 5, and one rule is active', async () => {
    const runs = await race('rule.yaml', '/v1/subscriptionAutomation', false);
    expect(runs.map(({ exitCode }) => exitCode)).toEqual([5, 0]);
    expect(await active()).toMatchObject([{ id: 1 }]);
  });

  it('both active by hand: later plans say so, and the rule with the higher id gives way', async () => {
    await race('rule.yaml', '/v1/subscriptionAutomation', true);
    await svc(['apply', fileOf('a', 'rule.yaml'), '--yes', '--both']);
    expect(await active()).toHaveLength(2);
    for (const name of ['a', 'b'])
      expect((await svc(['plan', fileOf(name, 'rule.yaml'), '--check'])).exitCode).toBe(11);
    expect((await svc(['apply', fileOf('b', 'rule.yaml'), '--yes'])).exitCode).toBe(5);
    expect(await active()).toHaveLength(2);
    expect((await svc(['apply', fileOf('a', 'rule.yaml'), '--yes'])).exitCode).toBe(5);
    expect(await active()).toMatchObject([{ id: 1 }]);
    expect((await svc(['plan', fileOf('b', 'rule.yaml'), '--check'])).exitCode).toBe(0);
  });
});
