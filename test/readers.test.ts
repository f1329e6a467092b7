/** The sample of texts for readers: CONTRIBUTING, "Language". */
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { readersPage, readTexts } from '../.config/readers.ts';

const texts = await readTexts(fileURLToPath(new URL('..', import.meta.url)));

it('draws 200 different texts: 100 for users, 60 doc comments and 40 names', () => {
  const page = readersPage(texts, 7);
  const counts = page.split(/^## .*$/m).map((part) => [...part.matchAll(/^\d+\. /gm)].length);
  expect(counts).toEqual([0, 100, 60, 40]);
  const entries = page.split(/^\d+\. /m).slice(1);
  expect(new Set(entries).size).toBe(200);
});

it('draws the same texts for the same seed, and others for another', () => {
  const page = readersPage(texts, 7);
  expect(readersPage(texts, 7)).toBe(page);
  expect(readersPage(texts, 8)).not.toBe(page);
});
