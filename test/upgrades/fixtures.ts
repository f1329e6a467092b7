/** Keeps the files of a version as fixtures, and restores them. In a fixture, placeholders replace keys and the path of the folder. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { KEYS } from '../support/sandbox.ts';

/** The placeholders. Their texts are in JSON form if they contain the path. */
const PLACEHOLDERS = (folder: string): readonly (readonly [string, string])[] => [
  ['{folder}', JSON.stringify(folder).slice(1, -1)],
  ['{company-key}', KEYS.company],
  ['{partner-key}', KEYS.partner],
];

/** Writes the files of `folder` as fixtures to `out`. Compresses databases. */
export async function keepFixtures(folder: string, out: string): Promise<void> {
  for (const path of filesIn(folder)) {
    const to = join(out, path);
    mkdirSync(dirname(to), { recursive: true });
    if (path.endsWith('.db'))
      writeFileSync(`${to}.gz`, gzipSync(readFileSync(join(folder, path)), { level: 9 }));
    else
      writeFileSync(
        to,
        PLACEHOLDERS(folder).reduce(
          (text, [placeholder, value]) => text.replaceAll(value, placeholder),
          readFileSync(join(folder, path), 'utf8'),
        ),
      );
  }
}

/** Puts the fixtures into `folder` as svc wrote them, readable only by this user. */
export function putFixtures(from: string, folder: string): void {
  for (const path of filesIn(from)) {
    const to = join(folder, path.replace(/\.gz$/, ''));
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
    const octets = readFileSync(join(from, path));
    const content = path.endsWith('.gz')
      ? gunzipSync(octets)
      : PLACEHOLDERS(folder).reduce(
          (text, [placeholder, value]) => text.replaceAll(placeholder, value),
          octets.toString('utf8'),
        );
    writeFileSync(to, content, { mode: 0o600 });
  }
}

/** Returns the paths of all files below the folder, sorted. */
export function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}
