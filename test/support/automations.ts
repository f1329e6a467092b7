/** A company with the records that automation rules refer to, and the bodies of rules of each kind. */
import type { Scalar } from '../../src/kit/schema/field.ts';
import type { Values } from '../../src/kit/schema/resource.ts';
import { createTestSandbox, IDS, NOW, type TestSandbox } from './sandbox.ts';

export type TimedKind = 'click' | 'open' | 'subscription' | 'date';
export const KINDS: readonly TimedKind[] = ['click', 'open', 'subscription', 'date'];
export const target = (kind: TimedKind | 'sms'): string => `/v1/${kind}Automation`;
export const table = (kind: TimedKind | 'sms') => `${kind}_automation` as const;

/** The list action of each kind (interface, "Per-kind differences"). */
export const LIST_ACTION = {
  click: 'addtolist',
  open: 'addtolist',
  subscription: 'copytolist',
  date: 'addtolist',
} as const;

export interface Things {
  readonly folder: number;
  /** Lists in the folder. `hidden` is in no folder, and `foreign` belongs to another company. */
  readonly list: number;
  readonly otherList: number;
  readonly hiddenList: number;
  readonly foreignList: number;
  /** Messages of the admin and of sub2. The deleted one is the admin's. */
  readonly email: number;
  readonly otherEmail: number;
  readonly emailOfSub2: number;
  readonly deletedEmail: number;
  readonly sms: number;
  readonly smsOfSub2: number;
  readonly deletedSms: number;
  /** A link of `email`, and one of `emailOfSub2`. */
  readonly link: number;
  readonly linkOfSub2: number;
}

export interface World {
  readonly sandbox: TestSandbox;
  readonly things: Things;
}

/** The records of every world: they are made once, and each world gets a copy. */
let things: Things | undefined;

/** Makes the records. `sub2` is restricted to the folder, and sees only its lists and their own messages. */
export async function createWorld(): Promise<World> {
  const put = async (sandbox: TestSandbox): Promise<void> => {
    things = await putThings(sandbox);
  };
  const sandbox = await createTestSandbox({ holding: { kind: 'automations', put } });
  if (things === undefined) throw new Error('the records of the world were not made');
  return { sandbox, things };
}

async function putThings({ put }: TestSandbox): Promise<Things> {
  const account_id = IDS.company;
  const times = { cdate: NOW, mdate: NOW };
  const folder = await put('folder', { account_id, name: 'News', ...times });
  await put('folder_access', { user_id: IDS.sub2, folder_id: folder });
  const list = (name: string, folder_id: number | null, owner: number = account_id) =>
    put('list', { account_id: owner, name, folder_id, cdate: NOW });
  const email = (user_id: number, deleted = 0) =>
    put('email_message', {
      account_id,
      user_id,
      name: 'Mail',
      fromname: 'Office',
      fromemail: 'office@example.com',
      html: '<p>Hello</p>',
      text: 'Hello',
      subject: 'Welcome',
      replyemail: 'office@example.com',
      deleted,
      ...times,
    });
  const sms = (user_id: number, deleted = 0) =>
    put('sms_message', {
      account_id,
      user_id,
      name: 'Text',
      fromname: 'Office',
      message: 'Hi',
      deleted,
      ...times,
    });
  const link = (message_id: number) =>
    put('email_message_link', {
      account_id,
      message_id,
      target: 'https://example.com/',
      type: 'html',
      cdate: NOW,
    });
  const adminEmail = await email(IDS.admin);
  const emailOfSub2 = await email(IDS.sub2);
  return {
    folder,
    list: await list('A', folder),
    otherList: await list('B', folder),
    hiddenList: await list('C', null),
    foreignList: await list('D', null, IDS.other),
    email: adminEmail,
    otherEmail: await email(IDS.admin),
    emailOfSub2,
    deletedEmail: await email(IDS.admin, 1),
    sms: await sms(IDS.admin),
    smsOfSub2: await sms(IDS.sub2),
    deletedSms: await sms(IDS.admin, 1),
    link: await link(adminEmail),
    linkOfSub2: await link(emailOfSub2),
  };
}

/** Returns the additional attributes that a POST of the kind requires. */
export function own(kind: TimedKind, things: Things): Values {
  switch (kind) {
    case 'click':
      return { link_id: null, message_id: things.emailOfSub2 };
    case 'open':
      return { message_id: things.emailOfSub2 };
    case 'subscription':
      return { list_id: things.list };
    case 'date':
      return {};
  }
}

/** Returns the smallest body of a rule of this kind, a notice. Every user in the company may create it. */
export function notice(kind: TimedKind, things: Things, more: Values = {}): Record<string, Scalar> {
  return {
    ...own(kind, things),
    actiontype: 'notify',
    actiontarget: 'office@example.com',
    name: 'Rule',
    summary: null,
    ...more,
  };
}

/** Returns a body with the kind's list action, a day after the event. */
export function listRule(kind: TimedKind, things: Things, more: Values = {}): Record<string, Scalar> {
  return notice(kind, things, {
    actiontype: LIST_ACTION[kind],
    actiontarget: String(things.otherList),
    actiontimediff: 1440,
    actiononweekend: true,
    ...more,
  });
}
