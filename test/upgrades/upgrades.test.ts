/**
 * Acceptance, C8, and docs/install.md: svc reads each file that a released version wrote, and refuses a newer file without changing it.
 * The folders of the releases are next to this test (README.md).
 */
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WireRequest } from '../../src/service/protocol/wire.ts';
import { dataDirAt } from '../../src/sandbox/data/data-dir.ts';
import { readStoredFieldNaming, readStoredPort } from '../../src/sandbox/data/stored-settings.ts';
import { restoreSnapshot } from '../../src/sandbox/data/snapshots.ts';
import { createService } from '../../src/sandbox/service.ts';
import { openStore, type Store } from '../../src/sandbox/store/open.ts';
import { tried } from '../support/depth.ts';
import { NOBODY, type Run, runCli, writesIn } from '../support/run-cli.ts';
import { NOW } from '../support/sandbox.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { filesIn, putFixtures } from './fixtures.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const RELEASES = readdirSync(HERE).filter((name) => /^\d+\.\d+\.\d+$/.test(name));

let folder: string;
let store: Store;
let sent: WireRequest[];
let svc: (line: string, stdin?: string) => Promise<Run>;
const at = (path: string): string => join(folder, path);
const read = (path: string): string => readFileSync(at(path), 'utf8');

/** Restores the files of a release in a folder. Its own database, upgraded, is the service. */
async function begin(release: string): Promise<void> {
  folder = await makeTemporaryFolder('upgrade');
  putFixtures(join(HERE, release), folder);
  copyFileSync(at('sandbox/sandbox.db'), at('service.db'));
  store = await openStore(at('service.db'));
  const service = createService(store, {
    machineNow: () => NOW * 1000,
    random: (octets) => crypto.getRandomValues(new Uint8Array(octets)),
    trackingBaseUrl: () => 'http://127.0.0.1:4010',
    report: (_, error) => {
      throw error;
    },
  });
  sent = [];
  svc = (line, stdin = '') =>
    runCli(line.split(' '), {
      cwd: at('work'),
      stdin,
      transport: (request) => {
        sent.push(request);
        return service.handle(request);
      },
      env: {
        ...NOBODY,
        PATH: process.env['PATH'],
        SVC_CONFIG_DIR: at('config'),
        SVC_STATE_DIR: at('state'),
      },
    });
  await trustFolder();
}
beforeEach(() => begin(RELEASES.at(-1) ?? ''));
/** Accepts the `.svc.json` of the fixtures, as an upgrade needs it once (docs/contract.md, "Partners and many companies"). */
const trustFolder = async (): Promise<void> => {
  const run = await svc('profile trust --yes');
  expect(run.exitCode, run.stderr).toBe(0);
};
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
  // Each test here covers one file, or one command that reads a file.
  tried('C8', 1);
});

/** Runs a command that must succeed, and returns its JSON. */
async function done(line: string) {
  const run = await svc(`${line} -o json`);
  expect(run.exitCode, `svc ${line}: ${run.stderr}`).toBe(0);
  return JSON.parse(run.stdout);
}

describe.each(RELEASES)('files of %s', (release) => {
  beforeEach(async () => {
    if (release === RELEASES.at(-1)) return;
    await store.close();
    rmSync(folder, { recursive: true, force: true });
    await begin(release);
  });

  it('config.json: the profiles, their settings and the roster', async () => {
    const { profiles } = JSON.parse(read('config/config.json'));
    const names = (await done('profile list')).map(({ name }: { name: string }) => name);
    expect(names).toEqual(Object.keys(profiles));
    expect(await done('profile show shop')).toMatchObject({ tz: 'Europe/London' });
    const roster = await done('company list --profile agency');
    expect(roster.map(({ name }: { name: string }) => name)).toEqual(['Company', 'Other']);
  });

  it('the .svc.json of a folder once it is trusted', async () => {
    expect((await svc('profile untrust')).exitCode).toBe(0);
    expect(await svc('folder list')).toMatchObject({ exitCode: 2, stdout: '' });
    expect(sent).toEqual([]);
    await trustFolder();
    const run = await svc('folder list');
    expect(run.exitCode, run.stderr).toBe(0);
    expect(run.stdout).toContain('Final');
    expect(run.stderr).toContain('using profile shop and company 1');
    expect(sent.every(({ headers }) => headers['x-svc-cid'] === '1')).toBe(true);
  });

  // svc has no aliases any more. The file of an older version stays for that version, and disturbs nothing.
  it.each(['as it is', 'damaged'])('aliases.json: is left %s', async (state) => {
    if (state === 'damaged') writeFileSync(at('config/aliases.json'), '{');
    const before = stateOf('config/aliases.json');
    const run = await svc('news');
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain('there is no command news');
    await done('folder list');
    await done('profile set shop tz Europe/Paris');
    expect(stateOf('config/aliases.json')).toEqual(before);
  });

  it('the journal: svc log lists each write, and svc undo reverts one', async () => {
    const entries = await done('log list');
    expect(entries.map(({ n }: { n: number }) => n)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    await done('undo 2 --yes');
    expect(writesIn(sent)).toEqual(['PUT /v1/folder/2']);
    expect(await done('folder get 2')).toMatchObject({ name: 'Draft' });
    expect((await done('log show 12')).undoes).toBe(2);
  });

  it('the pause record: its rules resume', async () => {
    await done('automation resume --from paused.ndjson --yes');
    expect(writesIn(sent)).toHaveLength(5);
  });

  it('the budget ledger: earlier sends count', async () => {
    expect((await svc('profile set shop budget.recipients-per-day 1')).exitCode).toBe(0);
    const run = await svc('sms send --to 447700900124 --from Example --text Hello --now --yes');
    expect(run.exitCode, run.stderr).toBe(2);
    expect(writesIn(sent)).toEqual([]);
  });

  it('the progress file of a bulk job: the open rows are sent, and no other row', async () => {
    expect(await done('dnc import gone.csv --yes')).toMatchObject({ rows: 6, added: 6, open: 0 });
    const rows = sent.filter(({ method }) => method === 'POST').map(({ body = '' }) => JSON.parse(String(body)));
    expect(rows.map(({ contactdata }) => contactdata)).toEqual([2, 3, 4, 5].map((n) => `p${n}@example.com`));
  });

  it('the checkpoint of --companies: only the open company is changed', async () => {
    const run = await svc(`${COMPANIES} --profile agency`);
    expect(run.exitCode, run.stderr).toBe(0);
    const writes = sent.filter(({ method }) => method === 'POST');
    expect(writes.map(({ headers }) => headers['x-svc-cid'])).toEqual(['2']);
  });

  it('the campaign file, the plan and its approval: the plan is applied', async () => {
    expect((await svc('plan spring.yaml')).exitCode).toBe(0);
    await done('apply spring.plan --approvals 1 --signers team.signers --yes');
    expect(await done('task list --fields name')).toContainEqual({ name: expect.stringContaining('Last day') });
  });

  it('the files of email pull: a change is pushed', async () => {
    writeFileSync(at('work/mails/free.html'), '<p>Changed</p>');
    await done('email push mails/free.html --yes');
    expect(writesIn(sent)).toEqual(['PUT /v1/emailMessage/1']);
  });

  it('an unfinished clone: it resumes, and reads the finished parts from the disk', async () => {
    await done('sandbox clone --from shop --data clone');
    expect(sent.map(({ path }) => path)).not.toContain('/v1/user');
    expect(readdirSync(at('work/clone'))).toContain('sandbox.db');
  });

  it('the data folder of a sandbox: its records, names, port and snapshots', async () => {
    const data = dataDirAt(at('sandbox'));
    expect(readStoredFieldNaming(data).headerPrefix).toBe('X-Shop-');
    expect(readStoredPort(data)).toBe(4010);
    await done('folder update 2 --name Later');
    await restoreSnapshot(store, data, 'before');
    expect(await done('folder get 2')).toMatchObject({ name: 'Final' });
  });
});

const COMPANIES =
  'folder create --name New --companies all --write --yes --checkpoint companies.ndjson --concurrency 1';
const SEND = 'sms send --to 447700900124 --from Example --text Hello --now --yes';
const START = 'sandbox start --profile none --port 0 --data';

type Newer = (text: string) => string;
const raised: Newer = (text) => text.replace(/("?version"?: ?)1\b/, '$12');
const added: Newer = (text) => text.replace('{', '{"version":2,');
const lastLine: Newer = (text) => text.replace(/\{(?=[^\n]*\n$)/, '{"version":2,');

/** Raises the version of a checkpoint of --companies. Its first line holds a digest of the rest. */
const guarded: Newer = (text) => {
  const rest = text.slice(text.indexOf('\n') + 1).replace('"version":2', '"version":3');
  const sha256 = createHash('sha256').update(rest).digest('hex');
  return `{"octets":"${String(rest.length).padStart(12, '0')}","sha256":"${sha256}"}\n${rest}`;
};

const FILES: readonly (readonly [path: string, newer: Newer, command: string, exit: number])[] = [
  ['config/config.json', raised, 'profile list', 1],
  ['config/config.json', raised, 'profile set shop tz Europe/Paris', 1],
  ['work/.svc.json', added, 'folder list', 2],
  ['state/journal/journal.ndjson', lastLine, 'log list', 1],
  ['state/journal/journal.ndjson', lastLine, 'undo --yes', 1],
  ['work/paused.ndjson', raised, 'automation resume --from paused.ndjson --yes', 1],
  ['state/budget/ledger.json', raised, SEND, 2],
  ['work/gone.csv.svc-journal', raised, 'dnc import gone.csv --yes', 2],
  ['work/companies.ndjson', guarded, `${COMPANIES} --profile agency`, 2],
  ['work/spring.plan', raised, 'apply spring.plan --approvals 1 --signers team.signers --yes', 2],
  ['work/spring.plan', raised, 'plan show spring.plan', 2],
  ['work/spring.yaml', raised, 'apply spring.yaml --yes', 2],
  ['work/mails/free.svc.json', raised, 'email push mails/free.html --yes', 2],
  ['work/mails/free.svc.json', raised, 'email pull 1 --dir mails', 2],
  ['work/clone/clone/cloned.json', added, 'sandbox clone --from shop --data clone', 1],
  ['sandbox/naming.json', added, `${START} ../sandbox`, 1],
  ['sandbox/port.json', added, `${START} ../sandbox`, 1],
];

/** Returns the octets, mode and time of a file. */
const stateOf = (path: string) => {
  const { mode, mtimeMs } = statSync(at(path));
  return { octets: readFileSync(at(path)).toString('base64'), mode, mtimeMs };
};

describe('a file of a newer svc is refused and left unchanged, and nothing is sent', () => {
  it.each(FILES)('%s', async (path, newer, command, exit) => {
    const text = read(path);
    writeFileSync(at(path), newer(text));
    expect(read(path)).not.toBe(text);
    const before = stateOf(path);
    const run = await svc(command);
    expect(run.stderr.replaceAll(/\s+/g, ' ')).toMatch(
      new RegExp(`${path === 'work/spring.yaml' ? 'spring.yaml.*the file' : (path.split('/').at(-1) ?? '')} was written by a newer svc \\(version \\d of the file\\)`),
    );
    expect([run.exitCode, run.stdout]).toEqual([exit, '']);
    expect(stateOf(path)).toEqual(before);
    expect(writesIn(sent)).toEqual([]);
  });

  it('the list of trusted files', async () => {
    const path = 'config/trusted-files.json';
    writeFileSync(at(path), raised(read(path)));
    const before = stateOf(path);
    const run = await svc('folder list');
    expect(run.stderr.replaceAll(/\s+/g, ' ')).toContain('trusted-files.json was written by a newer svc (version 2 of the file)');
    expect([run.exitCode, run.stdout]).toEqual([1, '']);
    expect(stateOf(path)).toEqual(before);
    expect(sent).toEqual([]);
  });

  it('the database of a sandbox', async () => {
    setVersion(at('sandbox/sandbox.db'), 999);
    const before = stateOf('sandbox/sandbox.db');
    const run = await svc(`${START} ../sandbox`);
    expect(run.exitCode, run.stdout).toBe(1);
    expect(run.stderr.replaceAll(/\s+/g, ' ')).toContain(
      'sandbox.db was written by a newer svc (version 999 of the tables)',
    );
    expect(stateOf('sandbox/sandbox.db')).toEqual(before);
  });

  it('a snapshot', async () => {
    setVersion(at('sandbox/snapshots/before.db'), 999);
    const before = stateOf('sandbox/snapshots/before.db');
    const restoring = restoreSnapshot(store, dataDirAt(at('sandbox')), 'before');
    await expect(restoring).rejects.toThrow('snapshot before was written by a newer svc (version 999 of the tables)');
    expect(stateOf('sandbox/snapshots/before.db')).toEqual(before);
    expect(await done('folder get 2')).toMatchObject({ name: 'Final' });
  });

  it('keeps a mode that svc would change', async () => {
    const path = 'work/gone.csv.svc-journal';
    writeFileSync(at(path), raised(read(path)));
    
    chmodSync(at(path), 0o640);
    await svc('dnc import gone.csv --yes');
    expect(statSync(at(path)).mode & 0o777).toBe(0o640);
  });
});

it('the folder of a release has each file that svc reads again', () => {
  const paths = filesIn(join(HERE, '0.1.0'));
  for (const [path] of FILES) expect(paths).toContain(path);
  expect(paths).toContain('sandbox/sandbox.db.gz');
});

function setVersion(path: string, version: number): void {
  const file = new Database(path);
  file.exec(`pragma user_version = ${version}`);
  file.close();
}
