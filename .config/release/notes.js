/**
 * `node .config/release/notes.js` prints the section of this version from CHANGELOG.md. The workflow uses it as the text of a release.
 */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/**
 * Returns the section of a version, without its heading. A pre-release without a section has the changes that are not released yet.
 * @throws Error if the changelog has no such section, or if it is empty
 */
export function notesOf(changelog, version) {
  const sections = changelog.split(/^## /m).slice(1);
  const section = (name) => sections.find((each) => each.startsWith(`[${name}]`));
  const found = section(version) ?? (version.includes('-') ? section('Unreleased') : undefined);
  const text = found
    ?.slice(found.indexOf('\n'))
    .replace(/^\[[^\]]+\]: .*$/gm, '')
    .trim();
  if (text === undefined || text === '') throw new Error(`CHANGELOG.md has no changes for ${version}`);
  return `${text}\n`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const read = (file) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  process.stdout.write(notesOf(read('CHANGELOG.md'), JSON.parse(read('package.json')).version));
}
