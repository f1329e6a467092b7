/** Contract, "The sandbox, for people and teams": the pages of several companies, each by itself. */
import { afterEach, expect, it } from 'vitest';
import { SANDBOX_PAGE_NAMES } from '../../../src/service/protocol/control/observe.ts';
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

it('a single company needs no choice', async () => {
  const show = await pagesOf(await start('empty'));
  const { status, headers } = await show('/ui');
  expect([status, headers.get('location')]).toEqual([303, '/ui/1/outbox']);
});

it('a page that does not exist is a 404 that keeps the navigation', async () => {
  const show = await pagesOf(await start('demo'));
  for (const path of ['/ui/1/nosuch', '/ui/1/outbox/t9-9', '/ui/1/tasks/999']) {
    const { status, text } = await show(path);
    expect([path, status]).toEqual([path, 404]);
    expect(text).toContain('<title>Not found · Harbour Coffee Roasters</title>');
    expect(text).toContain('href="/ui/1/tasks"');
  }
  // It leads to the page of the navigation to which the address belongs.
  const ways = [
    ['tasks/999', 'tasks">Go to Tasks'],
    ['lists/999', 'lists">Go to Lists'],
    ['subscribers/999', 'lists">Go to Lists'],
  ];
  for (const [path, way] of ways)
    expect((await show(`/ui/1/${path}`)).text).toContain(`href="/ui/1/${way}</a>`);
  // A company that does not exist has no pages for links.
  const { status, text } = await show('/ui/99/outbox');
  expect([status, text.includes('class="pages"')]).toEqual([404, false]);
});

it('pages have the names in the navigation, and each page is shown', async () => {
  const show = await pagesOf(await start('demo'));
  for (const name of SANDBOX_PAGE_NAMES)
    expect([name, (await show(`/ui/1/${name}`)).status]).toEqual([name, 200]);
  const [, navigation = ''] =
    /<nav class="pages"[^>]*>(.*?)<\/nav>/s.exec((await show('/ui/1/outbox')).text) ?? [];
  const linked = [...navigation.matchAll(/href="\/ui\/1\/([^"]+)"/g)].map(([, name]) => name);
  expect(linked.length).toBeGreaterThan(5);
  expect(linked.filter((name) => !SANDBOX_PAGE_NAMES.includes(name ?? ''))).toEqual([]);
});

it('single messages are separate sends, and older ones are on the next page, each once', async () => {
  const sandbox = await start('empty');
  const show = await pagesOf(sandbox);
  const { time } = (await sandbox.control('clock show')).json.data;
  await sandbox.control('credits set', { email: 1000, sms: 1000 });
  for (let at = 0; at < 31; at += 1)
    await sandbox.api('POST', '/v1/sms', {
      ...{ msisdn: `4477009001${String(at).padStart(2, '0')}`, fromaddress: 'Shop', message: `Text ${at}` },
      senddate: time + 60 + at,
    });
  await sandbox.control('clock run');
  const { text } = await show('/ui/1/outbox');
  expect(text).toContain('31 messages');
  const ids = (page: string): string[] => [...page.matchAll(/id="row-(d[0-9]+)"/g)].map(([, id]) => id ?? '');
  const older = /href="([^"]+)" rel="next"/.exec(text)?.[1]?.replaceAll('&#38;', '&') ?? '';
  const second = await show(older);
  expect([ids(text).length, ids(second.text).length]).toEqual([30, 1]);
  const all = (await sandbox.control('outbox list', { limit: 100 })).json.data;
  expect([...ids(text), ...ids(second.text)]).toEqual(all.map(({ id }: { id: string }) => id).toReversed());
});

it('two companies have separate pages, and the commands on the pages name the second company', async () => {
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
  expect(outbox.text).toContain('The outbox is empty');
  expect(outbox.text).toContain(`data-copy="svc sandbox outbox list --company ${second}"`);
  // The other company does not have this record.
  expect((await show('/ui/1/outbox/t2-480')).status).toBe(200);
  expect((await show(`/ui/${second}/outbox/t2-480`)).status).toBe(404);
  const { url } = (await sandbox.control('open', { page: 'clock', company: second })).json.data;
  const opened = await sandbox.get(url.slice(sandbox.ready.baseUrl.length));
  expect(opened.headers.get('location')).toBe(`/ui/${second}/clock`);
});
