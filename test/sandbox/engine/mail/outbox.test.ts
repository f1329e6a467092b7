import { beforeEach, describe, expect, it } from 'vitest';
import { listOutbox } from '../../../../src/sandbox/engine/mail/outbox.ts';
import { SMS_UNSUBSCRIBE_TEXT } from '../../../../src/sandbox/engine/mail/render.ts';
import { namingWithOverrides } from '../../../../src/service/protocol/naming.ts';
import { advance, delivery, event, outbox, settle } from '../../../support/engine.ts';
import { EMAIL, putList, putSms, putSubscriber, setAccount } from '../../../support/messages.ts';
import { createTestSandbox, IDS, NOW, type TestSandbox } from '../../../support/sandbox.ts';

let sandbox: TestSandbox;
let list: number;
beforeEach(async () => {
  sandbox = await createTestSandbox();
  list = await putList(sandbox);
  const field = await sandbox.put('profile_field', { account_id: IDS.company, name: 'City' });
  for (const [name, value] of [
    ['ann', 'Paris & Rome'],
    ['bob', ''],
  ] as const) {
    const subscriber_id = await putSubscriber(sandbox, [list], { email: `${name}@example.com` });
    await sandbox.put('profile_data', { account_id: IDS.company, field_id: field, subscriber_id, value });
  }
});

const BASE = 'http://127.0.0.1:4010';

async function sendEmail(more: object = {}): Promise<void> {
  const { id } = (await sandbox.send('admin', 'POST', '/v1/emailMessage', { ...EMAIL, ...more })).data;
  await sandbox.send('admin', 'POST', '/v1/task', {
    channel: 'email',
    message_id: id,
    name: 'T',
    scheduledtime: NOW,
    list_id: list,
    search_id: null,
  });
  await settle(sandbox);
}

describe('an e-mail as its recipient gets it', () => {
  it('is personalised, its links are the recipient’s own, and it ends with the unsubscribe link', async () => {
    await setAccount(sandbox, { address: '1 High Street' });
    await sendEmail({
      subject: 'For {{ email }}',
      html: '<body><a href="https://a.example">Hi {{ field.City | there }}</a></body>',
      text: '{% if field.City %}From {{ field.City }}{% else %}Hello{% endif %} https://b.example',
      tracktextlinks: true,
    });
    const footer = '\n\n-- \nUnsubscribe: http://127.0.0.1:4010/t/u/t1-1\nCompany, 1 High Street\n';
    expect(await delivery(sandbox, 't1-1')).toEqual({
      id: 't1-1',
      time: NOW,
      channel: 'email',
      to: 'ann@example.com',
      from: 'Company <office@example.com>',
      reply_to: 'office@example.com',
      subject: 'For ann@example.com',
      html:
        `<body><a href="${BASE}/t/c/1/t1-1">Hi Paris &amp; Rome</a>` +
        `<p><a href="${BASE}/t/u/t1-1">Unsubscribe</a><br>Company, 1 High Street</p>` +
        `<img src="${BASE}/t/o/t1-1" width="1" height="1" alt=""></body>`,
      text: `From Paris & Rome ${BASE}/t/c/2/t1-1${footer}`,
      state: 'delivered',
      cause: { kind: 'task', id: 1, rule_kind: null },
      message: 1,
      subscriber: 1,
      events: [{ time: NOW, event: 'sent', link: null, title: null }],
    });
    expect(await delivery(sandbox, 't1-2')).toMatchObject({
      subject: 'For bob@example.com',
      html: expect.stringContaining(`${BASE}/t/c/1/t1-2">Hi there<`),
      text: expect.stringContaining('Hello '),
    });
  });

  // Interface, account: `address` is the postal address of the company.
  it.each([
    ['<p>Company, High Street 1</p>', 'Visit us: 1 High Street'],
    ['<p>1&nbsp;High <b>Street</b></p>', '1 HIGH STREET'],
  ])('has the postal address once, even if its author wrote it: %j', async (html, text) => {
    await setAccount(sandbox, { address: '1 High Street' });
    await sendEmail({ html, text });
    const shown = await delivery(sandbox, 't1-1');
    expect(shown?.html).toMatch(/Unsubscribe<\/a><\/p>/);
    expect(shown?.text).toMatch(/\nUnsubscribe: \S+\n$/);
  });

  it.each([
    [
      'full',
      /<p><a [^>]*>Unsubscribe<\/a><br>Company, 1 High Street<\/p><img/,
      /Unsubscribe: \S+\nCompany, 1 High Street\n$/,
    ],
    ['link', /<p><a [^>]*>Unsubscribe<\/a><\/p><img/, /Unsubscribe: \S+\n$/],
    ['none', /^<p>Hello<\/p><img[^>]*>$/, /^Hello$/],
  ] as const)('has the footer of naming.footer: %s', async (footer, html, text) => {
    await setAccount(sandbox, { address: '1 High Street' });
    await sendEmail({ html: '<p>Hello</p>', text: 'Hello' });
    const shown = await delivery(sandbox, 't1-1', namingWithOverrides({ footer }));
    expect(shown?.html).toMatch(html);
    expect(shown?.text).toMatch(text);
  });

  it('has a send-to-a-friend link if friendlink is true', async () => {
    await sendEmail({ friendlink: true });
    const shown = await delivery(sandbox, 't1-1');
    expect([shown?.html, shown?.text]).toEqual([
      expect.stringContaining(`<a href="${BASE}/t/f/t1-1">Send to a friend</a>`),
      expect.stringContaining(`Send to a friend: ${BASE}/t/f/t1-1`),
    ]);
  });

  it('links only opt-in elements that a reader sees, whatever their attributes', async () => {
    const element = '<svc_link title="1 > 0" name="opt-in" value="%svc_optin%">Yes</svc_link>';
    await sendEmail({
      customoptin: true,
      html: `<!-- ${element} --><style>${element}</style>${element}`,
      text: 'Confirm: <svc_name value="optin" alt="">',
    });
    expect((await delivery(sandbox, 't1-1'))?.html).toContain(
      `<!-- ${element} --><style>${element}</style><a href="${BASE}/t/i/t1-1">Yes</a><p>`,
    );
  });

  it('leads to the confirmation from its opt-in elements', async () => {
    await sendEmail({
      customoptin: true,
      html: '<p><svc_link value="%svc_optin%" name="opt-in">Yes, please</svc_link></p>',
      text: 'Confirm: <svc_name value="optin" alt="">',
    });
    const shown = await delivery(sandbox, 't1-1');
    expect([shown?.html, shown?.text]).toEqual([
      expect.stringContaining(`<p><a href="${BASE}/t/i/t1-1">Yes, please</a></p>`),
      expect.stringContaining(`Confirm: ${BASE}/t/i/t1-1\n`),
    ]);
  });

  it('is hidden from another company, and unknown ids find nothing', async () => {
    await sendEmail();
    for (const id of ['t1-99', 't9-1', 'd1', '', 't1', 'x', 't1-1; drop table task'])
      expect(await delivery(sandbox, id)).toBeUndefined();
    expect(await listOutbox(sandbox.service.store.db, { accountId: IDS.other, limit: 10 })).toEqual([]);
  });
});

it('an SMS says how to unsubscribe if subinfo is true: 30 bytes', async () => {
  const message_id = await putSms(sandbox, { subinfo: 1 });
  await putSubscriber(sandbox, [list], { msisdn: '447700900001' });
  const task = { channel: 'sms', message_id, name: 'T', scheduledtime: NOW, list_id: list, search_id: null };
  await sandbox.send('admin', 'POST', '/v1/task', task);
  await settle(sandbox);
  expect(SMS_UNSUBSCRIBE_TEXT).toHaveLength(30);
  expect(await outbox(sandbox)).toMatchObject([
    { text: `Hello${SMS_UNSUBSCRIBE_TEXT}`, subject: null, from: 'Company' },
  ]);
});

// Interface, smsMessage: "Personalisation is not supported in SMS messages".
it('an SMS is sent as it is written, without personalisation', async () => {
  const message = 'Hi {{ email }} {% if x %}';
  const message_id = await putSms(sandbox, { message });
  await putSubscriber(sandbox, [list], { email: 'cid@example.com', msisdn: '447700900001' });
  const task = { channel: 'sms', message_id, name: 'T', scheduledtime: NOW, list_id: list, search_id: null };
  await sandbox.send('admin', 'POST', '/v1/task', task);
  await settle(sandbox);
  expect(await outbox(sandbox)).toMatchObject([{ to: '447700900001', text: message }]);
});

// Interface, folder: "A folder's name must never be made public".
it('no delivered message contains the name of a folder', async () => {
  const folder_id = (await sandbox.send('admin', 'POST', '/v1/folder', { name: 'Bad payers' })).data['id'];
  list = await sandbox.put('list', {
    account_id: IDS.company,
    folder_id: Number(folder_id),
    name: 'L',
    cdate: NOW,
  });
  await putSubscriber(sandbox, [list], { email: 'eve@example.com' });
  await sendEmail({
    html: '<body><a href="https://a.example">Hello</a></body>',
    friendlink: true,
    galinkdata: true,
  });
  const [sent] = await outbox(sandbox);
  const shown = await delivery(sandbox, String(sent?.['id']));
  expect(shown).toMatchObject({ to: 'eve@example.com', subject: expect.any(String) });
  expect(JSON.stringify(shown)).not.toMatch(/bad.payers/i);
});

describe('the order of the list: newest last', () => {
  const sms = (msisdn: string, senddate: number) =>
    sandbox.send('admin', 'POST', '/v1/sms', { msisdn, fromaddress: 'Company', message: 'Hi', senddate });

  it('is one sequence of all causes, by time', async () => {
    await sms('447700900002', NOW + 120);
    await sms('447700900001', NOW + 60);
    await sendEmail();
    await advance(sandbox, 600);
    expect((await outbox(sandbox)).map(({ to }) => to)).toEqual([
      'ann@example.com',
      'bob@example.com',
      '447700900001',
      '447700900002',
    ]);
  });

  it('returns the newest entries, or those after an entry, each exactly once', async () => {
    await sendEmail();
    await sms('447700900001', NOW);
    await sms('447700900002', NOW);
    await sendEmail();
    await advance(sandbox, 600);
    const all = (await outbox(sandbox)).map(({ id }) => id);
    expect(all).toHaveLength(6);
    expect((await outbox(sandbox, 2)).map(({ id }) => id)).toEqual(all.slice(-2));
    const paged: string[] = [];
    for (let after = ''; ; after = paged.at(-1) ?? '') {
      const page = await listOutbox(sandbox.service.store.db, { accountId: IDS.company, after, limit: 4 });
      if (page.length === 0) break;
      paged.push(...page.map(({ id }) => id));
    }
    expect(paged).toEqual(all);
  });
});

describe('filters, one by one and together', () => {
  const found = async (filter: Parameters<typeof listOutbox>[1]['filter'], more: object = {}) => {
    const page = { accountId: IDS.company, limit: 100, filter: filter ?? {}, ...more };
    return (await listOutbox(sandbox.service.store.db, page)).map(({ id }) => id);
  };
  const rule = (cause_id: number, more: object = {}) =>
    sandbox.put('delivery', {
      account_id: IDS.company,
      channel: 'notification',
      recipient: 'Office@Example.com',
      sender: '',
      body: 'Text',
      time: NOW + 30,
      cause: 'rule',
      cause_id,
      rule_kind: 'click',
      ...more,
    });

  beforeEach(async () => {
    await sendEmail();
    await sandbox.send('admin', 'POST', '/v1/sms', {
      ...{ msisdn: '447700900001', fromaddress: 'Company', message: 'Hi', senddate: NOW + 60 },
    });
    await advance(sandbox, 60);
    await rule(1);
    await rule(2);
    await rule(1, { rule_kind: 'open' });
    await rule(1, { account_id: IDS.other });
  });

  it.each([
    [{}, ['t1-1', 't1-2', 'd2', 'd3', 'd4', 'd1']],
    [{ to: 'ann@example.com' }, ['t1-1']],
    [{ to: 'ANN@Example.com' }, ['t1-1']],
    [{ to: 'office@example.com' }, ['d2', 'd3', 'd4']],
    [{ to: '447700900001' }, ['d1']],
    [{ to: 'nobody@example.com' }, []],
    [{ channel: 'email' }, ['t1-1', 't1-2']],
    [{ channel: 'sms' }, ['d1']],
    [{ channel: 'notification' }, ['d2', 'd3', 'd4']],
    [{ taskId: 1 }, ['t1-1', 't1-2']],
    [{ taskId: 9 }, []],
    [{ rule: { kind: 'click', id: 1 } }, ['d2']],
    [{ rule: { kind: 'open', id: 1 } }, ['d4']],
    [{ to: 'office@example.com', rule: { kind: 'click', id: 2 } }, ['d3']],
    [{ to: 'bob@example.com', taskId: 1, channel: 'email' }, ['t1-2']],
    [{ to: 'bob@example.com', taskId: 1, channel: 'sms' }, []],
    [{ taskId: 1, rule: { kind: 'click', id: 1 } }, []],
  ] as const)('%j: %j', async (filter, ids) => {
    expect(await found(filter)).toEqual(ids);
  });

  it('pages have only matching entries', async () => {
    const filter = { to: 'office@example.com' };
    expect(await found(filter, { limit: 2 })).toEqual(['d3', 'd4']);
    expect(await found(filter, { after: '', limit: 2 })).toEqual(['d2', 'd3']);
    expect(await found(filter, { after: 'd3', limit: 2 })).toEqual(['d4']);
  });

  // Interface, doNotContact: subscribers who unsubscribe are deleted. Their earlier messages stay in the outbox.
  it('finds messages to a deleted subscriber, and to the new owner of the address', async () => {
    await event(sandbox, { kind: 'unsubscribe', taskId: 1, subscriberId: 1 });
    expect(await found({ to: 'ann@example.com' })).toEqual(['t1-1']);
    await sandbox.send('admin', 'DELETE', '/v1/doNotContact?contactdata=ann@example.com');
    await putSubscriber(sandbox, [list], { email: 'ann@example.com' });
    await sendEmail();
    expect(await found({ to: 'ann@example.com' })).toEqual(['t1-1', 't2-3']);
  });
});

describe('state', () => {
  const states = async () => (await outbox(sandbox)).map(({ id, state }) => [id, state]);

  it('is bounced after a message has bounced', async () => {
    await sendEmail();
    await event(sandbox, { kind: 'bounce', taskId: 1, subscriberId: 2 });
    expect(await states()).toEqual([
      ['t1-1', 'delivered'],
      ['t1-2', 'bounced'],
    ]);
  });

  it.each([
    ['GET http://127.0.0.1/told', 'pending'],
    ['GET http://127.0.0.1/told\n200', 'delivered'],
    ['GET http://127.0.0.1/told\n500', 'failed'],
    ['GET http://127.0.0.1/told\nnot sent: not this machine', 'failed'],
    ['GET well soon', 'delivered'],
  ])('of a notice %j: %s', async (body, state) => {
    const notice = { channel: 'notification', recipient: 'x@example.com', sender: '', cause: 'rule' };
    await sandbox.put('delivery', { account_id: IDS.company, ...notice, cause_id: 1, body, time: NOW });
    expect(await states()).toEqual([['d1', state]]);
  });
});
