import { simpleParser } from 'mailparser';
import { beforeEach, describe, expect, it } from 'vitest';
import { loadOutboxMail } from '../../../../src/sandbox/engine/mail/mime.ts';
import { advance, settle } from '../../../support/engine.ts';
import { EMAIL, putList, putSubscriber } from '../../../support/messages.ts';
import { createTestSandbox, IDS, NOW, type TestSandbox } from '../../../support/sandbox.ts';

const BASE = 'http://127.0.0.1:4010';
const HIGH = '€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ ¡ÿ';

let sandbox: TestSandbox;
let list: number;
let field: number;
beforeEach(async () => {
  sandbox = await createTestSandbox();
  list = await putList(sandbox);
  field = await sandbox.put('profile_field', { account_id: IDS.company, name: 'Name' });
});

async function person(name: string): Promise<void> {
  const subscriber_id = await putSubscriber(sandbox, [list], { email: 'ann@example.com' });
  await sandbox.put('profile_data', { account_id: IDS.company, field_id: field, subscriber_id, value: name });
}

async function send(more: object = {}): Promise<void> {
  const made = await sandbox.send('admin', 'POST', '/v1/emailMessage', { ...EMAIL, ...more });
  expect(made.status).toBe(202);
  const task = { channel: 'email', message_id: made.data['id'], name: 'T', list_id: list, search_id: null };
  await sandbox.send('admin', 'POST', '/v1/task', { ...task, scheduledtime: NOW });
  await settle(sandbox);
}

const mail = (id: string) =>
  loadOutboxMail(sandbox.service.store.db, IDS.company, id, { trackingBaseUrl: BASE });
const octetsOf = async (id: string): Promise<string> => {
  const found = await mail(id);
  if (!found) throw new Error(`no mail ${id}`);
  return found.octets.toString('latin1');
};
const parsed = async (id: string) => simpleParser(await octetsOf(id));

describe('an e-mail as a message', () => {
  it('has sender, recipient, date and a way to unsubscribe, with a text and an html part', async () => {
    await person('Ann');
    await send({ fromname: 'Café „Süd“, Ltd', replyemail: 'reply@example.com', subject: 'Grüße – 5 €' });
    const message = await parsed('t1-1');
    expect(message.from?.value).toEqual([{ name: 'Café „Süd“, Ltd', address: 'reply@example.com' }]);
    expect(message.replyTo?.value).toEqual([{ name: '', address: 'reply@example.com' }]);
    expect(message.subject).toBe('Grüße – 5 €');
    expect(message.date).toEqual(new Date(NOW * 1000));
    expect(message.messageId).toBe('<1.t1-1@sandbox.invalid>');
    expect(message.headers.get('list')).toEqual({ unsubscribe: { url: `${BASE}/t/u/t1-1` } });
    expect(message.headers.get('content-type')).toMatchObject({ value: 'multipart/alternative' });
    expect(message.text).toContain('Hello\n\n-- \nUnsubscribe: ');
    expect(message.html).toContain('<p>Hello</p><p><a href="');
    expect((await mail('t1-1'))?.envelope).toEqual({ from: 'reply@example.com', to: 'ann@example.com' });
  });

  it('is Windows-1252 in every character, and ASCII on the wire', async () => {
    await person('Ann');
    await send({ html: `<p>${HIGH}</p>`, text: HIGH, subject: HIGH });
    const octets = await octetsOf('t1-1');
    expect(octets).toMatch(/^[\x01-\x7f]*$/);
    expect(octets.match(/charset=windows-1252/g)).toHaveLength(2);
    expect(octets).not.toMatch(/charset=utf-8/);
    expect(octets).toContain('=85=86=87=88=89=8A');
    expect(octets.split('\r\n').every((line) => line.length <= 998 && !line.includes('\n'))).toBe(true);
    const message = await parsed('t1-1');
    expect([message.subject, message.text?.startsWith(HIGH), String(message.html).includes(HIGH)]).toEqual([
      HIGH,
      true,
      true,
    ]);
  });

  it('has its own UTF-8 part for a value outside Windows-1252, so that nothing is lost', async () => {
    await person('Łukasz 🎈');
    await send({ text: 'Hi {{ field.Name }}', subject: 'For {{ field.Name }}' });
    const octets = await octetsOf('t1-1');
    expect(octets).toContain('text/plain; charset=utf-8');
    expect(octets).toContain('text/html; charset=windows-1252');
    const message = await parsed('t1-1');
    expect(message.text).toMatch(/^Hi Łukasz 🎈\n/);
    expect(message.subject).toBe('For Łukasz 🎈');
  });

  it('has no value that adds a header or breaks out of an attribute', async () => {
    await person(`x\r\nBcc: all@example.com\r\n\r\n' onerror='x" y="<b>`);
    await send({ subject: 'For {{ field.Name }}', html: `<p title='{{ field.Name }}'>A</p>` });
    const message = await parsed('t1-1');
    expect(message.bcc).toBeUndefined();
    expect(message.subject).toBe(`For x Bcc: all@example.com ' onerror='x" y="<b>`);
    expect(message.html).toContain('&#39; onerror=&#39;x&quot; y=&quot;&lt;b&gt;');
  });

  it('has no value that ends a part and begins another, because the boundary cannot be predicted (attack L1)', async () => {
    await person('Ann');
    await send({ html: '<p>{{ field.Name }}</p>', text: '{{ field.Name }}' });
    const boundaryOf = (octets: string): string => /boundary="([^"]+)"/.exec(octets)?.[1] ?? '';
    const known = boundaryOf(await octetsOf('t1-1'));
    const guesses = [known, '----_NmP-1.t2-2-Part_1', '--_NmP-1.t2-2-Part_1', '1.t2-2'];
    const injected = guesses.map((guess) => `B\r\n--${guess}\r\nContent-Type: text/html\r\n\r\n<b>INJECTED`);
    const second = await putSubscriber(sandbox, [list], { email: 'bob@example.com' });
    const value = injected.join('\r\n');
    await sandbox.put('profile_data', {
      account_id: IDS.company,
      field_id: field,
      subscriber_id: second,
      value,
    });
    await send({ html: '<p>{{ field.Name }}</p>', text: '{{ field.Name }}' });
    const octets = await octetsOf(`t2-${second}`);
    const boundary = boundaryOf(octets);
    expect(boundary).not.toBe('');
    expect(guesses).not.toContain(boundary);
    expect(octets.split(`\r\n--${boundary}`)).toHaveLength(4);
    const message = await simpleParser(octets);
    expect(message.attachments).toEqual([]);
    expect(message.text).toContain('<b>INJECTED');
    expect(String(message.html)).not.toContain('<b>INJECTED');
  });

  it.each([
    ['html', { text: '' }, 'text/html'],
    ['text', { html: '' }, 'text/plain'],
  ])('has one part with %s alone', async (_, more, type) => {
    await person('Ann');
    await send(more);
    const message = await parsed('t1-1');
    expect(message.headers.get('content-type')).toMatchObject({ value: type });
  });

  it('has the same octets for the same deliveries, also in another sandbox', async () => {
    await person('Ann');
    await send();
    const first = await octetsOf('t1-1');
    await advance(sandbox, 3600);
    expect(await octetsOf('t1-1')).toBe(first);
    sandbox = await createTestSandbox();
    await putList(sandbox);
    await sandbox.put('profile_field', { account_id: IDS.company, name: 'Name' });
    await person('Ann');
    await send();
    expect(await octetsOf('t1-1')).toBe(first);
  });
});

describe('opt-in e-mails (interface, emailMessage: "Content rules")', () => {
  it('lead to this recipient’s own confirmation in both parts', async () => {
    await person('Ann');
    await send({
      customoptin: true,
      html: '<p><svc_link value="%svc_optin%" name="opt-in">Yes, please</svc_link></p>',
      text: 'Yes: <svc_name value="optin" alt="">',
    });
    const message = await parsed('t1-1');
    expect(message.html).toContain(`<a href="${BASE}/t/i/t1-1">Yes, please</a>`);
    expect(message.text).toContain(`Yes: ${BASE}/t/i/t1-1`);
    expect(await octetsOf('t1-1')).not.toMatch(/svc_(?:link|name)|%svc_optin%/);
  });
});

describe('deliveries of rules', () => {
  it('are e-mails of one text for a notice, and no e-mails for an SMS and a call of a URL', async () => {
    const row = { account_id: IDS.company, body: 'Who: ann', time: NOW, cause: 'rule', cause_id: 1 };
    const notice = { ...row, channel: 'notification', subject: 'Rule' };
    await sandbox.put('delivery', { ...notice, sender: 'office@example.com', recipient: 'boss@example.com' });
    await sandbox.put('delivery', { ...notice, sender: '447700900123', recipient: 'boss@example.com' });
    await sandbox.put('delivery', {
      ...notice,
      sender: '447700900123',
      recipient: 'http://127.0.0.1/?a@b.example',
    });
    await sandbox.put('delivery', { ...row, channel: 'sms', sender: 'Company', recipient: '447700900123' });
    expect(await parsed('d1')).toMatchObject({ subject: 'Rule', text: 'Who: ann\n', html: false });
    expect((await parsed('d1')).headers.has('list')).toBe(false);
    expect((await parsed('d2')).from?.value).toEqual([
      { name: '447700900123', address: 'office@example.com' },
    ]);
    expect([await mail('d3'), await mail('d4'), await mail('d5')]).toEqual([undefined, undefined, undefined]);
  });
});
