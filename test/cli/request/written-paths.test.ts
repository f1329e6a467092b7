import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Group, isGroup, type Verb } from '../../../src/cli/command/command.ts';
import { flagsOf } from '../../../src/cli/command/companies-flags.ts';
import type { FlagShape, WrittenPath } from '../../../src/cli/command/flag.ts';
import { topLevelCommandEntries } from '../../../src/cli/registry/entries.ts';
import type { Transport } from '../../../src/service/protocol/wire.ts';
import { putCampaignFiles } from '../../support/campaign-files.ts';
import { argvOf, type Examples, openExamples } from '../../support/examples.ts';
import type { Run } from '../../support/run-cli.ts';
import {
  identityOf,
  makeSpecialFiles,
  readerOf,
  SPECIAL_KIND_WORDS,
  type SpecialFiles,
  type SpecialKind,
} from '../../support/special-files.ts';

// Contract, "Output": a device, a pipe or a socket is never replaced. Output goes into a device or a pipe; everything else is refused.

interface WritingFlag {
  readonly path: string;
  readonly verb: Verb;
  readonly flag: FlagShape;
  readonly writes: WrittenPath;
}

const verbs = (
  await Promise.all(topLevelCommandEntries.map(async (entry) => verbsIn(await entry.load(), [])))
).flat();
const flags = verbs.flatMap(({ path, verb }) =>
  flagsOf(verb).map((flag) => ({ path, verb, flag, writes: flag.writes })),
);
const writing = flags.filter((each): each is WritingFlag => each.writes !== undefined);
/** Flags without their verbs: `--checkpoint` is the same for all verbs that have it, and promote plans with the flags of plan. */
const distinct = [...new Map(writing.toReversed().map((each) => [keyOf(each), each])).values()];

function verbsIn(node: Verb | Group, above: readonly string[]): { path: string; verb: Verb }[] {
  const path = [...above, node.name];
  return isGroup(node)
    ? node.commands.flatMap((each) => verbsIn(each, path))
    : [{ path: path.join(' '), verb: node }];
}

function keyOf({ path, flag }: Pick<WritingFlag, 'path' | 'flag'>): string {
  if (flag.name === 'checkpoint') return '--checkpoint';
  return `${path === 'promote' ? 'plan make' : path} --${flag.name}`;
}

let examples: Examples;
let special: SpecialFiles;
const at = (name: string): string => join(examples.cwd, name);
beforeAll(async () => {
  examples = await openExamples('written');
  special = await makeSpecialFiles(examples.cwd);
  await putCampaignFiles(examples.cwd);
  writeFileSync(at('bad.csv'), 'email\nno address\n');
  writeFileSync(at('sms.csv'), 'to,from,message\n447700900123,Example,Hello\n');
  writeFileSync(at('data.csv'), 'subscriber,field,value\nx,1,blue\n');
});
afterAll(() => {
  special.close();
  rmSync(examples.cwd, { recursive: true });
});
const run = (argv: readonly string[]): Promise<Run> =>
  examples.run('', [...argv, '--yes', '--no-input'], {
    signal: AbortSignal.timeout(20_000),
    transport: refusingSms,
  });

/** The service, which refuses each SMS, because svc itself refuses a whole file with a wrong row. */
const refusingSms: Transport = async (request, signal) =>
  request.method === 'POST' && request.path === '/v1/sms'
    ? { status: 400, headers: {}, body: REFUSAL }
    : examples.demo.transport(request, signal);
const REFUSAL = JSON.stringify({ status: 'error', response: { code: 400, subcode: null, message: 'no' } });

/** Flags that name a file which svc only reads. */
const READ =
  /^(?:signers|identity|plans|from|file|text-file|html-file|naming|tls-cert|tls-key|campaign|values|against)$/;

it('says of each flag for a file whether svc reads or writes the file', () => {
  const ofFiles = flags.filter(
    ({ flag }) => flag.completes === 'file' || ['file', 'dir', 'plan'].includes(flag.value ?? ''),
  );
  const unknown = ofFiles.filter(({ flag, writes }) => writes === undefined && !READ.test(flag.name));
  // `--data` is the folder of a sandbox, and `--dir` of mcp an existing working folder. Both have their own checks.
  expect(unknown.map(keyOf).filter((key) => !/^(sandbox .*--data|mcp --dir)$/.test(key))).toEqual([]);
  expect(distinct.length).toBeGreaterThan(15);
});

const isRefused = (writes: WrittenPath, kind: SpecialKind): boolean =>
  writes === 'folder' ? kind !== 'folder' : writes === 'file' || ['folder', 'socket'].includes(kind);

describe.each(Object.keys(SPECIAL_KIND_WORDS) as SpecialKind[])('a %s', (kind) => {
  it.each(
    distinct.filter(({ writes }) => isRefused(writes, kind)).map((each) => [keyOf(each), each] as const),
  )('is refused as %s, and is left as it is', async (_, { verb, flag }) => {
    const path = special.paths[kind];
    if (path === undefined) return;
    const before = identityOf(path);
    for (const force of verb.flags.some(({ name }) => name === 'force') ? [[], ['--force']] : [[]]) {
      const companies = flag.name === 'checkpoint' ? ['--companies', 'all', '--write'] : [];
      const done = await run([...argvOf(verb.example), ...companies, `--${flag.name}`, path, ...force]);
      expect(done).toMatchObject({ exitCode: 2, stdout: '' });
      expect(done.stderr).toContain(path);
      expect(done.stderr).toContain(SPECIAL_KIND_WORDS[kind]);
      expect(identityOf(path)).toEqual(before);
    }
  });
});

/** A command line for each flag that names an output, its exit code, and the beginning of the output. */
const OUTPUTS: Readonly<Record<string, readonly [line: string, exitCode: number, begins: string]>> = {
  'plan make --out': ['plan spring.yaml', 0, '{'],
  'plan make --html': ['plan spring.yaml', 0, '<!doctype html>'],
  'dnc export --out': ['dnc export', 0, 'id,contactdata'],
  'email preview --out': ['email preview 1', 0, '<'],
  'usage --html': ['usage', 0, '<!doctype html>'],
  'task report --html': ['task report 1', 0, '<!doctype html>'],
  'task calendar --ics': ['task calendar', 0, 'BEGIN:VCALENDAR'],
  'rehearse --html': ['rehearse', 0, '<!doctype html>'],
  'dnc import --rejects': ['dnc import bad.csv --column email', 8, 'line,value,reason'],
  'sms send --rejects': ['sms send --file sms.csv --at 2026-12-20T10:00:00Z --again', 8, 'line,value,reason'],
  'subscriber-data set --rejects': ['subscriber-data set --file data.csv', 8, 'line,value,reason'],
};

describe('output', () => {
  const rows = Object.entries(OUTPUTS).map(([key, [line, exitCode, begins]]) => ({
    ...{ key, line: argvOf(line), exitCode, begins, flag: key.slice(key.indexOf('--')) },
  }));
  beforeEach(() => {
    for (const name of ['bad.csv', 'sms.csv', 'data.csv']) rmSync(at(`${name}.svc-journal`), { force: true });
  });

  it('is tried for each flag that names one', () => {
    // A picture needs Chromium.
    const declared = distinct.filter(({ writes }) => writes === 'output').map(keyOf);
    expect(Object.keys(OUTPUTS).sort()).toEqual(
      declared.filter((key) => key !== 'email preview --png').sort(),
    );
  });

  it.each(rows)('goes into a pipe: $key', async ({ line, flag, exitCode, begins }) => {
    const pipe = special.paths.pipe ?? '';
    const before = identityOf(pipe);
    const reader = readerOf(pipe);
    try {
      const done = await run([...line, flag, pipe]);
      expect([done.exitCode, done.stderr]).toEqual([exitCode, expect.anything()]);
      expect(reader.text().toLowerCase()).toMatch(new RegExp(`^${begins.toLowerCase()}`));
      expect(identityOf(pipe)).toEqual(before);
    } finally {
      reader.close();
    }
  });

  it.each(rows)('goes into a device, also with --force: $key', async (row) => {
    const { device } = special.paths;
    if (device === undefined) return;
    const before = identityOf(device);
    const takesForce = writing.some(
      ({ path, verb, flag }) =>
        keyOf({ path, flag }) === row.key && verb.flags.some(({ name }) => name === 'force'),
    );
    for (const force of takesForce ? [[], ['--force']] : [[]]) {
      const done = await run([...row.line, row.flag, device, ...force]);
      expect([done.exitCode, done.stderr]).toEqual([row.exitCode, expect.anything()]);
      expect(identityOf(device)).toEqual(before);
    }
  });

  it('reaches what a link names, and keeps the link', async () => {
    symlinkSync(special.paths.pipe ?? '', at('link'));
    const before = identityOf(at('link'));
    const reader = readerOf(special.paths.pipe ?? '');
    expect(await run(['dnc', 'export', at('link'), '--force'])).toMatchObject({ exitCode: 0 });
    expect([reader.text(), identityOf(at('link'))]).toEqual([expect.stringContaining('contactdata'), before]);
    reader.close();
  });

  it.each(rows.filter(({ key }) => !key.includes('--rejects')))(
    'is printed if the file is /dev/stdout: $key',
    async ({ line, flag, begins }) => {
      for (const path of ['/dev/stdout', '/dev/fd/1']) {
        const done = await run([...line, flag, path]);
        expect([done.exitCode, done.stderr]).toEqual([0, expect.anything()]);
        expect(done.stdout.toLowerCase()).toContain(begins.toLowerCase());
      }
      const other = await run([...line, flag, '/dev/stderr']);
      expect(other.stderr.toLowerCase()).toContain(begins.toLowerCase());
    },
  );

  it('waits two seconds for a program that reads the pipe, and then says that there is none', async () => {
    const pipe = special.paths.pipe ?? '';
    const began = Date.now();
    const done = await run(['dnc', 'export', pipe]);
    expect(done).toMatchObject({ exitCode: 2, stdout: '' });
    expect(done.stderr).toContain('no program reads the pipe');
    expect(Date.now() - began).toBeGreaterThan(1500);
    const late = run(['dnc', 'export', pipe]);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const reader = readerOf(pipe);
    expect([(await late).exitCode, reader.text()]).toEqual([0, expect.stringContaining('contactdata')]);
    reader.close();
  });

  it('replaces a regular file as before', async () => {
    writeFileSync(at('report.csv'), 'old');
    expect(await run(['dnc', 'export', 'report.csv'])).toMatchObject({ exitCode: 2 });
    expect(await run(['dnc', 'export', 'report.csv', '--force'])).toMatchObject({ exitCode: 0 });
    expect(readFileSync(at('report.csv'), 'utf8')).toContain('contactdata');
  });
});
