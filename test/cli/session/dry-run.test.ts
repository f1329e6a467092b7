/**
 * Contract, "Global flags": with --dry-run nothing is written and no write is sent, whatever the verb. The example of each verb of a noun
 * runs, so a new verb needs no row here. The table has the words of each verb, and all commands besides the nouns.
 */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VerbActionKind } from '../../../src/cli/command/command.ts';
import type { WireRequest } from '../../../src/service/protocol/wire.ts';
import { withEverything } from '../../support/everything.ts';
import { type Examples, nounVerbs, openExamples } from '../../support/examples.ts';
import { registry } from '../../support/registry.ts';
import { NOBODY, type Outside, PARTNER, runCli, serviceOf, writesIn } from '../../support/run-cli.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../support/running-sandbox.ts';
import { KEYS, NOW, type TestSandbox } from '../../support/sandbox.ts';
import { makeKey } from '../../support/ssh-keys.ts';

interface Case {
  /** The arguments after the verb. */
  readonly args: readonly string[];
  /** The announced request, `METHOD /path`, or words; undefined for a command that only reads. */
  readonly would?: string | readonly string[];
  readonly exit?: number;
  readonly outside?: Outside;
}

const reads = (...args: string[]): Case => ({ args });
const would = (what: string | readonly string[], ...args: string[]): Case => ({ args, would: what });
/** Bulk work has a separate dry run, which counts rows. */
const counts = (...args: string[]): Case => ({ args });
const asPartner = (each: Case): Case => ({ ...each, outside: { env: PARTNER } });
const alone = (each: Case): Case => ({
  ...each,
  outside: { env: { ...PARTNER, SVC_COMPANY_ID: undefined } },
});
/** Runs the case with the partner profile, whose roster has one company. */
const ofRoster = (each: Case): Case => ({ ...each, outside: { env: { ...NOBODY, SVC_PROFILE: 'agency' } } });
const exits = (exit: number, each: Case): Case => ({ ...each, exit });

const INIT = ['service', 'https://api.example.com', 'company', '1', '1', KEYS.company, 'work'];

const CASES: Readonly<Record<string, readonly Case[]>> = {
  'account get': [reads()],
  'account exists': [reads()],
  'account create': [
    alone(would('POST /v1/account', '--name', 'New', '--contactemail', 'office@example.com')),
  ],
  'features get': [asPartner(reads())],
  'features set': [asPartner(would('PUT /v1/accountFeatures/1', '--list-limit', '9'))],
  'features diff': [asPartner(reads('baseline.yaml'))],
  'features apply': [asPartner(would('PUT /v1/accountFeatures/1', 'baseline.yaml'))],
  'user list': [reads()],
  'user get': [reads('1')],
  'user exists': [reads('1')],
  'user create': [
    would(
      'POST /v1/user',
      ...['--username', 'ada', '--firstname', 'Ada', '--lastname', 'B', '--email', 'a@example.com'],
      ...['--password', 'canary77'],
    ),
  ],
  'user update': [would('PUT /v1/user/2', '2', '--password', 'canary77')],
  'user delete': [would('DELETE /v1/user/3', 'sub2')],
  'user whoami': [reads()],
  'sms list': [reads()],
  'sms get': [reads('1')],
  'sms exists': [reads('1')],
  'sms send': [
    would('POST /v1/sms', '--to', '447700900123', '--from', 'Example', '--text', 'Hi', '--now'),
    would('POST /v1/sms', '--to', '447700900123', '--from', 'Example', '--text', 'Hi', '--at', '+1d'),
    counts('--file', 'sms.csv', '--from', 'Example', '--text', 'Hi', '--now'),
  ],
  'sms estimate': [reads('--text', 'Hi')],
  'sms-message list': [reads()],
  'sms-message get': [reads('Free')],
  'sms-message exists': [reads('Free')],
  'sms-message create': [would('POST /v1/smsMessage', '--name', 'A', '--from', 'Example', '--text', 'Hi')],
  'sms-message update': [would('PUT /v1/smsMessage/1', 'Free', '--text', 'Ho')],
  'sms-message delete': [would('DELETE /v1/smsMessage/1', 'Free')],
  'sms-message lint': [reads('Free')],
  'sms-destination list': [reads()],
  'sms-destination get': [reads('1')],
  'sms-destination exists': [reads('1')],
  'sms-destination update': [would('PUT /v1/smsDestination/1', '1', '--keyword', 'SALE')],
  'email list': [reads()],
  'email get': [reads('Free')],
  'email exists': [reads('Free')],
  'email create': [
    would(
      'POST /v1/emailMessage',
      ...['--name', 'A', '--subject', 'B', '--from-name', 'C', '--reply-to', 'a@example.com'],
      ...['--html', '<p>D</p>', '--text', 'D'],
    ),
    would(
      'POST /v1/emailMessage',
      ...['--name', 'A', '--subject', 'B', '--from-name', 'C', '--reply-to', 'a@example.com'],
      ...['--html', '<p>D</p>', '--text-from-html'],
    ),
  ],
  'email update': [would('PUT /v1/emailMessage/1', 'Free', '--subject', 'New')],
  'email delete': [would('DELETE /v1/emailMessage/1', 'Free')],
  'email lint': [reads('Free')],
  'email preview': [
    reads('Free'),
    would('write new.html', 'Free', '--out', 'new.html'),
    would('write new.png', 'Free', '--png', 'new.png'),
    would('show the message in the browser', 'Free', '--open'),
  ],
  'email pull': [would('write free.html, free.txt and free.svc.json', 'Free')],
  'email push': [
    would('PUT /v1/emailMessage/3', 'links-pulled.html', '--overwrite'),
    would('POST /v1/emailMessage', 'taken-pulled.html', '--overwrite'),
  ],
  'link list': [reads()],
  'link get': [reads('1')],
  'link exists': [reads('1')],
  'task list': [reads()],
  'task get': [reads('Sale')],
  'task exists': [reads('Sale')],
  'task create': [
    ['--at', '+1d'],
    ['--now'],
    ['--hold', '10m'],
    ['--at', '+1d', '--expect-size', '0..0', '--key', 'build-1'],
  ].map((flags) =>
    would('POST /v1/task', '--name', 'A', '--channel', 'email', '--message', 'Free', '--list', '1', ...flags),
  ),
  'task update': [would('PUT /v1/task/1', 'Sale', '--at', '+2d')],
  'task cancel': [would('PUT /v1/task/1', 'Sale')],
  'task undo': [would('PUT /v1/task/2')],
  'task wait': [exits(1, reads('3', '--timeout', '5s'))],
  'task watch': [reads('3')],
  'task guard': [would('PUT /v1/task/4', '4', '--max-bounce', '5%', '--then', 'cancel')],
  'task report': [reads('Sale'), would('write sale.html', 'Sale', '--html', 'sale.html')],
  'task calendar': [reads(), would('write tasks.ics', '--ics', 'tasks.ics')],
  'folder list': [reads()],
  'folder get': [reads('1')],
  'folder exists': [reads('1')],
  'folder create': [
    would('POST /v1/folder', '--name', 'New'),
    would('POST /v1/folder', '--name', 'A', '--key', 'b'),
  ],
  'folder update': [would('PUT /v1/folder/1', '1', '--name', 'Old')],
  'folder delete': [would('DELETE /v1/folder/1', '1')],
  'dnc list': [reads()],
  'dnc get': [reads('old@example.com')],
  'dnc exists': [reads('old@example.com')],
  'dnc add': [
    would('POST /v1/doNotContact', 'new@example.com'),
    would('POST /v1/doNotContact', 'example.com'),
  ],
  'dnc remove': [
    would('DELETE /v1/doNotContact', 'old@example.com'),
    would('DELETE /v1/doNotContact/1', '--id', '1'),
  ],
  'dnc check': [reads('old@example.com')],
  'dnc diff': [reads('dnc.csv')],
  'dnc import': [counts('dnc.csv')],
  'dnc export': [reads(), would('write dnc-all.csv', '--out', 'dnc-all.csv')],
  'form list': [reads()],
  'form get': [reads('1')],
  'form exists': [reads('1')],
  'form delete': [would('DELETE /v1/form/1', '1')],
  'subscriber-data list': [reads('--subscriber', '1')],
  'subscriber-data get': [reads('1_1')],
  'subscriber-data exists': [reads('1_1')],
  'subscriber-data set': [
    would('PUT /v1/subscriberProfileData', '1_1', '--value', 'green'),
    would('PUT /v1/subscriberProfileData', '2_1', '--value', 'green'),
    counts('--file', 'data.csv'),
  ],
  'subscriber-data create': [
    would('POST /v1/subscriberProfileData', '--subscriber', '1', '--field', '2', '--value', 'green'),
  ],
  'subscriber-data update': [would('PUT /v1/subscriberProfileData/1_1', '1_1', '--value', 'green')],
  'subscriber-data delete': [
    would('DELETE /v1/subscriberProfileData/1_1', '1_1'),
    would('DELETE /v1/subscriberProfileData', '--subscriber', '1'),
  ],
  'automation list': [reads()],
  'automation get': [reads('click:1')],
  'automation exists': [reads('click:1')],
  'automation create': [
    would(
      'POST /v1/dateAutomation',
      ...['--kind', 'date', '--name', 'A', '--actiontype', 'notify', '--actiontarget', 'a@example.com'],
    ),
  ],
  'automation update': [would('PUT /v1/openAutomation/1', 'open:1', '--name', 'New')],
  'automation pause': [
    would('PUT /v1/openAutomation/1', 'open:1'),
    would(['PUT /v1/clickAutomation/1'], '--kind', 'click', '--record', 'off.ndjson'),
  ],
  'automation resume': [would('PUT /v1/openAutomation/1', 'open:1'), reads('--all')],
  'automation simulate': [reads('click:1', '--at', 'now')],
  'automation graph': [reads(), reads('--format', 'mermaid')],
  'automation delete': [would('DELETE /v1/openAutomation/1', 'open:1')],
  init: [
    {
      args: ['--default'],
      would: 'save profile work in',
      outside: { tty: true, answers: INIT, env: NOBODY },
    },
    would('write AGENTS.md', '--agents'),
  ],
  'profile list': [reads()],
  'profile show': [reads('prod')],
  'profile use': [would('make other the default profile', 'other')],
  'profile add': [
    {
      args: [
        'third',
        '--base-url',
        'https://api.example.com',
        '--company',
        '1',
        '--user',
        '1',
        '--api-key-stdin',
      ],
      would: 'save profile third in',
      outside: { stdin: `${KEYS.company}\n` },
    },
  ],
  'profile remove': [would('remove profile other and its key', 'other')],
  'profile trust': [would('trust ', 'pinned')],
  'profile untrust': [would('stop trusting ', 'pinned')],
  'profile set': [would('save profile prod in', 'prod', 'tz', 'Europe/London')],
  'company list': [ofRoster(reads())],
  'company show': [ofRoster(reads('Company'))],
  'company add': [ofRoster(would('add company 2 (Other) to the company list of profile agency', '2'))],
  'company update': [
    ofRoster(would('change company 1 in the company list of profile agency', '1', '--tag', 'uk')),
  ],
  'company remove': [
    ofRoster(would('remove company 1 (Company) from the company list of profile agency', '1')),
  ],
  'company import': [ofRoster(would('add 1 company to the company list of profile agency', 'companies.csv'))],
  'company sync': [ofRoster(reads())],
  'company use': [
    ofRoster(would('make company 1 (Company) the default company of profile agency', 'Company')),
  ],
  export: [would('write exported/campaign.yaml', 'exported')],
  lint: [reads('spring.yaml')],
  'plan make': [reads('spring.yaml'), would('write spring.plan', 'spring.yaml', '--out', 'spring.plan')],
  promote: [
    reads('spring.yaml', '--from', 'prod', '--to', 'production'),
    would('write other.plan', 'spring.yaml', '--from', 'prod', '--to', 'production', '--out', 'other.plan'),
  ].map((each) => ({ ...each, outside: { env: NOBODY } })),
  apply: [reads('spring.yaml')],
  forecast: [reads()],
  next: [reads()],
  rehearse: [reads('spring.yaml'), would('write story.html', 'spring.yaml', '--html', 'story.html')],
  test: [reads('spring.test.yaml')],
  usage: [
    reads('--month', '2026-11'),
    would('write usage.html', '--month', '2026-11', '--html', 'usage.html'),
  ],
  doctor: [reads()],
  demo: [would('send a campaign in a temporary sandbox')],
  'plan show': [reads('spring.plan')],
  audit: [reads('--plans', 'spring.plan', '--signers', 'team.signers')],
  approve: [would('write spring.plan.ada.sig', 'spring.plan', '--identity', 'key', '--name', 'ada')],
  api: [
    reads('GET', '/v1/folder'),
    would('POST /v1/folder', 'POST', '/v1/folder', '--data', '{"name":"A"}'),
    would('PUT /v1/user/2', 'PUT', '/v1/user/2', '--data', '{"password":"canary77"}'),
    would(
      'DELETE /v1/doNotContact?contactdata=old%40example.com',
      'DELETE',
      '/v1/doNotContact?contactdata=old%40example.com',
    ),
  ],
  'log list': [reads()],
  'log show': [reads('1')],
  'log tail': [reads()],
  undo: [
    would(['POST /v1/doNotContact', 'POST /v1/doNotContact'], '2'),
    would('PUT /v1/task/2', '1'),
    would('PUT /v1/folder/1', '3'),
    would('DELETE /v1/doNotContact/3', '4'),
  ],
  'why email': [reads('Free')],
  'why sms-message': [reads('Free')],
  'why message': [exits(2, reads('Free'))],
  'why folder': [reads('1')],
  'why list': [reads('1')],
  'why task': [reads('Sale')],
  'why automation': [reads('open:1')],
  'why sms': [reads('1')],
  'why user': [reads('sub2')],
  'why account': [reads()],
  mcp: [reads()],
  'agent guide': [reads()],
  'agent skill': [would('write svc/references/campaign-file.md')],
  'agent setup': [
    would('change ', '--client', 'cursor', '--profile', 'prod'),
    reads('--status'),
    reads('--remove'),
  ],
  explain: [reads('task')],
  'completion install': [would('write ', 'bash')],
  'completion uninstall': [reads('bash')],
  'completion bash': [reads()],
  'completion zsh': [reads()],
  'completion fish': [reads()],
  'completion powershell': [reads()],
  'sandbox start': [would('start a sandbox in', '--port', '0'), would('start a sandbox in', '--detach')],
  'sandbox clone': [would('create a sandbox in', '--from', 'prod')],
  'sandbox stop': [would('stop the sandbox in')],
  'sandbox status': [reads()],
  'sandbox reset': [would('delete all data of the sandbox in')],
  'sandbox list create': [would('list create {"name":"A"}', '--name', 'A')],
  'sandbox list list': [reads()],
  'sandbox list delete': [would('list delete {"id":1}', '1')],
  'sandbox subscriber create': [would('subscriber create', '--list', '1', '--email', 'a@example.com')],
  'sandbox subscriber import': [
    would('subscribe the 2 rows of people.csv to list 1', '--list', '1', 'people.csv'),
  ],
  'sandbox subscriber list': [reads()],
  'sandbox field create': [would('field create', '--name', 'A')],
  'sandbox field list': [reads()],
  'sandbox search create': [would('search create', '--name', 'A', '--field', '1', '--equals', 'B')],
  'sandbox search list': [reads()],
  'sandbox destination create': [would('destination create', '--destination', '447700900124')],
  'sandbox form create': [would('form create', '--name', 'A')],
  'sandbox company list': [reads()],
  'sandbox company key': [reads('1')],
  'sandbox outbox clear': [would('outbox clear')],
  'sandbox credits set': [would('credits set', '--email', '1')],
  'sandbox sender add': [would('sender add', 'a@example.com')],
  'sandbox sender list': [reads()],
  'sandbox user restrict': [would('user restrict', '2', '--folder', '1')],
  'sandbox user unlock': [would('user unlock', 'tom')],
  'sandbox event open': [would('event open', '--message', '1', '--subscriber', '1')],
  'sandbox event click': [would('event click', '--link', '1', '--subscriber', '1')],
  'sandbox event subscribe': [would('event subscribe', '--list', '1', '--subscriber', '1')],
  'sandbox event unsubscribe': [would('event unsubscribe', '--task', '1', '--subscriber', '1')],
  'sandbox event complaint': [would('event complaint', '--task', '1', '--subscriber', '1')],
  'sandbox event bounce': [would('event bounce', '--task', '1', '--subscriber', '1')],
  'sandbox event date': [would('event date', '--rule', '1', '--subscriber', '1', '--at', '+1d')],
  'sandbox event sms-in': [would('event sms-in', '--to', '1', '--from', '2', '--text', 'A')],
  'sandbox event failed-login': [would('event failed-login', '--username', 'tom')],
  'sandbox clock show': [reads()],
  'sandbox clock set': [would('clock set', '+1d')],
  'sandbox clock advance': [would('clock advance {"seconds":86400}', '1d')],
  'sandbox clock run': [would('clock run')],
  'sandbox open': [would('open {}', '--print'), would('open {"page":"clock"}', 'clock')],
  'sandbox queue': [reads(), reads('--until', '+1d')],
  // Without a socket the response to HEAD has no framing, so that check fails.
  'sandbox conformance': [{ args: [], exit: 11 }],
  'sandbox requests': [reads(), reads('--status', '401')],
  'sandbox rule done': [reads('click:1')],
  'sandbox task show': [reads('1')],
  'sandbox task skipped': [reads('1')],
  'sandbox task clicks': [reads('2')],
  'sandbox task activity': [reads('2')],
  'sandbox subscriber history': [reads('1')],
  'sandbox outbox list': [reads(), reads('--to', 'a@example.com', '--channel', 'email')],
  'sandbox outbox show': [reads('FIRST'), reads('FIRST', '--eml')],
  'sandbox outbox export': [would('write the delivered e-mails to', '--dir', 'mails')],
  'sandbox fault set': [would('fault set', '--kind', 'error')],
  'sandbox fault list': [reads()],
  'sandbox fault clear': [would('fault clear')],
  'sandbox log list': [reads()],
  'sandbox snapshot save': [would('snapshot save', 'two')],
  'sandbox snapshot restore': [would('snapshot restore', 'one')],
  'sandbox snapshot list': [reads()],
  'sandbox token create': [
    would('token create {"name":"two","role":"outbox"}', '--name', 'two', '--role', 'outbox'),
  ],
  'sandbox token list': [reads()],
  'sandbox token revoke': [would('token revoke', 'ci')],
  'sandbox snapshot delete': [would('snapshot delete', 'one')],
};

/** The existing verbs of the program, by path. */

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let home: string;
let running: SocketSandbox;
let sandbox: TestSandbox;
let sent: readonly WireRequest[];
let outside: Outside;
/** The first e-mail in the running sandbox's outbox. */
let first: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  home = dirname(folder.path);
  running = await runSandbox(folder.path, { seed: 'demo', clock: 'manual' });
  await running.control('snapshot save', { name: 'one' });
  await running.control('token create', { name: 'ci', role: 'outbox' });
  const listed = (await running.control('outbox list')).json.data as { id: string; channel: string }[];
  first = listed.find(({ channel }) => channel === 'email')?.id ?? '';
  sandbox = await withEverything();
  const service = serviceOf(sandbox);
  sent = service.sent;
  for (const name of ['config', 'state', 'work']) mkdirSync(join(home, name), { mode: 0o700 });
  outside = {
    transport: service.transport,
    cwd: join(home, 'work'),
    env: {
      PATH: process.env['PATH'],
      SVC_CONFIG_DIR: join(home, 'config'),
      SVC_STATE_DIR: join(home, 'state'),
    },
  };
  write('dnc.csv', 'email\na@example.com\nb@example.com\n');
  write('sms.csv', 'to\n447700900123\n447700900124\n');
  write('data.csv', 'subscriber,field,value\n1,1,green\n');
  write('baseline.yaml', 'list_limit: 9\n');
  writePulled('links-pulled', '3');
  writePulled('taken-pulled', '2');
  write('companies.csv', 'id,name\n2,Other\n');
  write('spring.yaml', 'version: 1\ncampaign: Spring\nfolders:\n  news:\n    name: News\n');
  write(
    'spring.test.yaml',
    'version: 1\ncampaign: spring.yaml\naccount: demo\ntests:\n  none:\n    - sends: {count: 0}\n',
  );
  write('people.csv', 'email\na@example.com\nb@example.com\n');
  await makeKey(join(home, 'work'), 'key');
  await prepare();
  await done(['plan', 'spring.yaml', '--out', 'spring.plan']);
}, 60_000);

afterAll(async () => {
  await running.stop();
  await folder.remove();
});

/** Writes a file that `email pull` wrote and that was changed afterwards. */
function writePulled(name: string, id: string): void {
  const digest = '0'.repeat(64);
  const sidecar = { version: 1, company: '1', id, hash: '0000000', files: { html: digest, text: digest } };
  write(`${name}.svc.json`, JSON.stringify(sidecar));
  write(`${name}.html`, '<p>New</p>');
  write(`${name}.txt`, 'New');
}

const write = (name: string, text: string): void => writeFileSync(join(home, 'work', name), text);

/** Makes profiles, a journal whose undo adds two entries, a task that is over, and a task with too many bounces. */
async function prepare(): Promise<void> {
  const add = ['--base-url', 'https://api.example.com', '--company', '1', '--user', '1', '--api-key-stdin'];
  for (const name of ['prod', 'other'])
    await done(['profile', 'add', name, ...add], { stdin: `${KEYS.company}\n` });
  const production = ['--base-url', 'https://api.example.com', '--company', '2', '--user', '4'];
  await done(['profile', 'add', 'production', ...production, '--no-check', '--api-key-stdin'], {
    stdin: `${KEYS.other}\n`,
  });
  const partner = [
    '--base-url',
    'https://api.example.com',
    '--partner',
    '1',
    '--api-key-stdin',
    '--no-check',
  ];
  await done(['profile', 'add', 'agency', ...partner], { stdin: KEYS.partner });
  const ofAgency = { env: { ...NOBODY, SVC_PROFILE: 'agency' } };
  await done(['company', 'add', '1', '--name', 'Company'], ofAgency);
  mkdirSync(join(home, 'work', 'pinned'));
  write('pinned/.svc.json', '{"profile":"prod"}');
  await done(['profile', 'trust', 'pinned', '--yes']);
  const task = ['task', 'create', '--channel', 'email', '--message', 'Free', '--list', '1', '--at', '+1d'];
  await done([...task, '--name', 'Mine']);
  await sandbox.put('do_not_contact', { account_id: 1, contactdata: 'two@example.com', cdate: NOW });
  await done(['dnc', 'remove', 'two@example.com', '--yes']);
  await done(['folder', 'update', '1', '--name', 'Renamed']);
  await done(['folder', 'update', '1', '--name', 'News', '--no-journal']);
  await done(['folder', 'update', '1', '--name', 'Renamed', '--no-journal']);
  await done(['dnc', 'add', 'three@example.com', '--yes']);
  const path = join(home, 'state', 'journal', 'journal.ndjson');
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"DELETE"'));
  const [last = ''] = lines.slice(-1);
  const two = last.replace(/"before":\[(\{[^}]*\})\]/, '"before":[$1,$1]');
  expect(two).not.toBe(last);
  writeFileSync(path, readFileSync(path, 'utf8').replace(last, two));
  const other = { account_id: 1, user_id: 1, channel: 'email', message_id: 2, list_id: 1, cdate: NOW };
  const columns = { scheduledtime: NOW - 600, size: 100 };
  await sandbox.put('task', { ...other, ...columns, name: 'Over', completed: 0, cancelled: 1, endtime: NOW });
  await sandbox.put('task', {
    ...other,
    ...columns,
    name: 'Bad',
    completed: 0,
    cancelled: 0,
    emailuniquebounces: 60,
  });
}

async function done(argv: readonly string[], more: Outside = {}): Promise<void> {
  const run = await runCli(argv, { ...outside, ...more, env: { ...outside.env, ...more.env } });
  expect(run.exitCode, `${argv.join(' ')}: ${run.stderr}`).toBe(0);
}

/** Returns every file and folder with its content, or with the modification time for the sandbox's large files. */
function disk(): string {
  const names = readdirSync(home, { recursive: true, encoding: 'utf8' }).sort();
  return names
    .map((name) => {
      const stats = statSync(join(home, name), { bigint: true });
      const mode = (stats.mode & 0o7777n).toString(8);
      if (!stats.isFile()) return `${mode} ${name}`;
      const written = `${stats.ino} ${stats.size} ${stats.ctimeNs}`;
      return `${mode} ${name} ${stats.size > LARGE ? written : readFileSync(join(home, name), 'base64')}`;
    })
    .join('\n');
}

const LARGE = 64 * 1024;

/** Returns the requests that the JSON output announces. */
function saidIn(stdout: string): readonly string[] {
  if (stdout.trim() === '') return [];
  const value: unknown = JSON.parse(stdout);
  return [value].flat().map((each) => {
    const { would: words, method, path } = Object(each) as Record<string, unknown>;
    return String(words ?? (method === undefined ? '' : `${method} ${path}`));
  });
}

it('the table lists every command outside the nouns, and only verbs', async () => {
  const verbs = [...(await registry())].filter(([path, verb]) => verb.announced === undefined || CASES[path]);
  const known = Object.keys(CASES).filter((path) => (CASES[path] ?? []).length > 0);
  const isByExample = (path: string): boolean => nounVerbs.some((each) => each.path === path);
  const without = verbs
    .filter(([, verb]) => verb.announced === undefined)
    .filter(([path]) => !known.includes(path) && !isByExample(path));
  expect(without.map(([path]) => path)).toEqual([]);
  expect(known.filter((path) => !verbs.some(([each]) => each === path))).toEqual([]);
});

describe('the example of a verb of a noun with --dry-run', () => {
  let examples: Examples;
  beforeAll(async () => {
    examples = await openExamples('dry-run');
    for (const path of ['task create', 'sms send'])
      await examples.run(nounVerbs.find((each) => each.path === path)?.verb.example ?? '', []);
  });
  afterAll(() => rm(examples.cwd, { recursive: true }));

  const WRITES: readonly VerbActionKind[] = ['creates', 'changes', 'sends rows'];
  /** Verbs whose examples change no record, and bulk work, which counts its rows. */
  const SAYS_NO_REQUEST = ['features apply', 'task guard', 'dnc import'];

  it.each(nounVerbs)(
    '$path writes nothing, and says what it would send if it changes a record',
    async ({ path, verb }) => {
      const sent: WireRequest[] = [];
      const before = readdirSync(examples.cwd, { recursive: true }).sort();
      const run = await examples.run(verb.example, ['--dry-run', '--yes', '-o', 'json'], {
        transport: (request) => {
          sent.push(request);
          return examples.demo.transport(request);
        },
      });
      expect(run.exitCode, run.stderr).toBe(0);
      expect(writesIn(sent)).toEqual([]);
      expect(readdirSync(examples.cwd, { recursive: true }).sort()).toEqual(before);
      if (!WRITES.includes(verb.work) || SAYS_NO_REQUEST.includes(path)) return;
      expect(saidIn(run.stdout).join(' ')).toMatch(/^(POST|PUT|DELETE) /);
    },
  );
});

describe('--dry-run', () => {
  /** The disk after the last test, which is that before the next one. */
  let onDisk: string | undefined;
  const rows = Object.entries(CASES).flatMap(([path, cases]) =>
    cases.map((each) => [[path, ...each.args].join(' '), path, each] as const),
  );

  it.each(rows)('%s writes nothing, sends no write, and says what it would do', async (_, path, each) => {
    // It contacts the profile's service, and takes no data folder.
    const isLocal = path.startsWith('sandbox ') && path !== 'sandbox conformance';
    const data = isLocal ? ['--data', folder.path] : [];
    const args = each.args.map((word) => (word === 'FIRST' ? first : word));
    // Output for people is not JSON.
    const format = /^(completion (?!install)|explain|log tail)/.test(path) ? [] : ['-o', 'json'];
    const before = [onDisk ?? disk(), writesIn(sent).length];
    const more = each.outside ?? {};
    const run = await runCli([...path.split(' '), ...args, ...data, '--dry-run', ...format], {
      ...outside,
      ...more,
      env: { ...outside.env, ...more.env },
    });
    expect(run.exitCode, run.stderr).toBe(each.exit ?? 0);
    onDisk = disk();
    expect([onDisk, writesIn(sent).length]).toEqual(before);
    expect(run.stdout + run.stderr).not.toContain('canary77');
    if (each.would === undefined) return;
    const said = saidIn(run.stdout);
    const expected = [each.would].flat();
    expect(said).toHaveLength(expected.length);
    for (const [at, words] of expected.entries()) expect(said[at]).toContain(words);
    // No output says that an action was performed.
    expect(run.stderr).not.toMatch(
      /^(made|changed|deleted|removed|cancelled|paused|resumed|saved|stopped|wrote)\b/im,
    );
  });
});

it('prints a sentence for people, and no id', async () => {
  const use = await runCli(['profile', 'use', 'other', '--dry-run'], outside);
  expect(use).toMatchObject({ exitCode: 0, stdout: '', stderr: 'Would make other the default profile\n' });
  const made = await runCli(['folder', 'create', '--name', 'A', '--dry-run', '-o', 'id'], outside);
  expect(made).toMatchObject({
    exitCode: 0,
    stdout: '',
    stderr: 'Would send POST /v1/folder {"name":"A"}\n',
  });
});

it('rejects a command that would be rejected without it', async () => {
  const use = await runCli(['profile', 'use', 'nobody', '--dry-run'], outside);
  expect(use).toMatchObject({ exitCode: 2, stdout: '' });
  expect((await runCli(['folder', 'delete', 'nobody', '--dry-run'], outside)).exitCode).toBe(4);
});
