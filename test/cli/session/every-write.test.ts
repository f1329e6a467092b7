/**
 * Sends every kind of write through everything that guards writes: the check for keys, `--dry-run`, a read-only profile, approvals,
 * budgets, the journal, the checkpoint of a run over companies, and the lock of a bulk job (contract, "Safety", "Budgets", "Partners and
 * many companies", "Campaigns as files"). The snapshot holds what svc sent, said and noted before these guards became one list of stages.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TransportError } from '../../../src/client/requests/errors.ts';
import type { Transport, WireRequest } from '../../../src/service/protocol/wire.ts';
import { withEverything } from '../../support/everything.ts';
import { fillConfig } from '../../support/profiles.ts';
import { NOBODY, type Outside, runCli, serviceOf } from '../../support/run-cli.ts';
import { KEYS } from '../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

const TASK = ['--channel', 'email', '--message', 'Free', '--list', '1'];
const SMS = ['--to', '447700900123', '--from', 'Example', '--text', 'Hi'];

/** One command for each kind of write: a plain POST, one that reaches people, one that can't be undone, PUT, DELETE, raw and bulk. */
const WRITES: readonly (readonly string[])[] = [
  ['folder', 'create', '--name', 'New'],
  ['task', 'create', '--name', 'New', '--at', '+1d', ...TASK],
  ['sms', 'send', ...SMS, '--at', '+1d'],
  ['dnc', 'add', 'new@example.com', '--yes'],
  [
    'automation',
    'create',
    '--kind',
    'open',
    '--name',
    'New',
    '--message',
    'Taken',
    '--actiontype',
    'notify',
    '--actiontarget',
    'office@example.com',
  ],
  ['folder', 'update', '1', '--name', 'Renamed'],
  ['task', 'update', 'Sale', '--at', '+2d'],
  ['task', 'cancel', 'Sale', '--yes'],
  ['automation', 'pause', 'open:1', '--yes'],
  ['features', 'update', '1', '--data', '{"enableemailcredits":true}', '--yes'],
  ['subscriber-data', 'update', '--subscriber', '1', '--field', '1', '--value', 'red'],
  ['folder', 'delete', '1', '--yes'],
  ['dnc', 'remove', 'old@example.com', '--yes'],
  ['api', 'POST', '/v1/folder', '--data', '{"name":"Raw"}'],
  ['api', 'PUT', '/v1/task/1', '--data', '{"scheduledtime":1796300000}'],
  ['api', 'DELETE', '/v1/folder/1', '--yes'],
  ['dnc', 'import', 'people.csv', '--yes'],
];

interface Setup {
  readonly settings?: readonly (readonly [key: string, value: string])[];
  readonly flags?: readonly string[];
  readonly role?: 'company' | 'partner';
  readonly service?: (transport: Transport) => Transport;
  readonly isJournalBlocked?: boolean;
  /** True if a bulk job would go on trying. */
  readonly isEndless?: boolean;
  readonly runs?: number;
}

const isWrite = ({ method }: WireRequest): boolean => method !== 'GET' && method !== 'HEAD';

/** The service carries out the first write, but its response is lost. */
function losingFirst(transport: Transport): Transport {
  let isLost = false;
  return async (request, signal) => {
    const response = await transport(request, signal);
    if (!isWrite(request) || isLost) return response;
    isLost = true;
    throw new TransportError('unknown', 'the connection was closed');
  };
}

/** Every write is refused with this status. */
const refusing =
  (status: number) =>
  (transport: Transport): Transport =>
  async (request, signal) =>
    isWrite(request)
      ? { status, headers: { 'content-type': 'application/json' }, body: '{"code":0,"message":"no"}' }
      : transport(request, signal);

const READ_ONLY = ['read-only', 'true'] as const;
const APPROVALS = ['require-approvals', '1'] as const;
const TASKS = ['budget.tasks-per-day', '9'] as const;
const RECIPIENTS = ['budget.recipients-per-day', '9'] as const;
const COMPANIES = ['--companies', '1', '--write', '--yes', '--checkpoint', 'cp'];

const SETUPS: Readonly<Record<string, Setup>> = {
  'no guard': {},
  '--dry-run': { flags: ['--dry-run'] },
  '--no-journal': { flags: ['--no-journal'] },
  'a read-only profile': { settings: [READ_ONLY] },
  'a read-only profile and --dry-run': { settings: [READ_ONLY, APPROVALS, TASKS], flags: ['--dry-run'] },
  'required approvals': { settings: [APPROVALS] },
  'a budget of tasks': { settings: [TASKS] },
  'a budget of recipients': { settings: [RECIPIENTS] },
  'a budget that is used up': {
    settings: [
      ['budget.tasks-per-day', '0'],
      ['budget.recipients-per-day', '0'],
    ],
  },
  'a journal that cannot be written': { isJournalBlocked: true },
  'a lost response': { service: losingFirst, settings: [TASKS] },
  'a refusal': { service: refusing(400), settings: [TASKS] },
  'an unknown outcome': { service: refusing(502), settings: [RECIPIENTS], isEndless: true },
  'a partner': { role: 'partner', settings: [TASKS] },
  'a partner over companies': { role: 'partner', settings: [TASKS], flags: COMPANIES, runs: 2 },
  'a partner over companies, and a lost response': {
    role: 'partner',
    settings: [TASKS],
    flags: COMPANIES,
    service: losingFirst,
    runs: 2,
  },
  'a partner over companies, and an unknown outcome': {
    role: 'partner',
    settings: [RECIPIENTS],
    flags: COMPANIES,
    service: refusing(502),
    runs: 2,
  },
  'a partner over companies, and --dry-run': {
    role: 'partner',
    flags: ['--companies', '1', '--write', '--yes', '--dry-run'],
  },
};

describe.each(Object.entries(SETUPS))('with %s', (name, setup) => {
  it('each write is sent, noted and explained as before', { timeout: 60_000 }, async () => {
    const parts: string[] = [];
    for (const write of WRITES)
      if (!setup.isEndless || write[1] !== 'import') parts.push(await recorded(write, setup));
    await expect(parts.join('\n')).toMatchFileSnapshot(
      `every-write/${name.replaceAll(/[^a-z]+/g, '-').replace(/^-/, '')}.txt`,
    );
  });
});

async function recorded(write: readonly string[], setup: Setup): Promise<string> {
  const { settings = [], flags = [], role = 'company', isJournalBlocked = false, runs = 1 } = setup;
  const folder = await makeTemporaryFolder('every-write');
  const sandbox = await withEverything();
  const service = serviceOf(sandbox);
  const transport = setup.service?.(service.transport) ?? service.transport;
  const state = join(folder, 'state');
  let serial = 0;
  const random = (count: number): Uint8Array => {
    serial += 1;
    return Uint8Array.from({ length: count }, (_, at) => (serial * 37 + at * 7) % 256);
  };
  const svc = (argv: readonly string[], more: Outside = {}) =>
    runCli(argv, {
      cwd: folder,
      transport,
      random,
      ...more,
      env: { ...NOBODY, SVC_CONFIG_DIR: join(folder, 'config'), SVC_STATE_DIR: state },
    });
  try {
    await fillConfig(join(folder, 'config'), `every write as ${role}`, () =>
      svc(ADD[role], { stdin: KEYS[role] }),
    );
    for (const [key, value] of settings) await svc(['profile', 'set', 'prod', key, value, '--yes']);
    await writeFile(join(folder, 'people.csv'), 'email\na@example.com\nb@example.com\n');
    await mkdir(state, { recursive: true, mode: 0o700 });
    if (isJournalBlocked) await writeFile(join(state, 'journal'), 'a file', { mode: 0o600 });
    let known = service.sent.length;
    const said: string[] = [`# svc ${write.join(' ')}`];
    for (let run = 0; run < runs; run += 1) {
      const { exitCode, stderr } = await svc([...write, ...flags]);
      said.push(`exit ${exitCode}`, ...lines('err', stderr));
      said.push(...service.sent.slice(known).map(requestText));
      known = service.sent.length;
    }
    said.push(...lines('journal', await textOf(join(state, 'journal', 'journal.ndjson'))).map(withoutSender));
    said.push(...lines('budget', await textOf(join(state, 'budget', 'ledger.json'))));
    said.push(...lines('checkpoint', await textOf(join(folder, 'cp'))));
    return `${said.join('\n').replaceAll(folder, 'FOLDER')}\n`;
  } finally {
    await rm(folder, { recursive: true });
  }
}

const ADD = {
  company: [
    'profile',
    'add',
    'prod',
    '--base-url',
    'https://api.example.com',
    '--company',
    '1',
    '--user',
    '1',
    '--no-check',
    '--api-key-stdin',
  ],
  partner: [
    'profile',
    'add',
    'prod',
    '--base-url',
    'https://api.example.com',
    '--partner',
    '1',
    '--company',
    '1',
    '--no-check',
    '--api-key-stdin',
  ],
} as const;

const requestText = ({ method, path, query, body }: WireRequest): string =>
  `sent ${method} ${path}${query === '' ? '' : `?${query}`}${body ? ` ${String(body)}` : ''}`;

const lines = (label: string, text: string): readonly string[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => `${label} ${line}`);

/** These members are the same in every line. */
const withoutSender = (line: string): string =>
  line.replaceAll(
    /"(?:last|time|run|profile|origin|partner|company|user|command)":(?:"[^"]*"|[0-9]+|null),/g,
    '',
  );

const textOf = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');
