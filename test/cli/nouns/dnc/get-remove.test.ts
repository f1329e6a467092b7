import { describe, expect, it } from 'vitest';
import { runCli, serviceOf } from '../../../support/run-cli.ts';
import { createTestSandbox, IDS, NOW, type TestSandbox } from '../../../support/sandbox.ts';

async function listed(...contactdata: readonly string[]): Promise<TestSandbox> {
  const sandbox = await createTestSandbox();
  for (const each of contactdata)
    await sandbox.put('do_not_contact', { account_id: IDS.company, contactdata: each, cdate: NOW });
  return sandbox;
}

describe('svc dnc check', () => {
  it('reports each value, by its own entry or by that of its domain', async () => {
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

  it('exits 4 if none is listed, and still prints the rows', async () => {
    const { transport } = serviceOf(await listed());
    const run = await runCli(['dnc', 'check', 'free@example.com', '-o', 'csv'], { transport });
    expect(run).toMatchObject({ exitCode: 4, stderr: '' });
    expect(run.stdout).toBe('contactdata,listed,by,id\nfree@example.com,false,,\n');
  });

  it('rejects all invalid addresses together', async () => {
    const run = await runCli(['dnc', 'check', 'nobody', '127.0.0.1']);
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain('2 problems');
  });
});

// "Do Not Contact … Domains match": an address without an entry of its own may be covered, and only `check` says so.
it.each(['get', 'remove'])(
  '%s names an address without an entry as typed, and the command that looks at domains',
  async (verb) => {
    const { transport } = serviceOf(await listed('example.net'));
    const yes = verb === 'remove' ? ['--yes'] : [];
    const run = await runCli(['dnc', verb, 'someone@example.net', ...yes, '-o', 'json'], { transport });
    expect(run).toMatchObject({ exitCode: 4, stdout: '' });
    const { error } = JSON.parse(run.stderr);
    expect(error.message).toContain('someone@example.net');
    expect(error.hint).toContain('svc dnc check');
  },
);

describe('a number on Do Not Contact', () => {
  it('is a contactdata, not an id; --id gives ids', async () => {
    const { transport } = serviceOf(await listed('447700900123'));
    const number = await runCli(['dnc', 'get', '447700900123', '-o', 'id'], { transport });
    expect(number).toMatchObject({ exitCode: 0, stdout: '1\n' });
    const id = await runCli(['dnc', 'get', '--id', '1', '-o', 'json'], { transport });
    expect(JSON.parse(id.stdout)).toMatchObject({ contactdata: '447700900123' });
  });

  it('is removed by the contactdata filter', async () => {
    const { transport, sent } = serviceOf(await listed('447700900123', '447700900124'));
    const run = await runCli(['dnc', 'remove', '+447700900123', '--yes'], { transport });
    expect(run.exitCode).toBe(0);
    const requests = sent.map(({ method, path, query }) => `${method} ${path}?${query}`);
    // Contract, "Safety": the record to delete is first written to the journal.
    expect(requests).toEqual([
      expect.stringMatching(/^GET .*contactdata=447700900123/),
      'DELETE /v1/doNotContact?contactdata=447700900123',
    ]);
  });

  it('exits 4 for a value that is not listed', async () => {
    const { transport } = serviceOf(await listed());
    const run = await runCli(['dnc', 'remove', '447700900123', '--yes'], { transport });
    expect(run).toMatchObject({ exitCode: 4, stdout: '' });
    expect(run.stderr).toContain('dnc 447700900123 not found');
  });
});

/** Contract, "Numbers, ids and names, once more": a bare whole number of fewer than 7 digits can only be an entry's id. */
describe('an entry by its id', () => {
  it('is shown and removed', async () => {
    const { transport, sent } = serviceOf(await listed('a@example.com', 'b@example.com'));
    const shown = await runCli(['dnc', 'get', '2', '-o', 'json'], { transport });
    expect(JSON.parse(shown.stdout)).toMatchObject({ contactdata: 'b@example.com' });
    const run = await runCli(['dnc', 'remove', '2', '--yes'], { transport });
    expect(run).toMatchObject({ exitCode: 0, stderr: 'removed 2 from Do Not Contact\n' });
    expect(sent.at(-1)).toMatchObject({ method: 'DELETE', path: '/v1/doNotContact/2' });
  });

  it("names the entry's value in the question", async () => {
    const { transport } = serviceOf(await listed('a@example.com'));
    const run = await runCli(['dnc', 'remove', '1'], { transport, tty: true, answers: [true] });
    expect(run.exitCode).toBe(0);
    expect(run.questions).toEqual([expect.stringContaining('Really remove a@example.com (entry 1) from')]);
  });

  it('exits 4 for an unknown entry', async () => {
    const { transport } = serviceOf(await listed());
    const run = await runCli(['dnc', 'remove', '41', '--yes'], { transport });
    expect(run).toMatchObject({ exitCode: 4, stdout: '' });
  });
});
