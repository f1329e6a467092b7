import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Group, isGroup, type Verb } from '../../src/cli/command/command.ts';
import { globalFlags } from '../../src/cli/command/globals.ts';
import { topLevelCommandEntries } from '../../src/cli/registry/entries.ts';
import type { Transport } from '../../src/service/protocol/wire.ts';
import { depth, tried } from '../support/depth.ts';
import { withEverything } from '../support/everything.ts';
import { type Outside, type Run, runCli, serviceOf } from '../support/run-cli.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

// Attack M7, contract "Secrets on the command line": a key that was given by mistake is neither repeated nor stored.

const SHAPES: Readonly<Record<string, string>> = {
  'a company key': 'c4a7a29e0b6d4f13a8e95d7c2b1f6e08',
  'a partner key': '9f1c27d4e80b53a6c2f4187be90d35a6c81f02e7',
  // The interface does not say what the key of a partner looks like.
  'a partner key of letters and digits': 'k7Jw2mQx9Zr4Tb6Vn1Yc',
  'a control token': '5e0c9a7d31f84b62a0d7c9e1584f3b6d2c8a7f0e9b1d4c63a5f2e8d7b9c0a146',
  'a key without its last digit': 'c4a7a29e0b6d4f13a8e95d7c2b1f6e0',
  'a key with a blank in it': 'c4a7a29e0b6d4f13 a8e95d7c2b1f6e08',
};

/** Passwords have no shape. They are recognized by the name of their flag or field, and in a URL. */
const PASSWORDS: readonly string[] = ['Tr0ub4dor&3x!', 'correct h0rse battery 9'];

let folder: string;
beforeEach(async () => {
  folder = await makeTemporaryFolder('canary');
  await mkdir(join(folder, 'state'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const run = (argv: readonly string[], { env, ...outside }: Outside = {}): Promise<Run> =>
  runCli(argv, {
    ...outside,
    cwd: folder,
    homeDir: folder,
    env: { SVC_CONFIG_DIR: join(folder, 'config'), SVC_STATE_DIR: join(folder, 'state'), ...env },
  });

/** Requires that none of the words of the secret is in the text. */
const without = (secret: string) =>
  expect.not.stringMatching(
    new RegExp(
      secret
        .toLowerCase()
        .split(' ')
        .map((word) => word.replace(/[^a-z0-9]/g, '\\$&'))
        .join('|'),
    ),
  );

/** Returns all output and files of the run. */
async function leftBy({ stdout, stderr }: Run): Promise<string> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = files
    .filter((entry) => entry.isFile())
    .map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1'));
  return [stdout, stderr, ...(await Promise.all(texts))].join('\n').toLowerCase();
}

const PLACES: Readonly<Record<string, (secret: string) => readonly string[]>> = {
  'an unknown flag with =': (secret) => ['folder', 'list', `--api-key=${secret}`],
  'an unknown flag, and the secret apart': (secret) => ['folder', 'list', '--apikey', secret],
  'before the noun': (secret) => ['--api-key', secret, 'folder', 'list'],
  'before the noun, with =': (secret) => [`--api-key=${secret}`, 'folder', 'list'],
  '--key where there is none': (secret) => ['folder', 'list', `--key=${secret}`],
  'a header': (secret) => ['api', 'GET', '/v1/folder', `--header=Authorization: ${secret}`],
  'a flag misspelt': (secret) => ['user', 'create', `--passwort=${secret}`],
  '--password where there is none': (secret) => ['profile', 'add', 'prod', `--password=${secret}`],
  'the token of the sandbox': (secret) => ['sandbox', 'status', `--control-token=${secret}`],
  'a short flag': (secret) => ['folder', 'list', `-k${secret}`],
  'a flag alone': (secret) => ['folder', 'list', `--${secret}`],
  'a switch with a value': (secret) => ['profile', 'add', 'prod', `--api-key-stdin=${secret}`],
  'a global switch with a value': (secret) => ['folder', 'list', `--no-input=${secret}`],
  'user info of an SMTP server': (secret) => ['sandbox', 'start', '--smtp', `user:${secret}@mail.example:25`],
  'user info of the base URL': (secret) => [
    'folder',
    'list',
    '--base-url',
    `https://user:${secret}@api.example.com`,
  ],
  'a base URL': (secret) => ['folder', 'list', '--base-url', secret],
  'the method of api': (secret) => ['api', secret, '/v1/x'],
  'the path of api': (secret) => ['api', 'GET', secret],
  'the path of api, with a query': (secret) => ['api', 'GET', `${secret}?a=b`],
  'a command': (secret) => [secret],
  'a command and its verb': (secret) => [secret, 'list'],
  'a verb': (secret) => ['folder', secret],
  'a word too many': (secret) => ['folder', 'list', secret],
  'a profile': (secret) => ['folder', 'list', '--profile', secret],
  'a profile to use': (secret) => ['profile', 'use', secret],
  'a profile to add': (secret) => ['profile', 'add', secret, '--base-url', 'https://api.example.com'],
  'a setting of a profile': (secret) => ['profile', 'set', 'prod', secret, 'x'],
  'a value of a setting': (secret) => ['profile', 'set', 'prod', 'output', secret],
  'a body that is no JSON': (secret) => ['folder', 'create', '--data', secret],
};

/** How many shapes of a secret each flag gets. Neighbouring flags get other ones. */
const SHAPES_PER_FLAG = depth('SVC_SHAPES', { few: 1, full: 6 });
const shapes = Object.entries(SHAPES);

let choosing: Awaited<ReturnType<typeof choosingFlags>>;
beforeAll(async () => {
  choosing = await choosingFlags();
});

describe.each(shapes)('%s', (shape, secret) => {
  const number = shapes.findIndex(([name]) => name === shape);

  it.each(Object.entries(PLACES))('is refused and not repeated as %s', async (_place, argv) => {
    for (const flags of [[], ['-o', 'json'], ['--debug']]) {
      const done = await run([...argv(secret), ...flags]);
      expect([done.exitCode === 0, await leftBy(done)]).toEqual([false, without(secret)]);
      tried('S1', 1);
    }
  });

  it('is not repeated as a help topic', async () => {
    expect(await leftBy(await run(['help', secret]))).toEqual(without(secret));
  });

  it('is not repeated by the error about a choice', async () => {
    const { transport } = serviceOf(await withEverything());
    const repeated: string[] = [];
    let refused = 0;
    const own = choosing.filter((_, at) => (at + number) % shapes.length < SHAPES_PER_FLAG);
    for (const [argv, flag] of own) {
      const done = await run([...argv, `--${flag}`, secret, '--yes', '--no-input', '--dry-run'], {
        transport,
      });
      if (done.exitCode === 0) continue;
      refused += 1;
      if (done.stderr.toLowerCase().includes(secret.toLowerCase()))
        repeated.push(`${argv.join(' ')} --${flag}`);
    }
    expect(refused).toBeGreaterThan((30 * SHAPES_PER_FLAG) / shapes.length);
    expect(repeated).toEqual([]);
  });

  it.each(['SVC_OUTPUT', 'SVC_PROFILE', 'SVC_COMPANY_ID', 'SVC_USER_ID', 'SVC_PARTNER_ID'])(
    'is not repeated as %s',
    async (name) => {
      const done = await run(['folder', 'list'], { env: { [name]: secret } });
      expect([done.exitCode === 0, await leftBy(done)]).toEqual([false, without(secret)]);
    },
  );
});

it('a key is not repeated that the shell has split at a blank', async () => {
  const parts = (SHAPES['a key with a blank in it'] ?? '').split(' ');
  for (const argv of [['folder', 'list', '--api-key', ...parts], ['folder', ...parts], parts]) {
    const done = await run(argv);
    expect([done.exitCode, await leftBy(done)]).toEqual([2, without(parts.join(' '))]);
  }
});

const MARKED: readonly string[] = [
  ...['an unknown flag with =', 'an unknown flag, and the secret apart', 'before the noun'],
  ...['before the noun, with =', '--key where there is none', 'a header', 'a flag misspelt'],
  ...['--password where there is none', 'the token of the sandbox', 'a short flag', 'a switch with a value'],
  ...['user info of an SMTP server', 'user info of the base URL'],
];

describe.each(PASSWORDS)('the password %s', (secret) => {
  it.each(Object.entries(PLACES).filter(([place]) => MARKED.includes(place)))(
    'is refused and not repeated as %s',
    async (_place, argv) => {
      for (const flags of [[], ['-o', 'json'], ['--debug']]) {
        const done = await run([...argv(secret), ...flags]);
        // A word such as `battery` may also be a word of svc.
        expect([done.exitCode === 0, await leftBy(done)]).toEqual([
          false,
          expect.not.stringContaining(secret.toLowerCase()),
        ]);
      }
    },
  );
});

describe('a key in the data', () => {
  it.each([
    ['user', 'get', 'KEY'],
    ['folder', 'exists', 'KEY', '--bogus'],
    ['user', 'list', '--id', 'KEY'],
    ['email', 'create', '--html-file', 'KEY'],
    ['dnc', 'add', 'KEY', '--yes'],
  ])('is not repeated by svc %s %s …', async (...argv) => {
    for (const key of [SHAPES['a company key'], SHAPES['a partner key']]) {
      const done = await run(
        argv.map((word) => (word === 'KEY' ? (key ?? '') : word)),
        serviceOf(await withEverything()),
      );
      expect(done.exitCode).not.toBe(0);
      expect(done.stderr).not.toContain(key);
    }
  });
});

describe('the hint', () => {
  it.each([['--api-key=x'], ['--apikey=x'], ['--password=x'], ['-kx'], ['--header=x']])(
    'says how to give a key: %s',
    async (flag) => {
      const { stderr, exitCode } = await run(['folder', 'list', flag]);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('SVC_API_KEY')]);
      expect(stderr).toContain(`has no flag ${flag.startsWith('--') ? flag.replace('=x', '') : '-k'}\n`);
    },
  );

  it.each(['--no-headers', '--keyword', '--author', '--no-key'])(
    'does not mention keys after %s, which contains none',
    async (flag) => {
      const { stderr, exitCode } = await run(['folder', 'list', flag, 'x']);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`no flag ${flag}\n`)]);
      expect(stderr).not.toContain('SVC_API_KEY');
    },
  );

  it.each([
    ['/v1/user?password=Tr0ub4dor3x', 'Tr0ub4dor3x'],
    ['/v1/folder/c4a7a29e0b6d4f13a8e95d7c2b1f6e08', 'c4a7a29e0b6d4f13a8e95d7c2b1f6e08'],
    ['/v1/folder/12345678901234567890123456789012', '12345678901234567890123456789012'],
  ])('a path with a secret is not repeated: %s', async (path, secret) => {
    const { stderr, exitCode } = await run(['api', 'DELETE', path]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('needs --yes')]);
    expect(stderr).not.toContain(secret);
  });

  it.each([
    [['folder', 'list', '--limit', 'many'], '--limit: many is not'],
    [['folder', 'list', '-o', 'jsn'], 'unknown output format jsn'],
    [['folder', 'list', '--tz', 'Europe/Lundon'], 'unknown time zone Europe/Lundon'],
    [['folder', 'list', '--timeout', '30 parsecs'], '--timeout:'],
    [['folder', 'list', '--timeout', '30x'], '--timeout: 30x has the unit x'],
    [['folder', 'list', '--retries', '1000'], '--retries: 1000 is not'],
    [['log', 'list', '--since', '2026-13-01T09:00:00Z'], '--since: 2026-13-01T09:00:00Z is'],
    [['automation', 'get', 'click:99'], 'automation click:99 not found'],
    [
      ['folder', 'list', '-o', 'jsonpath={.items[0].name}'],
      'unknown output format jsonpath={.items[0].name}',
    ],
    [['api', 'DELETE', '/v1/folder/1'], 'to DELETE /v1/folder/1 needs --yes'],
    [['api', 'DELETE', '/v1/emailMessage/12?force=true'], 'to DELETE /v1/emailMessage/12?force=true needs'],
    [['folder', 'list', '--with-all-subscription-counts'], 'has no flag --with-all-subscription-counts\n'],
    [['folder', 'list', '-o', 'custom-columns-and-more'], 'unknown output format custom-columns-and-more'],
    [
      ['task', 'list', '--sort', 'number-of-recipients-left'],
      'cannot sort task by number_of_recipients_left',
    ],
    [['api', 'DELETE', '/v1/folder/12345678901234567890'], 'to DELETE /v1/folder/12345678901234567890 needs'],
    [['folder', 'lst'], 'has no lst'],
    [['foldr'], 'there is no command foldr'],
    [['user', 'get', 'ada.lovelace2'], 'ada.lovelace2'],
    [['email', 'create', '--html-file', 'spring-2026/index.html'], 'cannot read spring-2026/index.html'],
  ])('a text that cannot be a secret is repeated: %j', async (argv, words) => {
    const { stderr } = await run(argv, serviceOf(await withEverything()));
    expect(stderr).toContain(words);
  });
});

describe('the body of a user', () => {
  const PASSWORD = 'Tr0ub4dor&3x!';
  const wire = (body: object): string => JSON.stringify({ firstname: 'A', ...body });
  const echo: Transport = async ({ method, body }) => ({
    status: method === 'GET' ? 404 : 400,
    headers: {},
    body: JSON.stringify({
      status: 'error',
      response: {
        code: method === 'GET' ? 404 : 400,
        subcode: null,
        message: `no: ${body}`,
        additional_information: body,
      },
    }),
  });

  it.each<[string, readonly string[]]>([
    ['svc api --dry-run', ['api', 'POST', '/v1/user', '--data', wire({ password: PASSWORD }), '--dry-run']],
    [
      'svc api --dry-run, misspelt',
      ['api', 'POST', '/v1/user', '--data', wire({ passwrd: PASSWORD }), '--dry-run'],
    ],
    [
      'svc api --dry-run, no JSON',
      ['api', 'POST', '/v1/user', '--data', `password=${PASSWORD}`, '--dry-run'],
    ],
    [
      'svc api --dry-run, nested',
      ['api', 'POST', '/v1/x', '--data', `{"a":[{"password":"${PASSWORD}"}]}`, '--dry-run'],
    ],
    ['svc api', ['api', 'POST', '/v1/user', '--data', wire({ password: PASSWORD })]],
    ['svc api, misspelt', ['api', 'PUT', '/v1/user/2', '--data', wire({ passwrd: PASSWORD }), '--debug']],
    ['user create, misspelt', ['user', 'create', '--data', wire({ passwrd: PASSWORD })]],
    ['user create --no-validate', ['user', 'create', '--data', wire({ passwrd: PASSWORD }), '--no-validate']],
    [
      'user create --no-validate --debug',
      ['user', 'create', '--data', wire({ password: PASSWORD }), '--no-validate', '--debug'],
    ],
    ['user update --dry-run', ['user', 'update', '2', '--data', wire({ password: PASSWORD }), '--dry-run']],
  ])('%s neither shows nor stores the password', async (_, argv) => {
    for (const { transport } of [serviceOf(await withEverything()), { transport: echo }]) {
      const done = await run(argv, { transport });
      // `svc api` prints the service's text unchanged, including any text that the service repeats.
      const stdout = argv[0] === 'api' && !argv.includes('--dry-run') ? '' : done.stdout;
      expect(await leftBy({ ...done, stdout })).not.toContain(PASSWORD.toLowerCase());
    }
  });

  it('a dry run shows values that are not secret', async () => {
    const { stdout } = await run(
      [
        'api',
        'POST',
        '/v1/user',
        '--data',
        wire({ password: PASSWORD, username: 'ada' }),
        '--dry-run',
        '-o',
        'json',
      ],
      serviceOf(await withEverything()),
    );
    expect(stdout).toContain('ada');
    expect(stdout).toContain('********');
    const folders = await run([
      'api',
      'POST',
      '/v1/folder',
      '--data',
      '{"name": "News"}',
      '--dry-run',
      '-o',
      'json',
    ]);
    expect(JSON.parse(folders.stdout).body).toEqual({ name: 'News' });
  });

  it('the journal has no password under the attribute names of a deployment', async () => {
    const { transport } = serviceOf(await withEverything());
    const add = [
      'profile',
      'add',
      'prod',
      '--base-url',
      'https://api.example.com',
      '--company',
      '1',
      '--user',
      '1',
    ];
    const env = {
      SVC_API_KEY: undefined,
      SVC_COMPANY_ID: undefined,
      SVC_USER_ID: undefined,
      SVC_BASE_URL: undefined,
    };
    await run([...add, '--no-check', '--api-key-stdin'], { stdin: 'c0ffee00c0ffee00c0ffee00c0ffee00', env });
    expect((await run(['profile', 'set', 'prod', 'naming.fields.password', 'pwd'], { env })).exitCode).toBe(
      0,
    );
    const argv = [
      '--profile',
      'prod',
      'api',
      'PUT',
      '/v1/user/2',
      '--data',
      JSON.stringify({ pwd: PASSWORD, firstname: 'Bo' }),
    ];
    for (const flags of [[], ['--dry-run']]) {
      const done = await run([...argv, ...flags], { transport, env });
      expect(await leftBy({ ...done, stdout: flags.length === 0 ? '' : done.stdout })).not.toContain(
        PASSWORD.toLowerCase(),
      );
    }
    const journal = await readFile(join(folder, 'state', 'journal', 'journal.ndjson'), 'utf8');
    expect(JSON.parse(journal.split('\n')[0] ?? '').sent).toEqual({ password: '********', firstname: 'Bo' });
  });
});

/** Returns each flag whose value is a choice, once, with the example of a verb that has it. */
async function choosingFlags(): Promise<readonly [readonly string[], string][]> {
  const found = new Map<string, [readonly string[], string]>();
  for (const flag of globalFlags)
    if (flag.value !== undefined) found.set(flag.name, [['folder', 'list'], flag.name]);
  for (const entry of topLevelCommandEntries) {
    if (entry.name === 'demo' || entry.name === 'init') continue;
    for (const verb of verbsOf(await entry.load())) {
      for (const { name, value = 'file', group, describe: about } of verb.flags) {
        if (group !== 'Options' || ['file', 'dir'].includes(value)) continue;
        found.set(`${name}: ${about}`, [argvOf(verb.example), name]);
      }
    }
  }
  return [...found.values()];
}

const verbsOf = (command: Verb | Group): readonly Verb[] =>
  isGroup(command) ? command.commands.flatMap(verbsOf) : [command];

/** Splits an example as a shell does: quotes keep words together. */
const argvOf = (line: string): readonly string[] =>
  [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, one, two, bare]) => one ?? two ?? bare ?? '');
