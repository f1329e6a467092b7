/**
 * A new user, in a real pseudo-terminal of 80 columns, gets from an empty machine to a scheduled campaign with at most six answers. The
 * service is a sandbox, or an https service with a private certificate authority (contract, "Forms" and "Safety").
 * test/golden/first-run-*.txt keeps the user's screen for readers; `npx vitest run … test/e2e/first-run.test.ts -u` writes it again.
 */
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { WireRequest } from '../../src/service/protocol/wire.ts';
import { builtSvc } from '../support/built-package.ts';
import { installSvc } from '../support/bundle.ts';
import { type HttpsService, httpsService } from '../support/https-service.ts';
import { readJsonError } from '../support/json-error.ts';
import { putList, putSubscriber } from '../support/messages.ts';
import {
  CLEAR,
  CTRL_C,
  DOWN,
  ENTER,
  hasPseudoTerminals,
  inTerminal,
  type Session,
  type Typed,
} from '../support/pseudo-terminal.ts';
import { createTestSandbox, IDS, KEYS, type TestSandbox } from '../support/sandbox.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';
import { withoutChance } from '../support/without-chance.ts';

let script: string;
let home: string;
beforeAll(async () => {
  script = await builtSvc();
});
afterAll(() => removeFolder(dirname(script)));
beforeEach(async () => {
  home = await makeTemporaryFolder('first-run');
  await mkdir(join(home, 'bin'));
  await installSvc(join(home, 'bin'), script);
});
afterEach(() => removeFolder(home));

/** Returns an environment without any profile or variable of svc. */
const outside = (more: Readonly<Record<string, string>> = {}) => ({
  cwd: home,
  env: {
    PATH: `${join(home, 'bin')}:${process.env['PATH']}`,
    HOME: home,
    TZ: 'UTC',
    BROWSER: 'true',
    ...more,
  },
});

/**
 * Types one line of a shell, and then answers its questions.
 * @param columns default: 80
 */
const typed = (
  line: string,
  more: Readonly<Record<string, string>>,
  person: readonly Typed[] = [],
  columns?: number,
) => inTerminal(['sh', '-c', line], { ...outside(more), ...(columns && { columns }) }, person);

/** The width for golden files, so that a long name of a temporary folder breaks no line. */
const WIDE = 160;

const CAMPAIGN = [
  'svc folder create --name Newsletters',
  "svc email create --name Spring --subject 'Spring is here' --from hello@harbourcoffee.example " +
    "--from-name 'Harbour Coffee' --reply-to hello@harbourcoffee.example " +
    "--html '<p>See <a href=\"https://harbourcoffee.example/\">what is new</a>.</p>' --text 'See what is new.'",
  "svc task create --name Spring --channel email --message Spring --list 1 --at 'tomorrow 09:00'",
];

/** Returns the three commands that init prints at its end. */
const stepsIn = ({ shown }: Session): readonly string[] =>
  (shown.split('Try next:\n')[1] ?? '').split('\n').map((line) => line.trim());

/** Returns the answers: every line that the person has finished with Enter. */
const answersIn = ({ shown }: Session): readonly string[] => shown.match(/^[✔?] .*$/gm) ?? [];

/** Runs the lines one after the other, and expects no question. Returns the whole transcript. */
async function transcriptOf(
  first: Session,
  lines: readonly string[],
  more: Readonly<Record<string, string>>,
): Promise<string> {
  let text = `$ svc init\n${first.shown}\n`;
  for (const line of lines) {
    const { shown, exitCode } = await typed(line, more, [], WIDE);
    expect(exitCode, shown).toBe(0);
    text += `\n$ ${line}\n${shown}\n`;
  }
  return withoutChance(text, home);
}

/** Expects one task in the service, for tomorrow at nine in the company's zone, that has not started. */
async function expectScheduled(more: Readonly<Record<string, string>>): Promise<void> {
  const { stdout } = await execa('svc', ['task', 'get', 'Spring', '-o', 'json'], {
    ...outside(more),
    extendEnv: false,
  });
  const task = JSON.parse(stdout);
  expect(task).toMatchObject({ name: 'Spring', cancelled: false, completed: false, list_id: 1 });
  expect(task.scheduledtime).toBeGreaterThan(Date.now() / 1000);
}

const profilesOf = async () =>
  JSON.parse(await readFile(join(home, '.config', 'svc', 'config.json'), 'utf8')).profiles;

const place = (type: string): Typed => ({ after: ['What do you want to connect to?', 'select'], type });

describe.skipIf(!hasPseudoTerminals)('on a sandbox, without a profile', () => {
  afterEach(async () => {
    await execa('svc', ['sandbox', 'stop'], { ...outside(), extendEnv: false, reject: false });
  });

  it('one answer starts it, the commands that init suggests work, and a campaign is scheduled', async () => {
    const first = await typed('svc init', {}, [place(DOWN + ENTER)], WIDE);
    expect(first.exitCode, first.shown).toBe(0);
    expect(answersIn(first)).toHaveLength(1);
    const steps = stepsIn(first);
    expect(steps).toHaveLength(3);
    const text = await transcriptOf(first, [...steps, ...CAMPAIGN], {});
    await expectScheduled({});
    await expect(text).toMatchFileSnapshot('../golden/first-run-sandbox.txt');
    // The sandbox runs, so svc uses its profile and asks nothing more.
    const again = await typed('svc init', {}, [place(DOWN + ENTER)]);
    expect([again.exitCode, answersIn(again)]).toEqual([0, [expect.any(String)]]);
    expect(again.shown).toContain('The sandbox of profile sandbox is running, so svc uses that sandbox.');
  });

  it('--sandbox asks nothing, without a terminal', async () => {
    const run = await execa('svc', ['init', '--sandbox'], {
      ...outside(),
      extendEnv: false,
      stdin: 'ignore',
    });
    expect([run.exitCode, run.stdout]).toEqual([0, '']);
    expect(Object.keys(await profilesOf())).toEqual(['sandbox', 'sandbox-partner']);
    const listed = await execa('svc', ['folder', 'list', '-o', 'id'], { ...outside(), extendEnv: false });
    expect(listed.stdout).not.toBe('');
  });
});

describe.skipIf(!hasPseudoTerminals)('on an https service with a private certificate authority', () => {
  const sent: WireRequest[] = [];
  let sandbox: TestSandbox;
  let service: HttpsService;
  let certificates: string;

  /** Serves with a certificate that is valid long enough for doctor to have no finding. */
  async function serve(days = 400): Promise<void> {
    certificates = await makeTemporaryFolder('certificates');
    sandbox = await createTestSandbox({ machineNow: Date.now, hasRealClock: true });
    await putList(sandbox);
    await sandbox.put('sender_address', { account_id: IDS.company, email: 'hello@harbourcoffee.example' });
    await putSubscriber(sandbox, [1], { email: 'reader@example.com' });
    sent.length = 0;
    service = await httpsService(
      certificates,
      (request) => {
        sent.push(request);
        return sandbox.service.handle(request);
      },
      days,
    );
  }
  afterEach(async () => {
    await service.close();
    await removeFolder(certificates);
  });

  /** Returns the variables of the way to the service, and none that answers a question. */
  const way = (more: Readonly<Record<string, string>> = {}): Record<string, string> => {
    const { HTTPS_PROXY = '', NODE_EXTRA_CA_CERTS = '' } = service.env;
    return { HTTPS_PROXY, NODE_EXTRA_CA_CERTS, ...more };
  };

  const address = (text: string, ...before: readonly string[]): Typed => ({
    after: [...before, 'Address of the service'],
    type: text + ENTER,
  });
  const company: Typed = { after: ['Whose credentials are these?', 'select'], type: ENTER };
  const id = (of: string, text: string): Typed => ({ after: [`Id of the ${of}`], type: text + ENTER });
  const key = (text: string): Typed => ({ after: ['API key'], type: text + ENTER });

  it('six answers set it up, the commands that init suggests work, and a campaign is scheduled', async () => {
    await serve();
    const first = await typed(
      'svc init',
      way(),
      [
        place(ENTER),
        address('https://service.test'),
        company,
        id('company', '1'),
        id('user', '1'),
        key(KEYS.company),
      ],
      WIDE,
    );
    expect(first.exitCode, first.shown).toBe(0);
    expect(answersIn(first)).toHaveLength(6);
    expect(first.shown).not.toContain(KEYS.company);
    const steps = stepsIn(first);
    expect(steps).toHaveLength(3);
    const text = await transcriptOf(first, [...steps, ...CAMPAIGN], way());
    await expectScheduled(way());
    expect(text).not.toContain(KEYS.company);
    await expect(text).toMatchFileSnapshot('../golden/first-run-service.txt');
  });

  it('explains every wrong answer and asks again, without starting over', async () => {
    await serve();
    const first = await typed('svc init', way(), [
      place(ENTER),
      address('service.test'),
      { after: ['must start with https://'], type: `${CLEAR}http://service.test${ENTER}` },
      { after: ['only for this machine'], type: `${CLEAR}https://other.test${ENTER}` },
      address('https://service.test/wrong', 'is for another host', 'Nothing is saved yet'),
      address('https://service.test', 'svc requested https://service.test/wrong/v1/account'),
      company,
      id('company', 'abc'),
      { after: ['a whole number of at least 1'], type: `${CLEAR}1${ENTER}` },
      id('user', '99'),
      key(KEYS.company.slice(1)),
      { after: ['has 32 characters, but this key has 31'], type: `${CLEAR}${KEYS.other}${ENTER}` },
      { after: ['with this key (401)', 'Enter alone shows other choices'], type: ENTER },
      { after: ['What do you want to do?'], type: ENTER },
      id('company', ''),
      id('user', '1'),
      { after: ['Enter alone shows other choices'], type: `${KEYS.company}${ENTER}` },
    ]);
    expect(first.exitCode, first.shown).toBe(0);
    const flat = first.shown.replace(/\n {0,2}/g, ' ');
    for (const words of [
      'TLS: the certificate of other.test:443 is for another host',
      'The service responds, but has nothing at the path of this address (404).',
      'The service refused company 1, user 99 with this key (401).',
      'The clocks of this machine and the service agree',
      'Three failed attempts in a row lock the user',
      'Checked the API key: it is valid for company 1 (Company).',
    ])
      expect(`${first.shown}\n${flat}`).toContain(words);
    for (const each of Object.values(KEYS)) expect(first.shown).not.toContain(each);
    expect(await profilesOf()).toMatchObject({
      default: { baseUrl: 'https://service.test', companyId: 1, userId: 1, apiKey: KEYS.company },
    });
    // Contract, "Safety": svc signs nothing for an address before it knows that the service is there.
    const unsigned = sent.filter(({ headers }) => headers['authorization'] === undefined);
    expect(sent.indexOf(unsigned.at(-1) as WireRequest)).toBe(unsigned.length - 1);
  });

  it('names NODE_EXTRA_CA_CERTS if it is missing, and Ctrl-C leaves nothing behind', async () => {
    await serve();
    const { shown, exitCode } = await typed('svc init', way({ NODE_EXTRA_CA_CERTS: '' }), [
      place(ENTER),
      address('https://service.test'),
      address(
        CTRL_C,
        'No response: TLS:',
        'NODE_EXTRA_CA_CERTS=/path/to/ca.pem',
        'svc reads the environment variable NODE_EXTRA_CA_CERTS only at its start',
      ),
    ]);
    expect([exitCode, sent]).toEqual([130, []]);
    expect(shown).toMatch(/interrupted$/);
    await expect(readdir(join(home, '.config', 'svc'))).rejects.toThrow();
  });

  it('reports that a certificate has expired', async () => {
    await serve(-1);
    const { exitCode } = await typed('svc init', way(), [
      place(ENTER),
      address('https://service.test'),
      address(CTRL_C, 'No response: TLS: the certificate of service.test:443 has', 'renew the certificate'),
    ]);
    expect([exitCode, sent]).toEqual([130, []]);
  });

  it('names a proxy that refuses connections, with its variable', async () => {
    await serve();
    const { exitCode } = await typed('svc init', way({ HTTPS_PROXY: 'http://127.0.0.1:9' }), [
      place(ENTER),
      address('https://service.test'),
      address(CTRL_C, 'by the proxy 127.0.0.1:9', 'HTTPS_PROXY sets this proxy', 'NO_PROXY'),
    ]);
    expect([exitCode, sent]).toEqual([130, []]);
  });

  it('accepts flags and --api-key-stdin without a terminal, and the key is never on a command line', async () => {
    await serve();
    const argv = ['init', '--base-url', 'https://service.test', '--company', '1', '--user', '1'];
    const about = { ...outside(way()), extendEnv: false, reject: false } as const;
    const refused = await execa('svc', [...argv, '--api-key', KEYS.company], about);
    expect([refused.exitCode, refused.stderr.includes(KEYS.company), sent]).toEqual([2, false, []]);
    const wrong = await execa('svc', [...argv, '--api-key-stdin'], { ...about, input: KEYS.other });
    expect([wrong.exitCode, wrong.stdout]).toEqual([3, '']);
    expect(wrong.stderr).toContain('  GET /v1/account\\r\\n');
    expect(wrong.stderr).toContain('; nothing was saved');
    const json = await execa('svc', [...argv, '--api-key-stdin', '-o', 'json'], {
      ...about,
      input: KEYS.other,
    });
    expect(readJsonError(json.stderr)).toMatchObject({ exit: 3, http: 401 });
    const run = await execa('svc', [...argv, '--api-key-stdin'], { ...about, input: KEYS.company });
    expect([run.exitCode, run.stdout]).toEqual([0, '']);
    expect((await execa('svc', ['account', 'get', '-o', 'id'], about)).stdout).toBe('1');
  });
});
