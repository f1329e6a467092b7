/**
 * `npm run docs` writes docs/reference.md, docs/man and the documentation site in docs/site, which git ignores.
 * `npm run docs -- site FOLDER` writes only the site. `SVC_DOCS_BASE` is the path of the site on its server, such as `/svc`. Only the 404
 * page needs it. `SVC_DOCS_EDIT` is what the links to edit begin with, such as `https://github.com/team/svc/edit/main`. `SVC_DOCS_URL` is the
 * address of the published site, for canonical links and sitemap.xml.
 * `prepack` writes the manual pages and lists them in package.json, because npm installs only pages that are listed one by one. `postpack`
 * removes the list again.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withManList, withoutManList } from './man-list.js';
import { runTypescript } from './run-typescript.js';
import { searchScript } from './site/search-script.js';

const pathOf = (file) => fileURLToPath(new URL(`../${file}`, import.meta.url));
const manifest = pathOf('package.json');
const SITE = 'docs/site';
const INDEX = 'assets/search-index.js';
const [step, folder] = process.argv.slice(2);

if (step === 'postpack') writeFileSync(manifest, withoutManList(readFileSync(manifest, 'utf8')));
else if (step === 'site') await writeSite(folder === undefined ? pathOf(SITE) : resolve(folder));
else {
  const files = await writeDocuments();
  const pages = files.filter((file) => file.startsWith('docs/man/'));
  const text = withoutManList(readFileSync(manifest, 'utf8'));
  if (step === 'prepack') writeFileSync(manifest, withManList(text, pages));
  else await writeSite(pathOf(SITE));
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

async function writeSite(site) {
  // Somebody named a folder with other files by mistake, so this must not delete it.
  if (existsSync(site) && readdirSync(site).length > 0 && !existsSync(join(site, INDEX)))
    throw new Error(`${site} is not empty and is not a documentation site`);
  const { siteOf } = await runTypescript(pathOf('.config/site/site.ts'));
  const { files } = await siteOf(pathOf('.'), {
    base: process.env.SVC_DOCS_BASE,
    edit: process.env.SVC_DOCS_EDIT,
    url: process.env.SVC_DOCS_URL,
  });
  rmSync(site, { recursive: true, force: true });
  files.set('assets/search.js', await searchScript());
  for (const [file, content] of files) {
    mkdirSync(dirname(join(site, file)), { recursive: true });
    writeFileSync(join(site, file), content);
  }
  const pages = [...files.keys()].filter((file) => file.endsWith('.html'));
  console.log(`${join(site, 'index.html')} (${pages.length} pages)`);
}
