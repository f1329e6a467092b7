import { describe, expect, it } from 'vitest';
import type { OutputStream } from '../../../src/cli/outside/context.ts';
import type { Transport } from '../../../src/service/protocol/wire.ts';
import { withEverything } from '../../support/everything.ts';
import { putEmail } from '../../support/messages.ts';
import { runCli, serviceOf, writesIn } from '../../support/run-cli.ts';
import { createTestSandbox } from '../../support/sandbox.ts';

const service = async () => serviceOf(await withEverything());

describe('svc api', () => {
  it.each(['/v1/folder?name=News', 'folder?name=News'])(
    'GET %s prints the response unchanged',
    async (path) => {
      const { transport } = await service();
      const run = await runCli(['api', 'get', path], { transport });
      expect(run).toMatchObject({ exitCode: 0, stderr: '' });
      expect(JSON.parse(run.stdout)).toMatchObject({ status: 'ok', response: { count: 1, next: null } });
    },
  );

  it('sends a body without validating it', async () => {
    const { transport, sent } = await service();
    const run = await runCli(['api', 'POST', '/v1/folder', '--data', '-'], {
      transport,
      stdin: '{"name":"A"}',
    });
    expect(run.exitCode).toBe(0);
    expect(sent[0]).toMatchObject({ method: 'POST', path: '/v1/folder', body: '{"name":"A"}' });
  });

  it.each([
    ['GET', '/v1/folder/99', 4],
    ['POST', '/v1/folder', 6],
    ['POST', '/v1/link', 4],
  ])('%s %s prints the refusal on stdout and exits with %i', async (method, path, exitCode) => {
    const { transport } = await service();
    const run = await runCli(['api', method, path], { transport });
    expect(run.exitCode).toBe(exitCode);
    expect(JSON.parse(run.stdout)).toMatchObject({ status: 'error' });
    expect(run.stderr).toMatch(/^the service responded with 40[04]\n$/);
  });

  it.each([
    [['GET', '/v1/../folder'], 'a path is /v1/<resource>'],
    [['GET', '//evil.example/v1/folder'], 'a path is /v1/<resource>'],
    [['GET', 'https://evil.example/v1/folder'], 'a path is /v1/<resource>'],
    [['GET', '/v1/folder/1\r\nX: y'], 'a path is /v1/<resource>'],
    [['GET', '/v1/folder', '--data', '{}'], 'GET takes no --data'],
    [['DELETE', '/v1/doNotContact', '--yes'], 'needs an id'],
    [['DELETE', '/v1/doNotContact?contactdata=', '--yes'], 'needs an id'],
    [['TRACE', '/v1/folder'], 'unknown method TRACE'],
    [['POST', '/v1/folder', '--paginate', '--data', '{}'], '--paginate works only with GET'],
  ])('rejects %j before it sends anything', async (words, message) => {
    const { transport, sent } = await service();
    const run = await runCli(['api', ...words], { transport });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain(message);
    expect(sent).toEqual([]);
  });

  it('--dry-run shows a write and sends nothing', async () => {
    const { transport, sent } = await service();
    const line = ['api', 'PUT', '/v1/folder/1', '--data', '{"name":"A"}', '--dry-run', '-o', 'json'];
    const run = await runCli(line, { transport });
    expect(JSON.parse(run.stdout)).toEqual({ method: 'PUT', path: '/v1/folder/1', body: { name: 'A' } });
    expect(writesIn(sent)).toEqual([]);
  });

  // M7: a printed password stays in a terminal's history.
  it.each(['{"password":"canary77","email":"a@example.com"}', 'password=canary77'])(
    '--dry-run hides the password of %s',
    async (data) => {
      const { transport } = await service();
      const line = ['api', 'PUT', '/v1/user/2', '--data', data, '--dry-run', '-o', 'json'];
      const run = await runCli(line, { transport });
      expect(JSON.parse(run.stdout)).toMatchObject({ method: 'PUT', path: '/v1/user/2' });
      expect(run.stdout + run.stderr).not.toContain('canary77');
    },
  );

  it('--paginate joins pages, and prints a row that is on two pages once', async () => {
    const sandbox = await createTestSandbox();
    for (let each = 1; each <= 7; each += 1) await putEmail(sandbox, { name: `M${each}` });
    const { transport, sent } = serviceOf(sandbox);
    const run = await runCli(['api', 'GET', '/v1/emailMessage?count=3', '--paginate'], { transport });
    const { count, next, data } = JSON.parse(run.stdout).response;
    expect({ count, next }).toEqual({ count: 7, next: null });
    expect(data.map((row: { id: number }) => row.id)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(sent.length).toBeGreaterThan(2);
  });

  describe('second attack L6: --paginate of a collection without end', () => {
    /** Serves pages of a hundred long rows. @param nextOf returns the next start for the number of the page */
    const endless =
      (nextOf: (page: number) => unknown, served: { pages: number }): Transport =>
      async () => {
        served.pages += 1;
        const { pages } = served;
        const data = Array.from({ length: 100 }, (_, at) => ({
          id: pages * 100 + at,
          text: 'x'.repeat(10_000),
        }));
        const response = { count: 100, next: nextOf(pages), data };
        return { status: 200, headers: {}, body: JSON.stringify({ status: 'ok', response }) };
      };

    it('prints rows while pages arrive, and remembers only the latest', async () => {
      const served = { pages: 0 };
      const transport = endless((page) => (page === 60 ? null : page * 100), served);
      const parts: { readonly text: string; readonly pages: number }[] = [];
      const stdout: OutputStream = {
        isTTY: false,
        columns: undefined,
        write: async (text) => {
          parts.push({ text, pages: served.pages });
        },
      };
      const run = await runCli(['api', 'GET', '/v1/folder', '--paginate'], { transport, stdout });
      expect([run.exitCode, run.stderr]).toEqual([0, '']);
      // 16 MiB are held back, so that a short collection is printed completely or not at all.
      expect(parts[0]?.pages).toBe(17);
      expect(parts.length).toBeGreaterThan(40);
      const { status, response } = JSON.parse(parts.map(({ text }) => text).join(''));
      expect([status, response.count, response.next, response.data.length]).toEqual(['ok', 6000, null, 6000]);
    });

    it('ends with an error, and no complete JSON, if a page breaks off after the first rows', async () => {
      const served = { pages: 0 };
      const pages = endless((page) => page * 100, served);
      const transport: Transport = async (request, signal) =>
        served.pages < 30 ? pages(request, signal) : { status: 200, headers: {}, body: '{"status":"ok"}' };
      const run = await runCli(['api', 'GET', '/v1/folder', '--paginate'], { transport });
      expect(run.exitCode).not.toBe(0);
      expect(run.stdout.length).toBeGreaterThan(16 * 1024 * 1024);
      expect(() => JSON.parse(run.stdout)).toThrow();
    });

    it.each([
      ['goes back to an earlier page', (page: number) => [5, 6, 7, 5][(page - 1) % 4]],
      ['returns an object', () => ({})],
    ])('ends with exit 1 and prints nothing if its next %s', async (_, nextOf) => {
      const served = { pages: 0 };
      const transport = endless(nextOf, served);
      const run = await runCli(['api', 'GET', '/v1/folder', '--paginate'], { transport });
      expect([run.exitCode, run.stdout]).toEqual([1, '']);
      expect(run.stderr).toContain('cannot get all pages');
      expect(served.pages).toBeLessThan(6);
    });
  });

  it('--paginate reports rows with equal values, at which it cannot continue', async () => {
    const sandbox = await createTestSandbox();
    for (let each = 1; each <= 4; each += 1) await putEmail(sandbox, { name: 'Same' });
    const { transport } = serviceOf(sandbox);
    const line = ['api', 'GET', '/v1/emailMessage?count=2&sort=name', '--paginate'];
    const run = await runCli(line, { transport });
    expect(run).toMatchObject({ exitCode: 1, stdout: '' });
    expect(run.stderr).toContain('cannot get all pages: more rows have the value "Same" than fit on a page');
  });
});
