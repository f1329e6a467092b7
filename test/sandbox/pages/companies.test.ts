/** Contract, "The sandbox, for people and teams": the pages of several companies, each by itself. */
import { afterEach, expect, it } from 'vitest';
import { linkTo } from '../../support/pages.ts';
import {
  type Reply,
  runSandbox,
  type SocketSandbox,
  temporaryFolder,
} from '../../support/running-sandbox.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function start(seed: 'demo' | 'empty'): Promise<SocketSandbox> {
  const folder = await temporaryFolder();
  ends.push(folder.remove);
  const sandbox = await runSandbox(folder.path, { clock: 'manual', seed });
  ends.push(async () => {
    expect(sandbox.reports).toEqual([]);
    await sandbox.stop();
  });
  return sandbox;
}

async function pagesOf(sandbox: SocketSandbox): Promise<(path: string) => Promise<Reply>> {
  const link = await linkTo(sandbox, 'outbox');
  const { headers } = await sandbox.get(link.slice(sandbox.ready.baseUrl.length));
  const cookie = (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  return (path) => sandbox.get(path, { headers: { cookie } });
}

it('with one company there is nothing to choose', async () => {
  const show = await pagesOf(await start('empty'));
  const { status, headers } = await show('/ui');
  expect([status, headers.get('location')]).toEqual([303, '/ui/1/outbox']);
});

it('with two each has its own pages, and a command names the second', async () => {
  const sandbox = await start('demo');
  const show = await pagesOf(sandbox);
  const companies = (await sandbox.control('company list')).json.data;
  expect(companies.length).toBeGreaterThan(1);
  const { text } = await show('/ui');
  for (const { id, name } of companies) {
    expect(text).toContain(`href="/ui/${id}/outbox"`);
    expect(text).toContain(name);
  }
  const second = companies[1].id;
  const outbox = await show(`/ui/${second}/outbox`);
  expect(outbox.text).toContain('Nothing has been delivered yet');
  expect(outbox.text).toContain(`data-copy="svc sandbox outbox list --company ${second}"`);
  // What belongs to the other is not there.
  expect((await show('/ui/1/outbox/t2-480')).status).toBe(200);
  expect((await show(`/ui/${second}/outbox/t2-480`)).status).toBe(404);
  const { url } = (await sandbox.control('open', { page: 'clock', company: second })).json.data;
  const opened = await sandbox.get(url.slice(sandbox.ready.baseUrl.length));
  expect(opened.headers.get('location')).toBe(`/ui/${second}/clock`);
});
