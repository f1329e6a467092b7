/** `dnc export --out`, `dnc check FILE`, `dnc diff`. */
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { IDS, NOW } from '../../../support/sandbox.ts';
import { bulkFolder } from '../../bulk/folder.ts';

const lines = (text: string): unknown[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('svc dnc export', () => {
  it('streams more than a page, as CSV by default', async () => {
    await using bulk = await bulkFolder(...Array.from({ length: 450 }, (_, row) => `p${row}@example.com`));
    const csv = await bulk.svc(['dnc', 'export']);
    expect(csv).toMatchObject({ exitCode: 0, stderr: '' });
    expect(csv.stdout.split('\n').slice(0, 2)).toEqual([
      'id,contactdata,cdate',
      `1,p0@example.com,2026-12-01T08:43:20Z`,
    ]);
    expect(csv.stdout.trimEnd().split('\n')).toHaveLength(451);
    expect(lines((await bulk.svc(['dnc', 'export', '-o', 'ndjson'])).stdout)).toHaveLength(450);
  });

  it('--out writes a complete file, and replaces an existing one only with --force', async () => {
    await using bulk = await bulkFolder('a@example.com');
    const run = await bulk.svc(['dnc', 'export', '--out', 'dnc.csv']);
    expect(run).toMatchObject({ exitCode: 0, stdout: '', stderr: 'wrote 1 entry to dnc.csv\n' });
    expect(await bulk.read('dnc.csv')).toBe(`id,contactdata,cdate\n1,a@example.com,2026-12-01T08:43:20Z\n`);

    const refused = await bulk.svc(['dnc', 'export', '--out', 'dnc.csv']);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('--force replaces it')]);
    const forced = await bulk.svc(['dnc', 'export', '--out', 'dnc.csv', '--force', '-o', 'ndjson']);
    expect([forced.exitCode, lines(await bulk.read('dnc.csv'))]).toMatchObject([0, [{ id: 1 }]]);
    expect(await bulk.names()).toEqual(['dnc.csv']);
  });

  it('also accepts the file as an argument', async () => {
    await using bulk = await bulkFolder('a@example.com');
    expect(await bulk.svc(['dnc', 'export', 'dnc.csv'])).toMatchObject({ exitCode: 0, stdout: '' });
    expect(await bulk.read('dnc.csv')).toContain('a@example.com');
    const refused = await bulk.svc(['dnc', 'export', 'dnc.csv']);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('--force replaces it')]);
    const both = await bulk.svc(['dnc', 'export', 'a.csv', '--out', 'b.csv']);
    expect([both.exitCode, both.stderr]).toEqual([2, 'svc: cannot combine a file and --out\n']);
    expect(await bulk.names()).toEqual(['dnc.csv']);
  });

  it('--out keeps the old file when it fails, and follows no link', async () => {
    await using bulk = await bulkFolder();
    await bulk.write('dnc.csv', 'as it was');
    const transport = async () => ({ status: 500, headers: {}, body: '' });
    const run = await bulk.svc(['dnc', 'export', '--out', 'dnc.csv', '--force'], { transport });
    expect([run.exitCode, await bulk.read('dnc.csv')]).toEqual([1, 'as it was']);
    expect(await bulk.names()).toEqual(['dnc.csv']);

    await symlink(join(bulk.path, 'dnc.csv'), join(bulk.path, 'link.csv'));
    const linked = await bulk.svc(['dnc', 'export', '--out', 'link.csv', '--force']);
    expect([linked.exitCode, await bulk.read('dnc.csv')]).toEqual([0, 'as it was']);
    expect(await bulk.read('link.csv')).toBe('id,contactdata,cdate\n');
  });
});

describe('svc dnc check FILE', () => {
  it('prints the rows of files and values in their order, including domains', async () => {
    await using bulk = await bulkFolder('a@example.com', 'example.net');
    await bulk.write('some.csv', 'name,email\nA,a@example.com\nB,b@example.com\nC,c@example.net\n');
    const run = await bulk.svc(['dnc', 'check', 'example.net', 'some.csv', '-o', 'ndjson']);
    expect(run).toMatchObject({ exitCode: 0, stderr: 'reading some.csv\n' });
    expect(lines(run.stdout)).toEqual([
      { contactdata: 'example.net', listed: true, by: 'example.net', id: 2 },
      { contactdata: 'a@example.com', listed: true, by: 'a@example.com', id: 1 },
      { contactdata: 'b@example.com', listed: false, by: null, id: null },
      { contactdata: 'c@example.net', listed: true, by: 'example.net', id: 2 },
    ]);
  });

  it.each([
    ['4 if none is listed', 'b@example.com\n', 4],
    ['0 if one is', 'b@example.com\na@example.com\n', 0],
    ['8 if a row cannot be read', 'a@example.com\nnobody\n', 8],
  ])('exits with %s', async (_, text, exitCode) => {
    await using bulk = await bulkFolder('a@example.com');
    await bulk.write('some.txt', text);
    expect(await bulk.svc(['dnc', 'check', 'some.txt'])).toMatchObject({ exitCode });
    expect(await bulk.svc(['dnc', 'check', '-'], { stdin: text })).toMatchObject({ exitCode });
  });
});

describe('svc dnc diff', () => {
  it('shows each value that only one of the two has, once', async () => {
    await using bulk = await bulkFolder('a@example.com', 'b@example.com', '447700900123');
    await bulk.sandbox.put('do_not_contact', {
      ...{ account_id: IDS.other, contactdata: 'other@example.com', cdate: NOW },
    });
    await bulk.write('some.csv', 'email\nB@example.com\nnew@example.com\nnobody\nNEW@example.com\n');
    const run = await bulk.svc(['dnc', 'diff', 'some.csv', '-o', 'ndjson']);
    expect(run).toMatchObject({
      exitCode: 0,
      stderr: 'line 4: "nobody" is not an e-mail address, domain or phone number\n',
    });
    expect(lines(run.stdout)).toEqual([
      { only_in: 'list', contactdata: 'a@example.com', line: null, id: 1 },
      { only_in: 'list', contactdata: '447700900123', line: null, id: 3 },
      { only_in: 'file', contactdata: 'new@example.com', line: 3, id: null },
    ]);
  });

  it('prints nothing for equal lists and exits with 0', async () => {
    await using bulk = await bulkFolder('a@example.com');
    await bulk.write('some.txt', 'a@example.com\n');
    const run = await bulk.svc(['dnc', 'diff', 'some.txt']);
    expect(run).toMatchObject({ exitCode: 0, stdout: '', stderr: 'No differences.\n' });
    expect(await bulk.svc(['dnc', 'diff', '-'])).toMatchObject({ exitCode: 2 });
  });
});
