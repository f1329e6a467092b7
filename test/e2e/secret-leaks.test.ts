/**
 * Acceptance, S1, with real processes. No key appears in a command line that other users can read (`/proc/PID/cmdline`), in any output,
 * or in a file that is not made for keys. The commands that serve, ask or start others are included: `sandbox`, `demo`, `init` and `mcp`.
 * `test/cli/secret-leaks.test.ts` has all others.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { builtSvc } from '../support/built-package.ts';
import { tried } from '../support/depth.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

const SERVICE_KEY = '5ec2e7c0ffee5ec2e7c0ffee5ec2e7c0';
/** Files that are made for keys: the profiles, the sandbox's database with its log, and copies of it. */
const HOLDS_KEYS = /^(config\/config\.json|data\/(sandbox\.db(-wal|-shm)?|snapshots\/.*))$/;

let svc: string;
let home: string;
let seen: Set<string>;
let watch: NodeJS.Timeout;
beforeAll(async () => {
  svc = await builtSvc();
});
afterAll(() => removeFolder(dirname(svc)));
beforeEach(async () => {
  home = await makeTemporaryFolder('canary');
  await mkdir(join(home, 'tmp'));
  seen = new Set();
  watch = setInterval(() => {
    for (const line of commandLines()) seen.add(line);
  }, 10);
});
afterEach(async () => {
  clearInterval(watch);
  await run(['sandbox', 'stop', '--data', join(home, 'data')]);
  await removeFolder(home);
});

/** Returns the command lines that each process of this machine shows to every user, or none on systems other than Linux. */
function commandLines(): readonly string[] {
  return readable('/proc', (path) => readdirSync(path))
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => readable(`/proc/${pid}/cmdline`, (path) => [readFileSync(path, 'latin1')]));
}

/** A process may end while the test reads about it. */
function readable(path: string, read: (path: string) => readonly string[]): readonly string[] {
  try {
    return read(path);
  } catch {
    return [];
  }
}

const environment = (more: Readonly<Record<string, string>> = {}) => ({
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  TMPDIR: join(home, 'tmp'),
  SVC_CONFIG_DIR: join(home, 'config'),
  SVC_STATE_DIR: join(home, 'state'),
  ...more,
});

interface Said {
  readonly command: string;
  readonly text: string;
  readonly exitCode: number | undefined;
}

async function run(
  argv: readonly string[],
  more: { readonly env?: Readonly<Record<string, string>>; readonly input?: string } = {},
): Promise<Said> {
  const { all, exitCode } = await execa(process.execPath, [svc, ...argv], {
    env: environment(more.env),
    extendEnv: false,
    cwd: home,
    reject: false,
    all: true,
    ...(more.input === undefined ? { stdin: 'ignore' as const } : { input: more.input }),
  });
  return { command: argv.join(' '), text: all ?? '', exitCode };
}

it('real processes show no key in their command lines, their output and their files', async () => {
  const data = ['--data', join(home, 'data')];
  const said = [await run(['sandbox', 'start', '--detach', '--port', '0', '--seed', 'demo', ...data])];
  expect(said[0]).toMatchObject({ exitCode: 0 });
  const { profiles } = JSON.parse(await readFile(join(home, 'config', 'config.json'), 'utf8'));
  const { baseUrl, companyId, userId, apiKey } = profiles.sandbox;
  const keys = [SERVICE_KEY, ...Object.values<{ apiKey: string }>(profiles).map((each) => each.apiKey)];
  expect(new Set(keys).size).toBeGreaterThan(2);

  const variables = {
    SVC_BASE_URL: baseUrl,
    SVC_COMPANY_ID: String(companyId),
    SVC_USER_ID: String(userId),
    SVC_API_KEY: apiKey,
  };
  const wrong = { ...variables, SVC_API_KEY: SERVICE_KEY };
  const ids = ['--company', String(companyId), '--user', String(userId)];
  const profile = ['--base-url', baseUrl, ...ids, '--api-key-stdin'];
  const lines: readonly (readonly [argv: readonly string[], more?: Parameters<typeof run>[1]])[] = [
    [['init', ...profile, '--profile', 'second'], { input: `${apiKey}\n` }],
    [['init', ...profile, '--profile', 'refused'], { input: `${SERVICE_KEY}\n` }],
    [['init', '--profile', 'missing', '--no-input'], { env: { SVC_API_KEY: SERVICE_KEY } }],
    [['profile', 'add', 'third', ...profile], { input: `${apiKey}\n` }],
    [['profile', 'list', '-o', 'json']],
    [['profile', 'show', 'second', '-o', 'json']],
    [['doctor', '--debug'], { env: variables }],
    [['doctor', '--debug'], { env: wrong }],
    [['folder', 'list', '--debug', '--explain-signature'], { env: variables }],
    [['folder', 'list', '--debug', '--explain-signature', '-o', 'json'], { env: wrong }],
    [['folder', 'create', '--name', 'Canary', '--debug'], { env: variables }],
    [['log', '-o', 'json']],
    [['sandbox', 'status', ...data, '--debug']],
    [['sandbox', 'requests', ...data, '-o', 'json']],
    [['sandbox', 'clock', 'advance', '1h', ...data, '--debug']],
    [['sandbox', 'outbox', ...data]],
    [['sandbox', 'snapshot', 'save', 'one', ...data]],
    [['sandbox', 'start', '--detach', ...data]],
    [['demo', '--debug']],
    // The key is in the wrong place, where a usage error sees it.
    [['folder', 'list', `--api-key=${SERVICE_KEY}`]],
    [['folder', 'list', '--api-key', SERVICE_KEY]],
    [['init', '--api-key', SERVICE_KEY]],
    [['sandbox', 'start', `--key=${SERVICE_KEY}`]],
    [['mcp', `--api-key=${SERVICE_KEY}`]],
    [['demo', SERVICE_KEY]],
  ];
  for (const [argv, more] of lines) said.push(await run(argv, more));
  said.push(await askAssistant(variables));
  said.push(await run(['sandbox', 'stop', ...data]));

  const holds = (text: string): boolean => keys.some((key) => text.includes(key));
  expect(said.filter(({ text }) => holds(text))).toEqual([]);
  // A person who writes a key into a command line reveals it. No process of svc does so by itself.
  const byHand = new Set(lines.map(([argv]) => argv.join('\0')).filter(holds));
  // The demo has its own keys, which no one else knows.
  const looksLikeKey = (line: string): boolean => line.includes(svc) && /\b[0-9a-f]{32,}\b/.test(line);
  const shown = [...seen].filter(
    (line) => (holds(line) || looksLikeKey(line)) && ![...byHand].some((own) => line.includes(own)),
  );
  expect(shown).toEqual([]);
  if (process.platform === 'linux') expect([...seen].filter((line) => line.includes(svc))).not.toEqual([]);
  const files = await readdir(home, { recursive: true, withFileTypes: true });
  const texts = files
    .filter((entry) => entry.isFile())
    .map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      return { name: path.slice(home.length + 1), text: await readFile(path, 'latin1') };
    });
  const holding = (await Promise.all(texts)).filter(({ text }) => holds(text)).map(({ name }) => name);
  expect(holding.filter((name) => !HOLDS_KEYS.test(name))).toEqual([]);
  expect(holding).toContain('config/config.json');
  tried('S1', said.length + files.length);
});

/** Calls a few tools of `svc mcp`, one of them with a key in the wrong place. */
async function askAssistant(variables: Readonly<Record<string, string>>): Promise<Said> {
  const work = join(home, 'work');
  await mkdir(work, { recursive: true });
  const transport = new StdioClientTransport({
    command: process.execPath,
    // The home folder is no working folder of an assistant.
    args: [svc, 'mcp', '--dir', work],
    env: environment(variables),
    cwd: home,
    stderr: 'pipe',
  });
  const errors: string[] = [];
  transport.stderr?.on('data', (chunk: Buffer) => errors.push(String(chunk)));
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  const answers = [
    await client.callTool({ name: 'list_records', arguments: { noun: 'task', limit: 5 } }),
    await client.callTool({ name: 'list_records', arguments: { noun: SERVICE_KEY } }),
    await client.callTool({ name: 'list_records', arguments: { noun: 'user', limit: 5 } }),
  ];
  await client.close();
  return { command: 'mcp', text: JSON.stringify(answers) + errors.join(''), exitCode: 0 };
}
