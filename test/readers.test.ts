/** The sample of texts for readers: CONTRIBUTING, "Language". */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readersPage, readTexts } from '../.config/readers.ts';
import { makeTemporaryFolder, removeFolder } from './support/temporary-folder.ts';

const count = (kind: string, of: number) =>
  Array.from({ length: of }, (_, at) => ({
    where: `${kind}.ts:${at}`,
    text: `${kind} ${at}`,
    signature: kind,
  }));
const texts = { users: count('text', 300), comments: count('comment', 300), names: count('name', 300) };

it('reads whole sentences for users, doc comments and exported names from the sources', async () => {
  const root = await makeTemporaryFolder('readers');
  await mkdir(join(root, 'src'));
  const source = [
    '/** Returns the name of a folder. */',
    'export const folderName = (id: number): string => {',
    "  if (id < 1) throw new RangeError('a folder has an id of at least 1');",
    "  return 'is folder ' + id;",
    '};',
    'export const called = (make: () => string): string => make();',
  ].join('\n');
  await writeFile(join(root, 'src', 'folder.ts'), source);
  const { users, comments, names } = await readTexts(root);
  await removeFolder(root);
  expect(users.filter(({ where }) => where.startsWith('src/'))).toEqual([
    { where: 'src/folder.ts:3', text: 'a folder has an id of at least 1' },
  ]);
  expect(users.find(({ where }) => where === 'help of svc folder list')?.text).toMatch(/\w+/);
  const signature = 'export const folderName = (id: number): string';
  expect(comments).toEqual([{ where: 'folder.ts:1', text: 'Returns the name of a folder.', signature }]);
  expect(names).toEqual([
    { where: 'folder.ts:2', text: 'folderName', signature },
    { where: 'folder.ts:6', text: 'called', signature: 'export const called = (make: () => string): string' },
  ]);
});

it('draws 200 different texts: 100 for users, 60 doc comments and 40 names', () => {
  const page = readersPage(texts, 7);
  const counts = page.split(/^## .*$/m).map((part) => [...part.matchAll(/^\d+\. /gm)].length);
  expect(counts).toEqual([0, 100, 60, 40]);
  const entries = page.split(/^\d+\. /m).slice(1);
  expect(new Set(entries).size).toBe(200);
});

it('draws the same texts for the same seed, and other texts for another seed', () => {
  const page = readersPage(texts, 7);
  expect(readersPage(texts, 7)).toBe(page);
  expect(readersPage(texts, 8)).not.toBe(page);
});
