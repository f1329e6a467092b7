/** docs/install.md, "Reproducible": two builds of the same commit give the same bytes. Each build has a separate clone. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../../.config/suites.ts';
import { faultsOfBill } from '../support/cyclonedx.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const hasGit = existsSync(join(ROOT, '.git')) && spawnSync('git', ['--version']).status === 0;
const isReleased = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch);
const MINUTES = 60_000;

describe.skipIf(!hasGit || !isReleased)('a release of one commit', () => {
  let folder: string;
  let first: string;
  let second: string;
  beforeAll(async () => {
    folder = await makeTemporaryFolder('release');
    first = build('first', { TZ: 'UTC', LANG: 'C' }, '022');
    second = build(
      'a second folder',
      { TZ: 'Asia/Kolkata', LANG: 'de_DE.UTF-8', LC_ALL: 'de_DE.UTF-8' },
      '077',
    );
  }, 40 * MINUTES);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /**
   * Builds a release as another user could, in another place and with other settings.
   * @returns its folder
   */
  function build(name: string, env: Readonly<Record<string, string>>, umask: string): string {
    const clone = join(folder, name);
    const home = join(folder, `home of ${name}`);
    mkdirSync(home);
    const script = [
      `umask ${umask}`,
      'git clone --quiet --no-hardlinks "$SOURCE" "$CLONE"',
      '{ cp -al "$SOURCE/node_modules" "$CLONE/node_modules" 2>/dev/null || cp -a "$SOURCE/node_modules" "$CLONE/node_modules"; }',
      'cd "$CLONE"',
      'exec node .config/release/release.js --target here --trial --out "$CLONE/out"',
    ].join(' && ');
    execFileSync('bash', ['-c', script], {
      env: {
        ...process.env,
        ...env,
        SOURCE: ROOT.replace(/\/$/, ''),
        CLONE: clone,
        XDG_CACHE_HOME: join(home, 'cache'),
        SVC_RELEASE_CACHE: process.env['SVC_RELEASE_CACHE'] ?? join(folder, 'parts'),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    return join(clone, 'out');
  }

  const hashes = (release: string): Record<string, string> =>
    Object.fromEntries(
      readdirSync(release).map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(join(release, name)))
          .digest('hex'),
      ]),
    );
  const json = (ending: string) =>
    JSON.parse(
      readFileSync(join(first, readdirSync(first).find((name) => name.endsWith(ending)) ?? ''), 'utf8'),
    );

  it('has the same bytes in another folder, zone and language, with another umask', () => {
    expect(Object.keys(hashes(first)).join(' ')).toMatch(/\.tar\.gz.*\.cdx\.json.*\.intoto\.json.*\.tgz/);
    expect(hashes(second)).toEqual(hashes(first));
    console.log(readFileSync(join(first, 'SHA256SUMS'), 'utf8'));
  });

  it('has a list of checksums that names every other file, and they agree', () => {
    execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: first });
    const listed = readFileSync(join(first, 'SHA256SUMS'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.slice(66));
    expect(listed).toEqual(
      readdirSync(first)
        .filter((name) => name !== 'SHA256SUMS')
        .sort(),
    );
  });

  it('has a valid bill of materials, and a provenance with every file of the release', () => {
    const bill = json('.cdx.json');
    expect(faultsOfBill(bill)).toEqual([]);
    const names = bill.components.map(({ name }: { name: string }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['undici', 'hono', 'libsql', 'luxon', `node-linux-${process.arch}`]),
    );
    expect(names).not.toContain('typescript');
    const subjects = json('.intoto.json').subject.map(({ name }: { name: string }) => name);
    expect(subjects.sort()).toEqual(
      readdirSync(first)
        .filter((name) => !/SHA256SUMS|intoto/.test(name))
        .sort(),
    );
  });

  it('has an executable that knows the commit of its build', () => {
    const archive = readdirSync(first).find((name) => name.endsWith('.tar.gz')) ?? '';
    execFileSync('tar', ['-xzf', join(first, archive), '-C', folder]);
    const svc = join(folder, archive.replace('.tar.gz', ''), 'svc');
    const said = JSON.parse(
      execFileSync(svc, ['version', '--json'], { encoding: 'utf8', env: { HOME: folder } }),
    );
    const git = (...words: string[]) => execFileSync('git', words, { cwd: ROOT, encoding: 'utf8' }).trim();
    expect(said).toMatchObject({
      commit: git('rev-parse', 'HEAD'),
      kind: 'executable',
      platform: 'linux',
      arch: process.arch,
      targets: expect.arrayContaining(['linux-x64', 'win-x64']),
    });
    expect(Date.parse(said.date) / 1000).toBe(Number(git('show', '-s', '--format=%ct', 'HEAD')));
  });
});
