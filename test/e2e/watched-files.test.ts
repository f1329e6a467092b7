/**
 * `email push --watch` in a real pseudo-terminal of 80 columns. Files are saved as editors save them, and a sandbox in a separate process
 * receives the files without errors. Contract, "Campaigns as files".
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtSvc } from '../support/built-package.ts';
import { installSvc } from '../support/bundle.ts';
import { CTRL_C, ENTER, hasPseudoTerminals, inTerminal } from '../support/pseudo-terminal.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

let script: string;
let home: string;
beforeAll(async () => {
  script = await builtSvc();
  home = await makeTemporaryFolder('watched');
  await mkdir(join(home, 'bin'));
  await installSvc(join(home, 'bin'), script);
  await svc('sandbox', 'start', '--detach', '--seed', 'demo', '--port', '0');
});
afterAll(async () => {
  await svc('sandbox', 'stop');
  for (const folder of [home, dirname(script)]) await removeFolder(folder);
});

const outside = () => ({
  cwd: home,
  env: { PATH: `${join(home, 'bin')}:${process.env['PATH']}`, HOME: home, TZ: 'UTC', TMPDIR: home },
});
const svc = async (...argv: readonly string[]): Promise<string> =>
  (await execa('svc', argv, { ...outside(), extendEnv: false })).stdout;

const BASE = 'mails/christmas-hampers-draft';

describe.skipIf(!hasPseudoTerminals)('email push --watch', () => {
  it('asks once, sends each save without errors, and ends at Ctrl-C', async () => {
    await svc('email', 'pull', '6', '--dir', 'mails');
    const file = join(home, `${BASE}.html`);
    const html = readFileSync(file, 'utf8');
    const place = (text: string): void => {
      writeFileSync(`${file}~`, text);
      renameSync(`${file}~`, file);
    };
    const { exitCode } = await inTerminal(['svc', 'email', 'push', `${BASE}.html`, '--watch'], outside(), [
      { after: ['Really upload', '(y/N)'], type: `y${ENTER}` },
      { after: ['Ctrl-C ends.'], act: () => place(`${html}<img src="nowhere" alt="">`) },
      { after: ['[relative-address]', 'Not uploaded'], act: () => place('') },
      {
        after: ['[empty-part]', 'Not uploaded'],
        act: () => writeFileSync(file, html.replace('ribboned', 'boxed')),
      },
      { after: ['changed email 6'], type: CTRL_C },
    ]);
    expect(exitCode).toBe(0);
    const [folder = ''] = (await readdir(home)).filter((name) => name.startsWith('svc-preview-'));
    expect(await readFile(join(home, folder, 'christmas-hampers-draft.html'), 'utf8')).toContain('boxed');
    const sent = await svc('email', 'preview', '6', '--part', 'html');
    expect(sent).toContain('boxed');
    expect(sent).not.toContain('nowhere');
  });
});
