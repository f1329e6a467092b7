/** Lists the records that the simulated operators create: bodies of every resource that can be created, and similar ones. */

import type { Resource, Values } from '../../src/kit/schema/resource.ts';
import { account } from '../../src/service/resources/account.ts';
import { doNotContact } from '../../src/service/resources/do-not-contact.ts';
import { emailMessage } from '../../src/service/resources/email-message.ts';
import { folder } from '../../src/service/resources/folder.ts';
import { sms } from '../../src/service/resources/sms.ts';
import { smsAutomation } from '../../src/service/resources/sms-automation.ts';
import { smsMessage } from '../../src/service/resources/sms-message.ts';
import { subscriberProfileData } from '../../src/service/resources/subscriber-profile-data.ts';
import { task } from '../../src/service/resources/task.ts';
import { clickAutomation } from '../../src/service/resources/timed-automations.ts';
import { user } from '../../src/service/resources/user.ts';
import type { Chance } from './simulation-world.ts';

export interface Create {
  readonly resource: Resource;
  readonly body: Values;
}

/** Executed twice, these would reach people or money twice. */
export const NEVER_TWICE: readonly string[] = [task, sms, clickAutomation, smsAutomation, account].map(
  ({ name }) => name,
);

const BODIES: readonly ((chance: Chance, now: number) => Create)[] = [
  (chance, now) => ({
    resource: task,
    body: {
      name: name(chance),
      channel: 'email',
      message_id: number(chance),
      list_id: number(chance),
      search_id: null,
      // The service replaces an earlier time by its own current time.
      scheduledtime: now + (chance.is(0.2) ? -5 : 3600),
    },
  }),
  (chance, now) => ({
    resource: sms,
    body: {
      msisdn: `4477009001${number(chance)}${number(chance)}`,
      fromaddress: 'Example',
      message: `Alarm ${number(chance)}`,
      ...(chance.is(0.5) ? {} : { senddate: chance.is(0.5) ? null : now + 600 }),
    },
  }),
  (chance) => ({
    resource: clickAutomation,
    body: {
      name: name(chance),
      actiontype: 'addtolist',
      actiontarget: String(number(chance)),
      actiontimediff: 3600,
      actiononweekend: true,
      link_id: null,
      message_id: number(chance),
      summary: null,
    },
  }),
  (chance) => ({
    resource: smsAutomation,
    body: { name: name(chance), keyword: null, list_id: number(chance), summary: null },
  }),
  (chance) => ({ resource: account, body: { name: name(chance), contactemail: 'a@example.com' } }),
  // Two records with one name within seconds cannot be distinguished (find-created.ts), so no name is used twice.
  (chance) => ({ resource: folder, body: { name: `Folder ${chance.fraction()}` } }),
  (chance) => ({
    resource: emailMessage,
    body: {
      name: name(chance),
      subject: 'Hello',
      fromname: 'Example',
      fromemail: null,
      replyemail: 'a@example.com',
      html: `<p>${number(chance)}</p>`,
      text: 'Hello',
    },
  }),
  (chance) => ({ resource: smsMessage, body: { name: name(chance), fromname: 'Example', message: 'Hello' } }),
  (chance) => ({
    resource: user,
    body: { username: `u${Math.floor(chance.between(0, 1e6))}`, firstname: 'A' },
  }),
  (chance) => ({ resource: doNotContact, body: { contactdata: `x${number(chance)}@example.com` } }),
  (chance) => ({
    resource: subscriberProfileData,
    body: {
      subscriber_id: number(chance),
      subscriberprofilefield_id: number(chance),
      value: String(number(chance)),
    },
  }),
];

/** @param now Unix seconds by the service's clock */
export const drawCreate = (chance: Chance, now: number): Create => chance.pick(BODIES)(chance, now);

/** Returns a body that differs in one attribute. */
export function similarTo({ resource, body }: Create, chance: Chance): Values {
  const names = resource.identifiedBy.filter((each) => body[each] !== undefined && body[each] !== null);
  const changed = chance.pick(names);
  const value = body[changed];
  return { ...body, [changed]: typeof value === 'number' ? value + 100_000 : `${value} too` };
}

const number = (chance: Chance): number => 1 + Math.floor(chance.between(0, 9));
const name = (chance: Chance): string => `Spring ${number(chance)}`;
