import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Licenses whose conditions the notices meet. A person must review any other license first. */
const KNOWN = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0', 'MPL-2.0'];

/**
 * Returns a plug-in that writes the notices which the licenses of bundled packages require. For MPL-2.0, it adds the address of the source.
 * It covers every package with a module in a chunk. The build fails if a package names no license or an unknown one, or has no license
 * text.
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

/** Returns the folder of the package that a module belongs to, or undefined for our own modules. */
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
  // The package has no notices of the programs that were compiled into it.
  if (name === 'jq-wasm')
    texts.push(readFileSync(new URL('./licenses/jq-wasm.txt', import.meta.url), 'utf8').trim());
  return { name, version, license, texts, source: sourceOf(repository) ?? homepage };
}

/** Returns the license section at the end of the README, which some packages have instead of a file. It must have the notice of MIT. */
function textInReadme(folder) {
  const file = readdirSync(folder).find((name) => /^readme\.md$/i.test(name));
  const section = file && /^#+ *licen[cs]e *$([\s\S]*)/im.exec(readFileSync(join(folder, file), 'utf8'))?.[1];
  return section && /copyright/i.test(section) && /above copyright notice/i.test(section)
    ? [section.trim()]
    : [];
}

/** Returns the address of the source from package.json, which has the form `{url}`, `git+https://…` or `owner/name`. */
function sourceOf(repository) {
  const url = typeof repository === 'string' ? repository : repository?.url;
  return url?.replace(/^(github:)?([^/:@]+\/[^/:]+)$/, 'https://github.com/$2').replace(/^git(\+|(?=:))/, '');
}

/** Returns the text of the notices. @param packages each with its name, version, SPDX license, license texts and source address */
export function noticesOf(packages) {
  const parts = packages.map((each) => {
    const { license, texts, source } = each;
    if (!KNOWN.includes(license))
      throw new Error(`${title(each)} has a license that no one has reviewed: ${license}`);
    if (texts.length === 0) throw new Error(`${title(each)} has no license text`);
    const where = license === 'MPL-2.0' ? [sourceNotice(each)] : source === undefined ? [] : [source];
    return [`${title(each)} (${license})`, ...where, '', ...texts].join('\n');
  });
  return `${[HEAD, ...parts].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

/** Returns the sentence that tells recipients how to get the source (MPL-2.0, section 3.2). */
function sourceNotice(each) {
  if (each.source === undefined) throw new Error(`${title(each)} has no address of its source`);
  return (
    `Its source code, unchanged, is available under the Mozilla Public License 2.0 at\n${each.source}\n` +
    `and in the npm registry as ${title(each)}.`
  );
}

const title = ({ name, version }) => `${name}@${version}`;

const HEAD = 'svc contains the following packages. Their licenses require these notices.';
