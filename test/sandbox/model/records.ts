/** The interface's rules for the records of each resource, as plain values: the contents of POST and PUT, and their effects. */
import type { JsonObject } from '../../../src/service/protocol/json.ts';
import type { As } from '../../support/sandbox.ts';

/** Returns one of the choices. */
export type Draw = <T>(...choices: readonly T[]) => T;

export interface Kind {
  /** The sender of the request; the admin if omitted. */
  readonly as?: As;
  /** The one record of the company, which no page lists. */
  readonly isSingle?: true;
  /** The query that a page needs besides its sort, and the attribute by which pages are sorted. */
  readonly page?: { readonly query: string; readonly sort: string };
  readonly make?: (draw: Draw, now: number) => JsonObject;
  /** Attributes with a default in the interface's table. They are shown if POST leaves them out. */
  readonly defaults?: JsonObject;
  /** Write-only attributes, which are shown as null. */
  readonly hidden?: readonly string[];
  readonly change?: (draw: Draw, now: number) => JsonObject;
  readonly isRemovable?: true;
  /** True if records that the sandbox creates itself may also be changed and removed. In other resources they may depend on each other. */
  readonly changesAll?: true;
  /** Returns the attribute that must be unique among records, unless it is null: 409. */
  readonly unique?: (record: JsonObject) => unknown;
  /** Returns whether a record in this state can no longer be changed: 409. */
  readonly isFinal?: (record: JsonObject) => boolean;
  /** Returns the attributes that a change sets besides those that were sent. */
  readonly follows?: (sent: JsonObject, now: number) => JsonObject;
}

const NAMES = ['News', 'Übersicht', 'a & b', '"quoted"', "it's", '0', 'x'.repeat(30)] as const;
const TARGETS = ['https://one.example/', 'https://two.example/?a=1', 'https://three.example/#x'] as const;

const some = (draw: Draw, values: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(() => draw(true, false)));
/** Returns one of the attributes. */
const oneOf = (draw: Draw, values: JsonObject): JsonObject =>
  Object.fromEntries([draw(...Object.entries(values))]);

const html = (draw: Draw): string =>
  draw<readonly number[]>([], [0], [1, 0], [2, 1, 2], [0, 1, 2])
    .map((at) => `<p><a href="${TARGETS[at]}">x</a></p>`)
    .join('') + draw('', '<p>Hello {{ email }}</p>');

/** Returns the parts that notify rules of all four kinds share: interface, "Automation rules: common payload rules". */
const rule = (watches: JsonObject): Kind => ({
  make: (draw) => ({
    actiontype: 'notify',
    actiontarget: draw('office@example.com', 'shop@example.com'),
    name: draw(...NAMES),
    summary: draw(null, 'Why'),
    ...watches,
    ...some(draw, { paused: draw(true, false) }),
    ...draw({}, { actiontimediff: draw(3600, 7200), actiononweekend: draw(true, false) }),
  }),
  defaults: { paused: false },
  change: (draw) =>
    oneOf(draw, {
      name: draw(...NAMES),
      summary: draw(null, 'Another'),
      paused: draw(true, false),
      actiontarget: draw('office@example.com', 'shop@example.com'),
      actiontimediff: draw(3600, 10_800),
    }),
  isRemovable: true,
});

/** The eighteen resources, based on `withEverything`: list 1, subscriber 1, and message 2, which no step changes. */
export const KINDS: Readonly<Record<string, Kind>> = {
  account: { isSingle: true },
  accountFeatures: {
    as: 'partner',
    isSingle: true,
    change: (draw) =>
      oneOf(draw, {
        enablecrm: draw(true, false),
        enabledkim: draw(true, false),
        contactemail: draw('one@example.com', 'two@example.com'),
        list_limit: draw(100, 300),
      }),
  },
  user: {
    make: (draw) => ({
      email: draw('a@example.com', 'b@example.com'),
      firstname: draw(...NAMES),
      lastname: 'L',
      username: draw('user-a', 'user-b', 'user-c', 'user-d'),
      password: null,
      ...some(draw, { active: draw(true, false), msisdn: draw(null, '447700900321') }),
    }),
    defaults: { isadmin: false },
    hidden: ['password'],
    change: (draw) =>
      oneOf(draw, {
        firstname: draw(...NAMES),
        active: draw(true, false),
        msisdn: draw(null, '447700900322'),
        username: draw('user-a', 'user-b', 'user-c', 'user-d'),
      }),
    isRemovable: true,
    unique: ({ username }) => username,
  },
  sms: {
    make: (draw, now) => ({
      msisdn: draw('447700900123', '447700900124'),
      fromaddress: draw('Example', '447700900999'),
      message: draw('Hello', 'x'.repeat(200)),
      ...some(draw, { senddate: draw(null, now + 86_400 * 400) }),
    }),
  },
  smsMessage: {
    make: (draw) => ({
      fromname: 'Company',
      message: draw('Hello', 'Bye'),
      name: draw(...NAMES),
      ...some(draw, { subinfo: draw(true, false) }),
    }),
    defaults: { subinfo: false },
    change: (draw) =>
      oneOf(draw, { message: draw('One', 'Two'), name: draw(...NAMES), subinfo: draw(true, false) }),
    isRemovable: true,
  },
  smsDestination: { change: (draw) => ({ keyword: draw(null, 'word', 'other') }), changesAll: true },
  emailMessage: {
    make: (draw) => ({
      fromemail: null,
      fromname: draw(...NAMES),
      html: html(draw),
      name: draw(...NAMES),
      replyemail: 'office@example.com',
      subject: draw(...NAMES),
      text: draw('', 'Hello'),
      ...some(draw, { galinkdata: draw(true, false), friendlink: draw(true, false) }),
    }),
    defaults: { customoptin: false, galinkdata: false, friendlink: false },
    hidden: ['tracktextlinks'],
    change: (draw) =>
      oneOf(draw, {
        html: html(draw),
        name: draw(...NAMES),
        subject: draw(...NAMES),
        text: draw('', 'Other'),
        friendlink: draw(true, false),
      }),
    isRemovable: true,
  },
  emailMessageLink: {},
  task: {
    make: (draw, now) => ({
      channel: 'email',
      message_id: 2,
      name: draw(...NAMES),
      scheduledtime: now + draw(3600, 86_400),
      list_id: 1,
      search_id: null,
      ...some(draw, { rate: draw(null, 100) }),
    }),
    defaults: { cancelled: false, completed: false },
    change: (draw, now) =>
      oneOf(draw, {
        name: draw(...NAMES),
        scheduledtime: now + draw(3600, 86_400),
        cancelled: true,
      }),
    isFinal: ({ cancelled }) => cancelled === true,
    follows: ({ cancelled }, now) => (cancelled === true ? { endtime: now } : {}),
  },
  folder: {
    make: (draw) => ({ name: draw(...NAMES) }),
    change: (draw) => ({ name: draw(...NAMES) }),
    isRemovable: true,
    changesAll: true,
  },
  doNotContact: {
    make: (draw) => ({
      contactdata: draw('a@one.example', 'b@one.example', 'two.example', '447700900777', '447700900778'),
    }),
    isRemovable: true,
    changesAll: true,
    unique: ({ contactdata }) => contactdata,
  },
  form: { isRemovable: true, changesAll: true },
  subscriberProfileData: {
    page: { query: 'subscriber_id=1', sort: 'subscriberprofilefield_id' },
    make: (draw) => ({
      subscriber_id: 1,
      subscriberprofilefield_id: draw(1, 2),
      value: draw(...NAMES),
    }),
    change: (draw) => ({ value: draw(...NAMES) }),
    isRemovable: true,
    changesAll: true,
    unique: (record) => record['subscriberprofilefield_id'],
  },
  smsAutomation: {
    make: (draw) => ({
      keyword: draw(null, 'red', 'green', 'blue'),
      list_id: 1,
      name: draw(...NAMES),
      summary: draw(null, 'Why'),
      ...some(draw, { paused: draw(true, false), notifyemail: draw(null, 'office@example.com') }),
    }),
    change: (draw) =>
      oneOf(draw, {
        keyword: draw(null, 'red', 'green', 'blue'),
        name: draw(...NAMES),
        summary: draw(null, 'Another'),
        paused: draw(true, false),
      }),
    isRemovable: true,
    unique: ({ keyword }) => keyword,
  },
  clickAutomation: rule({ link_id: null, message_id: 2 }),
  openAutomation: rule({ message_id: 2 }),
  subscriptionAutomation: rule({ list_id: 1 }),
  dateAutomation: rule({}),
};
