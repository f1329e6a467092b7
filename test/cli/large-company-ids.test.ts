/** Contract, "Numbers, ids and names, once more": an id beyond 2^53 is kept digit for digit, also the id of a company. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Transport, WireRequest } from '../../src/service/protocol/wire.ts';
import { NOBODY, type Outside, runCli } from '../support/run-cli.ts';
import { KEYS, NOW } from '../support/sandbox.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** All of these have the same nearest double. */
const IDS = ['9007199254740993', '9007199254740992', '12345678901234567890'];
const [ID = ''] = IDS;

let folder: string;
let sent: WireRequest[];
beforeEach(async () => {
  folder = await makeTemporaryFolder('large-ids');
  sent = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const answer = (data: string) => ({
  status: 200,
  headers: { 'content-type': 'application/json', date: new Date(NOW * 1000).toUTCString() },
  body: `{"status":"ok","response":{"code":200,${data}}}`,
});
/** A service whose companies all have large ids. The sandbox counts from 1. */
const service: Transport = async (request) => {
  sent.push(request);
  const company = request.headers['x-svc-cid'];
  const path = request.path.split('/')[2];
  if (path === 'account') return answer(`"data":{"id":${company},"name":"C${company}","timezone":"UTC"}`);
  const record = `{"id":1,"name":"New","cdate":${NOW},"mdate":${NOW}}`;
  return request.method === 'GET'
    ? answer(`"count":1,"next":null,"data":[${record}]`)
    : answer(`"data":${record}`);
};
const svc = (argv: readonly string[], outside: Outside = {}) =>
  runCli(argv, {
    cwd: folder,
    transport: service,
    ...outside,
    env: {
      ...NOBODY,
      SVC_CONFIG_DIR: join(folder, 'config'),
      SVC_STATE_DIR: join(folder, 'state'),
      ...outside.env,
    },
  });
const done = async (argv: readonly string[], outside: Outside = {}) => {
  const run = await svc(argv, outside);
  expect(run.exitCode, `${argv.join(' ')}: ${run.stderr}`).toBe(0);
  return run;
};
const withPartner = async () => {
  const add = ['profile', 'add', 'agency', '--base-url', 'https://api.example.com', '--partner', ID];
  await done([...add, '--no-check', '--api-key-stdin'], { stdin: KEYS.partner });
  await done(['company', 'import', '-'], { stdin: IDS.map((id, at) => `${id},Company ${at}\n`).join('') });
};
const companiesSent = () => [...new Set(sent.map(({ headers }) => headers['x-svc-cid']))].sort();

it('the roster distinguishes them, and shows every digit', async () => {
  await withPartner();
  const { stdout } = await done(['company', 'list', '-o', 'json']);
  expect([...stdout.matchAll(/"id": ?([0-9]+)/g)].map(([, id]) => id)).toEqual(IDS);
  await done(['company', 'add', '98765432109876543210']);
  expect(companiesSent()).toEqual(['98765432109876543210']);
  await done(['company', 'remove', '9007199254740992']);
  expect((await done(['company', 'list', '-o', 'csv'])).stdout).toBe(
    [
      'id,name,tags,note\n9007199254740993,Company 0,"",\n12345678901234567890,Company 2,"",\n',
      '98765432109876543210,C98765432109876543210,"",\n',
    ].join(''),
  );
});

it.each([
  ['--company', ['--company', ID], {}],
  ['the environment', [], { env: { SVC_COMPANY_ID: ID } }],
  ['a name of the roster', ['--company', 'Company 0'], {}],
])('%s names exactly one company', async (_, flags, outside) => {
  await withPartner();
  const run = await done(['folder', 'create', '--name', 'New', ...flags], outside);
  expect(companiesSent()).toEqual([ID]);
  expect(sent.every(({ headers }) => headers['x-svc-pid'] === ID)).toBe(true);
  expect(run.stderr).toContain(`on company ${ID} (`);
  const { stdout } = await done(['log', 'list', '--company', ID, '-o', 'json']);
  expect(stdout).toContain(`"company_id": ${ID}`);
  expect((await done(['log', 'list', '--company', '9007199254740992', '-o', 'json'])).stdout).toBe('[]\n');
});

it('company use, profile set and .svc.json keep every digit', async () => {
  await withPartner();
  for (const use of [
    ['company', 'use', ID],
    ['profile', 'set', 'agency', 'company', ID],
  ]) {
    await done(use);
    expect(await readFile(join(folder, 'config', 'config.json'), 'utf8')).toContain(`"companyId": ${ID}`);
    await done(['folder', 'list']);
    await done(['profile', 'set', 'agency', 'company', '']);
  }
  await writeFile(join(folder, '.svc.json'), `{"company": ${ID}}`);
  await done(['profile', 'trust', '--yes']);
  await done(['folder', 'list']);
  expect(companiesSent()).toEqual([ID]);
});

it('--companies writes to each once, and its checkpoint recognises them', async () => {
  await withPartner();
  const argv = [
    'folder',
    'create',
    '--name',
    'New',
    '--companies',
    'all,!9007199254740992',
    '--write',
    '--yes',
  ];
  const run = await done([...argv, '--checkpoint', 'cp', '-o', 'json']);
  const rows = [...run.stdout.matchAll(/"company_id": ?([0-9]+)/g)].map(([, id]) => id);
  expect(rows).toEqual(['9007199254740993', '12345678901234567890']);
  expect(companiesSent()).toEqual(['12345678901234567890', '9007199254740993']);
  const before = sent.length;
  await done([...argv, '--checkpoint', 'cp']);
  expect(sent).toHaveLength(before);
  const ids = await done(['folder', 'list', '--companies', 'all', '-o', 'id']);
  expect(ids.stdout).toBe(IDS.map((id) => `${id}:1\n`).join(''));
});

it('a company profile keeps the ids of company and user', async () => {
  const ids = ['--company', ID, '--user', '12345678901234567890'];
  const add = ['profile', 'add', 'own', '--base-url', 'https://api.example.com', ...ids];
  await done([...add, '--no-check', '--api-key-stdin'], { stdin: KEYS.company });
  await done(['folder', 'list']);
  expect(sent.length).toBeGreaterThan(0);
  for (const { headers } of sent)
    expect([headers['x-svc-cid'], headers['x-svc-uid']]).toEqual([ID, '12345678901234567890']);
});

it('rejects a number of more than 40 digits as an id: exit 2', async () => {
  await withPartner();
  const run = await svc(['folder', 'list', '--company', '1'.repeat(41)]);
  expect([run.exitCode, run.stderr]).toEqual([
    2,
    'svc: an id is a whole number of at least 1 (flag --company)\n',
  ]);
});
