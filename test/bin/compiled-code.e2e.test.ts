/** src/cli/README.md, "Compiled code": V8's compiled code of a chunk is kept for the next run, and used for that chunk alone. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

let home: string;
let dist: string;
beforeEach(async () => {
  home = await makeTemporaryFolder('compiled');
  dist = join(home, 'dist');
  mkdirSync(dist);
  writeFileSync(
    join(dist, 'main.cjs'),
    'const other = require("./other.cjs"); exports.word = () => other.word();',
  );
  writeFileSync(join(dist, 'other.cjs'), 'exports.word = () => "first";');
});

/** Runs the program in a separate process. Returns the output of `word` and the chunks whose compiled code was used. */
async function run(): Promise<{ readonly word: string; readonly read: readonly string[] }> {
  const script = `const vm = require('node:vm');
    const read = [];
    vm.Script = class extends vm.Script {
      constructor(source, options) {
        super(source, options);
        if (this.cachedDataRejected === false) read.push(require('node:path').basename(options.filename));
      }
    };
    const { requireCompiled } = require(${JSON.stringify(resolve('bin/compiled-code.js'))});
    const { word } = requireCompiled(${JSON.stringify(join(dist, 'main.cjs'))}, ${JSON.stringify(home)});
    console.log(JSON.stringify({ word: word(), read }));`;
  const { stdout } = await execa(process.execPath, ['-e', script]);
  return JSON.parse(stdout);
}

const kept = (): readonly string[] => {
  const [name = ''] = readdirSync(home).filter((each) => each.startsWith('chunks-'));
  return name === '' ? [] : readdirSync(join(home, name)).map((each) => join(home, name, each));
};

afterEach(() => rmSync(home, { recursive: true, force: true }));

describe('compiled code', () => {
  it('is used by the next run, and belongs to this user alone', async () => {
    expect(await run()).toEqual({ word: 'first', read: [] });
    expect(kept().map((path) => [path.split('/').at(-1), statSync(path).mode & 0o777])).toEqual([
      ['main.cjs', 0o600],
      ['other.cjs', 0o600],
    ]);
    expect(await run()).toEqual({ word: 'first', read: ['main.cjs', 'other.cjs'] });
  });

  it('is not used for a changed chunk, even one of the same length and time', async () => {
    await run();
    const path = join(dist, 'other.cjs');
    writeFileSync(path, readFileSync(path, 'utf8').replace('first', 'other'));
    expect(await run()).toEqual({ word: 'other', read: ['main.cjs'] });
    expect(await run()).toEqual({ word: 'other', read: ['main.cjs', 'other.cjs'] });
  });

  it.each<[string, (octets: Buffer) => Buffer]>([
    ['truncated', (octets) => octets.subarray(0, -1)],
    ['empty', () => Buffer.alloc(0)],
    ['all zeros', (octets) => Buffer.alloc(octets.length)],
    ['another file', () => Buffer.from('something else')],
  ])('is not changed if it is %s', async (_, spoil) => {
    await run();
    for (const path of kept()) writeFileSync(path, spoil(readFileSync(path)));
    expect(await run()).toEqual({ word: 'first', read: [] });
    expect(await run()).toEqual({ word: 'first', read: ['main.cjs', 'other.cjs'] });
  });

  it('starts without a cache if it cannot write', async () => {
    await run();
    const [name = ''] = readdirSync(home).filter((each) => each.startsWith('chunks-'));
    rmSync(join(home, name), { recursive: true });
    writeFileSync(join(home, name), 'a file where the folder belongs');
    expect(await run()).toEqual({ word: 'first', read: [] });
  });

  it('deletes the code of an earlier build when it caches a new one', async () => {
    await run();
    rmSync(join(dist, 'other.cjs'));
    writeFileSync(join(dist, 'another.cjs'), 'exports.word = () => "new";');
    writeFileSync(join(dist, 'main.cjs'), 'exports.word = () => require("./another.cjs").word();');
    writeFileSync(`${kept()[0]}.4711`, 'half of it, by a process that was killed');
    expect(await run()).toMatchObject({ word: 'new' });
    expect(kept().map((path) => path.split('/').at(-1))).toEqual(['another.cjs', 'main.cjs']);
  });
});

describe('bin/svc.js', () => {
  const cache = (): string => join(home, '.cache', 'svc');
  const help = (env: Readonly<Record<string, string>> = {}) =>
    execa(process.execPath, ['bin/svc.js', '--help'], {
      env: { PATH: process.env['PATH'] ?? '', HOME: home, ...env },
      extendEnv: false,
    });

  it('caches code in the user’s own cache, and has the same output with it', async () => {
    const first = await help();
    expect(readdirSync(cache())).toHaveLength(1);
    expect((await help()).stdout).toBe(first.stdout);
    expect(first.stdout).toContain('folder');
  });

  it('is not written if the environment forbids it, or if others could write to the folder', async () => {
    await help({ NODE_DISABLE_COMPILE_CACHE: '1' });
    mkdirSync(cache(), { recursive: true });
    chmodSync(cache(), 0o777);
    await help();
    expect(readdirSync(cache())).toEqual([]);
  });
});
