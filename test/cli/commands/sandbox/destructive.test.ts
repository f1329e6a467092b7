/** Contract, "Safety": destructive commands, those of the sandbox included, ask on a terminal and need --yes elsewhere. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NOBODY, type Outside, runCli } from '../../../support/run-cli.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../../support/running-sandbox.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sandbox: SocketSandbox;
beforeAll(async () => {
  folder = await temporaryFolder();
  sandbox = await runSandbox(folder.path, { seed: 'demo', clock: 'manual' });
  await sandbox.control('snapshot save', { name: 'one' });
});
afterAll(async () => {
  await sandbox.stop();
  await folder.remove();
});

const svc = (line: readonly string[], outside: Outside = {}) =>
  runCli(['sandbox', ...line, '--data', folder.path], { env: NOBODY, ...outside });

const state = async () => [
  (await sandbox.control('list list')).text,
  (await sandbox.control('snapshot list')).text,
  (await sandbox.control('status')).text,
];

describe.each([
  [['list', 'delete', '3'], 'Really delete list 3 of the sandbox and all its subscriptions?'],
  [['snapshot', 'restore', 'one'], 'Really replace all data of the sandbox with the snapshot one?'],
  [['snapshot', 'delete', 'one'], 'Really delete the snapshot one?'],
  [['reset'], 'Really delete all data of the sandbox in '],
])('svc sandbox %j', (line, question) => {
  it('needs --yes without a terminal, and asks on a terminal', async () => {
    const before = await state();
    const without = await svc(line);
    expect(without).toMatchObject({ exitCode: 2, stdout: '', questions: [] });
    expect(without.stderr).toContain('needs --yes');
    const no = await svc(line, { tty: true, answers: [false] });
    expect(no).toMatchObject({ exitCode: 2, stdout: '' });
    expect(no.questions[0]).toContain(question);
    expect(await state()).toEqual(before);
  });
});

it('list delete runs with --yes', async () => {
  const made = (await sandbox.control('list create', { name: 'Gone' })).json.data.id;
  expect((await svc(['list', 'delete', String(made), '--yes'])).exitCode).toBe(0);
  expect((await sandbox.control('list list')).json.data).not.toContainEqual(
    expect.objectContaining({ id: made }),
  );
});
