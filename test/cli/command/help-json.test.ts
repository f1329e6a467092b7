/** Contract, "Help for programs": what each form of `svc help … --json` has, and how long it may be. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Verb } from '../../../src/cli/command/command.ts';
import { asksFirst, effectOf } from '../../../src/cli/command/effect.ts';
import { topLevelCommandEntries } from '../../../src/cli/registry/entries.ts';
import { isWithoutOutput } from '../../support/example-outputs.ts';
import { type Examples, openExamples } from '../../support/examples.ts';
import { registry } from '../../support/registry.ts';
import { NOBODY, runCli } from '../../support/run-cli.ts';

interface Row {
  readonly path: string;
  readonly args: string;
  readonly summary: string;
  readonly does: string;
}

interface Flag {
  readonly name: string;
  readonly meaning: string;
  readonly [member: string]: unknown;
}

interface Command extends Row {
  readonly usage: string;
  readonly details?: string;
  readonly asks: boolean;
  readonly positionals: readonly Flag[];
  readonly flags: readonly Flag[];
  readonly examples: readonly { readonly command: string; readonly output?: string }[];
  readonly exits: readonly number[];
  readonly output: Readonly<Record<string, string>>;
}

async function textOf(line: string): Promise<string> {
  const run = await runCli(line.split(' '), { env: NOBODY });
  expect([run.exitCode, run.stderr]).toEqual([0, '']);
  return run.stdout;
}

const jsonOf = async <T>(line: string): Promise<T> => JSON.parse(await textOf(line)) as T;
const bytesOf = async (line: string): Promise<number> => Buffer.byteLength(await textOf(line));
const commandOf = (path: string): Promise<Command> => jsonOf(`help ${path} --json`);

const verbs = new Map([...(await registry())].filter(([, verb]) => verb.announced === undefined));
const paths = [...verbs.keys()];
const groups = [
  ...new Set(paths.flatMap((path) => path.split(' ').map((_, at, words) => words.slice(0, at).join(' ')))),
].filter((path) => path !== '');

describe('length', () => {
  it('the index has at most 16,000 bytes', async () => {
    expect(await bytesOf('help --json')).toBeLessThanOrEqual(16_000);
  });

  it('each command has at most 8,000 bytes', async () => {
    for (const path of paths) expect(await bytesOf(`help ${path} --json`), path).toBeLessThanOrEqual(8_000);
  });

  it('the index of each noun and group has at most 4,000 bytes', async () => {
    expect(groups).toContain('sandbox clock');
    for (const path of groups) expect(await bytesOf(`help ${path} --json`), path).toBeLessThanOrEqual(4_000);
  });

  it.each(['flags', 'exit-codes'])('help %s has at most 12,000 bytes', async (topic) => {
    expect(await bytesOf(`help ${topic} --json`)).toBeLessThanOrEqual(12_000);
  });

  it('the whole tree has at most 250,000 bytes', async () => {
    expect(await bytesOf('help --json --all')).toBeLessThanOrEqual(250_000);
  });
});

describe('svc help --json', () => {
  it('has a line for each command, and tells how to look further', async () => {
    const text = await textOf('help --json');
    const { commands, ...head } = JSON.parse(text) as { readonly commands: readonly Row[] };
    expect(head).toEqual({
      version: expect.stringMatching(/^[0-9]+\./),
      about: 'Send permission-based e-mail and SMS, and rehearse sends in a sandbox',
      guide: 'svc agent guide',
      more: 'svc help <command> --json',
    });
    expect(text.split('\n').filter((line) => line.startsWith('{"path"'))).toHaveLength(commands.length);
    expect(commands.find(({ path }) => path === 'task create')).toEqual({
      path: 'task create',
      args: '',
      summary: 'Create a task that sends a message to a list or saved search',
      does: 'sends',
    });
  });

  it('leads to every command: itself, or through the group that stands for it and does the same', async () => {
    const found = new Map<string, string>();
    const follow = async (line: string): Promise<void> => {
      const { commands } = await jsonOf<{ readonly commands: readonly Row[] }>(line);
      for (const { path, does } of commands)
        if (verbs.has(path)) found.set(path, does);
        else await follow(`help ${path} --json`);
    };
    await follow('help --json');
    expect([...found.keys()].sort()).toEqual([...paths].sort());
    for (const [path, does] of found) expect([path, does]).toEqual([path, effectOf(verbs.get(path) as Verb)]);
    const rows = (await jsonOf<{ readonly commands: readonly Row[] }>('help --json')).commands;
    for (const { path, does } of rows.filter((row) => !verbs.has(row.path)))
      for (const other of paths.filter((each) => each.startsWith(`${path} `)))
        if (rows.every((row) => row.path !== other)) expect([other, found.get(other)]).toEqual([other, does]);
  });

  it('names each verb of a noun', async () => {
    const rows = (await jsonOf<{ readonly commands: readonly Row[] }>('help --json')).commands;
    const nouns = topLevelCommandEntries.filter(({ isNoun }) => isNoun).map(({ name }) => name);
    const ofNouns = paths.filter((path) => nouns.includes(path.split(' ')[0] ?? ''));
    expect(rows.map(({ path }) => path)).toEqual(expect.arrayContaining(ofNouns));
  });
});

describe('svc help <command> --json', () => {
  it('has everything about one command', async () => {
    const { flags, ...create } = await commandOf('task create');
    expect(create).toMatchObject({
      path: 'task create',
      usage: 'svc task create [flags]',
      summary: 'Create a task that sends a message to a list or saved search',
      does: 'sends',
      asks: true,
      positionals: [],
      exits: [0, 2, 3, 4, 5, 6, 7, 8, 9, 10],
      output: { id: 'number', name: 'text', cancelled: 'boolean', endtime: 'number|null' },
    });
    expect(create.examples).toEqual([
      {
        command: 'svc task create --channel email --message 1 --name Q4 --list 1 --at +1d',
        output: expect.stringContaining('scheduled'),
      },
    ]);
    const flag = (name: string): Flag | undefined => flags.find((each) => each.name === name);
    expect(flag('channel')).toEqual({
      name: 'channel',
      value: 'value',
      kind: 'choice',
      choices: ['email', 'sms'],
      required: true,
      meaning: 'Channel of the message',
    });
    expect(flag('now')).toMatchObject({ kind: 'switch' });
    expect(flag('rate')).toMatchObject({ kind: 'number', value: 'n' });
    expect(flag('list')).toMatchObject({ name: 'list' });
    expect(flags.map(({ name }) => name)).not.toContain('companies');
    expect(await commandOf('task cancel')).toMatchObject({
      positionals: [{ name: 'id', required: true, repeatable: true }],
    });
    expect((await commandOf('task undo')).details).toMatch(/\w/);
  });

  it.each(['help task create -o json', 'help --json task create', 'help tasks create --json'])(
    '%s is help task create --json',
    async (line) => expect(await textOf(line)).toBe(await textOf('help task create --json')),
  );

  it('describes a flag and an argument with choices, defaults and short names', async () => {
    const { flags } = await commandOf('sms estimate');
    for (const each of flags) expect(each.meaning).not.toBe('');
    const all = (await Promise.all(paths.map((path) => commandOf(path)))).flatMap((each) => each.flags);
    expect(all.some((each) => each['default'] !== undefined)).toBe(true);
    expect(new Set(all.map((each) => each['kind']))).toEqual(
      new Set([
        'text',
        'number',
        'percent',
        'duration',
        'time',
        'file',
        'folder',
        'choice',
        'switch',
        'boolean',
      ]),
    );
  });

  it('shows the output of each example, unless it has none', async () => {
    const silent: string[] = [];
    for (const path of paths.filter((each) => !isWithoutOutput(each))) {
      const { examples, output } = await commandOf(path);
      if (examples[0]?.output === undefined && Object.keys(output).length === 0) silent.push(path);
    }
    expect(silent).toEqual([
      'features diff',
      'dnc export',
      'profile use',
      'profile remove',
      'company use',
      'agent skill',
    ]);
  });
});

describe('svc <command> --help', () => {
  it('shows a short output of its example on a terminal, and not to a program', async () => {
    const onTerminal = await runCli(['task', 'create', '--help'], { env: NOBODY, tty: true, columns: 80 });
    expect(onTerminal.stdout).toMatch(/--at \+1d\n {2}Scheduled task 5 "Q4"/);
    expect(await textOf('task create --help')).not.toContain('Scheduled task 5');
  });

  it('leaves the output out if the page would no longer fit the screen', async () => {
    const { stdout } = await runCli(['task', 'update', '--help'], { env: NOBODY, tty: true, columns: 80 });
    expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(24);
    expect(stdout).toMatch(/Example: svc task update Q4 .*\nExit codes/);
  });
});

describe('a topic', () => {
  it('flags has those of every command, and those for many companies', async () => {
    const { flags, companies } =
      await jsonOf<Record<'flags' | 'companies', readonly Flag[]>>('help flags --json');
    expect(flags.find(({ name }) => name === 'output')).toMatchObject({ short: 'o', kind: 'choice' });
    expect(companies.map(({ name }) => name)).toEqual(['companies', 'concurrency', 'write', 'checkpoint']);
  });

  it('exit-codes has the meaning of each', async () => {
    const { exitCodes } = await jsonOf<{
      readonly exitCodes: readonly { readonly code: number; readonly meaning: string }[];
    }>('help exit-codes --json');
    expect(exitCodes.map(({ code }) => code)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 130]);
    expect(exitCodes.every(({ meaning }) => meaning.length > 0)).toBe(true);
  });

  it('without JSON is text', async () => {
    expect(await textOf('help time --json')).toContain('Usage: svc');
  });
});

describe('svc help --json --all', () => {
  it('has each command as its own help has it, and what they share once', async () => {
    const { commands, ...shared } = await jsonOf<{ readonly commands: readonly Command[] }>(
      'help --json --all',
    );
    expect(Object.keys(shared)).toEqual(['version', 'about', 'flags', 'companies', 'exitCodes', 'notes']);
    expect(commands.map(({ path }) => path)).toEqual(paths);
    expect(commands.find(({ path }) => path === 'dnc add')).toEqual(await commandOf('dnc add'));
  });

  it('takes words, too', async () => {
    const { commands } = await jsonOf<{ readonly commands: readonly Command[] }>('help form --json --all');
    expect(commands.map(({ path }) => path)).toEqual(paths.filter((path) => path.startsWith('form ')));
  });
});

it('does not change text help, and refuses a word that is no command', async () => {
  expect(await textOf('help task')).toContain('Usage: svc task');
  const unknown = await runCli(['help', 'nosuch', '--json'], {});
  expect(unknown.exitCode).toBe(2);
  expect(JSON.parse(unknown.stderr)).toMatchObject({ error: { kind: 'usage' } });
});

/**
 * Contract, "Help for programs": "`sends` (people may get a message, at once or later), `removes` (cannot be taken back)", and "Safety":
 * "An action that destroys something, or that cannot be undone: every delete, `task cancel`, `dnc add`, `dnc import` and `dnc remove`".
 */
const DANGEROUS: Readonly<Record<string, readonly string[]>> = {
  sends: [
    ...['task create', 'task update', 'sms send', 'email proof', 'sms-message proof', 'apply'],
    ...['automation create', 'automation update', 'automation resume'],
    // These can do whatever the others do.
    ...['api', 'undo', 'mcp'],
  ],
  removes: [
    ...['user delete', 'sms-message delete', 'email delete', 'folder delete', 'form delete'],
    ...['subscriber-data delete', 'automation delete'],
    ...['task cancel', 'task undo', 'task guard', 'dnc add', 'dnc import', 'dnc remove'],
  ],
  changes: [
    ...['account create', 'features set', 'features apply', 'user create', 'user update'],
    ...['sms-message create', 'sms-message update', 'sms-destination update', 'email create', 'email update'],
    ...['email push', 'folder create', 'folder update', 'automation pause', 'sandbox conformance'],
    ...['subscriber-data create', 'subscriber-data update', 'subscriber-data set'],
  ],
};

describe('does', () => {
  it.each(Object.entries(DANGEROUS))('is %s for these commands, and for no others', (does, expected) => {
    const found = [...verbs].filter(([, verb]) => effectOf(verb) === does).map(([path]) => path);
    expect(found.sort()).toEqual([...expected].sort());
  });

  it('is reads or local for all others', () => {
    const named = new Set(Object.values(DANGEROUS).flat());
    for (const [path, verb] of verbs)
      if (!named.has(path))
        expect([path, effectOf(verb)]).toEqual([path, expect.stringMatching(/^(reads|local)$/)]);
  });

  it('is local for every other command of the sandbox, and for profiles', () => {
    for (const [path, verb] of verbs)
      if (/^(sandbox|profile|completion|log) /.test(path) && path !== 'sandbox conformance')
        expect([path, effectOf(verb)]).toEqual([path, 'local']);
  });
});

/** Command lines that ask, for commands whose example does not. */
const ASKING: Readonly<Record<string, string>> = {
  'task create': 'task create --channel email --message 1 --name Q4 --list 1 --now',
  'task update': 'task update 4 --now',
  'features set': 'features set 1 --locked',
  'automation pause': 'automation pause --all',
  'automation resume': 'automation resume --all',
  'email push': 'email push --watch mails/christmas-hampers-draft.html',
  'profile set': 'profile set old read-only false',
  'profile trust': 'profile trust team',
  'sandbox conformance': 'sandbox conformance --write',
  approve: 'approve spring.plan --identity key',
  apply: 'apply spring.yaml',
  api: 'api DELETE /v1/folder/2',
  undo: 'undo 1',
};

/** These need a plan and a key, or a running sandbox: test/cli/commands/campaign/approve.e2e.test.ts, test/cli/commands/sandbox/destructive.test.ts. */
const ELSEWHERE = ['approve', 'sandbox reset'];

describe('asks', () => {
  it('is true for each command with --yes in its example, and for those that ask for some values', () => {
    const asking = [...verbs].filter(([, verb]) => asksFirst(verb)).map(([path]) => path);
    const named = [...verbs].filter(([, { example }]) => example.includes('--yes')).map(([path]) => path);
    expect(asking.sort()).toEqual([...named, ...Object.keys(ASKING)].sort());
  });
});

describe('a command that asks needs --yes without a terminal', () => {
  let opened: Examples;
  beforeAll(async () => {
    opened = await openExamples('asks');
    const { cwd, demo } = opened;
    cpSync(new URL('../../../examples/campaign', import.meta.url), cwd, { recursive: true });
    mkdirSync(join(cwd, 'team'));
    writeFileSync(join(cwd, 'team', '.svc.json'), '{"profile": "old"}');
    const env = { SVC_CONFIG_DIR: join(cwd, 'config') };
    const add = 'profile add old --base-url https://api.example.com --company 1 --user 1 --api-key-stdin';
    for (const line of ['automation pause click:1', add, 'profile set old read-only true'])
      expect(await opened.run(line, [], { env, stdin: `${demo.admin['SVC_API_KEY']}\n` })).toMatchObject({
        exitCode: 0,
      });
  });
  afterAll(() => rm(opened.cwd, { recursive: true }));

  const lines = [...verbs]
    .filter(([path, verb]) => asksFirst(verb) && !ELSEWHERE.includes(path))
    .map(([path, { example }]) => ASKING[path] ?? example.replace(/ --yes/, ''));

  it.each(lines)('svc %s', async (line) => {
    const run = await opened.run(line, [], { env: { SVC_CONFIG_DIR: join(opened.cwd, 'config') } });
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining('needs --yes')]);
  });
});
