/**
 * Wire, "Companions, in full", `emailOptIn`: "sends the confirmation message of that list to the subscriber (seen in the outbox);
 * its link confirms the subscription".
 */

import { beforeEach, expect, it } from 'vitest';
import { listOutbox, showDelivery } from '../../../src/sandbox/engine/mail/outbox.ts';
import { performLinkAction } from '../../../src/sandbox/http/tracking.ts';
import { sql } from '../../../src/sandbox/store/driver/sql.ts';
import { createTestSandbox, IDS, NOW, type TestSandbox } from '../../support/sandbox.ts';

let sandbox: TestSandbox;
let subscription: number;
beforeEach(async () => {
  sandbox = await createTestSandbox({ companions: true });
  await sandbox.put('list', { account_id: IDS.company, name: 'List', optin: 1, cdate: NOW });
  await sandbox.send('admin', 'POST', '/v1/subscriber', { email: 'ann@example.com' });
  const body = { list_id: 1, subscriber_id: 1, confirmed: false };
  subscription = Number((await sandbox.send('admin', 'POST', '/v1/subscription', body)).data['id']);
});

const post = (more: object = {}) =>
  sandbox.send('admin', 'POST', '/v1/emailOptIn', { subscription_id: subscription, ...more });
const shown = (id: unknown) =>
  showDelivery(sandbox.service.store.db, IDS.company, `d${id}`, { trackingBaseUrl: 'http://127.0.0.1:4010' });
const confirmed = async () =>
  (await sandbox.send('admin', 'GET', `/v1/subscription/${subscription}`)).data['confirmed'];
const emails = async () =>
  (await listOutbox(sandbox.service.store.db, { accountId: IDS.company, limit: 10 })).map(({ to }) => to);

it('sends a message whose link confirms the subscription', async () => {
  const made = await post();
  expect([made.status, made.data]).toEqual([202, { id: 1 }]);
  const mail = await shown(1);
  expect(mail).toMatchObject({
    ...{ channel: 'email', to: 'ann@example.com', from: 'office@example.com', subject: 'Please confirm' },
    cause: { kind: 'opt-in', id: subscription, rule_kind: null },
  });
  expect(mail?.text).toContain('http://127.0.0.1:4010/t/i/d1\n');
  expect(await confirmed()).toBe(false);
  expect(await performLinkAction(sandbox.service, 'confirm', 'd1')).toBe(true);
  expect(await confirmed()).toBe(true);
});

it("sends the account's own opt-in message if it has one, at the price of an e-mail", async () => {
  const message = {
    ...{ fromemail: null, fromname: 'Harbour', replyemail: 'office@example.com', name: 'Opt-in' },
    ...{ subject: 'Is it you?', customoptin: true, text: '<svc_name value="optin" alt="">' },
    html: '<svc_link value="%svc_optin%" name="opt-in">Yes</svc_link>',
  };
  expect((await sandbox.send('admin', 'POST', '/v1/emailMessage', message)).status).toBe(202);
  await post();
  const mail = await shown(1);
  expect(mail).toMatchObject({ subject: 'Is it you?', from: 'Harbour <office@example.com>' });
  expect(mail?.html).toContain('<a href="http://127.0.0.1:4010/t/i/d1">Yes</a>');
  expect((await sandbox.rows('account'))[0]).toMatchObject({ emailcreditbalance: 999 });
});

it('stores the address after the confirmation', async () => {
  await post({ redirectionurl: 'https://example.com/thanks' });
  expect((await sandbox.send('admin', 'GET', `/v1/subscription/${subscription}`)).data).toMatchObject({
    confirmationredirect: 'https://example.com/thanks',
  });
});

it('a deleted subscription', async () => {
  await post();
  await sandbox.send('admin', 'DELETE', `/v1/subscription/${subscription}`);
  expect(await performLinkAction(sandbox.service, 'confirm', 'd1')).toBe(true);
});

it.each<readonly [string, object, number, () => Promise<unknown>]>([
  ['no subscription_id', { subscription_id: undefined }, 400, async () => undefined],
  ['an unknown subscription', { subscription_id: 99 }, 400, async () => undefined],
  ['an invalid URL', { redirectionurl: 'javascript:alert(1)' }, 400, async () => undefined],
  [
    'a subscriber without an address',
    {},
    400,
    () => sandbox.send('admin', 'PUT', '/v1/subscriber/1', { email: null, msisdn: '447700900123' }),
  ],
  [
    'a subscriber on Do Not Contact',
    {},
    409,
    () => sandbox.put('do_not_contact', { account_id: 1, contactdata: 'ann@example.com', cdate: NOW }),
  ],
  [
    'a suspended subscriber',
    {},
    409,
    () => sandbox.service.store.db.run(sql`update subscriber set emailsuspended = 1`),
  ],
  ['no credits', {}, 409, () => sandbox.service.store.db.run(sql`update account set emailcreditbalance = 0`)],
  ['enableemail off', {}, 403, () => sandbox.service.store.db.run(sql`update account set enableemail = 0`)],
])('rejects %s, and sends nothing', async (_, more, status, before) => {
  await before();
  expect((await post(more)).status).toBe(status);
  expect(await emails()).toEqual([]);
});

it("hides another company's subscription", async () => {
  const refused = await sandbox.send('other', 'POST', '/v1/emailOptIn', { subscription_id: subscription });
  expect(refused.status).toBe(400);
});
