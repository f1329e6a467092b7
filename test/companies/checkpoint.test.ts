/** Contract, "Partners and many companies": a checkpoint makes a run resumable, and no company is written twice. */
import { appendFile, chmod, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type CompaniesCheckpoint, openCompaniesCheckpoint } from '../../src/client/companies/checkpoint.ts';
import type { AccountId } from '../../src/service/auth/credentials.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const IDENTITY = {
  command: 'folder create',
  sha256: 'a'.repeat(64),
  origin: 'https://api.example.com',
  partner: 1,
};
const WRITE = { method: 'POST', resource: 'folder', sha256: 'c'.repeat(64), landsUntil: 1 } as const;
let folder: string;
let path: string;
const opened: CompaniesCheckpoint[] = [];
beforeEach(async () => {
  folder = await makeTemporaryFolder('checkpoint');
  path = join(folder, 'cp');
});
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close().catch(() => undefined);
  await rm(folder, { recursive: true, force: true });
});
const open = async (companies: readonly AccountId[] = [1, 2, 3], identity = IDENTITY) => {
  const checkpoint = await openCompaniesCheckpoint(path, 'cp', identity, companies);
  opened.push(checkpoint);
  return checkpoint;
};
const ended = async (): Promise<void> => {
  for (const each of opened.splice(0)) await each.close();
};

it('stores the result of each company, and the selected companies', async () => {
  const first = await open();
  await Promise.all([1, 2, 3].map((company) => first.begin(company, WRITE)));
  await first.note(1, 'done');
  await first.note(2, 'failed');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await ended();
  const again = await open([1, 2, 3, 4]);
  expect([again.isResumed, again.companies]).toEqual([true, [1, 2, 3]]);
  expect([1, 2, 3, 4].map(again.stateOf)).toEqual(['done', 'failed', 'begun', undefined]);
});

it('stores each write of a company until one was refused, with the id of the created record', async () => {
  const first = await open();
  const [a, b, c] = [await first.begin(1, WRITE), await first.begin(1, WRITE), await first.begin(1, WRITE)];
  await first.ended(1, a, { id: 9007199254740993n });
  await first.ended(1, b);
  await ended();
  expect((await open()).writesOf(1)).toEqual([
    { ...WRITE, n: a, ended: true, id: 9007199254740993n },
    { ...WRITE, n: c },
  ]);
});

it('stores ids of companies beyond 2^53 digit for digit', async () => {
  const id = 12345678901234567890n;
  const first = await open([id, 7]);
  await first.note(id, 'done');
  await ended();
  const again = await open();
  expect([again.companies, again.stateOf(id)]).toEqual([[id, 7], 'done']);
});

it('is refused if it was truncated at any octet, because its writes are unknown', async () => {
  const first = await open();
  for (const company of [1, 2, 3]) {
    await first.begin(company, WRITE);
    await first.note(company, 'done');
  }
  await ended();
  const whole = await readFile(path);
  for (let length = 0; length < whole.length; length += 1) {
    await writeFile(path, whole.subarray(0, length));
    await expect(open(), `${length} octets`).rejects.toMatchObject({ kind: 'damaged-checkpoint' });
  }
});

it('is refused if it was edited', async () => {
  const first = await open();
  await first.note(1, 'done');
  await first.note(2, 'done');
  await ended();
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace('{"company":1,"state":"done"}\n', ''));
  await expect(open()).rejects.toThrow('cannot resume from cp: it is truncated');
  await writeFile(path, text.replace('"company":1,"state":"done"', '"company":3,"state":"done"'));
  await expect(open()).rejects.toThrow('cannot resume from cp: the file was changed after svc wrote it');
});

it('accepts a line that a crash left before the guard counted it', async () => {
  await open();
  await ended();
  await appendFile(path, '{"company":1,"state":"done"}\n{"company":2,"sta');
  const again = await open();
  expect([again.stateOf(1), again.stateOf(2)]).toEqual(['done', undefined]);
});

it('ignores a truncated line, which does not damage the next one', async () => {
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

it('removes a truncated line that is longer than the next one', async () => {
  await open();
  await ended();
  await appendFile(
    path,
    `{"company":1,"write":{"n":1,"method":"POST","resource":"folder","sha256":"${'c'.repeat(64)}`,
  );
  await (await open()).note(1, 'done');
  await ended();
  expect((await readFile(path, 'utf8')).endsWith('\n{"company":1,"state":"done"}\n')).toBe(true);
  expect((await open()).stateOf(1)).toBe('done');
});

it.each([
  ['another command', { ...IDENTITY, command: 'folder delete' }, 'the command differs'],
  ['other flags or files', { ...IDENTITY, sha256: 'b'.repeat(64) }, 'the flags, arguments or files differ'],
  ['another partner', { ...IDENTITY, partner: 2 }, 'the partner differs'],
  ['another service', { ...IDENTITY, origin: 'https://other.example.com' }, 'the service differs'],
])('of %s is refused and left unchanged', async (_, identity, problem) => {
  await open();
  await ended();
  const before = await readFile(path, 'utf8');
  await expect(open([1], identity)).rejects.toThrow(problem);
  expect(await readFile(path, 'utf8')).toBe(before);
});

it.each([
  ['a file of another kind', 'id,name\n1,A\n'],
  ['an empty file', ''],
  ['a file of an earlier version', `${JSON.stringify({ version: 1, ...IDENTITY, companies: [1] })}\n`],
])('%s is refused', async (_, text) => {
  await writeFile(path, text);
  await expect(open()).rejects.toThrow('cannot resume from cp');
});

it.each([
  ['a NUL byte', '\0'],
  ['a NUL byte in a truncated line', '{"company":1\0'],
  ['other text', 'x'],
  ['two lines, although a crash leaves one', '{"company":1,"state":"done"}\n{"company":2,"state":"done"}\n'],
])('second attack L3: is refused if it ends with %s', async (_, end) => {
  await open();
  await ended();
  await appendFile(path, end);
  const before = await readFile(path);
  await expect(open()).rejects.toThrow('cannot resume from cp: it ends with text that svc did not write');
  expect(await readFile(path)).toEqual(before);
});

it('second attack L3: is refused if every user can write it, and left unchanged', async () => {
  const first = await open();
  await first.note(1, 'done');
  await ended();
  await chmod(path, 0o666);
  await expect(open()).rejects.toMatchObject({
    kind: 'input',
    message: 'cannot keep a checkpoint in cp (other users can write to cp (mode 0666)); nothing was sent',
    hints: ['chmod go-w cp', 'name another file with --checkpoint'],
  });
  expect((await stat(path)).mode & 0o777).toBe(0o666);
});

it('is refused with an unknown kind of line', async () => {
  await open();
  await ended();
  await appendFile(path, '{"company":"x"}\n');
  await expect(open()).rejects.toThrow('cannot resume from cp: the file has a line in an unknown format');
});

it('can be used by only one run at a time', async () => {
  await open();
  await expect(openCompaniesCheckpoint(path, 'cp', IDENTITY, [1])).rejects.toThrow('another run is using cp');
  await ended();
  await open();
});

it('in a missing folder is refused before anything is sent', async () => {
  await expect(openCompaniesCheckpoint(join(folder, 'no', 'cp'), 'no/cp', IDENTITY, [1])).rejects.toThrow(
    'cannot keep a checkpoint in no/cp',
  );
});
