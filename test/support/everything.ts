import type { Store } from '../../src/sandbox/store/open.ts';
import { EMAIL, putEmail, putList, putSms, putSubscriber } from './messages.ts';
import { createTestSandbox, IDS, NOW, type TestSandbox } from './sandbox.ts';

const times = { cdate: NOW, mdate: NOW };
const own = { account_id: IDS.company };

/** Opens a test sandbox with a row of every resource, most of them with id 1. */
export const withEverything = (store?: Store): Promise<TestSandbox> =>
  createTestSandbox({
    ...(store === undefined ? {} : { store }),
    holding: { kind: 'everything', put: putEverything },
  });

export async function putEverything(sandbox: TestSandbox): Promise<void> {
  const list = await putList(sandbox);
  await putSubscriber(sandbox, [list], { email: 'someone@example.com', msisdn: '447700900123' });
  await putEmail(sandbox, { name: 'Free' });
  await putEmail(sandbox, { name: 'Taken' });
  await putSms(sandbox, { name: 'Free' });
  await sandbox.put('folder', { ...own, name: 'News', ...times });
  await sandbox.put('do_not_contact', { ...own, contactdata: 'old@example.com', cdate: NOW });
  await sandbox.put('form', { ...own, user_id: 1, name: 'Sign up', gacode: '', suppressoptin: 0, ...times });
  await sandbox.put('profile_field', { ...own, name: 'Colour' });
  await sandbox.put('profile_field', { ...own, name: 'Size' });
  await sandbox.put('sms_destination', { ...own, destination: '447700900999', isshortcode: 0 });
  const { send } = sandbox;
  const blue = { subscriber_id: 1, subscriberprofilefield_id: 1, value: 'blue' };
  await send('admin', 'POST', '/v1/subscriberProfileData', blue);
  const link = '<p><a href="https://example.com/">Here</a></p>';
  await send('admin', 'POST', '/v1/emailMessage', { ...EMAIL, name: 'Links', html: link });
  const task = { channel: 'email', message_id: 2, name: 'Sale', list_id: 1, search_id: null };
  await send('admin', 'POST', '/v1/task', { ...task, scheduledtime: NOW + 86_400 });
  await send('admin', 'POST', '/v1/sms', { msisdn: '447700900123', fromaddress: 'Example', message: 'Hi' });
  const rule = { actiontype: 'notify', actiontarget: 'office@example.com', name: 'Rule', summary: null };
  await send('admin', 'POST', '/v1/clickAutomation', { ...rule, link_id: null, message_id: 2 });
  await send('admin', 'POST', '/v1/openAutomation', { ...rule, message_id: 2 });
  await send('admin', 'POST', '/v1/subscriptionAutomation', { ...rule, list_id: 1 });
  await send('admin', 'POST', '/v1/dateAutomation', rule);
  await send('admin', 'POST', '/v1/smsAutomation', {
    keyword: null,
    list_id: 1,
    name: 'Rule',
    summary: null,
  });
}
