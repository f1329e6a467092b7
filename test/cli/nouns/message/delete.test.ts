/** Before it asks, a deletion names the rules that depend on the message (interface, "States and transitions": automation rule). */
import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { withEverything } from '../../../support/everything.ts';
import { runCli, serviceOf, writesIn } from '../../../support/run-cli.ts';
import type { TestSandbox } from '../../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

let sandbox: TestSandbox;
let state: string;
beforeEach(async () => {
  sandbox = await withEverything();
  state = await makeTemporaryFolder('delete');
});
afterEach(() => rm(state, { recursive: true }));

const dependents = ({ stderr }: { readonly stderr: string }) =>
  stderr.split('\n').flatMap((line) => / *(.*) uses /.exec(line)?.[1] ?? []);
const rule = { name: 'Rule', summary: null };
const send = (path: string, body: object) => sandbox.send('admin', 'POST', `/v1/${path}`, body);

it('names rules that depend on the message or its links, and those that send it', async () => {
  const links = await sandbox.send('admin', 'GET', '/v1/emailMessageLink?message_id=3');
  const notify = { ...rule, actiontype: 'notify', actiontarget: 'office@example.com' };
  await send('clickAutomation', { ...notify, link_id: links.list[0]?.['id'], message_id: null });
  const answer = { actiontype: 'email_autoresponder', actiontarget: '3' };
  await send('subscriptionAutomation', { ...rule, ...answer, list_id: 1 });
  const run = await runCli(['email', 'delete', '3', '--yes'], {
    transport: serviceOf(sandbox).transport,
    env: { SVC_STATE_DIR: state },
  });
  expect(run.exitCode, run.stderr).toBe(0);
  expect(dependents(run)).toEqual(['automation click:2 (Rule)', 'automation subscription:2 (Rule)']);
  expect(run.stderr).toContain('uses email 3 (Links), and does nothing without it');
});

it('distinguishes an SMS message and an e-mail message with the same id', async () => {
  await send('smsAutomation', { ...rule, keyword: 'JOIN', list_id: 1, message_id: 1 });
  const { transport } = serviceOf(sandbox);
  const env = { SVC_STATE_DIR: state };
  const email = await runCli(['email', 'delete', '1', '--dry-run'], { transport, env });
  expect(dependents(email)).toEqual([]);
  const sms = await runCli(['sms-message', 'delete', '1', '--dry-run'], { transport, env });
  expect(dependents(sms)).toEqual(['automation sms:2 (Rule)']);
});

it('names the rules before the question, and deletes nothing after a no', async () => {
  const { transport, sent } = serviceOf(sandbox);
  const asking = { transport, tty: true, answers: [false], env: { SVC_STATE_DIR: state, NO_COLOR: '1' } };
  const run = await runCli(['email', 'delete', '2'], asking);
  expect(run.questions).toHaveLength(1);
  expect(dependents(run)).toEqual(['automation click:1 (Rule)', 'automation open:1 (Rule)']);
  expect(run.stderr.indexOf('depends on')).toBeLessThan(run.stderr.indexOf('not confirmed'));
  expect(writesIn(sent)).toEqual([]);
});
