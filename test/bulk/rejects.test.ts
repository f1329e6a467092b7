/** Only the run that holds the job writes its file of rejected rows, and it writes the whole file or nothing. */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BulkError } from '../../src/client/bulk/errors.ts';
import { createRejectedRowsFileWriter } from '../../src/client/bulk/rejects.ts';
import { openTemporaryFile } from '../../src/client/bulk/temporary-file.ts';
import { temporaryFolder } from '../cli/bulk/folder.ts';

const report = (value: string) => ({ row: 0, line: 2, value, reason: 'no' });
const HEAD = 'line,value,reason\n';

it('a run that lost its lock ends without touching the file that the other run has begun', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'r');
  const [old, other] = [createRejectedRowsFileWriter(path, 'r'), createRejectedRowsFileWriter(path, 'r')];
  await old.add(report('old'));
  await other.add(report('other'));
  await expect(old.commit()).rejects.toMatchObject({
    kind: 'unwritable-file',
    message: expect.stringContaining('another svc process is writing'),
    hints: ['wait until that process ends, then try again'],
  });
  await old.abort();
  expect(await folder.names()).toEqual(['r.part']);
  expect(await other.commit()).toBe('r');
  await other.abort();
  expect(await folder.names()).toEqual(['r']);
  expect(await folder.read('r')).toBe(`${HEAD}2,other,no\n`);
});

it('a run that lost its lock before its first rejected row writes no file', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'r');
  const other = createRejectedRowsFileWriter(path, 'r');
  await other.add(report('other'));
  const old = createRejectedRowsFileWriter(path, 'r', () => {
    throw new BulkError('lost-lock', 'another run has taken over');
  });
  await expect(old.add(report('old'))).rejects.toThrow('another run has taken over');
  await old.abort();
  await other.commit();
  expect(await folder.read('r')).toBe(`${HEAD}2,other,no\n`);
});

it('replaces the file or link that a killed run left, and never follows the link', async () => {
  await using folder = await temporaryFolder();
  const victim = join(folder.path, 'victim');
  await writeFile(victim, 'mine');
  await symlink(victim, join(folder.path, 'r.part'));
  const rejects = createRejectedRowsFileWriter(join(folder.path, 'r'), 'r');
  await rejects.add(report('x'));
  await rejects.commit();
  expect(await folder.read('victim')).toBe('mine');
  expect(await folder.read('r')).toBe(`${HEAD}2,x,no\n`);
});

it.each([
  ['if the folder does not exist', 'none/r', 'cannot write none/r: file or folder not found'],
  [
    'if a folder has its name',
    'taken',
    expect.stringMatching(/^cannot write taken: cannot replace .*taken\.part, which is a folder$/),
  ],
])('says why it cannot be written %s', async (_, name, message) => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, 'taken.part'));
  await expect(openTemporaryFile(join(folder.path, name), name, { force: false })).rejects.toMatchObject({
    kind: 'input',
    message,
  });
});
