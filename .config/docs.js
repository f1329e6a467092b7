/**
 * `npm run docs` writes docs/reference.md and docs/man, which git ignores. `prepack` does the same and lists the pages in
 * package.json, because npm installs only pages that are listed one by one. `postpack` removes the list again.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withManList, withoutManList } from './man-list.js';
import { runTypescript } from './run-typescript.js';

const pathOf = (file) => fileURLToPath(new URL(`../${file}`, import.meta.url));
const manifest = pathOf('package.json');
const [step] = process.argv.slice(2);

if (step === 'postpack') writeFileSync(manifest, withoutManList(readFileSync(manifest, 'utf8')));
else {
  const files = await writeDocuments();
  const pages = files.filter((file) => file.startsWith('docs/man/'));
  const text = withoutManList(readFileSync(manifest, 'utf8'));
  if (step === 'prepack') writeFileSync(manifest, withManList(text, pages));
}

async function writeDocuments() {
  const { documents } = await runTypescript(pathOf('.config/all-commands.ts'));
  const texts = await documents();
  rmSync(pathOf('docs/man'), { recursive: true, force: true });
  for (const [file, text] of texts) {
    mkdirSync(dirname(pathOf(file)), { recursive: true });
    writeFileSync(pathOf(file), text);
  }
  return [...texts.keys()];
}
