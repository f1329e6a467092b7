import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli, serviceOf, writesIn } from '../../support/run-cli.ts';
import { createTestSandbox, IDS, NOW, type TestSandbox } from '../../support/sandbox.ts';

async function listed(...contactdata: readonly string[]): Promise<TestSandbox> {
  const sandbox = await createTestSandbox();
  for (const each of contactdata)
    await sandbox.put('do_not_contact', { account_id: IDS.company, contactdata: each, cdate: NOW });
  return sandbox;
}

describe('svc dnc check', () => {
  test('tells each value, by its own entry or by that of its domain', async () => {
    const { transport } = serviceOf(await listed('someone@example.com', 'example.net', '447700900123'));
    const values = [
      'SomeOne@example.com',
      'x@example.net',
      '+44 7700 900123',
      'free@example.com',
      'example.org',
    ];
    const run = await runCli(['dnc', 'check', ...values, '-o', 'json'], { transport });
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(run.stdout)).toEqual([
      { contactdata: 'someone@example.com', listed: true, by: 'someone@example.com', id: 1 },
      { contactdata: 'x@example.net', listed: true, by: 'example.net', id: 2 },
      { contactdata: '447700900123', listed: true, by: '447700900123', id: 3 },
      { contactdata: 'free@example.com', listed: false, by: null, id: null },
      { contactdata: 'example.org', listed: false, by: null, id: null },
    ]);
  });

  test('exit 4 when none is listed, and the rows all the same', async () => {
    const { transport } = serviceOf(await listed());
    const run = await runCli(['dnc', 'check', 'free@example.com', '-o', 'csv'], { transport });
    expect(run).toMatchObject({ exitCode: 4, stderr: '' });
    expect(run.stdout).toBe('contactdata,listed,by,id\nfree@example.com,false,,\n');
  });

  test('refuses what is no address, all at once', async () => {
    const run = await runCli(['dnc', 'check', 'nobody', '127.0.0.1']);
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain('2 faults');
  });
});

describe('a number on Do Not Contact', () => {
  test('is contactdata, not an id; --id is for ids', async () => {
    const { transport } = serviceOf(await listed('447700900123'));
    const number = await runCli(['dnc', 'get', '447700900123', '-o', 'id'], { transport });
    expect(number).toMatchObject({ exitCode: 0, stdout: '1\n' });
    const id = await runCli(['dnc', 'get', '--id', '1', '-o', 'json'], { transport });
    expect(JSON.parse(id.stdout)).toMatchObject({ contactdata: '447700900123' });
  });

  test('is removed by the filter that names it', async () => {
    const { transport, sent } = serviceOf(await listed('447700900123', '447700900124'));
    const run = await runCli(['dnc', 'remove', '+447700900123', '--yes'], { transport });
    expect(run.exitCode).toBe(0);
    expect(sent.map(({ method, path, query }) => `${method} ${path}?${query}`)).toEqual([
      'DELETE /v1/doNotContact?contactdata=447700900123',
    ]);
  });

  test('that is not listed: exit 4', async () => {
    const { transport } = serviceOf(await listed());
    const run = await runCli(['dnc', 'remove', '447700900123', '--yes'], { transport });
    expect(run).toMatchObject({ exitCode: 4, stdout: '' });
    expect(run.stderr).toContain('dnc 447700900123 not found');
  });
});

describe('svc dnc import', () => {
  const FILE = ['name;', 'x'];

  test.each([
    ['a header', 'name,email\nA,a@example.com\nB,b@example.com\n', []],
    ['a column that is named', 'mail,other\na@example.com,x\nb@example.com,y\n', ['--column', 'mail']],
    ['plain lines', 'a@example.com\nb@example.com\n', []],
    ['a byte order mark and CR LF', '\ufeffcontactdata\r\na@example.com\r\nb@example.com', []],
  ])('reads %s', async (_, text, flags) => {
    const sandbox = await listed();
    const { transport } = serviceOf(sandbox);
    const run = await runCli(['dnc', 'import', '-', '--yes', ...flags, '-o', 'json'], {
      transport,
      stdin: text,
    });
    expect(JSON.parse(run.stdout)).toEqual({ added: 2, skipped: 0, failed: 0 });
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
    const rows = await sandbox.rows('do_not_contact');
    expect(rows.map((row) => row['contactdata'])).toEqual(['a@example.com', 'b@example.com']);
  });

  test('skips what is there already, tells what fails by its line, and exits 8', async () => {
    const sandbox = await listed('old@example.com');
    const { transport, sent } = serviceOf(sandbox);
    const text = 'email\nold@example.com\nnobody\nnew@example.com\nNEW@example.com\nexample.org\n';
    const run = await runCli(['dnc', 'import', '-', '--yes', '-o', 'json'], { transport, stdin: text });
    expect(run.exitCode).toBe(8);
    expect(JSON.parse(run.stdout)).toEqual({ added: 1, skipped: 2, failed: 2 });
    expect(run.stderr).toBe(
      'line 3: "nobody" is no e-mail address, domain or number\n' +
        'line 6: "example.org" is a whole domain; --domain-ok lets those in\n',
    );
    expect(writesIn(sent)).toHaveLength(2);
  });

  test('from a file; --dry-run adds nothing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-dnc-'));
    await writeFile(join(folder, 'gone.csv'), 'msisdn\n447700900123\n');
    const { transport, sent } = serviceOf(await listed());
    const run = await runCli(['dnc', 'import', 'gone.csv', '--dry-run', '-o', 'json'], {
      transport,
      cwd: folder,
    });
    expect(JSON.parse(run.stdout)).toEqual({ added: 1, skipped: 0, failed: 0 });
    expect(sent).toEqual([]);
    await rm(folder, { recursive: true });
  });

  test.each([
    ['a file that is not there', ['missing.csv'], '', 'cannot read missing.csv'],
    ['a column that is not there', ['-', '--column', 'mail'], 'name,email\n', 'there is no column mail'],
    ['a header without a known column', ['-'], `${FILE.join(',')}\n`, 'there is no column contactdata'],
    ['a quote that is never closed', ['-'], 'email\n"a@example.com\n', 'cannot read -'],
  ])('refuses %s', async (_, args, stdin, words) => {
    const { transport, sent } = serviceOf(await listed());
    const run = await runCli(['dnc', 'import', ...args, '--yes'], { transport, stdin });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain(words);
    expect(sent).toEqual([]);
  });

  test('stops where nothing could be added any more', async () => {
    const { transport, sent } = serviceOf(await listed());
    const env = { SVC_API_KEY: 'ffffffffffffffffffffffffffffffff' };
    const stdin = 'a@example.com\nb@example.com\n';
    const run = await runCli(['dnc', 'import', '-', '--yes'], { transport, env, stdin });
    expect(run.exitCode).toBe(3);
    expect(sent).toHaveLength(1);
  });
});

describe('svc dnc export', () => {
  test('writes CSV unless said otherwise', async () => {
    const { transport } = serviceOf(await listed('a@example.com', '447700900123'));
    const csv = await runCli(['dnc', 'export'], { transport });
    expect(csv).toMatchObject({
      exitCode: 0,
      stderr: '',
      stdout: `id,contactdata,cdate\n1,a@example.com,${NOW}\n2,447700900123,${NOW}\n`,
    });
    const ndjson = await runCli(['dnc', 'export', '-o', 'ndjson'], { transport });
    expect(
      ndjson.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).id),
    ).toEqual([1, 2]);
  });
});
