/** Contract, "Output": stderr is for prompts, progress, notes and errors. Node's messages for developers belong to none of these. */
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtSvc } from '../support/built-package.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

let svc: string;
let home: string;
beforeAll(async () => {
  svc = await builtSvc();
  home = await makeTemporaryFolder('warnings');
});
afterAll(async () => {
  await removeFolder(home);
  await removeFolder(dirname(svc));
});

/** Returns the stderr output of a command, if `code` runs as soon as svc has started. */
async function stderrOf(code: string, ...flags: readonly string[]): Promise<string> {
  const file = join(home, 'first.mjs');
  const hasBegun = "process.listenerCount('SIGHUP') > 0";
  await writeFile(
    file,
    `const timer = setInterval(() => { if (${hasBegun}) { clearInterval(timer); ${code} } }, 1);`,
  );
  const env = { PATH: process.env['PATH'] ?? '', HOME: home };
  const argv = ['--import', file, svc, 'explain', 'folder', ...flags];
  const { stderr, exitCode } = await execa(process.execPath, argv, { env, extendEnv: false });
  expect(exitCode).toBe(0);
  return stderr;
}

it.each([
  ['ExperimentalWarning', "process.emitWarning('new', 'ExperimentalWarning');"],
  ['DEP0005', 'new Buffer(1);'],
  [
    'MaxListenersExceededWarning',
    "for (let each = 0; each < 12; each += 1) process.on('nothing', () => undefined);",
  ],
])('shows %s only with --debug', async (name, code) => {
  expect(await stderrOf(code)).toBe('');
  expect(await stderrOf(code, '--debug')).toContain(name);
});

it('reports unreadable certificates, which explain why TLS fails', async () => {
  const code = "process.emitWarning('Ignoring extra certs from `ca.pem`, load failed: error:80000002');";
  expect(await stderrOf(code)).toContain('svc: Ignoring extra certs from `ca.pem`, load failed');
});
