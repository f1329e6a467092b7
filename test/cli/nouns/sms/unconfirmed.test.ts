/**
 * Second attack L2: after `sms send --file` ended with exit 10, svc names the rows in doubt and what to type for those alone. Whoever follows
 * it sends nobody a second SMS (contract, "Safety": a retry never sends anything twice to a recipient).
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TransportError } from '../../../../src/client/requests/errors.ts';
import type { Transport } from '../../../../src/service/protocol/wire.ts';
import { NOW } from '../../../support/sandbox.ts';
import { type Bulk, bulkFolder } from '../../bulk/folder.ts';

const SEND = ['sms', 'send', '--yes', '--file'];
const numberOf = (at: number) => String(447_700_900_100 + at);
const LATER = NOW + 86_400;
const TIMES = ['', String(LATER), '2026-12-02 09:30', '2026-12-02T10:00:00+02:00'];
/** Rows with spreadsheet formulas, quotes, line ends, spaces at both ends, and each form of a time. */
const TEXTS = ['=1+1', 'He said "hi", twice', 'two\nlines', ' spaces ', 'Plain'];
const rowOf = (at: number) => [numberOf(at), TEXTS[at % TEXTS.length] ?? '', TIMES[at % TIMES.length] ?? ''];
const csvOf = (rows: readonly (readonly string[])[]) =>
  rows.map((row) => `${row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')}\n`).join('');

/** Loses the requests with these numbers before they reach the service. */
const losing =
  ({ service }: Bulk, numbers: readonly string[]): Transport =>
  (request, signal) =>
    request.method === 'POST' && numbers.some((number) => request.body?.includes(number))
      ? Promise.reject(new TransportError('unknown', 'the connection was cut'))
      : service.transport(request, signal);

async function sentIn({ sandbox }: Bulk) {
  const rows = await sandbox.rows('sms');
  return rows.map(({ msisdn, fromaddress, message, senddate }) => [msisdn, fromaddress, message, senddate]);
}

const inOrder = (rows: readonly (readonly unknown[])[]) =>
  [...rows].sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1));

/** Sends 10 rows, of which 3 are lost: rows 2, 5 and 9 from 0. */
async function withLostRows() {
  const bulk = await bulkFolder();
  const rows = Array.from({ length: 10 }, (_, at) => rowOf(at));
  await bulk.write('some.csv', `to,message,senddate\n${csvOf(rows)}`);
  const lost = [2, 5, 9].map(numberOf);
  const args = [...SEND, 'some.csv', '--from', 'Example', '--now'];
  const run = await bulk.svc(args, { transport: losing(bulk, lost) });
  return { bulk, run, args, lost };
}

describe('sms send --file with rows in doubt', () => {
  it('names them and what to type, and the file that it writes sends them alone', async () => {
    const { bulk, run, lost } = await withLostRows();
    await using _ = bulk;
    expect(run.exitCode).toBe(10);
    // Row 2 has two lines in the file.
    expect(run.stderr).toContain(
      'the service did not confirm 3 rows of some.csv (lines 4, 8 and 13); svc wrote them to some.csv.unconfirmed.csv',
    );
    const [, command = ''] = /then run svc (.*)$/m.exec(run.stderr) ?? [];
    expect(command).toBe('sms send --file some.csv.unconfirmed.csv --now');
    expect(run.stderr).toMatch(
      /^Hint: .*svc sms list --to NUMBER, at the earliest 15 minutes after the run/m,
    );
    expect(run.stderr).not.toContain('--again');

    expect(await sentIn(bulk)).toHaveLength(7);
    const second = await bulk.svc([...command.split(' '), '--yes']);
    expect(second.exitCode, second.stderr).toBe(0);
    const sent = await sentIn(bulk);
    expect(sent).toHaveLength(10);
    expect(new Set(sent.map(([number]) => number)).size).toBe(10);

    // Each SMS is the one that the first run would have sent.
    await using whole = await bulkFolder();
    await whole.write('some.csv', await bulk.read('some.csv'));
    await whole.svc([...SEND, 'some.csv', '--from', 'Example', '--now']);
    expect(inOrder(sent)).toEqual(inOrder(await sentIn(whole)));
    expect(lost.every((number) => sent.some(([other]) => other === number))).toBe(true);

    // The rows are not sent a third time.
    const third = await bulk.svc([...command.split(' '), '--yes']);
    expect([third.exitCode, await sentIn(bulk)]).toEqual([2, sent]);
  });

  it('the next run is refused with the same advice, and says whom --again reaches', async () => {
    const { bulk, args } = await withLostRows();
    await using _ = bulk;
    const again = await bulk.svc(args);
    expect(again.exitCode).toBe(2);
    expect(again.stderr).toContain(
      'an earlier run sent this file, but the service did not confirm lines 4, 8 and 13; nothing was sent again',
    );
    expect(again.stderr).toContain('then run svc sms send --file some.csv.unconfirmed.csv --now');
    expect(again.stderr).toContain(
      '--again sends the whole file again: 10 rows, including the 7 that the service confirmed',
    );
    expect(await sentIn(bulk)).toHaveLength(7);
  });

  it('without the file of these rows, the refusal says how to make one', async () => {
    const { bulk, args } = await withLostRows();
    await using _ = bulk;
    await rm(join(bulk.path, 'some.csv.unconfirmed.csv'));
    const again = await bulk.svc(args);
    expect(again.exitCode).toBe(2);
    expect(again.stderr).toContain(
      'Copy the header and the lines that were not sent to a new file, then run svc sms send --file NEW-FILE',
    );
    expect(await bulk.names()).not.toContain('some.csv.unconfirmed.csv');
  });

  it('names the rows in doubt of all runs, once the last row is done', async () => {
    await using bulk = await bulkFolder();
    const rows = Array.from({ length: 6 }, (_, at) => [numberOf(at), 'Hi']);
    await bulk.write('some.csv', `to,message\n${csvOf(rows)}`);
    const args = [...SEND, 'some.csv', '--from', 'Example', '--now'];
    const first = await bulk.svc(args, {
      // The request of row 0 is lost, and row 3 finds no connection.
      transport: (request, signal) => {
        if (request.method === 'POST' && request.body?.includes(numberOf(3)))
          return Promise.reject(new TransportError('not-sent', 'no connection'));
        return losing(bulk, [numberOf(0)])(request, signal);
      },
    });
    expect(first.exitCode).toBe(10);
    expect(first.stderr).toContain('check them with svc sms list --to NUMBER');
    expect(await bulk.names()).not.toContain('some.csv.unconfirmed.csv');
    const second = await bulk.svc(args, { transport: losing(bulk, [numberOf(3)]) });
    expect(second.exitCode).toBe(10);
    expect(second.stderr).toContain('did not confirm 2 rows of some.csv (lines 2 and 5)');
    expect(await bulk.read('some.csv.unconfirmed.csv')).toBe(
      `to,from,message,senddate\n${numberOf(0)},Example,Hi,\n${numberOf(3)},Example,Hi,\n`,
    );
  });

  it('a file that was sent completely says whom --again reaches', async () => {
    await using bulk = await bulkFolder();
    await bulk.write('some.csv', `to,message\n${csvOf([[numberOf(0), 'Hi']])}`);
    const args = [...SEND, 'some.csv', '--from', 'Example', '--now'];
    expect((await bulk.svc(args)).exitCode).toBe(0);
    const again = await bulk.svc(args);
    expect([again.exitCode, again.stderr]).toEqual([
      2,
      expect.stringContaining(
        '--again sends the whole file again: 1 row, including the 1 that the service confirmed',
      ),
    ]);
    expect(await bulk.names()).toEqual(['some.csv', 'some.csv.svc-journal']);
  });

  // Second attack M8: with this response the row was counted as sent.
  it('a response about another SMS does not confirm a row', async () => {
    await using bulk = await bulkFolder();
    await bulk.write('some.csv', `to,message\n${csvOf([0, 1].map((at) => [numberOf(at), 'Hi']))}`);
    let older = '';
    const transport: Transport = async (request, signal) => {
      if (request.method === 'POST' && request.body?.includes(numberOf(1)))
        return { status: 202, headers: {}, body: older };
      const response = await bulk.service.transport(request, signal);
      if (request.method === 'POST') older = response.body;
      return response;
    };
    const args = [...SEND, 'some.csv', '--from', 'Example', '--now', '--concurrency', '1'];
    const run = await bulk.svc(args, { transport });
    expect([run.exitCode, (await sentIn(bulk)).length]).toEqual([10, 1]);
    expect(run.stderr).toContain('did not confirm 1 row of some.csv (line 3)');
  });
});

// Contract, "SMS in doubt": "svc warns of a file with the same content as one that an earlier run sent".
describe('sms send --file with rows that an earlier run sent', () => {
  const rows = csvOf([0, 1].map(rowOf));
  const sendBoth = async (name: string, text: string, ...flags: readonly string[]) => {
    const bulk = await bulkFolder();
    const env = { SVC_STATE_DIR: join(bulk.path, 'state') };
    const send = (file: string, ...more: readonly string[]) =>
      bulk.svc([...SEND, file, '--from', 'Example', '--now', ...more], { env });
    await bulk.write('some.csv', `to,message,senddate\n${rows}`);
    expect(await send('some.csv')).toMatchObject({
      exitCode: 0,
      stderr: expect.not.stringContaining('Careful'),
    });
    await bulk.write(name, text);
    return { bulk, run: await send(name, ...flags) };
  };
  const CAREFUL = 'Careful: an earlier run sent SMS from a file with the same content, ';

  it.each([
    ['a copy under another name', 'copy.csv', '', [], true],
    ['another file', 'copy.csv', csvOf([rowOf(2)]), [], false],
    ['a copy, with --no-validate', 'copy.csv', '', ['--no-validate'], false],
  ])('warns of %s, and sends it', async (_, name, more, flags, isTold) => {
    const { bulk, run } = await sendBoth(name, `to,message,senddate\n${rows}${more}`, ...flags);
    await using __ = bulk;
    expect(run.exitCode).toBe(0);
    expect(run.stderr.includes(CAREFUL)).toBe(isTold);
    if (isTold) expect(run.stderr).toMatch(/, \S*some\.csv: svc log show 1\n/);
  });

  it('says how to send only new rows of a file that has grown', async () => {
    const { bulk, run } = await sendBoth('some.csv', `to,message,senddate\n${rows}${csvOf([rowOf(2)])}`);
    await using _ = bulk;
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain('to send only rows that are new, put them into a file of their own');
    expect(run.stderr).toMatch(
      /to start over, remove \S+; svc then forgets what that run sent, and sends every row\n/,
    );
  });
});
