/** H1, and I6 after the question: every command that reads a file twice sends only the rows that it checked and asked about. */
import { open, rename, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Transport } from '../../../src/service/protocol/wire.ts';
import { writesIn } from '../../support/run-cli.ts';
import { IDS, NOW } from '../../support/sandbox.ts';
import { type Bulk, bulkFolder } from './folder.ts';

const PIECE = 64 * 1024;

/** Changes octets in place and restores the times of the file, so that only its content differs. */
async function edit(path: string, at: number, text: string): Promise<void> {
  const { atime, mtime } = await stat(path);
  const file = await open(path, 'r+');
  await file.write(text, at);
  await file.close();
  await utimes(path, atime, mtime);
}

async function append(path: string, text: string): Promise<void> {
  const file = await open(path, 'a');
  await file.write(text);
  await file.close();
}

interface Command {
  readonly args: readonly string[];
  readonly header: string;
  /** Returns the longest possible row, so that few rows make many pieces and some rows cross the end of a piece. */
  readonly row: (at: number) => string;
  readonly width: number;
}

const LABEL = `${'x'.repeat(47)}.`;
const COMMANDS: Readonly<Record<string, Command>> = {
  'sms send --file': {
    args: ['sms', 'send', '--file', 'some.csv', '--now'],
    header: 'to,from,message',
    row: (at) => `${447_700_000_000 + at},Example,`.padEnd(400, 'x'),
    width: 401,
  },
  'dnc import': {
    args: ['dnc', 'import', 'some.csv'],
    header: 'email',
    row: (at) => `${`person${at}`.padEnd(20, 'x')}@${LABEL.repeat(4)}org`,
    width: 217,
  },
  'subscriber-data set --file': {
    args: ['subscriber-data', 'set', '--file', 'some.csv', '--field', '1'],
    header: 'subscriber,value',
    row: (at) => `${at + 1},`.padEnd(400, 'x'),
    width: 401,
  },
};

/** Returns the number of rows in four and a half pieces. */
const rowsOf = ({ width }: Command): number => Math.ceil((4.5 * PIECE) / width);
const textOf = (command: Command): string =>
  `${[command.header, ...Array.from({ length: rowsOf(command) }, (_, at) => command.row(at))].join('\n')}\n`;

const CHANGES: Readonly<Record<string, (path: string, command: Command) => Promise<void>>> = {
  'another file is put in its place': async (path, command) => {
    await writeFile(`${path}.new`, textOf({ ...command, row: (at) => command.row(at + 10_000) }));
    await rename(`${path}.new`, path);
  },
  'it is written anew': (path, command) =>
    writeFile(path, textOf({ ...command, row: (at) => command.row(at + 10_000) })),
  'an octet of its last piece is changed, and its times put back': async (path) =>
    edit(path, (await stat(path)).size - 2, 'y'),
  'an octet of its first piece is changed': (path) => edit(path, 60, 'y'),
  'rows are added to it': (path, command) => append(path, `${command.row(20_000)}\n`),
  'an octet is taken from its end': async (path) => truncate(path, (await stat(path)).size - 1),
  'it is cut at the end of a piece': (path) => truncate(path, PIECE),
  'it is emptied': (path) => truncate(path, 0),
};

/** Makes a folder and a sandbox with the records that the rows of all commands refer to. */
async function bulkWith(command: Command): Promise<Bulk> {
  const bulk = await bulkFolder();
  await bulk.write('some.csv', textOf(command));
  return bulk;
}

describe.each(Object.entries(COMMANDS))('svc %s', (name, command) => {
  const asks = name !== 'subscriber-data set --file';
  it.each(asks ? Object.entries(CHANGES) : [])(
    'sends nothing if %s before the confirmation',
    async (_, change) => {
      await using bulk = await bulkWith(command);
      const run = await bulk.svc([...command.args, '-o', 'json'], {
        tty: true,
        answers: [true],
        onQuestion: () => change(join(bulk.path, 'some.csv'), command),
      });
      expect([run.questions.length, run.exitCode, run.stdout]).toEqual([1, 2, '']);
      expect(run.stderr).toContain('some.csv has changed since it was checked');
      expect([
        writesIn(bulk.service.sent),
        (await bulk.names()).filter((each) => /journal/.test(each)),
      ]).toEqual([[], []]);
    },
  );

  /** Changes the file once this many of its rows were sent. */
  async function changedAfter(count: number, change: (path: string, command: Command) => Promise<void>) {
    const bulk = await bulkWith(command);
    const original = new Set(Array.from({ length: rowsOf(command) }, (_, at) => command.row(at)));
    let posts = 0;
    const bodies: string[] = [];
    const transport: Transport = async (request, signal) => {
      if (request.method === 'POST' || request.method === 'PUT') {
        posts += 1;
        bodies.push(request.body ?? '');
        if (posts === count) await change(join(bulk.path, 'some.csv'), command);
        // Only what was sent counts here. The sandbox would need most of the time for a thousand writes.
        const body = JSON.parse(request.body ?? '');
        const data = name.startsWith('subscriber-data')
          ? [{ id: `1_${body.subscriber_id}` }]
          : { id: posts, ...body, cdate: NOW };
        const response = { count: 1, next: null, data };
        return { status: 200, headers: {}, body: JSON.stringify({ status: 'ok', response }) };
      }
      return bulk.service.transport(request, signal);
    };
    const run = await bulk.svc([...command.args, '--yes', '-o', 'json'], { transport });
    const rowOf = (body: string): string => {
      const {
        msisdn,
        fromaddress,
        message,
        contactdata,
        subscriber_id: subscriber,
        value,
      } = JSON.parse(body);
      if (contactdata !== undefined) return contactdata;
      return subscriber === undefined ? `${msisdn},${fromaddress},${message}` : `${subscriber},${value}`;
    };
    const strangers = bodies.map(rowOf).filter((row) => !original.has(row));
    return { bulk, run, sent: bodies.length, strangers };
  }

  it('stops before a piece that was changed during the send', async () => {
    const { bulk, run, sent, strangers } = await changedAfter(3, async (path) =>
      edit(path, (await stat(path)).size - 2, 'y'),
    );
    await using _ = bulk;
    expect([run.exitCode, strangers]).toEqual([1, []]);
    expect(run.stderr).toContain('some.csv has changed since it was checked');
    // The rows of the earlier pieces were sent, and none of the last piece.
    expect(sent).toBeGreaterThan(100);
    expect(sent).toBeLessThanOrEqual(Math.floor((4 * PIECE - command.header.length - 1) / command.width));
    const again = await bulk.svc([...command.args, '--yes', '-o', 'json']);
    expect([again.exitCode, again.stderr]).toEqual([2, expect.stringContaining('the file has changed')]);
  });

  it('finishes with the checked file if another is renamed over it', async () => {
    const { bulk, run, sent, strangers } = await changedAfter(3, async (path, own) => {
      await writeFile(`${path}.new`, textOf({ ...own, row: (at) => own.row(at + 10_000) }));
      await rename(`${path}.new`, path);
    });
    await using _ = bulk;
    expect([run.exitCode, sent, strangers]).toEqual([0, rowsOf(command), []]);
  });
});

it('svc dnc diff compares the data that it read first', async () => {
  await using bulk = await bulkFolder('a@example.com');
  await bulk.write('some.csv', 'b@example.com\n');
  const transport: Transport = async (request, signal) => {
    await bulk.write('some.csv', 'c@example.com\n');
    return bulk.service.transport(request, signal);
  };
  const run = await bulk.svc(['dnc', 'diff', 'some.csv', '-o', 'ndjson'], { transport });
  expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining('some.csv has changed')]);
  expect(run.stdout).not.toContain('c@example.com');
});

it('reads a file that ends exactly at the end of a piece, and one with only a header', async () => {
  await using bulk = await bulkFolder();
  await bulk.sandbox.put('subscriber', { account_id: IDS.company, email: 's@example.com', cdate: NOW });
  const rows = Array.from({ length: 16 }, (_, at) => `p${at}@example.com`).join('\n');
  await bulk.write('some.csv', `${rows}\n${'\n'.repeat(PIECE - rows.length - 1)}`);
  const run = await bulk.svc(['dnc', 'import', 'some.csv', '--yes', '-o', 'json']);
  expect([run.exitCode, JSON.parse(run.stdout).added]).toEqual([0, 16]);
});
