import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withoutManList } from './man-list.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Returns a plug-in that writes the commit, its time and the targets of a release into the bundle. Without git, the first two are null. */
export function buildFacts() {
  return {
    name: 'build-facts',
    load(id) {
      if (!id.replaceAll('\\', '/').endsWith('/src/cli/outside/build.ts')) return null;
      const { commit, isModified, date } = commitOf(ROOT) ?? {};
      const facts = {
        commit: commit === undefined ? null : `${commit}${isModified ? '-modified' : ''}`,
        date: date === undefined ? null : date.toISOString().replace('.000Z', 'Z'),
        targets: Object.keys(
          JSON.parse(readFileSync(`${ROOT}/.config/release/targets.json`, 'utf8')).targets,
        ),
      };
      return { code: `export const BUILD = ${JSON.stringify(facts)};`, moduleType: 'js', map: null };
    },
  };
}

/** Returns the commit of a folder, its time in seconds and as a date, and whether files differ from it. Returns undefined without git. */
export function commitOf(folder) {
  const git = (...args) =>
    execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    const seconds = Number(git('show', '-s', '--format=%ct', 'HEAD'));
    const changed = git('status', '--porcelain')
      .split('\n')
      .filter((line) => line !== '' && !isManListAlone(folder, line, git));
    const isModified = changed.length > 0;
    return { commit: git('rev-parse', 'HEAD'), isModified, seconds, date: new Date(seconds * 1000) };
  } catch {
    return undefined;
  }
}

/** Reports whether the change is the list of manual pages. npm adds it to package.json before it builds and packs. */
function isManListAlone(folder, line, git) {
  if (!/^ ?M +package\.json$/.test(line)) return false;
  const text = readFileSync(join(folder, 'package.json'), 'utf8');
  return withoutManList(text).trim() === git('show', 'HEAD:package.json');
}
