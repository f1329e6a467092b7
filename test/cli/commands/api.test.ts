import { describe, expect, it } from 'vitest';
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
