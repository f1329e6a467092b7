/** Contract, "Assistants": `agent setup`. The fixtures have the forms of the pages that clients.test.ts names. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commandToStartSvc } from '../../../../src/cli/outside/own-program.ts';
import { openProfileStore } from '../../../../src/client/profiles/store.ts';
import { COMPANY, COMPANY_KEY } from '../../../support/profiles.ts';
import { NOBODY, type Outside, runCli } from '../../../support/run-cli.ts';
import { makeNullDevice } from '../../../support/special-files.ts';
import { makeTemporaryFolder, removeFolder } from '../../../support/temporary-folder.ts';

let home: string;
let work: string;
beforeEach(async () => {
  home = await makeTemporaryFolder('agent-setup');
  work = join(home, 'campaigns');
  mkdirSync(work);
  const configDir = join(home, '.config/svc');
  const store = openProfileStore({ configDir, platform: 'linux' });
  await store.save(COMPANY, { makeDefault: true });
  await store.save(
    {
      ...COMPANY,
      name: 'sandbox',
      baseUrl: 'http://127.0.0.1:4010',
      sandbox: { dataDir: join(home, 'data'), controlToken: 'token-canary' },
    },
    { makeDefault: false },
  );
});
afterEach(() => removeFolder(home));

const outside = (more: Outside = {}): Outside => ({
  cwd: work,
  homeDir: home,
  ...more,
  env: { ...NOBODY, SVC_CONFIG_DIR: undefined, ...more.env },
});
const setup = (words: string, more?: Outside) =>
  runCli(['agent', 'setup', ...words.split(' ').filter((word) => word !== '')], outside(more));
const rowsOf = async (words: string, more?: Outside) =>
  JSON.parse((await setup(`${words} -o json`, more)).stdout);

const FILES = {
  'claude-desktop': '.config/Claude/claude_desktop_config.json',
  'claude-code': '.claude.json',
  cursor: '.cursor/mcp.json',
  vscode: '.config/Code/User/mcp.json',
  windsurf: '.codeium/windsurf/mcp_config.json',
  codex: '.codex/config.toml',
} as const;
const at = (client: keyof typeof FILES): string => join(home, FILES[client]);
const textOf = (client: keyof typeof FILES): string => readFileSync(at(client), 'utf8');

/** A file as a user of the client has it, with a server that is not ours and a key that nobody may see. */
const SECRET = 'secret-canary-of-another-server';
const JSON_SERVERS = `{
  "mcpServers": {
    "files": {
      "command": "npx",
      "args": ["-y", "a-server", "/home/ada"],
      "env": { "API_KEY": "${SECRET}" }
    }
  },
  "theme": "dark"
}
`;
const FIXTURES: Readonly<Record<keyof typeof FILES, string>> = {
  'claude-desktop': JSON_SERVERS,
  'claude-code': `{"numStartups": 3, "projects": {"/home/ada/x": {"mcpServers": {}}}, "oauth": "${SECRET}"}\n`,
  cursor: JSON_SERVERS,
  vscode: `{
  // The key is asked for once.
  "inputs": [{ "type": "promptString", "id": "key", "password": true }],
  "servers": {
    "memory": { "type": "stdio", "command": "npx", "args": ["-y", "memory"], }, // local
  },
}
`,
  windsurf: JSON_SERVERS,
  codex: `model = "o3" # mine\n\n[mcp_servers.context7]\ncommand = "npx"\nenv = { KEY = "${SECRET}" }\n`,
};

function install(client: keyof typeof FILES, text: string = FIXTURES[client]): void {
  mkdirSync(dirname(at(client)), { recursive: true });
  writeFileSync(at(client), text);
}
const installAll = (): void => {
  for (const client of Object.keys(FILES)) install(client as keyof typeof FILES);
};

const { program, firstArgs } = commandToStartSvc();
const ENTRY = () => ({
  command: program,
  args: [...firstArgs, 'mcp', '--profile', 'sandbox', '--sandbox-only', '--dir', work],
});
const ADD = '--profile sandbox --sandbox-only --yes';

describe('adding', () => {
  it('adds svc to each client in its form, and keeps everything else', async () => {
    installAll();
    const done = await setup(`${ADD} -o json`);
    expect([done.exitCode, done.stderr]).toEqual([0, expect.stringContaining('Restart Claude Desktop')]);
    expect(JSON.parse(done.stdout)).toEqual(
      Object.keys(FILES).map((client) => ({
        client,
        change: 'added',
        file: at(client as keyof typeof FILES),
      })),
    );
    for (const client of ['claude-desktop', 'cursor', 'windsurf'] as const) {
      const { mcpServers, ...rest } = JSON.parse(textOf(client));
      expect(mcpServers).toEqual({ ...JSON.parse(JSON_SERVERS).mcpServers, svc: ENTRY() });
      expect(rest).toEqual({ theme: 'dark' });
    }
    const { mcpServers: ofCode, ...others } = JSON.parse(textOf('claude-code'));
    expect(ofCode).toEqual({ svc: { type: 'stdio', ...ENTRY() } });
    expect(others).toEqual(JSON.parse(FIXTURES['claude-code']));
    expect(textOf('vscode')).toContain('// The key is asked for once.\n');
    expect(textOf('vscode')).toContain('"memory"], }, // local\n    "svc": {\n      "type": "stdio",\n');
    expect(textOf('codex').startsWith(FIXTURES.codex)).toBe(true);
    expect(parseToml(textOf('codex'))).toMatchObject({ mcp_servers: { svc: ENTRY() } });
  });

  it('shows each file and change, but no value of others and no key', async () => {
    installAll();
    const { stdout, stderr } = await setup(ADD);
    for (const client of Object.keys(FILES)) expect(stderr).toContain(at(client as keyof typeof FILES));
    expect(stderr).toContain('"mcpServers": "svc":\n  + "command": ');
    expect(stderr).toContain('[mcp_servers.svc]\n  + command = ');
    const written = Object.keys(FILES).map((client) => textOf(client as keyof typeof FILES));
    for (const secret of [SECRET, COMPANY_KEY]) expect(stdout + stderr).not.toContain(secret);
    expect(written.join('')).not.toContain(COMPANY_KEY);
  });

  it('changes nothing the second time, and says so', async () => {
    installAll();
    await setup(ADD);
    const before = Object.keys(FILES).map((client) => textOf(client as keyof typeof FILES));
    const again = await setup(`${ADD.replace('--yes', '')} -o json`);
    expect([again.exitCode, again.stderr]).toEqual([0, 'Nothing to change.\n']);
    expect(JSON.parse(again.stdout).map(({ change }: { change: string }) => change)).toEqual(
      Array(6).fill('unchanged'),
    );
    expect(Object.keys(FILES).map((client) => textOf(client as keyof typeof FILES))).toEqual(before);
  });

  it('changes an older entry in place, and shows what was there', async () => {
    install('cursor');
    await setup(ADD);
    const { stderr } = await setup('--profile prod --yes');
    expect(stderr).toMatch(/ {2}- "args": .*"--sandbox-only".*\n {2}\+ "args": .*"prod","--dir"/);
    expect(await rowsOf('--status --client cursor')).toMatchObject([{ configured: true, profile: 'prod' }]);
  });

  it('makes a missing file only for a client that is installed or named', async () => {
    mkdirSync(join(home, '.cursor'));
    await setup(ADD);
    expect(Object.keys(FILES).filter((client) => existsSync(at(client as keyof typeof FILES)))).toEqual([
      'cursor',
    ]);
    expect(statSync(at('cursor')).mode & 0o777).toBe(0o600);
    await setup(`${ADD} --client codex --client vscode`);
    expect(parseToml(textOf('codex'))).toEqual({ mcp_servers: { svc: ENTRY() } });
    expect(existsSync(at('windsurf'))).toBe(false);
  });

  it('asks once on a terminal, and writes nothing after a no', async () => {
    installAll();
    const no = await setup('--profile sandbox --sandbox-only', { tty: true, answers: [false] });
    expect([no.exitCode, no.questions.length]).toEqual([2, 1]);
    expect(textOf('cursor')).toBe(FIXTURES.cursor);
    const yes = await setup('--profile sandbox --sandbox-only', { tty: true, answers: [true] });
    expect([yes.exitCode, yes.questions]).toEqual([
      0,
      [expect.stringContaining('add svc to Claude Desktop, ')],
    ]);
  });

  it('needs --yes without a terminal, and writes nothing in a dry run', async () => {
    installAll();
    expect(await setup('--profile sandbox')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--yes'),
    });
    const { exitCode, stdout, stderr } = await setup('--profile sandbox --dry-run');
    expect([exitCode, stdout + stderr]).toEqual([
      0,
      expect.stringContaining(`change ${at('claude-desktop')}`),
    ]);
    for (const client of Object.keys(FILES) as (keyof typeof FILES)[])
      expect(textOf(client)).toBe(FIXTURES[client]);
  });
});

describe('the entry', () => {
  it('has the profile of SVC_PROFILE, and none if only the default is meant', async () => {
    install('cursor');
    await setup('--yes', { env: { SVC_PROFILE: 'sandbox' } });
    expect(await rowsOf('--status --client cursor')).toMatchObject([{ profile: 'sandbox' }]);
    await setup('--yes');
    expect(await rowsOf('--status --client cursor')).toMatchObject([{ configured: true, profile: null }]);
    expect(textOf('cursor')).not.toContain('--profile');
  });

  it('gets advice about a profile that may write', async () => {
    install('cursor');
    expect((await setup('--yes')).stderr).toContain('svc profile set prod read-only true');
    expect((await setup(ADD)).stderr).not.toContain('read-only');
  });

  it.each([
    ['an unknown profile', '--profile nobody', 'no profile nobody'],
    ['a profile that is no sandbox', '--sandbox-only --profile prod', 'prod is not a sandbox'],
    ['an unknown client', '--client emacs', 'claude-desktop, claude-code, cursor, vscode, windsurf, codex'],
    ['two wishes', '--status --remove', 'cannot combine'],
  ])('is refused for %s', async (_, words, message) => {
    install('cursor');
    const { exitCode, stderr } = await setup(`${words} --yes`);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(textOf('cursor')).toBe(FIXTURES.cursor);
  });

  it('is refused in the home folder, where svc mcp would not start', async () => {
    install('cursor');
    const { exitCode, stderr } = await setup(ADD, { cwd: home });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('in the folder of your campaign files')]);
  });

  it('is refused without a client', async () => {
    expect(await setup(ADD)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--client') });
  });
});

describe('removing', () => {
  it('takes out only the entry of svc', async () => {
    installAll();
    await setup(ADD);
    expect((await rowsOf('--remove --yes')).map(({ change }: { change: string }) => change)).toEqual(
      Array(6).fill('removed'),
    );
    for (const client of ['claude-desktop', 'cursor', 'windsurf', 'codex'] as const)
      expect(textOf(client)).toBe(FIXTURES[client]);
    expect(JSON.parse(textOf('claude-code'))).toEqual({
      ...JSON.parse(FIXTURES['claude-code']),
      mcpServers: {},
    });
    expect(textOf('vscode')).toBe(FIXTURES.vscode);
    expect(await setup('--remove')).toMatchObject({ exitCode: 0, stderr: 'Nothing to change.\n' });
  });

  it('leaves a server of the same name that is not svc mcp, which setup refuses to replace', async () => {
    const text = '{"mcpServers": {"svc": {"command": "other", "args": ["serve"]}}}';
    install('cursor', text);
    expect(await setup('--remove --yes')).toMatchObject({ exitCode: 0, stderr: 'Nothing to change.\n' });
    expect(await setup(ADD)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(at('cursor')) });
    expect(textOf('cursor')).toBe(text);
  });
});

describe('the status', () => {
  it('is a row for each client, as a table and as JSON', async () => {
    install('cursor');
    install('windsurf', 'not JSON');
    await setup(`${ADD} --client cursor`);
    const { exitCode, stdout, stderr } = await setup('--status -o json');
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining(at('windsurf'))]);
    const unset = { found: false, configured: false, profile: null };
    const found: Readonly<Record<string, object>> = {
      cursor: { found: true, configured: true, profile: 'sandbox' },
      windsurf: { found: true, configured: null, profile: null },
    };
    expect(JSON.parse(stdout)).toEqual(
      Object.entries(FILES).map(([client, file]) => ({
        client,
        ...unset,
        ...found[client],
        file: join(home, file),
      })),
    );
    expect((await setup('--status')).stdout).toMatch(/^CLIENT +FOUND +CONFIGURED +PROFILE +FILE\n/);
    expect((await setup('--status')).stdout).toMatch(/\ncursor +yes +yes +sandbox +\//);
  });
});

describe('a file that svc must not touch', () => {
  it.each([
    ['is not JSON', 'cursor', '{"mcpServers": '],
    ['has comments where the client reads none', 'claude-desktop', '{} // mine'],
    ['is not TOML', 'codex', 'model = \n'],
    ['is not UTF-8', 'windsurf', Buffer.from([0x7b, 0xff, 0x7d])],
  ] as const)('%s: exit 2 names it, and no other file is changed', async (_, client, content) => {
    installAll();
    writeFileSync(at(client), content);
    const { exitCode, stderr } = await setup(ADD);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(at(client))]);
    expect(readFileSync(at(client))).toEqual(Buffer.from(content));
    const others = (Object.keys(FILES) as (keyof typeof FILES)[]).filter((each) => each !== client);
    for (const each of others) expect(textOf(each)).toBe(FIXTURES[each]);
    expect((await setup(`${ADD} --client ${others[0]}`)).exitCode).toBe(0);
  });

  it('is a device or a folder', async () => {
    mkdirSync(at('cursor'), { recursive: true });
    expect(await setup(ADD)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(at('cursor')) });
    mkdirSync(dirname(at('windsurf')), { recursive: true });
    if (!makeNullDevice(at('windsurf'))) return;
    expect(await setup(`${ADD} --client windsurf`)).toMatchObject({ exitCode: 2 });
    expect(lstatSync(at('windsurf')).isCharacterDevice()).toBe(true);
  });

  it('is in a home that cannot be written: the error names it', async () => {
    const state = { SVC_STATE_DIR: join(home, 'state'), SVC_CONFIG_DIR: join(home, '.config/svc') };
    const done = await setup(`${ADD} --client cursor`, { homeDir: '/proc', env: state });
    expect([done.exitCode, done.stderr]).toEqual([1, expect.stringContaining('/proc/.cursor')]);
  });

  it.skipIf(process.getuid?.() === 0)('is in a read-only folder: the error names it', async () => {
    install('cursor');
    chmodSync(dirname(at('cursor')), 0o500);
    const { exitCode, stderr } = await setup(ADD);
    chmodSync(dirname(at('cursor')), 0o700);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining(`cannot write ${at('cursor')}: permission denied`),
    ]);
    expect(readdirSync(dirname(at('cursor')))).toEqual(['mcp.json']);
  });
});

describe('a file of the user', () => {
  it('keeps its mode', async () => {
    install('cursor');
    for (const mode of [0o644, 0o600, 0o664]) {
      chmodSync(at('cursor'), mode);
      await setup(ADD);
      await setup('--remove --yes');
      expect(statSync(at('cursor')).mode & 0o777).toBe(mode);
    }
  });

  it('stays a link, and the file that it names is changed', async () => {
    const real = join(home, 'dotfiles.json');
    writeFileSync(real, JSON_SERVERS);
    mkdirSync(dirname(at('cursor')));
    symlinkSync('../dotfiles.json', at('cursor'));
    expect((await setup(ADD)).exitCode).toBe(0);
    expect(readlinkSync(at('cursor'))).toBe('../dotfiles.json');
    expect(JSON.parse(readFileSync(real, 'utf8')).mcpServers.svc).toEqual(ENTRY());
    symlinkSync('nowhere', join(home, '.claude.json'));
    expect(await setup(`${ADD} --client claude-code`)).toMatchObject({ exitCode: 2 });
  });

  it('keeps its byte order mark', async () => {
    install('cursor', `\ufeff${JSON_SERVERS}`);
    await setup(ADD);
    expect(textOf('cursor').startsWith('\ufeff{\n')).toBe(true);
    expect(JSON.parse(textOf('cursor').slice(1)).mcpServers.svc).toEqual(ENTRY());
  });

  it('is whole after several runs at once', async () => {
    installAll();
    const runs = await Promise.all(Array.from({ length: 6 }, () => setup(`${ADD} -o json`)));
    expect(runs.map(({ exitCode }) => exitCode)).toEqual(Array(6).fill(0));
    expect(JSON.parse(textOf('cursor')).mcpServers).toEqual({
      ...JSON.parse(JSON_SERVERS).mcpServers,
      svc: ENTRY(),
    });
    expect(textOf('codex').split('[mcp_servers.svc]')).toHaveLength(2);
    expect(readdirSync(join(home, '.local/state/svc'))).toEqual([]);
    expect(readdirSync(join(home, '.cursor'))).toEqual(['mcp.json']);
  });

  it('keeps what its client wrote while a person read the question', async () => {
    install('cursor');
    const { exitCode } = await setup('--profile sandbox --sandbox-only', {
      tty: true,
      answers: [true],
      onQuestion: async () => writeFileSync(at('cursor'), '{"mcpServers": {"fresh": {}}}'),
    });
    expect(exitCode).toBe(0);
    expect(JSON.parse(textOf('cursor'))).toEqual({ mcpServers: { fresh: {}, svc: ENTRY() } });
  });
});
