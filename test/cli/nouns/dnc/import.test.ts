import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TransportError } from '../../../../src/client/requests/errors.ts';
import type { Transport, WireRequest } from '../../../../src/service/protocol/wire.ts';
import { tried } from '../../../support/depth.ts';
import { writesIn } from '../../../support/run-cli.ts';
import { type Bulk, bulkFolder } from '../../bulk/folder.ts';

const DONE = { skipped: 0, rejected: 0, failed: 0, unconfirmed: 0, open: 0, rejects: null };
const BOTH = ['a@example.com', 'b@example.com'];
const IMPORT = ['dnc', 'import', 'gone.csv', '--yes', '-o', 'json'];

const postsOf = ({ service }: Bulk): readonly string[] =>
  service.sent.filter(({ method }) => method === 'POST').map(({ body = '' }) => JSON.parse(body).contactdata);

/** Returns the service with some requests replaced by `meddle`, which may call the service itself. */
function meddling(
  { service }: Bulk,
  meddle: (request: WireRequest, count: number) => ReturnType<Transport> | undefined,
): Transport {
  let posts = 0;
  return (request, signal) => {
    if (request.method === 'POST') posts += 1;
    return (
      (request.method === 'POST' ? meddle(request, posts) : undefined) ?? service.transport(request, signal)
    );
  };
}

describe('svc dnc import', () => {
  it.each([
    ['a header', 'name,email\nA,a@example.com\nB,b@example.com\n', []],
    ['a column by its name', 'To whom,other\na@example.com,x\nb@example.com,y\n', ['--column', 'to whom']],
    ['a column by its number', 'A,a@example.com\nB,b@example.com\n', ['--column', '2']],
    ['plain lines', 'a@example.com\n\nb@example.com', []],
    ['tabs', 'id\te-mail\n1\ta@example.com\n2\tb@example.com\n', []],
    ['semicolons', 'id;E-Mail Address\n1;a@example.com\n2;b@example.com\n', []],
    ['quotes', '"name","email"\n"x, y","a@example.com"\n"z\nz","b@example.com"\n', []],
    ['a byte order mark and CR LF', '\ufeffcontactdata\r\na@example.com\r\nb@example.com', []],
  ])('reads %s', async (_, text, flags) => {
    await using bulk = await bulkFolder();
    await bulk.write('gone.csv', text);
    const run = await bulk.svc([...IMPORT, ...flags]);
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(run.stdout)).toEqual({ rows: 2, added: 2, ...DONE });
    expect(await bulk.listed()).toEqual(BOTH);
    expect(await bulk.names()).toEqual(['gone.csv']);
  });

  it('skips duplicates and existing entries, and reports the other rows by line: exit 8', async () => {
    await using bulk = await bulkFolder('old@example.com');
    await bulk.write(
      'gone.csv',
      'email,"a\nb"\nold@example.com,\n=nobody,\n\nnew@example.com,"\n"\nNEW@example.com,\nexample.org,\n+44 7700 900123,\n',
    );
    const run = await bulk.svc(IMPORT);
    expect(run.exitCode).toBe(8);
    expect(JSON.parse(run.stdout)).toEqual({
      ...{ rows: 6, added: 2, skipped: 2, rejected: 2, failed: 0, unconfirmed: 0, open: 0 },
      rejects: 'gone.csv.rejects.csv',
    });
    expect(run.stderr).toBe(
      'line 4: "=nobody" is not an e-mail address, domain or phone number\n' +
        'line 9: "example.org" is a whole domain; allow domains with --domain-ok\n' +
        'Rejected rows: gone.csv.rejects.csv\n',
    );
    // F6: a spreadsheet must not run a cell of the report.
    expect(await bulk.read('gone.csv.rejects.csv')).toBe(
      'line,value,reason\n' +
        '4,\'=nobody,"is not an e-mail address, domain or phone number"\n' +
        '9,example.org,is a whole domain; allow domains with --domain-ok\n',
    );
    expect((await stat(join(bulk.path, 'gone.csv.rejects.csv'))).mode & 0o777).toBe(0o600);
    expect(await bulk.listed()).toEqual(['old@example.com', 'new@example.com', '447700900123']);
    expect(postsOf(bulk)).toEqual(['old@example.com', 'new@example.com', '447700900123']);
  });

  it('F7: a whole domain needs --domain-ok in addition to --yes', async () => {
    await using bulk = await bulkFolder();
    await bulk.write('gone.csv', 'domain\nexample.org\n@example.net\n');
    const refused = await bulk.svc(IMPORT);
    expect([refused.exitCode, writesIn(bulk.service.sent)]).toEqual([8, []]);
    const run = await bulk.svc([...IMPORT, '--domain-ok']);
    expect([run.exitCode, await bulk.listed()]).toEqual([0, ['example.org', 'example.net']]);
  });

  it('asks on a terminal and names the effects, and needs --yes elsewhere', async () => {
    await using bulk = await bulkFolder();
    await bulk.write('gone.csv', 'a@example.com\nexample.org\n');
    const asked = await bulk.svc(['dnc', 'import', 'gone.csv', '--domain-ok'], {
      tty: true,
      answers: [false],
    });
    expect(asked.questions).toEqual([
      'Really add the 2 rows of gone.csv, including 1 whole domain, to Do Not Contact and delete matching subscribers, ' +
        'of Company (company 1, from the environment)?',
    ]);
    const elsewhere = await bulk.svc(['dnc', 'import', 'gone.csv']);
    expect([asked.exitCode, elsewhere.exitCode, writesIn(bulk.service.sent)]).toEqual([2, 2, []]);
  });

  it('--dry-run shows which values would be added and whom that affects, and changes nothing', async () => {
    await using bulk = await bulkFolder('a@example.com');
    const rows = ['a@example.com', 'b@example.com', 'b@example.com', 'c@example.net', 'example.org', 'x'];
    await bulk.write('gone.csv', [...rows, '447700900123'].join('\n'));
    const run = await bulk.svc([...IMPORT, '--dry-run', '--domain-ok']);
    expect(JSON.parse(run.stdout)).toEqual({
      ...{ rows: 7, add: 5, skipped: 1, rejected: 1, email: 3, msisdn: 1, domain: 1 },
      ...{ email_domains: 2, whole_domains: ['example.org'], sampled: 5, listed: 1 },
    });
    expect([run.exitCode, writesIn(bulk.service.sent)]).toEqual([8, []]);
    expect(await bulk.names()).toEqual(['gone.csv']);
  });

  it('--dry-run says the same in sentences on a terminal', async () => {
    await using bulk = await bulkFolder('a@example.com');
    const dryRun = async (...rows: readonly string[]) => {
      await bulk.write('gone.csv', `contactdata\n${rows.join('\n')}\n`);
      const run = await bulk.svc(['dnc', 'import', 'gone.csv', '--dry-run', '--domain-ok'], { tty: true });
      return run.stdout.replaceAll(/\s+/g, ' ').trim();
    };
    expect(
      await dryRun('a@example.com', 'b@example.com', 'b@example.com', 'example.org', 'x', '447700900123'),
    ).toBe(
      'Would add 4 of 6 rows, 1 repeated, 1 rejected: 2 addresses in 1 domain, 1 phone number and 1 whole domain (example.org). ' +
        'svc looked up 4 of them: 1 is in Do Not Contact already.',
    );
    expect(await dryRun('c@example.com')).toBe(
      'Would add 1 of 1 row: 1 address in 1 domain. svc looked up 1 of them: none is in Do Not Contact already.',
    );
    expect(await dryRun()).toBe('Would add 0 of 0 rows.');
  });

  it('names a phone number without its country code', async () => {
    await using bulk = await bulkFolder();
    await bulk.write('gone.csv', 'msisdn\n(07700) 900 123\n');
    const run = await bulk.svc([...IMPORT, '--dry-run']);
    expect(run.stderr).toBe('line 2: "(07700) 900 123" is a phone number without its country code\n');
    const one = await bulk.svc(['dnc', 'add', '07700900123', '--yes']);
    expect(one.stderr).toContain(
      'is a phone number without its country code (given: "07700900123"); write the country code instead of the 0, as in 447700900123',
    );
  });

  it('says that an import from standard input cannot be resumed', async () => {
    await using bulk = await bulkFolder();
    const stdin = 'a@example.com\nnobody\nb@example.com\n';
    const run = await bulk.svc(['dnc', 'import', '-', '--yes', '-o', 'json'], { stdin });
    expect(JSON.parse(run.stdout)).toEqual({ ...DONE, rows: 3, added: 2, rejected: 1 });
    expect(run).toMatchObject({
      exitCode: 8,
      stderr:
        'cannot resume this run later, because it reads standard input; use a file instead\n' +
        'line 2: "nobody" is not an e-mail address, domain or phone number\n',
    });
  });

  it.each([
    ['a missing file', 'other.csv', undefined, [], 'cannot read gone.csv: file or folder not found'],
    ['a missing column', 'gone.csv', 'name,email\n', ['--column', 'mail'], 'unknown column mail'],
    ['a header without a known column', 'gone.csv', 'name;,x\n', [], 'unknown column contactdata'],
    [
      'a header with two matching columns',
      'gone.csv',
      'email,phone\n',
      [],
      'svc cannot tell which of these columns to read',
    ],
    [
      'a quote that is never closed',
      'gone.csv',
      'email\na@example.com\n"b@example.com\nc@example.com\n',
      [],
      'line 3: a quote is never closed',
    ],
    [
      'a row without end',
      'gone.csv',
      `a@example.com\n${'x'.repeat(200_000)}\n`,
      [],
      'line 2: the row is longer than 100,000 bytes (the longest row that svc reads)',
    ],
    ['a flag out of its bounds', 'gone.csv', 'a@example.com\n', ['--concurrency', '65'], '--concurrency: 65'],
  ])('refuses %s before it sends anything', async (_, name, text, flags, words) => {
    await using bulk = await bulkFolder();
    await bulk.write(name, text ?? '');
    const run = await bulk.svc([...IMPORT, ...flags]);
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain(words);
    expect(bulk.service.sent).toEqual([]);
  });

  it.each([
    ['little', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['big', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ])('reads UTF-16 with a byte order mark, %s endian, as spreadsheets write it', async (_, encoded) => {
    await using bulk = await bulkFolder();
    await bulk.writeOctets('gone.csv', encoded('name\temail\r\nM\u00fcller \ud83c\udf31\tm@example.com\r\n'));
    const run = await bulk.svc(IMPORT);
    expect([run.exitCode, postsOf(bulk)]).toEqual([0, ['m@example.com']]);
  });

  it('refuses UTF-16 that ends within a character', async () => {
    await using bulk = await bulkFolder();
    await bulk.writeOctets(
      'gone.csv',
      Buffer.from('\ufeffemail\na@example.com\n', 'utf16le').subarray(0, -1),
    );
    const run = await bulk.svc(IMPORT);
    expect([run.exitCode, bulk.service.sent]).toEqual([2, []]);
    expect(run.stderr).toContain('gone.csv is not UTF-16 text');
  });

  it('prints a line on a terminal, with the counts and the file of rejected rows', async () => {
    await using bulk = await bulkFolder();
    await bulk.write('gone.csv', 'email\na@example.com\na@example.com\nfoo@\nexample.org\n');
    const run = await bulk.svc(['dnc', 'import', 'gone.csv'], { tty: true, answers: [true] });
    expect(run.questions[0]).toContain('Really add 2 of the 4 rows of gone.csv to Do Not Contact');
    expect(run).toMatchObject({
      exitCode: 8,
      stdout: 'gone.csv: 1 added, 1 skipped, 2 rejected (gone.csv.rejects.csv).\n',
    });
  });

  it.each(['', 'email\n'])('says that a file without rows has no rows: %j', async (text) => {
    await using bulk = await bulkFolder();
    await bulk.write('gone.csv', text);
    const run = await bulk.svc(IMPORT);
    expect(run).toMatchObject({ exitCode: 0, stderr: 'gone.csv has no rows, so nothing was added\n' });
    expect(JSON.parse(run.stdout)).toMatchObject({ rows: 0, added: 0 });
  });

  it('rejects a file that is not UTF-8', async () => {
    await using bulk = await bulkFolder();
    await bulk.writeOctets('gone.csv', Buffer.from('a@example.com\nm\xfcller@example.com\n', 'latin1'));
    const run = await bulk.svc(IMPORT);
    expect([run.exitCode, bulk.service.sent]).toEqual([2, []]);
    expect(run.stderr).toContain('gone.csv is not UTF-8 text');
  });

  it('sends nothing if no row could be added, and leaves no file behind', async () => {
    await using bulk = await bulkFolder();
    await bulk.write('gone.csv', BOTH.join('\n'));
    const env = { SVC_API_KEY: 'ffffffffffffffffffffffffffffffff' };
    const run = await bulk.svc(IMPORT, { env });
    expect([run.exitCode, run.stdout, postsOf(bulk)]).toEqual([3, '', []]);
    expect(await bulk.names()).toEqual(['gone.csv']);
  });

  it('stops if no further row can be added: the report is in the error', async () => {
    await using bulk = await bulkFolder();
    await bulk.write('gone.csv', Array.from({ length: 100 }, (_, row) => `p${row}@example.com\n`).join(''));
    const body = JSON.stringify({
      status: 'error',
      response: { code: 403, subcode: null, message: 'locked' },
    });
    const locked: ReturnType<Transport> = Promise.resolve({ status: 403, headers: {}, body });
    const transport = meddling(bulk, (_, count) => (count > 20 ? locked : undefined));
    const run = await bulk.svc(IMPORT, { transport });
    expect([run.exitCode, run.stdout]).toEqual([3, '']);
    const { error } = JSON.parse(run.stderr.split('\n').at(-2) ?? '');
    expect(error).toMatchObject({ kind: 'forbidden', details: [{ rows: 100, added: 20, open: 80 }] });
    expect(error.hint).toContain('run the same command again');
    expect(await bulk.names()).toEqual(['gone.csv', 'gone.csv.svc-journal']);
  });
});

describe('a row of svc dnc import whose response is lost', () => {
  const lost = new TransportError('unknown', 'the connection was cut');

  it('is looked up, and not sent again if the entry exists', async () => {
    await using bulk = await bulkFolder();
    await bulk.write('gone.csv', BOTH.join('\n'));
    const transport = meddling(bulk, (request, count) =>
      count === 1 ? bulk.service.transport(request).then(() => Promise.reject(lost)) : undefined,
    );
    const run = await bulk.svc(IMPORT, { transport });
    expect([run.exitCode, JSON.parse(run.stdout)]).toEqual([0, { rows: 2, added: 2, ...DONE }]);
    expect(postsOf(bulk)).toEqual(BOTH);
  });

  it('counts as skipped if the entry is older than the import', async () => {
    await using bulk = await bulkFolder('a@example.com');
    await bulk.write('gone.csv', BOTH.join('\n'));
    const transport = meddling(bulk, (_, count) => (count === 1 ? Promise.reject(lost) : undefined));
    const run = await bulk.svc(IMPORT, { transport });
    expect(JSON.parse(run.stdout)).toEqual({ ...DONE, rows: 2, added: 1, skipped: 1 });
  });

  it('is sent again if the entry does not exist', async () => {
    await using bulk = await bulkFolder();
    await bulk.write('gone.csv', BOTH.join('\n'));
    // The first row is sent again after the second one has arrived, however long each takes.
    let second = (): void => {};
    const secondArrived = new Promise<void>((resolve) => {
      second = resolve;
    });
    const transport = meddling(bulk, (request, count) => {
      if (count === 1) return Promise.reject(lost);
      const answer = () => bulk.service.transport(request);
      return request.body?.includes('b@example.com') ? answer().finally(second) : secondArrived.then(answer);
    });
    const run = await bulk.svc(IMPORT, { transport });
    expect([run.exitCode, JSON.parse(run.stdout)]).toEqual([0, { rows: 2, added: 2, ...DONE }]);
    expect(await bulk.listed()).toEqual(['b@example.com', 'a@example.com']);
  });
});

describe('svc dnc import during an outage', () => {
  const gone = new TransportError('not-sent', 'the connection was refused');

  it.each([10_000, 500])(
    'Y4: gives up soon, exits with 7, and the same command continues (%i rows)',
    async (count) => {
      await using bulk = await bulkFolder();
      const rows = Array.from({ length: count }, (_, row) => `p${row}@example.com`);
      await bulk.write('gone.csv', rows.join('\n'));
      let attempts = 0;
      const transport = meddling(bulk, (_, posts) => {
        if (posts <= 300) return undefined;
        attempts += 1;
        return Promise.reject(gone);
      });
      const run = await bulk.svc(IMPORT, { transport });
      expect([run.exitCode, run.stdout]).toEqual([7, '']);
      expect(run.stderr).toContain('run the same command again');
      expect(attempts).toBeLessThanOrEqual(170);
      expect(await bulk.names()).toEqual(['gone.csv', 'gone.csv.svc-journal']);
      tried('Y4', count);
      if (count > 1000) return;

      const again = await bulk.svc(IMPORT);
      expect([again.exitCode, JSON.parse(again.stdout)]).toEqual([0, { ...DONE, rows: count, added: count }]);
      expect(again.stderr).toContain('continuing an earlier run with this file');
      expect((await bulk.listed()).toSorted()).toEqual(rows.toSorted());
      expect(postsOf(bulk)).toHaveLength(count);
    },
  );
});
