import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { withEverything } from '../../support/everything.ts';
import { type PartnerProfile, withPartnerProfile } from '../../support/partner-profile.ts';
import { inOrder, NOBODY, runCli, serviceOf } from '../../support/run-cli.ts';
import { NOW } from '../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

let state: string;

beforeEach(async () => {
  state = await makeTemporaryFolder('log');
});
afterEach(() => rm(state, { recursive: true }));

const env = (more: object = {}) => ({ SVC_STATE_DIR: state, ...more });

/** A state folder whose journal has three writes. */
let prepared: string;
beforeAll(async () => {
  prepared = await makeTemporaryFolder('log');
  const { transport } = serviceOf(await withEverything());
  const run = (argv: readonly string[], now = NOW) =>
    runCli(argv, { transport, env: { SVC_STATE_DIR: prepared }, now });
  await run(['folder', 'update', '1', '--name', 'Archive 📁'], NOW - 7200);
  await run(['sms-message', 'update', '99', '--text', 'x']);
  await run(['dnc', 'remove', 'old@example.com', '--yes']);
});
afterAll(() => rm(prepared, { recursive: true }));

const written = () => cp(prepared, state, { recursive: true });

/** Runs a command without credentials and without a service, because the journal needs neither. */
const offline = (argv: readonly string[], outside: object = {}) =>
  runCli(argv, { env: env(NOBODY), machineZone: 'Europe/London', ...outside });

describe('svc log list', () => {
  it('lists the newest first, in the zone of this machine', async () => {
    await written();
    expect(await offline(['log', 'list'])).toMatchInlineSnapshot(`
      {
        "exitCode": 0,
        "questions": [],
        "stderr": "Times are in Europe/London, this machine's time zone.
      ",
        "stdout": "N  TIME              STATE   CHANGE   WHAT                   COMMAND             PROFILE
      3  2026-12-01 09:00  done    deleted  dnc (old@example.com)  dnc remove          -
      2  2026-12-01 09:00  failed  changed  sms-message 99         sms-message update  -
      1  2026-12-01 07:00  done    changed  folder 1 (Archive 📁)  folder update       -
      ",
      }
    `);
  });

  it('says what each request did, and names the profile before the command if there are several', async () => {
    const { transport } = serviceOf(await withEverything());
    const run = (line: string) => runCli(line.split(' '), { transport, env: env() });
    await run('folder create --name Made');
    await run('task cancel 1 --yes');
    await run('automation pause open:1');
    await run('automation resume open:1');
    await run('folder delete 2 --yes');
    const { stdout } = await offline(['log', 'list', '--reverse', '-o', 'json']);
    const changes = JSON.parse(stdout).map(({ change }: { change: string }) => change);
    expect(changes).toEqual(expect.arrayContaining(['created', 'cancelled', 'paused', 'resumed', 'deleted']));
    const path = join(state, 'journal', 'journal.ndjson');
    const [first = '', ...others] = readFileSync(path, 'utf8').split('\n');
    const named = { ...JSON.parse(first), profile: 'shop' };
    writeFileSync(path, [JSON.stringify(named), ...others].join('\n'));
    expect((await offline(['log', 'list'])).stdout).toMatch(/CHANGE +WHAT +PROFILE +COMMAND/);
  });

  it.each(['UTC', 'America/St_Johns', 'Pacific/Kiritimati'])(
    'prints UTC for scripts, whatever the zone of the machine: %s',
    async (machineZone) => {
      await written();
      const times = async (argv: readonly string[], outside: object = {}) => {
        const { stdout } = await offline(argv, { machineZone, ...outside });
        return [...stdout.matchAll(/20[0-9]{2}-[0-9T:. -]*Z?/g)].map(([time]) => time);
      };
      const all = ['2026-12-01T09:00:00.000Z', '2026-12-01T09:00:00.000Z', '2026-12-01T07:00:00.000Z'];
      for (const format of ['json', 'ndjson', 'csv', 'yaml'])
        expect(await times(['log', 'list', '-o', format])).toEqual(all);
      expect(await times(['log', 'tail'])).toEqual(all.toReversed());
      expect(await times(['log', 'show', '1', '-o', 'json'])).toContain(all[2]);
      const asJson = { env: env({ ...NOBODY, SVC_OUTPUT: 'json' }) };
      expect(await times(['log', 'show', '1'], asJson)).toContain(all[2]);
    },
  );

  it('prints a note about hidden columns after the table', async () => {
    const { transport } = serviceOf(await withEverything());
    await runCli(['folder', 'update', '1', '--name', 'News 0'], { transport, env: env() });
    const path = join(state, 'journal', 'journal.ndjson');
    const [first, ...more] = readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    for (let n = 2; n <= 52; n += 1)
      for (const line of [first, ...more])
        appendFileSync(path, `${JSON.stringify({ ...line, n, last: n })}\n`);
    const { run, order } = await inOrder(['log', 'list'], { env: env(NOBODY) });
    expect(run.exitCode).toBe(0);
    expect(order.at(-1)).toBe(
      "Times are in America/New_York, this machine's time zone.\nshowing the newest 50 of 52; use --limit 52 to see all\n",
    );
  });

  it.each([
    [
      ['--since', '1h'],
      [3, 2],
    ],
    [
      ['--since', '2026-12-01T08:00Z'],
      [3, 2],
    ],
    [['--resource', 'folder'], [1]],
    [['--resource', 'doNotContact'], [3]],
    [['--command', 'dnc'], [3]],
    [['--command', 'sms-message update'], [2]],
    [['--failed'], [2]],
    [['--limit', '1'], [3]],
    [['--profile', 'prod'], []],
    // Contract, "Output": "`--reverse` alone reverses the default order".
    [['--reverse'], [1, 2, 3]],
    [
      ['--reverse', '--limit', '2'],
      [1, 2],
    ],
  ])('%j', async (flags, numbers) => {
    await written();
    const run = await offline(['log', 'list', ...flags, '-o', 'json']);
    expect(run.exitCode).toBe(0);
    expect(JSON.parse(run.stdout).map(({ n }: { n: number }) => n)).toEqual(numbers);
  });

  it('prints an empty list for an empty journal', async () => {
    expect(await offline(['log', 'list', '-o', 'json'])).toMatchObject({ exitCode: 0, stdout: '[]\n' });
  });

  it.each([
    ['--since', 'whenever'],
    ['--limit', 'many'],
  ])('rejects %s %s', async (...flags) => {
    expect((await offline(['log', 'list', ...flags])).exitCode).toBe(2);
  });
});

describe('a log of many companies', () => {
  let agency: PartnerProfile;
  beforeEach(async () => {
    agency = await withPartnerProfile();
    await agency.done(['company', 'import', '-'], { stdin: 'id,name\n1,Harbour\n2,Quay\n' });
    const argv = ['folder', 'create', '--name', 'New', '--companies', '2,1', '--write', '--yes'];
    await agency.done([...argv, '--concurrency', '1']);
  });
  afterEach(() => agency.remove());
  const rowsOf = async (...flags: string[]) =>
    JSON.parse((await agency.done(['log', 'list', ...flags, '-o', 'json'])).stdout);

  it('has rows with company_id and company, with the name from the roster', async () => {
    const rows = await rowsOf();
    expect(rows.map(({ company_id, company }: Record<string, unknown>) => [company_id, company])).toEqual([
      [2, 'Quay'],
      [1, 'Harbour'],
    ]);
    expect(Object.keys(rows[0])).toEqual([
      ...['n', 'time', 'company_id', 'company', 'profile', 'command', 'change', 'what', 'state'],
    ]);
    const table = (await agency.done(['log', 'list'])).stdout;
    expect(table).toMatch(/^N {2}TIME +COMPANY_ID {2}COMPANY/);
    expect(table).toContain(' 2  Quay ');
  });

  it('--company takes an id or a name; a table of one company does not repeat it', async () => {
    for (const company of ['2', 'Quay'])
      expect(await rowsOf('--company', company)).toMatchObject([{ company_id: 2, company: 'Quay' }]);
    expect((await agency.done(['log', 'list', '--company', '2'])).stdout).toMatch(/^N {2}TIME +STATE/);
    expect(await rowsOf('--company', '77')).toEqual([]);
  });

  it('exits with 2 for a name that no roster has', async () => {
    const run = await agency.svc(['log', 'list', '--company', 'Nobody']);
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain('no profile has a company called "Nobody"');
  });
});

describe('svc log show', () => {
  it('shows a change with its values before and after', async () => {
    await written();
    expect((await offline(['log', 'show', '1'])).stdout).toMatchInlineSnapshot(`
      "ATTRIBUTE   VALUE
      n           1
      time        2026-12-01 07:00
      company_id  1
      company     -
      profile     -
      command     folder update
      change      changed
      what        folder 1 (Archive 📁)
      state       done
      request     PUT folder
      origin      https://api.example.com
      user        1
      name        "News" → "Archive 📁"
      "
    `);
  });

  it('shows the deleted record in full, and the stored entry as JSON', async () => {
    await written();
    expect((await offline(['log', 'show', '3'])).stdout).toContain('old@example.com');
    const entry = JSON.parse((await offline(['log', 'show', '3', '-o', 'json'])).stdout);
    expect(entry).toMatchObject({ n: 3, state: 'done', before: [{ contactdata: 'old@example.com' }] });
  });

  it('exits with 4 for an unknown number', async () => {
    expect((await offline(['log', 'show', '9'])).exitCode).toBe(4);
    expect((await offline(['log', 'show', 'x'])).exitCode).toBe(2);
  });
});

describe('svc log tail', () => {
  it('prints the last entries, oldest first', async () => {
    await written();
    const run = await offline(['log', 'tail', '--lines', '2']);
    expect(
      run.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).n),
    ).toEqual([2, 3]);
  });

  it('--follow prints new entries until Ctrl-C: exit 130', async () => {
    await written();
    const file = join(state, 'journal', 'journal.ndjson');
    const [line = ''] = readFileSync(file, 'utf8').split('\n');
    const more = `${line.replace('"n":1', '"n":4')}\n`;
    const interrupt = new AbortController();
    let polls = 0;
    const run = await runCli(['log', 'tail', '--lines', '0', '--follow'], {
      env: env(NOBODY),
      signal: interrupt.signal,
      onSleep: () => {
        polls += 1;
        // A line in two pieces is one line. A file that was rotated is read to its end.
        if (polls === 1) appendFileSync(file, more.slice(0, 30));
        if (polls === 2) appendFileSync(file, more.slice(30));
        if (polls === 3) {
          appendFileSync(file, more.replace('"n":4', '"n":5'));
          renameSync(file, file.replace('.ndjson', '.1.ndjson'));
          writeFileSync(file, more.replace('"n":4', '"n":6'), { mode: 0o600 });
        }
        if (polls === 5) interrupt.abort();
      },
    });
    expect(run.exitCode).toBe(130);
    const rows = run.stdout
      .trimEnd()
      .split('\n')
      .map((each) => JSON.parse(each));
    expect(rows).toMatchObject([{ n: 4, command: 'folder update', state: 'done' }, { n: 5 }, { n: 6 }]);
  });
});
