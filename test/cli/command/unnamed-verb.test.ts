/** Contract, "Campaigns as files": `svc plan FILE…` beside `svc plan show PLAN`: a group with a verb that needs no name. */
import { describe, expect, it } from 'vitest';
import type { TopLevelCommandEntry, Verb } from '../../../src/cli/command/command.ts';
import { switchFlag, textFlag } from '../../../src/cli/command/flag.ts';
import { readCommandLine } from '../../../src/cli/command/program.ts';
import { buildCompletionTree } from '../../../src/cli/completion/tree.ts';

const verb = (name: string, more: Partial<Verb>): Verb => ({
  ...{ work: 'local', name, summary: `Does ${name}`, example: `plan ${name} x`, flags: [] },
  run: async () => ({ result: { kind: 'nothing' } }),
  ...more,
});
const make = verb('make', {
  positionals: [{ name: 'file', describe: 'File', variadic: true, completes: 'file' }],
  flags: [
    textFlag('out', { describe: 'Where to', value: 'file' }),
    switchFlag('check', { describe: 'Look' }),
  ],
});
const show = verb('show', { positionals: [{ name: 'plan', describe: 'Plan' }] });
const group = { name: 'plan', summary: 'Plans', commands: [make, show], defaultCommand: 'make' };
const entries: readonly TopLevelCommandEntry[] = [
  { name: 'plan', summary: 'Plans', heading: 'Tools', load: async () => group },
];

const read = (line: string) => readCommandLine(line.split(' '), entries, { version: '1', columns: 80 });

describe('a noun without a verb', () => {
  it.each([
    ['plan a.yaml', 'plan make', ['a.yaml']],
    ['plan a.yaml b.yaml', 'plan make', ['a.yaml', 'b.yaml']],
    ['plan make a.yaml', 'plan make', ['a.yaml']],
    ['plan --out x.plan a.yaml', 'plan make', ['a.yaml']],
    ['plan --profile prod a.yaml --check', 'plan make', ['a.yaml']],
    ['--profile prod plan a.yaml', 'plan make', ['a.yaml']],
    ['plan -- a.yaml', 'plan make', ['a.yaml']],
    ['plan show x', 'plan show', ['x']],
    ['plan --profile prod show x', 'plan show', ['x']],
    ['plan show show', 'plan show', ['show']],
    ['plan a.yaml show', 'plan make', ['a.yaml', 'show']],
  ])('svc %s runs svc %s', async (line, path, positionals) => {
    const read_ = await read(line);
    if (read_.kind !== 'run') throw new Error('it was help');
    expect([read_.path.join(' '), read_.given.positionals]).toEqual([path, positionals]);
  });

  it('takes the flags of the implied verb', async () => {
    const line = await read('plan --out x.plan a.yaml --check');
    expect(line.kind === 'run' && [...line.given.flags]).toEqual([
      ['out', 'x.plan'],
      ['check', true],
    ]);
    await expect(read('plan show --check x')).rejects.toMatchObject({ name: 'UsageError' });
  });

  it.each(['plan --check', 'plan --nonsense a.yaml', 'plan show'])(
    'svc %s is a usage error',
    async (line) => {
      await expect(read(line)).rejects.toMatchObject({ name: 'UsageError' });
    },
  );

  it.each(['plan', 'plan --help', 'help plan', 'plan help'])(
    'svc %s prints the help of the group',
    async (line) => {
      const help = await read(line);
      const text = help.kind === 'print' ? help.text : '';
      expect(text).toContain('[make] <file...>');
      expect(text).toContain('show <plan>');
    },
  );

  it.each(['plan show --help', 'help plan show'])(
    'svc %s prints the help of the implied verb',
    async (line) => {
      const help = await read(line);
      expect(help.kind === 'print' && help.text).toContain('svc plan show <plan>');
    },
  );

  it('completes the flags of the implied verb', async () => {
    const place = (await buildCompletionTree(entries)).places['plan'];
    expect(place?.commands.map(({ name }) => name)).toEqual(['make', 'show']);
    expect(place?.operands).toEqual([{ values: [], isFile: true }]);
    expect(place?.flags.flatMap(({ spellings }) => spellings)).toEqual(['--out', '--check']);
    expect(place?.isOpen).toBe(true);
  });
});
