import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isGroup, type Verb } from '../../../src/cli/command/command.ts';
import { globalFlags } from '../../../src/cli/command/globals.ts';
import { EXIT } from '../../../src/cli/errors/exit-codes.ts';
import { topLevelCommandEntries } from '../../../src/cli/registry/entries.ts';
import { supports } from '../../../src/kit/schema/resource.ts';
import { catalogue } from '../../../src/service/resources/catalogue.ts';
import {
  commandLines,
  crashIn,
  makeFolderForCommandLines,
  wordsOfProgram,
} from '../../support/command-lines.ts';
import { depth, SEED, tried } from '../../support/depth.ts';
import { NOBODY, runCli } from '../../support/run-cli.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

/** Contract, "Nouns and verbs". */
const VERBS: Readonly<Record<string, string>> = {
  account: 'get, exists, create',
  features: 'get, set, diff, apply',
  user: 'list, get, exists, create, update, delete, whoami',
  sms: 'list, get, exists, send, estimate',
  'sms-message': 'list, get, exists, create, update, delete, lint, proof',
  'sms-destination': 'list, get, exists, update',
  email: 'list, get, exists, create, update, delete, lint, preview, pull, push, proof',
  link: 'list, get, exists',
  task: 'list, get, exists, create, update, cancel, undo, wait, watch, guard, report, calendar',
  folder: 'list, get, exists, create, update, delete',
  dnc: 'list, get, exists, add, remove, check, diff, import, export',
  form: 'list, get, exists, delete',
  'subscriber-data': 'list, get, exists, set, create, update, delete',
  automation: 'list, get, exists, create, update, pause, resume, delete, simulate, why, graph',
};

async function verbsOf(noun: string): Promise<readonly Verb[]> {
  const tree = await topLevelCommandEntries.find(({ name }) => name === noun)?.load();
  if (!tree || !isGroup(tree)) throw new Error(`no noun ${noun}`);
  return tree.commands.filter((each): each is Verb => !isGroup(each));
}

describe('nouns and verbs', () => {
  it.each(Object.entries(VERBS))('%s has %s', async (noun, verbs) => {
    const names = (await verbsOf(noun)).filter(({ announced }) => announced === undefined);
    expect(names.map(({ name }) => name).sort()).toEqual(verbs.split(', ').sort());
  });

  it('every resource of the catalogue has a noun', () => {
    expect([...new Set(catalogue.map(({ noun }) => noun))].sort()).toEqual(Object.keys(VERBS).sort());
  });

  const GENERIC = { POST: 'create', PUT: 'update', DELETE: 'delete' } as const;
  const unsupported = catalogue.flatMap((resource) =>
    (['POST', 'PUT', 'DELETE'] as const)
      .filter((method) => !supports(resource, method) && !resource.announced?.includes(method))
      .map((method) => [resource.noun, GENERIC[method]] as const),
  );

  it.each(unsupported)('svc %s has no verb %s, because the method is unsupported', async (noun, verb) => {
    const run = await runCli([noun, verb, '1'], { env: NOBODY });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain(`svc ${noun} has no ${verb}`);
  });

  it.each(['create', 'update'])('svc form %s is announced and not available yet', async (verb) => {
    const run = await runCli(['form', verb, '3', '--name', 'x']);
    expect(run).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `svc: svc form ${verb} is not available yet: the service has only announced it\n`,
      questions: [],
    });
  });
});

describe('help', () => {
  it.each([
    [
      ['help', 'task', 'create'],
      ['task', 'create', '--help'],
    ],
    [
      ['-o', 'json', 'help', 'folder'],
      ['folder', '--help'],
    ],
    [['help'], ['--help']],
  ])('%j shows the page of %j', async (asked, page) => {
    const { exitCode, stdout } = await runCli(asked);
    expect([exitCode, stdout]).toEqual([0, (await runCli(page)).stdout]);
  });
});

describe('rejects unexpected arguments', () => {
  it.each([
    [['foldr', 'list'], 'there is no command foldr', 'did you mean svc folder list?'],
    [['folder', 'lst'], 'svc folder has no lst', 'did you mean svc folder list?'],
    // Contract, "Numbers, ids and names, once more": an unknown word is exit 2 with --help too.
    [['foldr', '--help'], 'there is no command foldr', 'did you mean svc folder list?'],
    [['help', 'foldr'], 'there is no command foldr', 'did you mean svc folder list?'],
    [['folder', 'lst', '--help'], 'svc folder has no lst', 'did you mean svc folder list?'],
    [
      ['help', 'sandbox', 'clock', 'sett'],
      'svc sandbox clock has no sett',
      'did you mean svc sandbox clock set TIME?',
    ],
    [['folder', 'list', '--nam', 'x'], 'svc folder list has no flag --nam', 'did you mean --name?'],
    // The words after an unknown word run no command. The hint names it.
    [['foo', 'folder', 'list'], 'there is no command foo', 'run svc folder list'],
    [['folder', 'lst', 'list'], 'svc folder has no lst', 'svc folder list'],
    [['folder', '--name', 'x', 'list'], 'svc folder has no flag --name', 'see svc folder --help'],
    [
      ['folder', '--name=x', 'list'],
      '--name must come after svc folder list',
      'write svc folder list --name',
    ],
    [
      ['folder', 'list', '-o=csv', 'x'],
      'needs the flag --name before x',
      'write svc folder list -o csv --name x',
    ],
    // The value of a global flag is no command, wherever it stands.
    [
      ['--profile', 'sandbox', 'folder', 'list', '--bogus'],
      'svc folder list has no flag --bogus',
      'see svc folder list --help',
    ],
    [
      ['folder', '--profile', 'task', 'list', '--bogus'],
      'svc folder list has no flag --bogus',
      'see svc folder list --help',
    ],
    [
      ['folder', 'list', '--profile', 'sandbox', '--bogus'],
      'svc folder list has no flag --bogus',
      'see svc folder list --help',
    ],
    [['folder', 'get'], 'svc folder get needs an id', 'see svc folder get --help'],
    [['folder', 'list', '--limit'], '--limit needs a value', 'see svc folder list --help'],
    [['folder', 'get', '1', '2'], 'svc folder get takes one id, not 2', 'see svc folder get --help'],
    [
      ['folder', 'create', '--name', 'Black', 'Friday'],
      'unexpected argument "Friday"',
      'quote a value that has spaces: --name "Black Friday"',
    ],
    [
      ['folder', 'get', '1', '--json', 'name', '-q', '.name'],
      'unexpected argument \\".name\\"',
      '-q is --quiet; write --jq .name',
    ],
    [['log', '-5'], 'unexpected argument -5', 'write svc log list --limit 5'],
    [['log', '-n', '5'], 'svc log has no flag -n', 'write --limit 5'],
    [
      ['sandbox', 'list', 'create', 'Proofs', '--data', 'sb'],
      'needs the flag --name before Proofs',
      'write svc sandbox list create --name Proofs --data sb',
    ],
    [
      ['folder', 'create', 'My folder', '--yes'],
      'needs the flag --name before',
      'write svc folder create --name "My folder" --yes',
    ],
    [['task', 'undo', '2'], 'unexpected argument "2"', 'see svc task undo --help'],
    [['folder', 'list', '-o', 'xml'], 'unknown output format xml', 'formats: table'],
    [['folder', 'list', '--tz', 'Mars'], '--tz: unknown time zone Mars', 'write Europe/London'],
    [
      ['folder', 'list', '--timeout', 'soon'],
      '--timeout: soon is not a length of time',
      'write a duration such as 30s',
    ],
    [['folder', 'list', '--retries', '-1'], '--retries: -1 is not a number', ''],
    [
      ['folder', 'list', '--fields', ' , '],
      '--fields:  ,  has no attributes',
      'write names, such as id,name',
    ],
    [['folder', 'list', '--limit', '0'], '--limit: 0 is not a number of at least 1', ''],
    [['folder', 'list', '--limit', '3', '--all'], 'cannot combine --limit with --all', ''],
    [
      ['folder', 'list', '--sort', 'list_count'],
      'cannot sort folder by list_count',
      'sorts: id, name, cdate',
    ],
  ])('%j is refused with exit 2 before any request', async (argv, message, hint) => {
    const run = await runCli(argv);
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain(message);
    expect(run.stderr).toContain(hint);
  });

  it.each([
    ['folder', 'list-count', 'id, name'],
    ['task', 'size', 'id, cancelled, channel, completed, list_id, message_id, name'],
    ['user', 'email', 'id, currentuser, username'],
  ])(
    'svc %s list refuses --%s, an attribute without F, and names the filters',
    async (noun, flag, filters) => {
      const run = await runCli([noun, 'list', `--${flag}`, '3']);
      expect(run).toMatchObject({ exitCode: 2, stdout: '' });
      expect(run.stderr).toContain(`cannot filter by ${flag.replace('-', '_')}; filters: ${filters}\n`);
    },
  );

  it('no random command line names a path outside its folder (CONTRIBUTING, "Tests")', async () => {
    const lines = fc.sample(commandLines(await wordsOfProgram()), { seed: SEED, numRuns: 2000 });
    const paths = lines.flat().flatMap((word) => [word, ...word.split(/[=@:,]/)]);
    const outside = paths.filter((path) => !resolve('/test/folder/a/b', path).startsWith('/test/folder'));
    expect(paths.length).toBeGreaterThan(2000);
    expect(outside).toEqual([]);
  });

  // Acceptance, F1 and F3. Each line runs without an account, or with an account whose service does not answer.
  const LINES = depth('SVC_COMMAND_LINES', { few: 100, full: 20_000 });
  it(`${LINES} random command lines never crash it, and never touch a prototype (SVC_SEED=${SEED})`, async () => {
    const folder = await makeTemporaryFolder('lines');
    const { cwd: home, checkDevice } = makeFolderForCommandLines(folder);
    const codes = new Set<number>(Object.values(EXIT));
    const seen = new Map<number, number>();
    let checked = 0;
    await fc.assert(
      fc.asyncProperty(commandLines(await wordsOfProgram()), async (argv) => {
        checked += 1;
        const isSomebody = checked % 8 === 0;
        const env = { SVC_CONFIG_DIR: join(home, 'config'), SVC_STATE_DIR: join(home, 'state') };
        const run = await runCli(argv, {
          env: { ...(isSomebody ? {} : NOBODY), ...env },
          cwd: home,
          homeDir: home,
        });
        expect(codes).toContain(run.exitCode);
        expect(run.stderr).not.toMatch(crashIn(argv));
        expect(checkDevice()).toBe(true);
        expect(Object.keys(Object.prototype)).toEqual([]);
        seen.set(run.exitCode, (seen.get(run.exitCode) ?? 0) + 1);
      }),
      { numRuns: LINES, seed: SEED },
    );
    // If all lines were refused in the same way, the test would show little.
    expect(seen.size).toBeGreaterThan(1);
    if (LINES >= 1_000) expect([...seen.keys()]).toEqual(expect.arrayContaining([0, 2, 3]));
    await rm(folder, { recursive: true });
    tried('F1', checked);
    tried('F3', checked);
  }, 3_600_000);
});

describe('help', () => {
  it('svc help commands prints every noun on stdout', async () => {
    const run = await runCli(['help', 'commands'], { env: NOBODY });
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
    for (const noun of Object.keys(VERBS)) expect(run.stdout).toContain(`\n  ${noun} `);
  });

  it('every command has one real example, which its own flags can read', async () => {
    for (const noun of Object.keys(VERBS)) {
      for (const verb of await verbsOf(noun)) {
        const { stdout } = await runCli([noun, verb.name, '--help'], { env: NOBODY });
        expect(stdout).toContain(`\nExample: svc ${verb.example}\n`);
        expect(verb.example.split(' ')[0]).toBe(noun);
        if (verb.announced !== undefined) continue;
        const names = new Set(
          [...globalFlags, ...verb.flags].flatMap(({ name, friendly = name }) => [name, friendly]),
        );
        for (const [, flag = ''] of verb.example.matchAll(/ --([\w-]+)/g))
          expect(names, verb.example).toContain(flag);
      }
    }
  });

  it('shows the friendly flag first, and required flags before others', async () => {
    const { stdout } = await runCli(['task', 'create', '--help'], { env: NOBODY });
    expect(stdout).toContain('--at, --scheduledtime <time>');
    expect(stdout).toContain('--list, --list-id <id>');
    const at = ['Required flags:', 'Flags:', 'Example:', 'Exit codes:', 'Interface:', 'Global flags'].map(
      (title) => stdout.indexOf(title),
    );
    expect(at).toEqual([...at].sort((a, b) => a - b));
    expect(at[0]).toBeGreaterThan(0);
  });

  it('a noun alone prints its verbs', async () => {
    const run = await runCli(['folder'], { env: NOBODY });
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
    expect(run.stdout).toContain('  list  ');
  });

  it('--version prints the version alone', async () => {
    const run = await runCli(['--version'], { env: NOBODY });
    expect(run.stdout).toMatch(/^[0-9]+\.[0-9]+\.[0-9]+\n$/);
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
  });

  // docs/contract.md: `version --json` and `--version -o json` print the build and the system, too.
  it.each([[['version', '--json']], [['--version', '-o', 'json']]])(
    '%j prints the build and the system',
    async (argv) => {
      const run = await runCli(argv, { env: NOBODY });
      expect(run).toMatchObject({ exitCode: 0, stderr: '' });
      const { version, ...facts } = JSON.parse(run.stdout);
      expect(version).toMatch(/^[0-9]+\.[0-9]+\.[0-9]+$/);
      // Tests run the source, so there is no build with a commit.
      expect(facts).toEqual({
        commit: null,
        date: null,
        kind: 'package',
        node: process.versions.node,
        platform: process.platform,
        arch: process.arch,
        targets: [],
      });
    },
  );
});

describe('global flags', () => {
  const estimate = ['sms', 'estimate', '--text', 'Hi'];

  it.each([
    [['--json', 'sms', 'estimate', '--text', 'Hi']],
    [['sms', '--json', 'estimate', '--text', 'Hi']],
    [[...estimate, '--json']],
    [[...estimate, '-o', 'json']],
    [['-o', 'csv', ...estimate, '-o', 'json']],
  ])('%j: the flag works before and after the noun and the verb, and the last one wins', async (argv) => {
    const run = await runCli(argv, { env: NOBODY });
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
    // Contract, "Insight".
    expect(JSON.parse(run.stdout)).toEqual({
      alphabet: 'GSM',
      characters: 2,
      septets: 2,
      parts: 1,
      credits: 1,
      costly: [],
    });
  });

  it('treats a value that looks like a flag as a value', async () => {
    const run = await runCli(['sms', 'estimate', '--text', '--json', '-o', 'tsv', '--no-header'], {
      env: NOBODY,
    });
    expect(run).toMatchObject({ exitCode: 0, stdout: 'GSM\t6\t6\t1\t1\t[]\n' });
  });

  it('names a faulty SVC_OUTPUT, and a flag wins over it', async () => {
    const env = { SVC_OUTPUT: 'xml' };
    const run = await runCli(['folder', 'list'], { env });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain('SVC_OUTPUT: unknown output format xml');
    expect((await runCli(['folder', 'list', '-o', 'csv'], { env })).stderr).not.toContain('xml');
  });

  it('reports all wrong flags together, as details with -o json', async () => {
    const argv = ['folder', 'list', '--tz', 'Mars', '--retries', '-1', '-o', 'json'];
    const run = await runCli(argv, { env: NOBODY });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(JSON.parse(run.stderr).error).toMatchObject({
      kind: 'usage',
      exit: 2,
      message: '--retries is not a number from 0 to 99 (given: "-1"), and 1 more; nothing was sent',
      details: [
        { attribute: '--retries', value: '-1', reason: 'is not a number from 0 to 99' },
        { attribute: '--tz', value: 'Mars', reason: 'is not a known time zone' },
      ],
    });
  });

  it('repeats no text that looks like a key, neither in a sentence nor in details', async () => {
    const key = 'k7Jw2mQx9Zr4Tb6Vn1Yc';
    for (const more of [[], ['--timeout', key]]) {
      const run = await runCli(['folder', 'list', '--retries', key, ...more], { env: NOBODY });
      expect(run).toMatchObject({ exitCode: 2, stdout: '' });
      expect(run.stderr).toContain('[redacted]');
      expect(run.stderr).not.toContain(key);
    }
  });

  // src/cli/README.md, "What an error repeats": files are data, whatever their operand is called.
  it.each([
    ['file not found: nosuch-2026.plan', 'approve', 'nosuch-2026.plan', '--identity', 'ada'],
    ['file not found: nosuch-2026.plan', 'plan', 'show', 'nosuch-2026.plan'],
    ['file nosuch-2026.plan not found', 'apply', 'nosuch-2026.plan'],
  ])('%s', async (words, ...argv) => {
    expect((await runCli(argv, { env: NOBODY })).stderr).toContain(words);
  });

  it('SVC_OUTPUT gives the format, and a flag wins over it', async () => {
    const env = { ...NOBODY, SVC_OUTPUT: 'json' };
    expect((await runCli(estimate, { env })).stdout).toContain('"alphabet"');
    expect((await runCli([...estimate, '-o', 'csv'], { env })).stdout).toMatch(/^alphabet,/);
  });
});
