/**
 * Contract, "Output": in a job of GitHub Actions, no text from the service is a command of the job's log (second attack L9). The runner
 * obeys a line that begins, after white space, with `::name::`, and the older `##[name]` anywhere in a line.
 */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse as parseCsv } from 'csv-parse/sync';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { guardCellOfJobLog } from '../../../src/cli/output/job-log.ts';
import type { JsonObject } from '../../../src/service/protocol/envelope.ts';
import { depth, SEED } from '../../support/depth.ts';
import { withEverything } from '../../support/everything.ts';
import { type Outside, runCli, serviceOf } from '../../support/run-cli.ts';
import type { TestSandbox } from '../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { objectOf, rendered, rowsOf } from './rendering.ts';

/** Returns the lines that the runner obeys. It trims what .NET calls white space. */
const commandsIn = (text: string): readonly string[] =>
  text.split(/\r\n|\r|\n/).filter((line) => /^[\s\x85]*::/.test(line) || line.includes('##['));

const hostile = fc
  .array(
    fc.constantFrom(
      ...[
        '::add-mask::x',
        '::error::',
        '::',
        ':',
        '##[error]',
        '##[',
        '#',
        '##',
        '[',
        '\n',
        '\r',
        '\r\n',
        '\n  ',
      ],
      ...['\n\t', '\n\x85', '\n\u00a0', ' ', '"', "'", '\\', ',', ';', '- ', 'a', 'x'.repeat(50)],
    ),
    { maxLength: 10 },
  )
  .map((pieces) => pieces.join(''));
const rows = fc
  .sample(fc.record({ id: hostile, name: hostile, paused: hostile, key: hostile }), {
    numRuns: depth('SVC_JOB_LOG_ROWS', { few: 60, full: 5000 }),
    seed: SEED,
  })
  .map(({ key, ...row }) => ({ ...row, [`x${key}`]: key, [key.startsWith('__') ? 'k' : `${key}k`]: key }));
const NAMES = ['id', 'name', 'paused'];
const columns = NAMES.map((name) => ({ name }));
const cellsOf = (row: JsonObject): readonly string[] => NAMES.map((name) => String(row[name]));
/** The rows with the declared columns alone. */
const declared = rows.map((row) =>
  Object.fromEntries(NAMES.map((name) => [name, cellsOf(row)[NAMES.indexOf(name)] ?? ''])),
);

describe('texts of the service (2-L9)', () => {
  it.each(['yaml', 'json', 'ndjson'] as const)(
    'are no commands in %s, and are read back unchanged',
    async (format) => {
      const { stdout } = await rendered(rowsOf(rows), { format });
      expect(commandsIn(stdout)).toEqual([]);
      const back =
        format === 'yaml'
          ? parseYaml(stdout, { maxAliasCount: -1 })
          : format === 'json'
            ? JSON.parse(stdout)
            : stdout
                .trimEnd()
                .split('\n')
                .map((line) => JSON.parse(line));
      expect(back).toEqual(rows);
      for (const row of rows.slice(0, 100)) {
        const one = (await rendered(objectOf(row), { format: 'yaml' })).stdout;
        expect([commandsIn(one), parseYaml(one)]).toEqual([[], row]);
      }
    },
  );

  it.each(['::add-mask::x', '##[error]x', 'a\n::b::'])(
    'are no commands as the only value: %j',
    async (name) => {
      const { stdout } = await rendered(rowsOf([{ id: 1, name }]), { format: 'yaml', query: '[0].name' });
      expect([commandsIn(stdout), parseYaml(stdout)]).toEqual([[], name]);
    },
  );

  it.each(['csv', 'tsv', 'table'] as const)('are no commands in %s in the log of a job', async (format) => {
    for (const header of [true, false]) {
      const { stdout } = await rendered(rowsOf(rows, columns), { format, header, isJobLog: true });
      expect(commandsIn(stdout)).toEqual([]);
    }
    for (const row of rows.slice(0, 200))
      for (const plain of [true, false])
        expect(commandsIn((await rendered(objectOf(row), { format, plain, isJobLog: true })).stdout)).toEqual(
          [],
        );
  });

  it('get only a quote in csv, and nothing outside the log of a job or with --csv-raw', async () => {
    const given = rows.map(cellsOf);
    const options = { format: 'csv', header: false } as const;
    const plain = await rendered(rowsOf(declared, columns), options);
    const inLog = await rendered(rowsOf(declared, columns), { ...options, isJobLog: true });
    const raw = await rendered(rowsOf(declared, columns), { ...options, isJobLog: true, csvRaw: true });
    expect(parseCsv(raw.stdout)).toEqual(given);
    const cells: string[][] = parseCsv(plain.stdout);
    expect(parseCsv(inLog.stdout)).toEqual(cells.map((line) => line.map(guardCellOfJobLog)));
    expect(cells.flat().map((cell) => guardCellOfJobLog(cell).replaceAll("'", ''))).toEqual(
      cells.flat().map((cell) => cell.replaceAll("'", '')),
    );
  });

  it.each([
    ['::add-mask::x', "'::add-mask::x"],
    ['a\n ::add-mask::x\nb', "a\n '::add-mask::x\nb"],
    ['a ##[error]b', "a #'#[error]b"],
    ['###[error]', "##'#[error]"],
    ['a::b\nc ::d::', 'a::b\nc ::d::'],
    ['::1', "'::1"],
    ['# [x] ::', '# [x] ::'],
  ])('the cell %j is %j', (cell, guarded) => {
    expect(guardCellOfJobLog(cell)).toBe(guarded);
  });

  // Quadratic work would take minutes. The limit is far above the usual 50 ms, because a test may share its machine.
  it('take no time that grows with their square', () => {
    const started = performance.now();
    for (const piece of ['\n', '\r', ' ', ':', '::', '\n ::', '##['])
      guardCellOfJobLog(`${piece.repeat(100_000)}x`);
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});

describe('a command in a job of GitHub Actions (2-L9)', () => {
  const NAME = 'x\n::add-mask::secret\n  ##[error]wrong';
  let folder: string;
  let sandbox: TestSandbox;
  beforeEach(async () => {
    folder = await makeTemporaryFolder('job-log');
    sandbox = await withEverything();
    for (const path of ['task/1', 'folder/1', 'emailMessage/1', 'clickAutomation/1'])
      await sandbox.send('admin', 'PUT', `/v1/${path}`, { name: NAME });
    const diff = ['one', '::add-mask::b', 'three', '  ::c::d', 'five'].join('\n');
    await writeFile(join(folder, 'm.txt'), diff);
    await writeFile(
      join(folder, 'x.yaml'),
      'version: 1\ncampaign: "sp\\n::add-mask::x"\nmessages:\n  m: {channel: sms, name: "x\\n::error::N", from: Me, message: m.txt}\n',
    );
  });
  afterEach(() => rm(folder, { recursive: true }));
  const svc = (line: string, outside: Outside = {}) =>
    runCli(line.split(' '), {
      transport: serviceOf(sandbox).transport,
      cwd: folder,
      ...outside,
      env: { GITHUB_ACTIONS: 'true', SVC_STATE_DIR: join(folder, 'state'), ...outside.env },
    });

  it.each([
    ...['task list', 'task list --fields name', 'task get 1', 'task get 1 --plain', 'task list --plain'],
    ...[
      'task list -o csv',
      'task list -o tsv',
      'task list -o yaml',
      'task list -o json',
      'task get 1 -o yaml',
    ],
    ...['task calendar', 'task report 1', 'why email 1', 'automation list', 'automation graph', 'rehearse'],
    ...[
      'task cancel 1 --yes',
      'folder delete 1 --yes',
      'email delete 1 --yes',
      'automation delete click:1 --yes',
    ],
    ...[
      'plan x.yaml',
      'plan x.yaml --format markdown',
      'apply x.yaml --yes',
      'doctor',
      'log list',
      'email preview 1',
    ],
    ...['task get 1 -o json --debug', 'folder get x --debug'],
  ])('svc %s writes no text of the service as a command', async (line) => {
    const { stdout, stderr } = await svc(line);
    expect([commandsIn(stdout), commandsIn(stderr)]).toEqual([[], []]);
    expect(stdout + stderr).not.toBe('');
  });

  it('shows a changed text in a plan without commands', async () => {
    const message = '  m: { channel: sms, name: N, from: Me, message: m.txt }';
    await writeFile(join(folder, 'y.yaml'), `version: 1\ncampaign: sp\nmessages:\n${message}\n`);
    expect(await svc('apply y.yaml --yes')).toMatchObject({ exitCode: 0 });
    await writeFile(join(folder, 'm.txt'), ['one', '::add-mask::b', 'three', '  ::c::d', 'six'].join('\n'));
    for (const format of ['text', 'markdown']) {
      const { stdout } = await svc(`plan y.yaml --format ${format}`);
      expect(stdout).toContain('+six');
      expect(stdout).toContain('add-mask');
      expect(commandsIn(stdout)).toEqual([]);
    }
  });

  it('keeps lint annotations, which are commands for the job', async () => {
    await sandbox.send('admin', 'PUT', '/v1/emailMessage/1', {
      name: NAME,
      text: '{{ x',
      html: '<p>{{ x</p>',
    });
    const { stdout } = await svc('email lint 1 --format github');
    expect(stdout).toMatch(/^::(error|warning|notice) /m);
  });

  it('keeps exact csv in a file, and outside of such a job', async () => {
    const columns = 'task list -o csv --fields name --no-header';
    for (const env of [{ GITHUB_ACTIONS: undefined }, { GITHUB_ACTIONS: 'false' }])
      expect((await svc(columns, { env })).stdout).toBe(`"${NAME}"\n`);
    let text = '';
    const file = {
      isTTY: false,
      isFile: true,
      columns: undefined,
      write: async (more: string) => {
        text += more;
      },
    };
    await svc(columns, { stdout: file });
    expect(text).toBe(`"${NAME}"\n`);
  });
});
