import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type RolldownOptions, rolldown } from 'rolldown';
import { beforeAll, describe, expect, it } from 'vitest';

// Attack M12: MIT, ISC, BSD and Apache require their notices with every copy. MPL-2.0 requires the location of the source.

interface Package {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly texts: readonly string[];
  readonly source?: string;
}
/** Imports a module of the build, which is plain JavaScript that the compiler does not see. */
const ours = (file: string): Promise<unknown> => import(pathToFileURL(join('.config', file)).href);

let notices = '';
/** The folder of each package, by `name@version`. */
const bundled = new Map<string, string>();

beforeAll(async () => {
  const { default: config } = (await ours('rolldown.config.js')) as { readonly default: RolldownOptions };
  const { output, ...input } = config;
  const bundle = await rolldown({ ...input, logLevel: 'silent' });
  const made = await bundle.generate(Array.isArray(output) ? output[0] : output);
  await bundle.close();
  for (const each of made.output) {
    if (each.type === 'asset' && each.fileName === 'THIRD-PARTY-NOTICES.txt') notices = String(each.source);
    for (const module of each.type === 'chunk' ? Object.keys(each.modules) : []) {
      const folder = module.includes('node_modules') ? folderOf(module.replaceAll('\0', '')) : undefined;
      if (folder === undefined) continue;
      const { name, version } = createRequire(import.meta.url)(join(folder, 'package.json'));
      bundled.set(`${name}@${version}`, folder);
    }
  }
});

describe('THIRD-PARTY-NOTICES.txt', () => {
  it('names every package with a module in the bundle, with the whole text of its licence', () => {
    expect(bundled.size).toBeGreaterThan(50);
    for (const [title, folder] of bundled) {
      expect(notices).toContain(`\n${title} (`);
      const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
      // Some packages have the text only at the end of the README.
      const readme = files.length > 0 ? '' : readFileSync(join(folder, 'README.md'), 'utf8');
      const [, section = ''] = /^## License\n([\s\S]*)/im.exec(readme) ?? [];
      expect([title, files.length > 0 || notices.includes(section.trim())]).toEqual([title, true]);
      expect(files.length > 0 || /Copyright[\s\S]*above copyright notice/.test(section)).toBe(true);
      for (const file of files) expect(notices).toContain(readFileSync(join(folder, file), 'utf8').trim());
    }
  });

  it('names no other package', () => {
    const named = [...notices.matchAll(/^(\S+@[0-9]\S*) \([A-Z0-9a-z.-]+\)$/gm)].map(([, title]) => title);
    expect([...named].sort()).toEqual([...bundled.keys()].sort());
  });

  it('has only reviewed licences, and says where the source of MPL-2.0 is', () => {
    const licences = [...notices.matchAll(/^\S+@[0-9]\S* \(([A-Z0-9a-z.-]+)\)$/gm)].map(
      ([, licence]) => licence,
    );
    expect([...new Set(licences)].sort()).toEqual([
      'Apache-2.0',
      'BSD-2-Clause',
      'BSD-3-Clause',
      'ISC',
      'MIT',
      'MIT-0',
      'MPL-2.0',
    ]);
    const [, after = ''] = notices.split('@jmespath-community/jmespath@');
    expect(after.slice(0, 300)).toMatch(
      /Mozilla Public License 2\.0 at\n\S*github\.com\/jmespath-community\/\S+/,
    );
  });
});

describe('the build', () => {
  const fine: Package = { name: 'a', version: '1.0.0', license: 'MIT', texts: ['MIT, by A'] };
  const noticesOf = async (packages: readonly object[]): Promise<string> =>
    ((await ours('third-party-notices.js')) as { noticesOf: (of: readonly object[]) => string }).noticesOf(
      packages,
    );

  it('reads known licences', async () => {
    expect(await noticesOf([fine])).toContain('a@1.0.0 (MIT)\n\nMIT, by A\n');
  });

  it.each<[string, Partial<Package>]>([
    ['a license that no one has reviewed: GPL-3.0', { license: 'GPL-3.0' }],
    ['a license that no one has reviewed: undefined', { license: undefined as unknown as string }],
    ['no license text', { texts: [] }],
    ['no address of its source', { license: 'MPL-2.0' }],
  ])('fails for a package with %s', async (words, differently) => {
    await expect(noticesOf([fine, { ...fine, ...differently }])).rejects.toThrow(words);
  });
});

/** Returns the folder of the module's package, made by a package manager. */
function folderOf(module: string): string | undefined {
  for (let folder = dirname(module); ; folder = dirname(folder)) {
    const parent = dirname(folder);
    const isPackage = /node_modules$/.test(parent) || /node_modules[\\/]@[^\\/]+$/.test(parent);
    if (isPackage && existsSync(join(folder, 'package.json'))) return folder;
    if (parent === folder) return undefined;
  }
}
