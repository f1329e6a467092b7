/** `svc init` on a terminal: it asks again after each wrong answer, and keeps everything that was typed. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openProfileStore } from '../../../src/client/profiles/store.ts';
import { TransportError } from '../../../src/client/requests/errors.ts';
import { failureOf } from '../../../src/client/requests/failures.ts';
import type { Transport, WireResponse } from '../../../src/service/protocol/wire.ts';
import { initSetUp, URL } from '../../support/init-run.ts';
import { type Outside, serviceOf } from '../../support/run-cli.ts';
import { IDS, KEYS, NOW } from '../../support/sandbox.ts';

const { folder, sandbox, svc, profiles } = initSetUp();
const init = (outside: Outside, ...flags: readonly string[]) =>
  svc(['init', ...flags], { tty: true, ...outside });
const nothingSaved = async () => expect(await readdir(folder())).toEqual([]);

const ADDRESS = 'Address of the service (https://…)';
const REST = ['company', '1', '1', KEYS.company];

/** Answers the first requests in turn with these outcomes; the service answers the others. */
function first(...outcomes: readonly (Partial<WireResponse> | Error)[]): Transport {
  const left = [...outcomes];
  const { transport } = serviceOf(sandbox());
  return async (request, signal) => {
    const next = left.shift();
    if (next instanceof Error) throw next;
    return next ? { status: 200, headers: {}, body: '', ...next } : transport(request, signal);
  };
}

describe('the address', () => {
  const stopped = new TransportError('not-sent', 'the connection to api.example.com:443 was refused', {
    isRefused: true,
  });
  const untrusted = new TransportError('not-sent', 'TLS: the certificate of it is self-signed', {
    isFinal: true,
    advice: 'NODE_EXTRA_CA_CERTS adds it.',
  });
  it.each<readonly [string, Partial<WireResponse> | Error, readonly string[]]>([
    ['refuses the connection', stopped, ['No response: the connection to api.example.com:443 was refused.']],
    [
      'has a bad certificate',
      untrusted,
      ['TLS: the certificate of it is self-signed.', 'NODE_EXTRA_CA_CERTS adds it.'],
    ],
    [
      'redirects',
      { status: 301, headers: { location: 'https://www.example.com/' } },
      ['The address redirects to https://www.example.com/.', 'Use the final address of the service'],
    ],
    [
      'is a web site',
      { status: 404, body: '<html>' },
      [
        'Another server, not the service, responds at this address with status 404',
        `svc requested ${URL}/v1/account;`,
      ],
    ],
    [
      'is down',
      { status: 503, body: '<html>' },
      ['The address responds with 503', 'the service may be down'],
    ],
  ])('is asked again if it %s, with the typed text as the default', async (_, outcome, words) => {
    const run = await init({ transport: first(outcome), answers: ['service', URL, '', ...REST] });
    expect([run.exitCode, run.stdout]).toEqual([0, '']);
    for (const each of words) expect(run.stderr).toContain(each);
    expect(run.stderr).toContain(
      'Nothing is saved yet. To try this address again, press Enter. To stop, press Ctrl-C.',
    );
    expect(run.questions.slice(1, 3)).toEqual([ADDRESS, ADDRESS]);
    expect(await profiles()).toMatchObject({ default: { baseUrl: URL } });
  });

  // Interface, "Signature": the path is /v1/<resource>. The service answers an unknown path with its own 404.
  it('is asked again if the service does not know the path', async () => {
    const body = JSON.stringify({ status: 'error', response: { code: 404, message: 'no' } });
    const run = await init({
      transport: first({ status: 404, body }),
      answers: ['service', `${URL}/wrong`, URL, ...REST],
    });
    expect([run.exitCode, await profiles()]).toMatchObject([0, { default: { baseUrl: URL } }]);
    expect(run.stderr).toContain('The service responds, but has nothing at the path of this address (404).');
    expect(run.stderr).toContain(`svc requested ${URL}/wrong/v1/account;`);
  });

  it('is requested without a signature before the key is typed', async () => {
    const { transport, sent } = serviceOf(sandbox());
    await init({
      transport,
      answers: ['service', `${URL}/eu`, ...REST],
      onQuestion: async (question) => {
        if (question === 'Whose credentials are these?')
          expect(sent).toMatchObject([{ method: 'GET', path: '/eu/v1/account', headers: {} }]);
        if (question === ADDRESS) expect(sent).toEqual([]);
      },
    });
    expect(sent.length).toBeGreaterThan(0);
  });

  it('is asked only if the value of the flag is wrong', async () => {
    const good = await init({ answers: REST }, '--base-url', URL);
    expect(good.questions).not.toContain(ADDRESS);
    const run = await init(
      { transport: first(stopped), answers: ['', ...REST, 'two', false] },
      '--base-url',
      URL,
    );
    expect([run.exitCode, run.questions[0]]).toEqual([0, ADDRESS]);
    const malformed = await init({ answers: [URL, ...REST, 'three', false] }, '--base-url', 'api');
    expect([malformed.exitCode, malformed.questions[0]]).toEqual([0, ADDRESS]);
    expect(malformed.stderr).toContain('This is not a valid address: it must start with https://');
  });

  it('can be saved after it failed twice', async () => {
    const answers = ['service', URL, URL, true, ...REST, true];
    const transport: Transport = () => Promise.reject(stopped);
    const run = await init({ transport, answers });
    expect(run.exitCode).toBe(0);
    expect(run.questions).toContain('Continue with this address anyway?');
    expect(run.questions).toContain('Save the profile anyway?');
    expect(await profiles()).toMatchObject({ default: { baseUrl: URL, apiKey: KEYS.company } });
  });

  // Contract, "Global flags": HTTPS_PROXY, NODE_EXTRA_CA_CERTS. Node reads the second variable once, when svc starts.
  it.each([
    [
      undefined,
      'svc reads the environment variable NODE_EXTRA_CA_CERTS only at its start. Press Ctrl-C, set the variable, and run svc init again.',
    ],
    [
      '/nonexistent/ca.pem',
      'NODE_EXTRA_CA_CERTS is set to /nonexistent/ca.pem, which cannot be read: press Ctrl-C',
    ],
    [process.execPath, 'which does not hold the certificate of the issuer: press Ctrl-C'],
  ])(
    'with a private certificate authority shows where to set NODE_EXTRA_CA_CERTS: %s',
    async (file, words) => {
      const { words: problem, advice } = failureOf(
        Object.assign(new Error('x'), { code: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY' }),
        { host: 'api.example.com:443' },
      );
      const error = new TransportError('not-sent', problem, { isFinal: true, advice });
      const env = { NODE_EXTRA_CA_CERTS: file };
      const run = await init({
        transport: first(error),
        answers: ['service', URL, '', ...REST],
        env,
        columns: 400,
      });
      expect(run.exitCode).toBe(0);
      expect(run.stderr).toContain('is not signed by an authority that this machine trusts.\n');
      expect(run.stderr).toContain('set NODE_EXTRA_CA_CERTS=/path/to/ca.pem.');
      expect(run.stderr).toContain(words);
      expect(run.stderr.includes('The profile does not store NODE_EXTRA_CA_CERTS')).toBe(file !== undefined);
    },
  );

  it('behind a proxy that refuses names the variable of the proxy', async () => {
    const { words, advice } = failureOf(Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), {
      host: 'api.example.com:443',
      proxy: 'proxy.example:3128',
    });
    const transport = first(new TransportError('not-sent', words, { advice }));
    const run = await init({ transport, answers: ['service', URL, '', ...REST], columns: 400 });
    expect(run.stderr).toContain(
      'No response: connection refused by the proxy proxy.example:3128.\nHTTPS_PROXY sets this proxy.',
    );
    expect(run.stderr).toContain('bypass it for this host with NO_PROXY=api.example.com.\n');
  });

  it('is offered: the usual sandbox, or the sandbox of a profile', async () => {
    const transport = first(stopped);
    const usual = await init({ transport, answers: ['sandbox', '', '', ...REST] });
    expect([usual.exitCode, await profiles()]).toMatchObject([
      0,
      { default: { baseUrl: 'http://127.0.0.1:4010' } },
    ]);
    expect(usual.stderr).toContain(
      'svc sandbox start --detach --port 4010 starts a sandbox and creates its profile.',
    );
    const store = openProfileStore({ configDir: folder(), platform: 'linux' });
    const sandboxProfile = { dataDir: join(folder(), 'box'), controlToken: 'x' };
    const kind = { kind: 'company', companyId: 1, userId: 1, apiKey: KEYS.company } as const;
    await store.save({ name: 'box', baseUrl: 'http://127.0.0.1:4730', ...kind, sandbox: sandboxProfile });
    const known = await init({
      transport: first(stopped),
      answers: ['sandbox', '', '', ...REST, 'two', false],
    });
    expect(known.stderr).toContain('The sandbox of profile box is not running.');
    expect(known.stderr).toContain(
      `svc sandbox start --detach --data ${folder()}/box --port 4730 --profile box\n`,
    );
    expect(await profiles()).toMatchObject({ two: { baseUrl: 'http://127.0.0.1:4730' } });
  });
});

const AGAIN = 'API key (hidden; Enter alone shows other choices)';

describe('ids and key', () => {
  it.each([
    ['a wrong key', ['company', '1', '1', KEYS.other, KEYS.company]],
    ['a wrong user', ['company', '1', '99', KEYS.company, '', 'ids', '', '1']],
    ['a wrong company', ['company', '2', '1', KEYS.company, '', 'ids', '1', '']],
    ['a wrong partner', ['partner', '77', KEYS.partner, '', 'ids', String(IDS.partner)]],
    ["a partner's wrong key", ['partner', String(IDS.partner), KEYS.stranger, KEYS.partner]],
    [
      'two mistakes, one after the other',
      ['company', '1', '99', KEYS.other, '', 'ids', '', '1', KEYS.company],
    ],
  ])('are asked again after %s, with the earlier answers as defaults', async (_, answers) => {
    const run = await init({ answers: ['service', URL, ...answers] });
    expect([run.exitCode, run.stdout]).toEqual([0, '']);
    expect(run.stderr).toContain('with this key (401).');
    expect(run.stderr).toContain('The clocks of this machine and the service agree');
    expect(run.questions.filter((question) => question === ADDRESS)).toHaveLength(1);
    // Text typed right after a refusal is most likely another key, so the question hides it.
    const refused = run.questions.indexOf('API key (hidden)');
    expect(run.questions[refused + 1]).toBe(AGAIN);
    for (const key of Object.values(KEYS)) expect(run.stderr).not.toContain(key);
    expect(await profiles()).toMatchObject(
      answers[0] === 'partner'
        ? { partner: { partnerId: IDS.partner, apiKey: KEYS.partner } }
        : { default: { companyId: 1, userId: 1, apiKey: KEYS.company } },
    );
  });

  it('say what may be wrong, and that a user can be locked', async () => {
    const run = await init({ answers: ['service', URL, 'company', '1', '1', KEYS.other, '', 'save'] });
    expect(run.stderr).toContain('The service refused company 1, user 1 with this key (401).\n');
    expect(run.stderr.replaceAll('\n  ', ' ')).toContain(
      'The clocks of this machine and the service agree, so the key or an id is wrong, or the key belongs to another account.',
    );
    expect(run.stderr).not.toContain('does not say why');
    expect(run.stderr).toContain('Three failed attempts in a row lock the user');
    expect(await profiles()).toMatchObject({ default: { apiKey: KEYS.other } });
  });

  it('name the flag that shows the signed lines, and show the lines only with it', async () => {
    const run = await init({ answers: ['service', URL, 'company', '1', '1', KEYS.other, KEYS.company] });
    expect(run.stderr).toContain('To see the string that svc signs, run svc init --explain-signature.');
    expect(run.stderr).not.toContain('<API_KEY>');
  });

  it('show the signed lines once with --explain-signature', async () => {
    const answers = ['service', URL, 'partner', String(IDS.partner), KEYS.stranger, '', 'save'];
    const run = await init({ answers }, '--explain-signature');
    expect(run.stderr.match(/^ {2}<PARTNER_API_KEY>$/gm)).toHaveLength(1);
    expect(run.stderr).toMatch(/^Signature of GET \/v1\/account: /m);
  });

  // Wire: a 401 gives the service's time. svc corrects a clock difference of this size by itself, unless a flag forbids it.
  it('show both times if the clocks differ', async () => {
    const answers = ['service', URL, 'company', '1', '1', KEYS.company, '', 'save'];
    const run = await init({ answers, now: NOW + 7200 }, '--retries', '0');
    const [service, machine] = [NOW, NOW + 7200].map((time) =>
      new Date(time * 1000).toISOString().slice(0, 19).replace('T', ' '),
    );
    expect(run.stderr.replaceAll('\n  ', ' ')).toContain(
      `This machine's clock shows ${machine} UTC, but the service's shows ${service} UTC.`,
    );
  });

  it('return to the address if the check failed, and keep ids and key', async () => {
    const gone = new TransportError('not-sent', 'gone');
    const answers = ['service', URL, 'company', '1', '1', KEYS.company, false, ''];
    const run = await init({ transport: first({ status: 401, body: ERROR }, gone, gone, gone), answers });
    expect([run.exitCode, run.questions.filter((question) => question.startsWith('Id'))]).toEqual([
      0,
      ['Id of the company', 'Id of the user'],
    ]);
    expect(await profiles()).toMatchObject({ default: { apiKey: KEYS.company } });
  });

  it('ask for the key if the environment has an invalid one', async () => {
    const env = { SVC_BASE_URL: URL, SVC_COMPANY_ID: '1', SVC_USER_ID: '1', SVC_API_KEY: 'c0ffee-canary' };
    const run = await init({ env, answers: [KEYS.company] });
    expect([run.exitCode, run.questions]).toEqual([0, ['API key (hidden)']]);
    expect(run.stderr).toContain('a company key has 32 characters, but this key has 13');
    expect(run.stderr).toContain('unset SVC_API_KEY');
    expect(run.stderr).not.toContain('c0ffee-canary');
  });

  // A newcomer pasted the key at the question for the name, after entering the ids again. Every list of profiles then showed the key.
  it.each([
    ['company', ['company', '1', '99', KEYS.company, '', 'ids', '', '1'], KEYS.company],
    ['other', ['company', '1', '99', KEYS.company, '', 'ids', '', '1'], KEYS.other],
    ['partner', ['partner', '77', KEYS.partner, '', 'ids', String(IDS.partner)], KEYS.partner],
  ])('never become the name of a profile (%s key)', async (_, answers, pasted) => {
    expect((await init({ answers: ['service', URL, ...answers] })).exitCode).toBe(0);
    const run = await init({ answers: ['service', URL, ...answers, pasted] });
    expect(run.stderr).toContain('svc keeps the API key that you gave.\n');
    expect(run.questions.at(-1)).toBe('Name of the profile');
    expect(run.stderr).toMatch(/the answer is refused: this (is the|name looks like an) API key/);
    expect(JSON.stringify(await profiles()).match(new RegExp(`"${pasted}":`))).toBeNull();
    expect(run.stderr).not.toContain(pasted);
    if (pasted === KEYS.partner) return;
    const refused = await svc(['profile', 'add', pasted], { tty: true });
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('looks like an API key')]);
    expect(refused.stderr).not.toContain(pasted);
  });

  it('keep a key command, and ask for its ids again', async () => {
    const env = { PATH: process.env['PATH'] };
    const flags = ['--base-url', URL, '--key-command', `echo ${KEYS.company}`];
    const run = await init({ env, answers: ['company', '1', '99', 'ids', '', '1'] }, ...flags);
    expect([run.exitCode, await profiles()]).toMatchObject([
      0,
      { default: { userId: 1, keyCommand: flags[3] } },
    ]);
    expect(run.questions.filter((question) => question.startsWith('API key'))).toEqual([]);
    expect(run.stderr).not.toContain(KEYS.company);
  });
});

const ERROR = JSON.stringify({ status: 'error', response: { code: 401, message: 'no' } });

// Contract, "Output", exit 130; @inquirer/prompts throws an ExitPromptError at Ctrl-C.
describe('Ctrl-C at a question', () => {
  const QUESTIONS = [
    'What do you want to connect to?',
    ADDRESS,
    'Whose credentials are these?',
    'Id of the company',
    'Id of the user',
  ];
  it.each([...QUESTIONS, 'API key (hidden)', AGAIN])('%s exits with 130 and writes nothing', async (stop) => {
    const given = stop === AGAIN ? KEYS.other : KEYS.company;
    const run = await init({
      answers: ['service', URL, 'company', '1', '1', given],
      onQuestion: async (question) => {
        if (question === stop) throw Object.assign(new Error('closed'), { name: 'ExitPromptError' });
      },
    });
    expect([run.exitCode, run.stdout, run.questions.at(-1)]).toEqual([130, '', stop]);
    expect(run.stderr).toMatch(/svc:\S* interrupted\n$/);
    await nothingSaved();
  });

  it('adds nothing at the name of a second profile', async () => {
    await init({ answers: ['service', URL, ...REST] });
    const run = await init({
      answers: ['service', URL, ...REST],
      onQuestion: async (question) => {
        if (question.startsWith('Name'))
          throw Object.assign(new Error('closed'), { name: 'ExitPromptError' });
      },
    });
    expect([run.exitCode, run.questions.at(-1)]).toEqual([130, 'Name of the profile']);
    expect(Object.keys(await profiles())).toEqual(['default']);
  });

  it('adds nothing during the check with the service', async () => {
    const stop = new AbortController();
    const transport: Transport = async () => {
      stop.abort();
      throw new TransportError('unknown', 'the time allowed for the call ran out');
    };
    const run = await init({ transport, signal: stop.signal, answers: ['service', URL] });
    expect([run.exitCode, run.stdout]).toEqual([130, '']);
    expect(run.stderr).toMatch(/svc:\S* interrupted\n$/);
    await nothingSaved();
  });
});

it('--no-check sends no request', async () => {
  const { transport, sent } = serviceOf(sandbox());
  const run = await init(
    { transport, answers: ['service', URL, 'company', '1', '1', KEYS.other] },
    '--no-check',
  );
  expect([run.exitCode, sent]).toEqual([0, []]);
});
