import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { readJournalEntries } from '../../src/client/journal/read.ts';
import { bundleForNode } from '../support/bundle.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

const platform = 'linux';
const LINE = {
  state: 'done',
  method: 'POST',
  resource: 'folder',
  time: '2026-12-01T09:00:00.000Z',
  command: 'x',
};

it('keeps every line whole and every number unique for four processes at once, with modes 0600 and 0700 at umask 0', async () => {
  const home = await makeTemporaryFolder('journal');
  const folder = join(home, 'state', 'journal');
  const entry = await bundleForNode('src/client/journal/file.ts');
  const run = promisify(execFile);
  const script = `
    process.umask(0);
    const { appendJournalLine } = await import(process.argv[1]);
    for (let each = 0; each < 50; each += 1)
      await appendJournalLine({ ...${JSON.stringify(LINE)}, pid: process.pid }, { folder: process.argv[2], platform: 'linux', sync: false });
  `;
  const writer = () => run(process.execPath, ['--input-type=module', '-e', script, entry, folder]);
  try {
    await Promise.all([writer(), writer(), writer(), writer()]);
  } finally {
    await removeFolder(dirname(entry));
  }
  const entries = await readJournalEntries({ folder, platform });
  expect(entries.map(({ n }) => n)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
  expect((await stat(join(folder, 'journal.ndjson'))).mode & 0o777).toBe(0o600);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  await removeFolder(home);
});
