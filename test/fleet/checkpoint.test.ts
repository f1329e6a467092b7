/** Contract, "Partners and many companies": a checkpoint makes it resumable; a company is never written twice. */
import { appendFile, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FleetCheckpoint, openFleetCheckpoint } from '../../src/fleet/checkpoint.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const IDENTITY = {
  command: 'folder create',
  sha256: 'a'.repeat(64),
  origin: 'https://api.example.com',
  partner: 1,
};
let folder: string;
let path: string;
const opened: FleetCheckpoint[] = [];
beforeEach(async () => {
  folder = await makeTemporaryFolder('checkpoint');
  path = join(folder, 'cp');
});
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close().catch(() => undefined);
  await rm(folder, { recursive: true, force: true });
});
const open = async (companies: readonly number[] = [1, 2, 3], identity = IDENTITY) => {
  const checkpoint = await openFleetCheckpoint(path, 'cp', identity, companies);
  opened.push(checkpoint);
  return checkpoint;
};
const ended = async (): Promise<void> => {
  for (const each of opened.splice(0)) await each.close();
};

it('keeps what came of each company, and which ones were selected', async () => {
  const first = await open();
  await Promise.all([first.note(1, 'begun'), first.note(2, 'begun'), first.note(3, 'begun')]);
  await first.note(1, 'done');
  await first.note(2, 'failed');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await ended();
  const again = await open([1, 2, 3, 4]);
  expect([again.isResumed, again.companies]).toEqual([true, [1, 2, 3]]);
  expect([1, 2, 3, 4].map(again.stateOf)).toEqual(['done', 'failed', 'begun', undefined]);
});

it('a line that was cut off is forgotten, and does not spoil the next one', async () => {
  const first = await open();
  await first.note(1, 'begun');
  await ended();
  await appendFile(path, '{"company":1,"sta');
  const again = await open();
  expect(again.stateOf(1)).toBe('begun');
  await again.note(1, 'done');
  await ended();
  expect((await open()).stateOf(1)).toBe('done');
});

it.each([
  ['another command', { ...IDENTITY, command: 'folder delete' }, 'the command differs'],
  ['other flags or files', { ...IDENTITY, sha256: 'b'.repeat(64) }, 'its flags, words or files differ'],
  ['another partner', { ...IDENTITY, partner: 2 }, 'the partner differs'],
  ['another service', { ...IDENTITY, origin: 'https://other.example.com' }, 'the service differs'],
])('of %s is refused, and left as it is', async (_, identity, problem) => {
  await open();
  await ended();
  const before = await readFile(path, 'utf8');
  await expect(open([1], identity)).rejects.toThrow(problem);
  expect(await readFile(path, 'utf8')).toBe(before);
});

it.each([
  ['a file of another kind', 'id,name\n1,A\n'],
  [
    'a line of another kind',
    `${JSON.stringify({ version: 1, ...IDENTITY, companies: [1] })}\n{"company":"x"}\n`,
  ],
])('%s is refused', async (_, text) => {
  await writeFile(path, text);
  await expect(open()).rejects.toThrow('is no checkpoint that can be gone on with');
});

it('is for one run at a time', async () => {
  await open();
  await expect(openFleetCheckpoint(path, 'cp', IDENTITY, [1])).rejects.toThrow(
    'another run is at work with cp',
  );
  await ended();
  await open();
});

it('in a folder that is not there is refused before anything is sent', async () => {
  await expect(openFleetCheckpoint(join(folder, 'no', 'cp'), 'no/cp', IDENTITY, [1])).rejects.toThrow(
    "can't keep a checkpoint in no/cp",
  );
});
