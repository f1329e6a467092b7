import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

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
    const isModified = git('status', '--porcelain') !== '';
    return { commit: git('rev-parse', 'HEAD'), isModified, seconds, date: new Date(seconds * 1000) };
  } catch {
    return undefined;
  }
}
