/** A valid body of a POST for each resource that has one, in a sandbox with everything (`everything.ts`). */
import type { Values } from '../../src/kit/schema/resource.ts';
import { EMAIL } from './messages.ts';
import { NOW } from './sandbox.ts';

const RULE = { actiontype: 'notify', actiontarget: 'office@example.com', name: 'Twin', summary: null };
const TASK = { name: 'Twin', channel: 'email', message_id: 1, scheduledtime: NOW + 7200 };
const SMS = { msisdn: '447700900123', fromaddress: 'Example', message: 'Doors\nopen' };

/** Bodies that the service accepts any number of times. */
export const REPEATABLE: readonly (readonly [string, Values])[] = [
  ['task', { ...TASK, list_id: 1, search_id: null }],
  ['task', { ...TASK, list_id: 1, search_id: null, scheduledtime: NOW - 60 }],
  ['sms', SMS],
  ['sms', { ...SMS, senddate: null }],
  ['sms', { ...SMS, senddate: NOW + 600 }],
  ['clickAutomation', { ...RULE, link_id: null, message_id: 2 }],
  ['openAutomation', { ...RULE, message_id: 2 }],
  ['subscriptionAutomation', { ...RULE, list_id: 1 }],
  ['dateAutomation', RULE],
  ['smsAutomation', { keyword: null, list_id: 1, name: 'Twin', summary: null }],
  ['smsMessage', { name: 'Twin', fromname: 'Example', message: 'Doors open' }],
  ['emailMessage', { ...EMAIL, name: 'Twin', html: '<p><a href="https://example.com/">x</a></p>' }],
];

/** Bodies that the service accepts once, or that no test sends twice. */
export const UNIQUE: readonly (readonly [string, Values])[] = [
  ['folder', { name: 'Folder' }],
  [
    'user',
    { username: 'ada', firstname: 'Ada', lastname: 'B', email: 'ada@example.com', password: 'secret77' },
  ],
  ['doNotContact', { contactdata: 'Someone@Example.net' }],
  ['subscriberProfileData', { subscriber_id: 1, subscriberprofilefield_id: 2, value: 'XL' }],
];
