/** `sms send --file` and `subscriber-data set --file`. */
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TransportError } from '../../../src/client/requests/errors.ts';
import type { Transport } from '../../../src/service/protocol/wire.ts';
import { setAccount } from '../../support/messages.ts';
import { writesIn } from '../../support/run-cli.ts';
import { IDS, NOW } from '../../support/sandbox.ts';
import { type Bulk, bulkFolder } from './folder.ts';

const DONE = { skipped: 0, rejected: 0, failed: 0, unconfirmed: 0, open: 0, rejects: null };
const SEND = ['sms', 'send', '--file', 'some.csv', '--yes', '-o', 'json'];
const LATER = NOW + 86_400;

async function sentIn({ sandbox }: Bulk): Promise<readonly unknown[]> {
  const rows = await sandbox.rows('sms');
  return rows.map(({ msisdn, fromaddress, message, senddate }) => [msisdn, fromaddress, message, senddate]);
}

const lost = new TransportError('unknown', 'the connection was cut');

describe('svc sms send --file', () => {
  it('sends one SMS for each row, and flags give the values that rows lack', async () => {
    await using bulk = await bulkFolder();
    await bulk.write(
      'some.csv',
      `to,message,senddate,from\n+44 7700 900123,"Hello, you",${LATER},\n447700900124,Two,2026-12-02 09:00,Shop\n447700900123,"Hello, you",${LATER},\n`,
    );
    const run = await bulk.svc([...SEND, '--from', 'Example']);
    expect([run.exitCode, JSON.parse(run.stdout)]).toEqual([0, { ...DONE, rows: 3, added: 2, skipped: 1 }]);
    expect(await sentIn(bulk)).toEqual([
      ['447700900123', 'Example', 'Hello, you', LATER],
      ['447700900124', 'Shop', 'Two', LATER],
    ]);
    // Contract, "Safety": the truth of its time.
    expect(run.stderr).toContain('Sends Wed 2026-12-02 09:00:00 +00:00 (UTC)');
  });

  it('checks all rows before it sends the first, and reports all faults together', async () => {
    await using bulk = await bulkFolder();
    await bulk.write(
      'some.csv',
      `to,message,senddate\n447700900123,One,${LATER}\n1,Two,${NOW - 10}\n447700900124,,${LATER}\n447700900125,Four,${NOW + 60}\n447700900126,Five,tomorrow\n447700900127,Six,\n`,
    );
    const run = await bulk.svc([...SEND, '--from', 'Example']);
    expect([run.exitCode, run.stdout, writesIn(bulk.service.sent)]).toEqual([2, '', []]);
    const { error } = JSON.parse(run.stderr.split('\n').at(-2) ?? '');
    expect(error.details.map(({ attribute }: { readonly attribute: string }) => attribute)).toEqual([
      'line 3: msisdn',
      'line 4: message',
      'line 5: senddate',
      'line 6: senddate',
      'line 7: senddate',
    ]);
    expect(await bulk.names()).toEqual(['some.csv']);
  });

  it.each([
    ['without --yes', ['sms', 'send', '--file', 'some.csv', '--now'], 'needs --yes'],
    ['from standard input', ['sms', 'send', '--file', '-', '--now', '--yes'], 'standard input'],
    ['with --to', [...SEND, '--to', '447700900123', '--now'], 'cannot combine --to with --file'],
    ['with a time that moves', [...SEND, '--at', '+2h'], 'must be a fixed time'],
  ])('refuses %s', async (_, args, words) => {
    await using bulk = await bulkFolder();
    await bulk.write('some.csv', 'to,from,message\n447700900123,Example,One\n');
    const run = await bulk.svc(args);
    expect([run.exitCode, writesIn(bulk.service.sent)]).toEqual([2, []]);
    expect(run.stderr).toContain(words);
  });

  it('warns of missing credits before the first row; with --check-credits it sends nothing: exit 2', async () => {
    await using bulk = await bulkFolder();
    await setAccount(bulk.sandbox, { smscreditbalance: 2 });
    const long = 'x'.repeat(200);
    await bulk.write('some.csv', `to,from,message\n447700900123,Example,${long}\n447700900124,Example,b\n`);
    const words = 'some.csv needs 3 SMS credits, and the balance is 2';
    const refused = await bulk.svc([...SEND, '--now', '--check-credits']);
    expect([refused.exitCode, writesIn(bulk.service.sent), await bulk.names()]).toEqual([
      2,
      [],
      ['some.csv'],
    ]);
    expect(refused.stderr).toContain(`${words}; nothing was sent`);
    const asked = await bulk.svc(['sms', 'send', '--file', 'some.csv', '--now'], {
      tty: true,
      answers: [true],
    });
    expect(asked.exitCode).toBe(0);
    expect(asked.stderr).toContain(`Too few credits: ${words}.`);
    expect(asked.questions).toEqual([
      'Really send 2 SMS from some.csv for 3 credits, of Company (company 1, from the environment)?',
    ]);
  });

  it('the question names the price and the balance', async () => {
    await using bulk = await bulkFolder();
    await bulk.write('some.csv', 'to,from,message\n447700900123,Example,a\n447700900124,Example,b\n');
    const run = await bulk.svc(['sms', 'send', '--file', 'some.csv', '--now'], {
      tty: true,
      answers: [false],
    });
    expect(run.questions).toEqual([
      'Really send 2 SMS from some.csv for 2 of 1,000 SMS credits, of Company (company 1, from the environment)?',
    ]);
  });

  it('--dry-run counts messages and credits, and sends nothing', async () => {
    await using bulk = await bulkFolder();
    await bulk.write(
      'some.csv',
      `to,from,message\n447700900123,Example,${'x'.repeat(200)}\n447700900124,Example,b\n`,
    );
    const run = await bulk.svc([...SEND, '--now', '--dry-run']);
    expect(JSON.parse(run.stdout)).toEqual({
      ...{ rows: 2, send: 2, skipped: 0, credits: 3, at_once: 2, earliest: null, latest: null },
    });
    expect(await sentIn(bulk)).toEqual([]);
  });

  it('looks up a row whose response was lost, and never sends it again: exit 10 if it does not exist', async () => {
    await using bulk = await bulkFolder();
    await bulk.write(
      'some.csv',
      'to,from,message\n447700900123,Example,One\n447700900124,Example,Two\n447700900125,Example,Three\n',
    );
    const transport: Transport = async (request, signal) => {
      if (request.method !== 'POST' || request.body?.includes('Three'))
        return bulk.service.transport(request, signal);
      // The first request arrives, and the second does not.
      if (request.body?.includes('One')) await bulk.service.transport(request, signal);
      throw lost;
    };
    const run = await bulk.svc([...SEND, '--now'], { transport });
    expect([run.exitCode, JSON.parse(run.stdout)]).toEqual([
      10,
      { ...DONE, rows: 3, added: 2, unconfirmed: 1, rejects: 'some.csv.rejects.csv' },
    ]);
    expect(run.stderr).toContain('look for each with svc sms list --to NUMBER');
    expect(await bulk.read('some.csv.rejects.csv')).toContain('3,447700900124,');
    expect((await sentIn(bulk)).map((row) => (row as string[])[2]).sort()).toEqual(['One', 'Three']);

    // The same command again sends nothing; --again does.
    const again = await bulk.svc([...SEND, '--now']);
    expect([again.exitCode, again.stderr]).toEqual([
      2,
      expect.stringContaining('an earlier run sent this file'),
    ]);
    expect(await sentIn(bulk)).toHaveLength(2);
    expect((await bulk.svc([...SEND, '--now', '--again'])).exitCode).toBe(0);
    expect(await sentIn(bulk)).toHaveLength(5);
  });

  it('recognises a file that was already sent under another name', async () => {
    await using bulk = await bulkFolder();
    await bulk.write('some.csv', 'to,from,message\n447700900123,Example,One\n');
    await symlink('some.csv', join(bulk.path, 'latest.csv'));
    expect((await bulk.svc([...SEND, '--now'])).exitCode).toBe(0);
    const run = await bulk.svc(['sms', 'send', '--file', 'latest.csv', '--now', '--yes']);
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining('an earlier run sent this file')]);
    expect(await sentIn(bulk)).toHaveLength(1);
  });

  it('resumes after an outage and sends each row once', async () => {
    await using bulk = await bulkFolder();
    const rows = Array.from({ length: 40 }, (_, row) => `4477009001${10 + row},Example,Row ${row}`);
    await bulk.write('some.csv', `to,from,message\n${rows.join('\n')}\n`);
    let posts = 0;
    const transport: Transport = async (request, signal) => {
      if (request.method !== 'POST') return bulk.service.transport(request, signal);
      posts += 1;
      if (posts > 20) throw new TransportError('not-sent', 'the connection was refused');
      return bulk.service.transport(request, signal);
    };
    const first = await bulk.svc([...SEND, '--now', '--concurrency', '1'], { transport });
    expect(first.exitCode).toBe(7);
    expect(await sentIn(bulk)).toHaveLength(20);
    const second = await bulk.svc([...SEND, '--now']);
    expect([second.exitCode, JSON.parse(second.stdout)]).toEqual([0, { ...DONE, rows: 40, added: 40 }]);
    expect(new Set((await sentIn(bulk)).map((row) => JSON.stringify(row))).size).toBe(40);
    expect(await sentIn(bulk)).toHaveLength(40);
  });
});

describe('svc subscriber-data set --file', () => {
  const SET = ['subscriber-data', 'set', '--file', 'some.csv', '-o', 'json'];

  async function withData(): Promise<Bulk> {
    const bulk = await bulkFolder();
    const { put } = bulk.sandbox;
    for (let at = 0; at < 3; at += 1)
      await put('subscriber', {
        account_id: IDS.company,
        email: `s${at}@example.com`,
        cdate: NOW,
      });
    await put('profile_field', { account_id: IDS.company, name: 'Colour' });
    return bulk;
  }

  const values = async ({ sandbox }: Bulk) =>
    (await sandbox.rows('profile_data')).map((row) => [row['subscriber_id'], row['value']]);

  it('creates missing values and updates existing ones, and rejects contradictory rows', async () => {
    await using bulk = await withData();
    await bulk.write('some.csv', 'subscriber,field,value\n1,1,red\n2,1,green\n');
    expect((await bulk.svc(SET)).exitCode).toBe(0);
    await bulk.write(
      'some.csv',
      'subscriber,field,value\n1,1,blue\n3,1,"a, b"\n1,1,blue\n1,1,pink\nx,1,y\n9,1,z\n',
    );
    const run = await bulk.svc(SET);
    expect([run.exitCode, JSON.parse(run.stdout)]).toEqual([
      8,
      { ...DONE, rows: 6, added: 2, skipped: 1, rejected: 2, failed: 1, rejects: 'some.csv.rejects.csv' },
    ]);
    expect(await values(bulk)).toEqual([
      [1, 'blue'],
      [2, 'green'],
      [3, 'a, b'],
    ]);
    expect(await bulk.read('some.csv.rejects.csv')).toContain(
      '5,1 1 pink,has a different value in an earlier line',
    );
  });

  it('sets a row whose first response was lost', async () => {
    await using bulk = await withData();
    await bulk.write('some.csv', 'subscriber,value\n1,red\n2,green\n');
    let puts = 0;
    const transport: Transport = async (request, signal) => {
      if (request.method === 'PUT') puts += 1;
      if (request.method === 'PUT' && puts <= 2) {
        if (puts === 1) await bulk.service.transport(request, signal);
        throw lost;
      }
      return bulk.service.transport(request, signal);
    };
    const run = await bulk.svc([...SET, '--field', '1'], { transport });
    expect([run.exitCode, JSON.parse(run.stdout)]).toEqual([0, { ...DONE, rows: 2, added: 2 }]);
    expect(await values(bulk)).toEqual([
      [1, 'red'],
      [2, 'green'],
    ]);
    // Both are sent again, because a PUT by its pair is safe to repeat.
    expect(puts).toBe(4);
  });
});
