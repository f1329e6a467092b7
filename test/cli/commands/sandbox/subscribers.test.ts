/** Contract, "Sandbox": `subscriber import FILE` names rejected rows with their line, and shows its progress. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { main } from '../../../../src/main.ts';
import { anyText } from '../../../support/any-text.ts';
import { depth, SEED, tried } from '../../../support/depth.ts';
import { outsideOf } from '../../../support/run-cli.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../../support/running-sandbox.ts';
import { tableRows } from '../../../support/store.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sandbox: SocketSandbox;
beforeAll(async () => {
  folder = await temporaryFolder();
  sandbox = await runSandbox(folder.path, { clock: 'manual', seed: 'empty' });
  await sandbox.control('list create', { name: 'All' });
});
afterAll(async () => {
  await sandbox.stop();
  await folder.remove();
});

const ROWS = 1_200;
const NONE = 700;

function imported(name: string, ...flags: readonly string[]) {
  const addresses = Array.from({ length: ROWS }, (_, at) =>
    at === NONE ? 'no address' : `${name}${at}@example.com`,
  );
  return importedText(`email\n${addresses.join('\n')}\n`, ...flags);
}

async function importedText(text: string, ...flags: readonly string[]) {
  const { context, readStdout, readStderr } = outsideOf({
    tty: true,
    stdin: text,
    homeDir: folder.path,
    env: { SVC_STATE_DIR: `${folder.path}/state` },
  });
  // The clock advances by a second each time it is read.
  let now = context.clock.now();
  const clock = { ...context.clock, now: () => (now += 1_000) };
  const args = ['sandbox', 'subscriber', 'import', '--list', '1', '-', '--data', folder.path, '-o', 'json'];
  const exitCode = await main([...args, ...flags], { ...context, clock });
  return { exitCode, stdout: readStdout(), stderr: readStderr() };
}

it('draws its progress on a terminal, below the rejected rows', async () => {
  const { exitCode, stdout, stderr } = await imported('a');
  expect([exitCode, JSON.parse(stdout)]).toEqual([
    8,
    { rows: ROWS, made: ROWS - 1, subscribed: ROWS - 1, rejected: 1 },
  ]);
  expect(stderr).toMatch(/1,000 rows .*999 imported/);
  expect(stderr).toMatch(/1,200 rows .*1,199 imported {2}1 rejected/);
  expect(stderr).toContain(`line ${NONE + 2}: `);
  // In the end, the terminal looks as if no progress had been drawn.
  expect(stderr.trimEnd().endsWith('\r\u001b[K')).toBe(true);
});

it('draws no progress with --quiet', async () => {
  expect((await imported('b', '--quiet')).stderr).not.toContain('imported');
});

it('refuses a file whose column is no field, once and before any row', async () => {
  await sandbox.control('field create', { name: 'Firstname' });
  const { exitCode, stderr, stdout } = await importedText(
    'Email,firstnam\nc1@example.com,Ann\nc2@example.com,Ben\n',
  );
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr.match(/is not a profile field; did you mean Firstname\?/g)).toHaveLength(1);
  expect(await importedText('Email,Firstname\nc1@example.com,Ann\n')).toMatchObject({ exitCode: 0 });
});

// Acceptance, F3: the header of a file names fields of subscribers, and any field may have any of these names.
const HEADERS = depth('SVC_CSV_HEADERS', { few: 25, full: 1_000 });
it(`${HEADERS} files with headers such as __proto__ change no prototype (SVC_SEED=${SEED})`, async () => {
  const name = fc.oneof(
    fc.constantFrom(
      '__proto__',
      'constructor',
      'prototype',
      'toString',
      'valueOf',
      'hasOwnProperty',
      '__defineGetter__',
    ),
    fc.constantFrom(
      '__proto__.x',
      'constructor.prototype.x',
      ' __proto__ ',
      '__PROTO__',
      'fields',
      'email ',
      'msisdn',
      '',
    ),
    anyText({ maxLength: 8 }),
  );
  const cell = fc.oneof(fc.constantFrom('x', '{"x":1}', '__proto__', ''), anyText({ maxLength: 5 }));
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  for (const field of ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
    expect((await sandbox.control('field create', { name: field })).status).toBe(200);
  const codes = new Set<number>();
  let file = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, cell), { minLength: 1, maxLength: 5 }), async (columns) => {
      file += 1;
      const header = ['email', ...columns.map(([title]) => title)];
      const row = [`p${file}@example.com`, ...columns.map(([, value]) => value)];
      const text = [header, row].map((cells) => cells.map(quoted).join(',')).join('\n');
      const { exitCode, stderr } = await importedText(text);
      expect([0, 2, 6, 8], stderr).toContain(exitCode);
      expect(Object.keys(Object.prototype)).toEqual([]);
      codes.add(exitCode);
    }),
    { numRuns: HEADERS, seed: SEED },
  );
  // Of a few files, possibly none is valid.
  if (HEADERS >= 500) expect(codes).toContain(0);
  // A column with such a name is an ordinary field.
  expect(await importedText('email,__proto__\nproto@example.com,kept\n')).toMatchObject({ exitCode: 0 });
  const kept = await tableRows(sandbox.service.store, 'profile_data');
  expect(kept.map(({ value }) => value)).toContain('kept');
  tried('F3', HEADERS);
});
