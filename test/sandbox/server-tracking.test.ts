import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../support/running-sandbox.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sandbox: SocketSandbox;
let task: number;
let subscribers: readonly { readonly id: number; readonly email: string }[];

beforeAll(async () => {
  folder = await temporaryFolder();
  sandbox = await runSandbox(folder.path, { clock: 'manual', seed: 'demo' });
  const { time } = (await sandbox.control('clock show')).json.data;
  const wanted = { channel: 'email', message_id: 6, name: 'Hampers', list_id: 1, search_id: null };
  const made = await sandbox.api('POST', '/v1/task', { ...wanted, scheduledtime: time });
  task = made.json.response.data.id;
  await sandbox.control('clock advance', { seconds: 1 });
  const listed = (await sandbox.control('outbox list')).json.data as { id: string; to: string }[];
  subscribers = listed
    .filter(({ id }) => id.startsWith(`t${task}-`))
    .map(({ id, to }) => ({ id: Number(id.split('-')[1]), email: to }));
});
afterAll(async () => {
  expect(sandbox.reports).toEqual([]);
  await sandbox.stop();
  await folder.remove();
});

const statistics = async () => (await sandbox.api('GET', `/v1/task/${task}`)).json.response.data;
const nth = (index: number) => subscribers[index] ?? { id: 0, email: '' };
const readerOf = (index: number): string => `t${task}-${nth(index).id}`;
const pageHeaders = (headers: Headers): void => {
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(headers.get('x-content-type-options')).toBe('nosniff');
};

describe('the links of a delivered message', () => {
  it('lead to this sandbox only', async () => {
    const { html } = (await sandbox.control('outbox show', { id: readerOf(0) })).json.data;
    const addresses = [...String(html).matchAll(/(?:href|src)="([^"]+)"/g)]
      .map(([, address = '']) => address)
      .filter((address) => !address.startsWith('data:image/png;base64,'));
    expect(addresses.length).toBeGreaterThan(2);
    for (const address of addresses) expect(address).toContain(sandbox.ready.baseUrl);
  });

  it('include a picture that counts an open, once for each recipient', async () => {
    for (let times = 0; times < 2; times += 1) {
      const { status, headers } = await sandbox.get(`/t/o/${readerOf(0)}`);
      expect([status, headers.get('content-type')]).toEqual([200, 'image/gif']);
      pageHeaders(headers);
    }
    expect((await statistics()).emailuniqueopens).toBe(1);
  });

  it('lead to the target in this reader’s copy if personalised, with utm_ data for galinkdata', async () => {
    const content = {
      fromemail: null,
      fromname: 'F',
      name: 'Ours',
      replyemail: 'a@example.com',
      subject: 'S',
    };
    const html = '<a href="https://shop.example/?who={{ email }}">Shop</a>';
    const made = await sandbox.api('POST', '/v1/emailMessage', {
      ...content,
      html,
      text: 'T',
      galinkdata: true,
    });
    const message_id = made.json.response.data.id;
    const { time } = (await sandbox.control('clock show')).json.data;
    const wanted = { channel: 'email', message_id, name: 'Ours', list_id: 1, search_id: null };
    const { id } = (await sandbox.api('POST', '/v1/task', { ...wanted, scheduledtime: time })).json.response
      .data;
    await sandbox.control('clock advance', { seconds: 1 });
    const reader = `t${id}-${nth(0).id}`;
    const shown = (await sandbox.control('outbox show', { id: reader })).json.data;
    const [, path = ''] = /href="http:\/\/[^/]+(\/t\/c\/[^"]+)"/.exec(shown.html) ?? [];
    expect(path.endsWith(`/${reader}`)).toBe(true);
    const who = encodeURIComponent(nth(0).email);
    const campaign = 'utm_source=newsletter&utm_medium=email&utm_campaign=Ours';
    const location = async (target: string) => (await sandbox.get(target)).headers.get('location');
    expect(decodeURIComponent((await location(path)) ?? '')).toBe(
      decodeURIComponent(`https://shop.example/?who=${who}&${campaign}`),
    );
    expect((await sandbox.api('GET', `/v1/task/${id}`)).json.response.data.emailuniqueclicks).toBe(1);
    // A copy without a recipient names no person, and no click is counted.
    expect(await location(path.replace(`/${reader}`, ''))).toBe(`https://shop.example/?who=&${campaign}`);
    expect((await sandbox.api('GET', `/v1/task/${id}`)).json.response.data.emailuniqueclicks).toBe(1);
  });

  it('redirect to the stored target and count a click', async () => {
    const [link] = (await sandbox.api('GET', '/v1/emailMessageLink?message_id=6')).json.response.data;
    const { status, headers } = await sandbox.get(`/t/c/${link.id}/${readerOf(0)}?url=http://evil.example`);
    expect([status, headers.get('location')]).toEqual([302, link.target]);
    pageHeaders(headers);
    expect((await statistics()).emailuniqueclicks).toBe(1);
  });

  it('redirect and count nothing for HEAD, and without a recipient', async () => {
    const [link] = (await sandbox.api('GET', '/v1/emailMessageLink?message_id=6')).json.response.data;
    expect((await sandbox.get(`/t/c/${link.id}`)).headers.get('location')).toBe(link.target);
    const looked = await sandbox.get(`/t/c/${link.id}/${readerOf(1)}`, { method: 'HEAD' });
    expect(looked.headers.get('location')).toBe(link.target);
    expect((await statistics()).emailuniqueclicks).toBe(1);
  });

  it('count nothing if they belong to another message', async () => {
    const { status } = await sandbox.get(`/t/c/1/${readerOf(2)}`);
    expect(status).toBe(302);
    expect((await statistics()).emailuniqueclicks).toBe(1);
  });

  it('include an unsubscribe page that asks, and only its button unsubscribes (not the GET of a link scanner)', async () => {
    const path = `/t/u/${readerOf(3)}`;
    const { email } = nth(3);
    const asked = await sandbox.get(path);
    expect(asked.text).toContain('<form method="post">');
    pageHeaders(asked.headers);
    expect((await sandbox.api('HEAD', `/v1/doNotContact?contactdata=${email}`)).status).toBe(404);
    const own = { origin: sandbox.ready.baseUrl, 'sec-fetch-site': 'same-origin' };
    expect((await sandbox.get(path, { method: 'POST', headers: own })).status).toBe(200);
    expect((await sandbox.api('HEAD', `/v1/doNotContact?contactdata=${email}`)).status).toBe(200);
    expect((await statistics()).emailuniqueunsubscriptions).toBe(1);
    expect((await sandbox.get(path, { method: 'POST' })).status).toBe(200);
    expect((await statistics()).emailuniqueunsubscriptions).toBe(1);
  });

  it('include a form that another site cannot send', async () => {
    const path = `/t/u/${readerOf(4)}`;
    for (const headers of [
      { origin: 'http://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
    ])
      expect((await sandbox.get(path, { method: 'POST', headers })).status).toBe(403);
    expect((await sandbox.api('HEAD', `/v1/doNotContact?contactdata=${nth(4).email}`)).status).toBe(404);
  });

  it('confirm an opt-in by a button, and the log records it', async () => {
    const path = `/t/i/${readerOf(5)}`;
    expect((await sandbox.get(path)).text).toContain('Confirm');
    const before = (await sandbox.control('log list')).json.data.length;
    expect((await sandbox.get(path, { method: 'POST' })).status).toBe(200);
    expect((await sandbox.control('log list')).json.data).toHaveLength(before + 1);
  });
});

describe('links never take their target from a part of the address', () => {
  it.each([
    '/t/c/999999',
    '/t/c/http://evil.example',
    '/t/c/1e0',
    '/t/c/-1',
    '/t/c/',
    '/t/u/t999-1',
    '/t/u/d999',
    '/t/u/%3Cscript%3E',
    '/t/i/x',
    '/t/f/x',
    '/t/z/t1-1',
    '/t/',
  ])('%s is 404', async (path) => {
    const { status, headers, text } = await sandbox.get(path);
    expect([status, headers.get('location')]).toEqual([404, null]);
    expect(text).not.toContain('script');
    pageHeaders(headers);
  });

  it('include a picture for an unknown reader, which is not counted', async () => {
    const before = await statistics();
    expect((await sandbox.get('/t/o/t999-999')).status).toBe(200);
    expect(await statistics()).toEqual(before);
  });
});
