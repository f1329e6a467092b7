/**
 * The first commands of people with the habits of gh, stripe, resend, aws and kubectl. Each one works as intended, or one line says what
 * to type. Contract, "Numbers, ids and names, once more": an unknown word is exit 2, also with --help.
 */
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DemoService, openDemoService } from '../../support/demo-service.ts';
import { COMPANY_KEY } from '../../support/profiles.ts';
import { NOBODY, type Run, runCli } from '../../support/run-cli.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

let demo: DemoService;
beforeAll(async () => {
  demo = await openDemoService();
});

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

const svc = (line: string, more: Parameters<typeof runCli>[1] = {}): Promise<Run> =>
  runCli(argvOf(line), { transport: demo.transport, env: demo.admin, ...more });

/** Splits a line at blanks outside quotes. */
const argvOf = (line: string): readonly string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

/** Removes the path of the journal, which `doctor` names, because each run has a separate folder. */
const withoutState = (run: Run): Run => ({
  ...run,
  stdout: run.stdout.replace(/svc-state-\w+/g, 'state'),
});

describe('a command in the words of another tool', () => {
  it.each([
    ['task view 1', 'task get 1'],
    ['task show 1', 'task get 1'],
    ['task describe 1', 'task get 1'],
    ['get task 1', 'task get 1'],
    ['describe task 1', 'task get 1'],
    ['get tasks 1', 'task get 1'],
    ['get tasks', 'task list'],
    ['tasks', 'task list'],
    ['rules', 'automation list'],
    ['folders -o json', 'folder list -o json'],
    ['tasks --limit 2', 'task list --limit 2'],
    ['get tasks --limit 2', 'task list --limit 2'],
    ['tasks --help', 'task --help'],
    ['tasks get 1', 'task get 1'],
    ['log --limit 2', 'log list --limit 2'],
    ['log --since 2d --failed', 'log list --since 2d --failed'],
    ['get tasks -o json', 'task list -o json'],
    ['list folders', 'folder list'],
    ['folder ls', 'folder list'],
    ['folders list', 'folder list'],
    ['emails list', 'email list'],
    ['emailMessage list', 'email list'],
    ['rules ls', 'automation list'],
    ['doNotContact list', 'dnc list'],
    ['folder edit 2 --name X --dry-run', 'folder update 2 --name X --dry-run'],
    ['folder rename 2 --name X --dry-run', 'folder update 2 --name X --dry-run'],
    ['folder rm 2 --dry-run', 'folder delete 2 --dry-run'],
    ['delete folder 2 --dry-run', 'folder delete 2 --dry-run'],
    ['dnc delete 1 --id 1 --dry-run', 'dnc remove 1 --id 1 --dry-run'],
    ['automation disable click:1 --dry-run', 'automation pause click:1 --dry-run'],
    ['task list -o=json', 'task list -o json'],
    ['task list --json id,name', 'task list --json --fields id,name'],
    ['task list --json=id,name', 'task list --json --fields id,name'],
    ['task list --json id', 'task list --json --fields id'],
    ['task get --json id,name 1', 'task get 1 --json --fields id,name'],
    ['task list -o wide', 'task list -o table --wide'],
    ['task list -o=wide', 'task list --wide -o table'],
    ['task list -L 2', 'task list --limit 2'],
    ['task list -q', 'task list --quiet'],
    ['folder rm 2 -y --dry-run', 'folder delete 2 --yes --dry-run'],
    ['folder create --name X --dry-run=client', 'folder create --name X --dry-run'],
    ['api /v1/folder', 'api GET /v1/folder'],
    ['whoami', 'user whoami'],
    ['status', 'doctor'],
    ['auth status', 'doctor'],
    ['version', '--version'],
    ['-v', '--version'],
    ['task help', 'task --help'],
    ['task help create', 'task create --help'],
    ['help task create', 'task create --help'],
    ['get task --help', 'task get --help'],
    ['logs --help', 'log --help'],
  ])('svc %s is svc %s', async (typed, meant) => {
    const [run, expected] = [await svc(typed), await svc(meant)].map(withoutState);
    expect(run).toEqual(expected);
    expect(run?.stderr).not.toMatch(/there is no|has no/);
  });

  it.each([
    ['config --list', 'profile list'],
    ['config view', 'profile list'],
    ['config use-context second', 'profile use second'],
    ['auth switch second', 'profile use second'],
    ['config current-context', 'profile show'],
  ])('svc %s is svc %s', async (typed, meant) => {
    const outcome = async (line: string) => svc(line, { env: await makeProfiles() });
    const [run, expected] = [await outcome(typed), await outcome(meant)];
    expect(run.exitCode).toBe(0);
    expect(withoutFolder(run)).toEqual(withoutFolder(expected));
  });

  it.each(['login', 'auth login', 'configure', 'setup'])('svc %s is svc init', async (typed) => {
    const outcome = async (line: string) => withoutFolder(await svc(line, { env: NOBODY }));
    expect(await outcome(typed)).toEqual(await outcome('init'));
    expect((await outcome(typed)).exitCode).toBe(2);
  });

  it.each([
    ["task list --sort id --jq '.[0].id'", '1\n'],
    ["automation list --jq '.[0].id'", '1\n'],
    ['task get 1 --jq .name', 'Espresso guide to espresso drinkers\n'],
    ["folder list --jq '.[].name'", 'Customers\nEvents\n'],
    ["folder list --json id,name --jq '.[0]'", '{"id":1,"name":"Customers"}\n'],
    ["folder list --jq '.[] | .id'", '1\n2\n'],
    ["folder list --jq '.[-1].id'", '2\n'],
    ["folder list --jq '.[0].nosuch'", 'null\n'],
    ["folder list --jq 'map(select(.id > 1)) | length'", '1\n'],
    ["folder list --jq '.[-1].name' -o jsonl", 'Events\n'],
    ['folder list -o jsonl --fields id', '{"id":1}\n{"id":2}\n'],
    ["folder list --query '[?name==`Events`].id' -o jsonl", '2\n'],
    ["api GET /v1/folder --jq '.response.data[1].name'", 'Events\n'],
  ])('svc %s prints the same as gh', async (typed, stdout) => {
    expect(await svc(typed)).toMatchObject({ exitCode: 0, stdout });
  });
});

describe('a command that cannot work', () => {
  it.each([
    ['auth', 'there is no command auth', 'to set up a profile, and check it, run svc init'],
    ['auth logout', 'there is no command auth', 'svc profile remove NAME'],
    ['browse', 'there is no command browse', 'svc email preview ID'],
    ['open', 'there is no command open', 'svc email preview ID'],
    ['trigger', 'there is no command trigger', 'svc sandbox event'],
    ['listen', 'there is no command listen', 'svc sandbox outbox list'],
    ['broadcasts', 'there is no command broadcasts', 'svc task list'],
    ['campaigns', 'there is no command campaigns', 'svc task list'],
    ['contacts', 'there is no command contacts', 'svc sandbox subscriber list'],
    ['apply -f file.yaml', 'svc apply has no flag -f', 'write the file without a flag: svc apply file.yaml'],
    [
      'dnc add --phone 447700900123',
      'svc dnc add has no flag --phone',
      'write the address without a flag: svc dnc add 447700900123',
    ],
    ['get', 'there is no command get', 'svc task list'],
    ['nosuch', 'there is no command nosuch', 'svc --help'],
    ['help nosuch', 'there is no command nosuch', 'svc --help'],
    ['task help nosuch', 'svc task has no nosuch', 'it has list, get'],
    ['auth switch', 'svc profile use needs a name', 'see svc profile use --help'],
    ['task list --output text', 'unknown output format text', 'did you mean tsv?'],
    ['task list --max-items 5', 'svc task list has no flag --max-items', 'write --limit'],
    ['folder list --format json', 'svc folder list has no flag --format', 'write -o json'],
    ['task watch 1 -w', 'svc task watch has no flag -w', 'svc task watch ID'],
    [
      'folder create New',
      'svc folder create needs the flag --name before New',
      'write svc folder create --name New',
    ],
    [
      'folder rename 2 New',
      'svc folder update needs the flag --name before New',
      'svc folder update 2 --name New',
    ],
    ['folder 1', 'svc folder has no 1', 'run svc folder get 1'],
    ['task delete 1', 'svc task has no delete', 'run svc task cancel 1'],
    ['delete task 1', 'svc task has no delete', 'run svc task cancel 1'],
    ['sms create', 'svc sms has no create', 'svc sms send'],
    ['folder list --json -o csv', 'cannot combine --json with -o csv', 'leave out --json or -o'],
    ['folder create --name X --dry-run=server', '--dry-run has no modes', 'write --dry-run without a value'],
    ["task list --jq 'map(.id'", '--jq: syntax error, unexpected end of file', 'jqlang.org/manual'],
    ["task list --jq .id --query '[0]'", 'cannot combine --jq with --query', ''],
    ['task list --jq .name', '--jq: Cannot index array with string ("name")', 'add --jq .'],
    ["task list --jq '.[0].name[]'", '--jq: Cannot iterate over string', 'add --jq .'],
    ['api /v1/folder --data {}', '--data needs a method', 'svc api POST /v1/folder --data'],
    ['api folder', 'svc api needs a path', 'svc api GET /v1/folder'],
    ['api POST', 'svc api needs a path', 'svc api GET /v1/folder'],
  ])('svc %s gets one line that says what to type', async (typed, message, hint) => {
    const run = await svc(typed);
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain(message);
    expect(run.stderr).toContain(hint);
  });

  it('asks before a delete whose words are in another order', async () => {
    const run = await svc('delete folder 2');
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain('to delete folder 2 needs --yes; nothing was sent');
  });

  it('does not read a word as an attribute if it may be the name of a record', async () => {
    const run = await svc('folder get --json Customers');
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(run.stdout)).toMatchObject({ id: 1, name: 'Customers' });
  });

  it('does not repeat a word that may be a key', async () => {
    const key = 'c0ffee00c0ffee00c0ffee00c0ffee00';
    for (const line of [`folder create ${key}`, key, `folder ${key}`, `api ${key}`])
      expect((await svc(line)).stderr).not.toContain(key);
  });
});

/** Makes two profiles in a separate folder, which the returned environment names. */
async function makeProfiles(): Promise<Readonly<Record<string, string | undefined>>> {
  const folder = await makeTemporaryFolder('profiles');
  folders.push(folder);
  const env = { ...NOBODY, SVC_CONFIG_DIR: folder };
  for (const name of ['first', 'second']) {
    const values = [
      '--base-url',
      'https://api.example.com',
      '--company',
      '1',
      '--user',
      '1',
      '--api-key-stdin',
    ];
    await runCli(['profile', 'add', name, ...values, '--no-check'], { env, stdin: COMPANY_KEY });
  }
  return env;
}

/** Removes the folder of the profiles, because each run has a separate one. */
const withoutFolder = ({ stdout, stderr, exitCode }: Run) => ({
  stdout: stdout.replaceAll(/\S*svc-profiles-\S*/g, ''),
  stderr: stderr.replaceAll(/\S*svc-profiles-\S*/g, ''),
  exitCode,
});
