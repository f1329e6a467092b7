/**
 * Contract, "For assistants in a shell": "`help --json`:
 * `{"name","version","commands":[{"path":["task","create"],"summary","writes","arguments":[{"name","required",
 * "values"}],"flags":[{"name","short","kind","required","default","values","repeatable","aliases","summary"}],"exits":[…],"examples":[…]}]}`."
 */
import { describe, expect, it } from 'vitest';
import { registry } from '../../support/registry.ts';
import { runCli } from '../../support/run-cli.ts';

interface Tree {
  readonly name: string;
  readonly version: string;
  readonly flags: readonly { readonly name: string }[];
  readonly commands: readonly {
    readonly path: readonly string[];
    readonly writes: boolean;
    readonly flags: readonly Record<string, unknown>[];
    readonly exits: readonly { readonly code: number; readonly meaning: string }[];
    readonly examples: readonly string[];
  }[];
}
const treeOf = async (line: string): Promise<Tree> => {
  const run = await runCli(line.split(' '), {});
  expect([run.exitCode, run.stderr]).toEqual([0, '']);
  return JSON.parse(run.stdout) as Tree;
};

describe('svc help --json', () => {
  it('has every command once, with its summary, exit codes and example', async () => {
    const tree = await treeOf('help --json');
    expect(tree).toMatchObject({ name: 'svc', version: expect.stringMatching(/^[0-9]+\./) });
    const paths = tree.commands.map(({ path }) => path.join(' '));
    const verbs = [...(await registry())].filter(([, verb]) => verb.announced === undefined);
    expect(paths.toSorted()).toEqual(verbs.map(([path]) => path).toSorted());
    for (const { path, exits, examples } of tree.commands) {
      expect(
        exits.map(({ code }) => code),
        path.join(' '),
      ).toEqual(expect.arrayContaining([0, 2]));
      expect(exits.every(({ meaning }) => meaning.length > 0)).toBe(true);
      expect(examples[0]).toMatch(/^svc /);
    }
  });

  it('says which commands write, and each flag with its kind, default and values', async () => {
    const tree = await treeOf('help --json');
    const command = (path: string) => tree.commands.find((each) => each.path.join(' ') === path);
    for (const path of ['task create', 'apply', 'sms send', 'dnc import', 'automation resume', 'api'])
      expect(command(path)?.writes, path).toBe(true);
    for (const path of ['task list', 'plan make', 'rehearse', 'audit', 'email lint'])
      expect(command(path)?.writes, path).toBe(false);
    const flags = command('task create')?.flags ?? [];
    expect(flags.find(({ name }) => name === 'channel')).toMatchObject({
      required: true,
      values: ['email', 'sms'],
    });
    expect(flags.find(({ name }) => name === 'list')).toMatchObject({
      aliases: ['list-id'],
      repeatable: false,
    });
    expect(flags.find(({ name }) => name === 'now')).toMatchObject({
      kind: 'switch',
      required: false,
      default: null,
    });
    expect(tree.flags.find(({ name }) => name === 'output')).toMatchObject({ short: 'o' });
  });

  it.each(['help task create --json', 'help task create -o json', 'help --json task create'])(
    '%s prints one command',
    async (line) => {
      expect((await treeOf(line)).commands.map(({ path }) => path)).toEqual([['task', 'create']]);
    },
  );

  it('does not change text help and topics', async () => {
    expect((await runCli(['help', 'task'], {})).stdout).toContain('Usage: svc task');
    expect((await runCli(['help', 'time', '--json'], {})).stdout).toContain('svc');
    const unknown = await runCli(['help', 'nosuch', '--json'], {});
    expect(unknown.exitCode).toBe(2);
    expect(JSON.parse(unknown.stderr)).toMatchObject({ error: { kind: 'usage' } });
  });
});
