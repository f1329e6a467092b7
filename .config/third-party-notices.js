import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Their conditions are met by the notices; another one is for a person to read first. */
const KNOWN = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0', 'MPL-2.0'];

/**
 * What the licences of bundled packages ask of whoever hands them on: their notices, and of MPL-2.0 where the source is.
 * The packages are those with a module in a chunk, so that none is forgotten; the build fails where one says no licence,
 * one that isn't known, or has no text of it.
 */
export function thirdPartyNotices() {
  return {
    name: 'third-party-notices',
    generateBundle(_, bundle) {
      const modules = Object.values(bundle).flatMap((chunk) => chunk.moduleIds ?? []);
      const folders = new Set(modules.flatMap((id) => folderOf(id) ?? []));
      const packages = [...folders].map(readPackage).sort((a, b) => (title(a) < title(b) ? -1 : 1));
      this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY-NOTICES.txt', source: noticesOf(packages) });
    },
  };
}

/** The folder of the package that a module belongs to; undefined for our own. */
function folderOf(id) {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id.replace(/^\0+/, ''))?.[0];
}

function readPackage(folder) {
  const { name, version, license, repository, homepage } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = files.sort().map((file) => readFileSync(join(folder, file), 'utf8').trim());
  if (texts.length === 0) texts.push(...textInReadme(folder));
  return { name, version, license, texts, source: sourceOf(repository) ?? homepage };
}

/** Some packages have theirs at the end of the README alone: a section with the words that MIT asks to be passed on. */
function textInReadme(folder) {
  const file = readdirSync(folder).find((name) => /^readme\.md$/i.test(name));
  const section = file && /^#+ *licen[cs]e *$([\s\S]*)/im.exec(readFileSync(join(folder, file), 'utf8'))?.[1];
  return section && /copyright/i.test(section) && /above copyright notice/i.test(section)
    ? [section.trim()]
    : [];
}

/** As package.json may write it: `{url}`, `git+https://…`, `owner/name`. */
function sourceOf(repository) {
  const url = typeof repository === 'string' ? repository : repository?.url;
  return url?.replace(/^(github:)?([^/:@]+\/[^/:]+)$/, 'https://github.com/$2').replace(/^git(\+|(?=:))/, '');
}

/** @param packages each with its name, version, SPDX licence, texts of it, and where its source is */
export function noticesOf(packages) {
  const parts = packages.map((each) => {
    const { license, texts, source } = each;
    if (!KNOWN.includes(license))
      throw new Error(`${title(each)} has a licence that no one has reviewed: ${license}`);
    if (texts.length === 0) throw new Error(`${title(each)} has no text of its licence`);
    const where = license === 'MPL-2.0' ? [sourceNotice(each)] : source === undefined ? [] : [source];
    return [`${title(each)} (${license})`, ...where, '', ...texts].join('\n');
  });
  return `${[HEAD, ...parts].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

/** MPL-2.0, 3.2: recipients are told how they get the source. */
function sourceNotice(each) {
  if (each.source === undefined) throw new Error(`${title(each)} does not say where its source is`);
  return (
    `Its source code, unchanged, is available under the Mozilla Public License 2.0 at\n${each.source}\n` +
    `and in the npm registry as ${title(each)}.`
  );
}

const title = ({ name, version }) => `${name}@${version}`;

const HEAD =
  'svc contains the following packages. What their licences ask to be passed on with them stands here.';
