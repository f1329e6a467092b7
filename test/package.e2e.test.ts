import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import about from '../package.json' with { type: 'json' };

// The package called `svc` in npm's registry is somebody else's: whoever installs it by that name runs it with the key.

describe('the package', () => {
  it('cannot be published by mistake while its name is another’s', () => {
    expect(about).toMatchObject({ private: true });
  });

  it('has the program as it is run, and no executable', () => {
    const listed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      encoding: 'utf8',
    });
    const [{ files }] = JSON.parse(listed) as [{ readonly files: readonly { readonly path: string }[] }];
    const folders = files
      .map(({ path }) => path.split('/')[0])
      .filter((name) => !/\.(md|json)$/.test(name ?? ''));
    expect([...new Set(folders)].sort()).toEqual(['LICENSE', 'bin', 'completions', 'dist', 'docs']);
    const documents = files.map(({ path }) => path).filter((path) => path.startsWith('docs/'));
    expect(documents.toSorted()).toEqual(about.man);
    const kinds = files
      .filter(({ path }) => path.startsWith('dist/'))
      .map(({ path }) => path.replace(/^.*?\./, '.'));
    expect([...new Set(kinds)].sort()).toEqual(['.cjs', '.cjs.map', '.txt']);
  });

  it('no document, example or message tells anybody to install another’s', () => {
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

/** Every file of text that people read, or that a message may come from. */
function textFiles(): readonly string[] {
  return execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    encoding: 'utf8',
  })
    .split('\0')
    .filter((path) => /\.(md|ts|js|json|ya?ml|sh|bash|fish|ps1)$|^(\.ci|completions|bin)\//.test(path))
    .filter((path) => !['package-lock.json', 'test/package.e2e.test.ts'].includes(path));
}

/** Whether a command of a package manager is given the bare name. */
function byName(line: string): boolean {
  const [, words = ''] =
    /\b(?:npx|npm (?:i|install|add|exec)|pnpm (?:add|dlx|i|install)|yarn (?:global )?(?:add|dlx)|bunx?(?: add| x)?) ([^&|;]*)/.exec(
      line,
    ) ?? [];
  return words.split(/\s+/).some((word) => /^["'`]?svc(@[^\s]*)?["'`,.]?$/.test(word));
}
