import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { manPages } from '../.config/man.ts';
import { withManList } from '../.config/man-list.js';
import about from '../package.json' with { type: 'json' };
import { topLevelCommandEntries } from '../src/cli/registry/entries.ts';
import { tried } from './support/depth.ts';
import { makeTemporaryFolder, removeFolder } from './support/temporary-folder.ts';

// The package called `svc` in npm's registry belongs to someone else. A user who installs it by that name would run it
// with the key.

const MOST_BUNDLED = 110;
const MOST_PACKED_OCTETS = 2_500_000;

describe('the package', () => {
  it('cannot be published by mistake while its name belongs to another program', () => {
    expect(about).toMatchObject({ private: true });
  });

  it('has the built program, and no executable', async () => {
    const { files, pages } = await pack();
    const folders = files
      .map((path) => path.split('/')[0])
      .filter((name) => !/\.(md|json)$/.test(name ?? ''));
    expect([...new Set(folders)].sort()).toEqual(['LICENSE', 'bin', 'completions', 'dist', 'docs']);
    expect(files.filter((path) => path.startsWith('docs/')).sort()).toEqual([...pages].sort());
    const kinds = files.filter((path) => path.startsWith('dist/')).map((path) => path.replace(/^.*?\./, '.'));
    expect([...new Set(kinds)].sort()).toEqual(['.cjs', '.cjs.map', '.txt']);
  });

  it('puts its manual pages where man finds them', async () => {
    const { folder, file, pages } = await pack();
    const prefix = join(folder, 'global');
    execFileSync('npm', ['install', '--global', '--offline', '--ignore-scripts', '--prefix', prefix, file]);
    const installed = ['man1', 'man7'].flatMap((section) => readdirSync(join(prefix, 'share/man', section)));
    expect(installed.sort()).toEqual(pages.map((page) => basename(page)).sort());
    const page = readFileSync(join(prefix, 'share/man/man1/svc-task-create.1'), 'utf8');
    expect(page).toContain('.SH "SYNOPSIS"\n\\fBsvc task create');
  });

  // P2. A change of one of these numbers needs a decision, which a reviewer sees.
  it('brings the store of the sandbox and no other package, and is small', async () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly optional?: boolean }>>;
    };
    const installed = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev);
    // Each system gets one of the packages in @libsql. The command line works without any of them.
    const names = installed.map(([path]) =>
      path.replace(/^.*node_modules\//, '').replace(/^@libsql\/.*/, '@libsql'),
    );
    expect([...new Set(names)].sort()).toEqual(['@libsql', '@neon-rs/load', 'detect-libc', 'libsql']);
    expect(installed.filter(([, { optional }]) => !optional)).toEqual([]);
    const bundled = readFileSync('dist/THIRD-PARTY-NOTICES.txt', 'utf8').match(
      /^\S+@[0-9]\S* \([A-Za-z0-9.-]+\)$/gm,
    );
    const { file } = await pack();
    const { size } = statSync(file);
    console.log(`P2: ${bundled?.length} packages in the bundle, ${(size / 1e6).toFixed(2)} MB packed`);
    expect(bundled?.length).toBeLessThanOrEqual(MOST_BUNDLED);
    expect(size).toBeLessThanOrEqual(MOST_PACKED_OCTETS);
    tried('P2', bundled?.length ?? 0);
  });

  it('has no document, example or message that says to install another package', () => {
    const files = textFiles();
    const named = files.flatMap((path) =>
      readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => byName(line))
        .map((line) => `${path}: ${line}`),
    );
    expect(files).toEqual(expect.arrayContaining(['README.md', '.ci/run', 'src/cli/errors/errors.ts']));
    expect(named).toEqual([]);
  });

  it.each([
    ['npx svc folder list', true],
    ['npx --yes svc@latest', true],
    ['npm install svc', true],
    ['npm i -g svc', true],
    ['npm install --global svc', true],
    ['pnpm add svc', true],
    ['yarn global add svc', true],
    ['npm exec -- svc', true],
    ['npm install --global --ignore-scripts ./svc-0.1.0.tgz', false],
    ['npm install ./tools/svc-0.1.0.tgz && svc folder list', false],
    ['npm ci && npm run demo', false],
  ])('%s: %j', (line, expected) => expect(byName(line)).toBe(expected));
});

/** Packs a copy as `npm pack` does after `prepack`. The copy needs no package from a registry. */
async function pack(): Promise<{
  readonly folder: string;
  readonly file: string;
  readonly files: readonly string[];
  readonly pages: readonly string[];
}> {
  const folder = await makeTemporaryFolder('package');
  onTestFinished(() => removeFolder(folder));
  for (const name of ['bin', 'dist', 'completions', 'LICENSE', 'README.md', 'CHANGELOG.md'])
    await cp(name, join(folder, name), { recursive: true });
  const { optionalDependencies: _, devDependencies: __, scripts: ___, ...manifest } = about;
  const pages = new Map(
    [...(await manPages(topLevelCommandEntries))].map(([file, text]) => [`docs/man/${file}`, text]),
  );
  const text = withManList(JSON.stringify(manifest, null, 2), pages.keys());
  await writeFile(join(folder, 'package.json'), text);
  await mkdir(join(folder, 'docs/man'), { recursive: true });
  for (const [path, page] of pages) await writeFile(join(folder, path), page);
  const said = execFileSync('npm', ['pack', '--json', '--ignore-scripts'], { cwd: folder, encoding: 'utf8' });
  const [{ filename, files }] = JSON.parse(said) as [Packed];
  const paths = files.map(({ path }) => path);
  return { folder, file: join(folder, filename), files: paths, pages: [...pages.keys()] };
}

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** Returns every text file that people read, or that may contain a message. */
function textFiles(): readonly string[] {
  return execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    encoding: 'utf8',
  })
    .split('\0')
    .filter((path) => /\.(md|ts|js|json|ya?ml|sh|bash|fish|ps1)$|^(\.ci|completions|bin)\//.test(path))
    .filter((path) => !['package-lock.json', 'test/package.e2e.test.ts'].includes(path));
}

/** Returns whether a command of a package manager installs a package by the bare name. */
function byName(line: string): boolean {
  const [, words = ''] =
    /\b(?:npx|npm (?:i|install|add|exec)|pnpm (?:add|dlx|i|install)|yarn (?:global )?(?:add|dlx)|bunx?(?: add| x)?) ([^&|;]*)/.exec(
      line,
    ) ?? [];
  return words.split(/\s+/).some((word) => /^["'`]?svc(@[^\s]*)?["'`,.]?$/.test(word));
}
