/**
 * Every lock and every state of the interface, each row quoted, has a `svc why` that names it and its end. For a lock that ends by
 * itself, the test moves the clock there. The request is refused one second before, and accepted at that moment. For a lock that never
 * ends, the request is refused ten years later. `known-lists.test.ts` has the facts that only the control plane of a sandbox shows.
 */

import { beforeEach, describe, expect, it } from 'vitest';
import type { Method } from '../../../../src/kit/schema/resource.ts';
import { sql } from '../../../../src/sandbox/store/driver/sql.ts';
import { insertRows } from '../../../../src/sandbox/store/rows.ts';
import type { JsonObject } from '../../../../src/service/protocol/envelope.ts';
import { createEngineWorld, type EngineWorld } from '../../../support/automation-engine.ts';
import { PARTNER, runCli, serviceOf } from '../../../support/run-cli.ts';
import { type As, IDS, NOW } from '../../../support/sandbox.ts';

let world: EngineWorld;
beforeEach(async () => {
  world = await createEngineWorld();
});

const HOURS = 3600;
const TEN_YEARS = 10 * 365 * 24 * HOURS;
/** The maximum number of requests of one `why`, however many records there are. */
const MOST_REQUESTS = 20;

async function why(words: string, env: Readonly<Record<string, string | undefined>> = {}) {
  const { transport, sent } = serviceOf(world.sandbox);
  const { stdout, stderr, exitCode } = await runCli(['why', ...words.split(' '), '-o', 'json'], {
    transport,
    env,
  });
  expect(sent.length).toBeLessThanOrEqual(MOST_REQUESTS);
  expect(sent.filter(({ method }) => method !== 'GET' && method !== 'HEAD')).toEqual([]);
  return { exitCode, stderr, answer: exitCode === 0 ? (JSON.parse(stdout) as JsonObject) : undefined };
}

const send = (method: Method, path: string, body?: object, as: As = 'admin') =>
  world.sandbox.send(as, method, `/v1/${path}`, body);
async function made(path: string, body: object): Promise<number> {
  const { status, data, text } = await send('POST', path, body);
  expect([status, text]).toEqual([202, text]);
  return Number(data['id']);
}
const done = async (method: Method, path: string, body?: object, as: As = 'admin') =>
  expect((await send(method, path, body, as)).status).toBe(200);

async function subscribers(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const subscriber_id = await world.subscriber();
    await world.sandbox.put('subscription', { list_id: world.things.list, subscriber_id, cdate: NOW });
  }
}

/** Sends a campaign to a list of the folder. */
const task = (more: object = {}) =>
  made('task', {
    channel: 'email',
    message_id: world.things.email,
    name: 'Spring sale',
    list_id: world.things.list,
    search_id: null,
    scheduledtime: NOW + 600,
    ...more,
  });

const byTask = (id: number, until: number | null) => ({ kind: 'task', id, name: 'Spring sale', until });
const LASTING = { locked: true, free: null };
const UNLOCKED = { locked: false, by: [], free: null };

interface Prepared {
  readonly why: string;
  readonly answer: object;
  /** The request that the lock prevents. */
  readonly thing: readonly [method: Method, path: string, body?: object];
  /** The refusal; without a lock the request succeeds. */
  readonly refusal?: { readonly status: number; readonly subcode?: number };
}

type Row = readonly [source: string, quoted: string, prepare: () => Promise<Prepared>];

/** Puts all lists of the account into the folder, so it is known that the task's list is in it. */
async function onlyFolder(): Promise<void> {
  await world.db.run(sql`delete from list where id = ${world.things.hiddenList}`);
}

async function folderHeldUntil(id: number, until: number): Promise<Prepared> {
  const { folder } = world.things;
  return {
    why: `folder ${folder}`,
    answer: { locked: true, by: [byTask(id, until)], free: until },
    thing: ['DELETE', `folder/${folder}`],
    refusal: { status: 423, subcode: 4 },
  };
}

const ENDING: readonly Row[] = [
  [
    'Errors, 423 subcode 4',
    'A campaign is scheduled to a list in the folder',
    async () => {
      await onlyFolder();
      return folderHeldUntil(await task(), NOW + 600 + 72 * HOURS);
    },
  ],
  [
    'Errors, 423 subcode 4; Limits, Task rate',
    'optional maximum messages per hour',
    async () => {
      await onlyFolder();
      await subscribers(3);
      return folderHeldUntil(await task({ rate: 1 }), NOW + 600 + 2 * HOURS + 72 * HOURS);
    },
  ],
  [
    'Errors, 423 subcode 4',
    'or one was sent to it in the last 72 hours',
    async () => {
      await onlyFolder();
      await subscribers(1);
      const id = await task();
      await world.advance(5 * HOURS);
      return folderHeldUntil(id, NOW + 600 + 72 * HOURS);
    },
  ],
  [
    'Limits, Recent-target lock: 72 hours',
    'task | scheduled | PUT with cancelled=true: endtime is set',
    async () => {
      await onlyFolder();
      await subscribers(3);
      const id = await task({ rate: 1 });
      await world.advance(2000);
      await done('PUT', `task/${id}`, { cancelled: true });
      return folderHeldUntil(id, NOW + 2000 + 72 * HOURS);
    },
  ],
];

describe('a lock that ends by itself', () => {
  it.each(ENDING)('%s: "%s"', async (_, __, prepare) => {
    const { why: words, answer, thing, refusal } = await prepare();
    const found = await why(words);
    expect(found).toMatchObject({ exitCode: 0, answer });
    const free = Number(found.answer?.['free']) - NOW;
    await world.advance(free - 1);
    const refused = await send(...thing);
    expect(refused).toMatchObject({ status: refusal?.status, response: { subcode: refusal?.subcode } });
    expect((await why(words)).answer).toMatchObject({ locked: true, free: NOW + free });
    await world.advance(free);
    expect((await why(words)).answer).toMatchObject({ by: [], free: null });
    expect((await send(...thing)).status).toBe(200);
  });
});

const message = (channel: 'email' | 'sms') => world.things[channel];
const resource = (channel: 'email' | 'sms') => `${channel}Message`;
const noun = (channel: 'email' | 'sms') => (channel === 'email' ? 'email' : 'sms-message');
const LOCKED_MESSAGE = { status: 423, subcode: 10 };

const messageUsed = (channel: 'email' | 'sms', after: number) => async (): Promise<Prepared> => {
  const id = await task({ channel, message_id: message(channel) });
  await world.advance(after);
  return {
    why: `${noun(channel)} ${message(channel)}`,
    answer: { ...LASTING, by: [byTask(id, null)] },
    thing: ['PUT', `${resource(channel)}/${message(channel)}`, { name: 'Other' }],
    refusal: LOCKED_MESSAGE,
  };
};

const RULE = { actiontype: 'notify', actiontarget: 'a@example.com', name: 'Follow-up', summary: null };

const emailOfRule = (rule: () => object) => async (): Promise<Prepared> => {
  const { email, otherEmail } = world.things;
  const id = await made('clickAutomation', { ...RULE, link_id: null, message_id: otherEmail, ...rule() });
  return {
    why: `email ${email}`,
    answer: { ...LASTING, by: [{ kind: 'automation', id: `click:${id}`, name: 'Follow-up', until: null }] },
    thing: ['PUT', `emailMessage/${email}`, { name: 'Other' }],
    refusal: LOCKED_MESSAGE,
  };
};

const emailOfEditor = (editor: number, name: string) => async (): Promise<Prepared> => {
  const content = {
    fromemail: null,
    fromname: 'F',
    html: '<p>x</p>',
    replyemail: 'a@example.com',
    text: 'T',
  };
  const id = await made('emailMessage', { ...content, name: 'Mail', subject: 'S', editor });
  return {
    why: `email ${id}`,
    answer: { ...LASTING, by: [{ kind: 'editor', id: editor, name, until: null }] },
    thing: ['PUT', `emailMessage/${id}`, { name: 'Other' }],
    refusal: LOCKED_MESSAGE,
  };
};

const UNPAUSABLE = { status: 409, subcode: 12 };

const ruleWithout = (what: 'email' | 'sms' | 'message' | 'link') => async (): Promise<Prepared> => {
  const { email, sms, link } = world.things;
  const own = {
    email: {
      actiontype: 'email_autoresponder',
      actiontarget: String(email),
      link_id: null,
      message_id: null,
    },
    sms: { actiontype: 'sms_autoresponder', actiontarget: String(sms), link_id: null, message_id: null },
    message: { message_id: email, link_id: null },
    link: { link_id: link, message_id: null },
  }[what];
  const kind = what === 'email' || what === 'sms' ? 'date' : 'click';
  const { link_id: _, message_id: __, ...dated } = own;
  const body = { ...RULE, ...(kind === 'date' ? dated : own), paused: true };
  const id = await made(`${kind}Automation`, body);
  await done('DELETE', what === 'sms' ? `smsMessage/${sms}` : `emailMessage/${email}`);
  const missing = {
    email: { kind: 'email', id: email },
    sms: { kind: 'sms-message', id: sms },
    message: { kind: 'email', id: email },
    link: { kind: 'link', id: link },
  }[what];
  return {
    why: `automation ${kind}:${id}`,
    answer: { ...LASTING, by: [{ ...missing, name: null, until: null }] },
    thing: ['PUT', `${kind}Automation/${id}`, { paused: false }],
    refusal: UNPAUSABLE,
  };
};

const LASTINGLY: readonly Row[] = [
  ['Errors, 423 subcode 10', 'The message is scheduled to be sent (e-mail)', messageUsed('email', 0)],
  ['Errors, 423 subcode 10', 'The message is scheduled to be sent (SMS)', messageUsed('sms', 0)],
  ['Errors, 423 subcode 10', 'or has been sent (e-mail)', messageUsed('email', HOURS)],
  ['Errors, 423 subcode 10', 'or has been sent (SMS)', messageUsed('sms', HOURS)],
  [
    'States, message',
    'editable | creation of a task referencing it | not editable, used=true',
    async () => {
      const prepared = await messageUsed('email', 0)();
      await done('PUT', 'task/1', { cancelled: true });
      return prepared;
    },
  ],
  [
    'States, email message',
    'association to an automation rule (as actiontarget of an email_autoresponder)',
    emailOfRule(() => ({ actiontype: 'email_autoresponder', actiontarget: String(world.things.email) })),
  ],
  ['States, email message', 'as message_id', emailOfRule(() => ({ message_id: world.things.email }))],
  [
    'States, email message',
    'or through a link_id',
    emailOfRule(() => ({ link_id: world.things.link, message_id: null })),
  ],
  ['States, email message', 'creation via Classic Editor', emailOfEditor(2, 'Classic Editor')],
  ['States, email message', 'or Campaign Designer', emailOfEditor(3, 'Campaign Designer')],
  [
    'States, task',
    'completed | PUT with cancelled=true | always | rejected',
    async () => {
      const id = await task();
      await world.advance(HOURS);
      return {
        why: `task ${id}`,
        answer: { ...LASTING, by: [byTask(id, null)] },
        thing: ['PUT', `task/${id}`, { cancelled: true }],
        refusal: { status: 409 },
      };
    },
  ],
  [
    'States, task',
    'scheduled | PUT with cancelled=true | cancelled',
    async () => {
      const id = await task();
      await done('PUT', `task/${id}`, { cancelled: true });
      return {
        why: `task ${id}`,
        answer: { ...LASTING, by: [byTask(id, null)] },
        thing: ['PUT', `task/${id}`, { scheduledtime: NOW + TEN_YEARS }],
        refusal: { status: 409 },
      };
    },
  ],
  [
    'Errors, 409 subcode 12',
    'Un-pausing a paused rule whose dependent resource (actiontarget) was deleted: an e-mail message',
    ruleWithout('email'),
  ],
  [
    'Errors, 409 subcode 12',
    'Un-pausing a paused rule whose dependent resource (actiontarget) was deleted: an SMS message',
    ruleWithout('sms'),
  ],
  [
    'States, automation rule',
    'paused | PUT paused=false | a dependent resource no longer exists and was not changed: the message it watches',
    ruleWithout('message'),
  ],
  [
    'States, automation rule',
    'paused | PUT paused=false | a dependent resource no longer exists and was not changed: its link',
    ruleWithout('link'),
  ],
  [
    'Errors, 409 subcode 12',
    'for smsAutomation list_id, email_list_id or message_id',
    async () => {
      const { sms } = world.things;
      const id = await world.smsRule({ message_id: sms, message_actiontimediff: 0, paused: 1 });
      await done('DELETE', `smsMessage/${sms}`);
      return {
        why: `automation sms:${id}`,
        answer: { ...LASTING, by: [{ kind: 'sms-message', id: sms, name: null, until: null }] },
        thing: ['PUT', `smsAutomation/${id}`, { paused: false }],
        refusal: UNPAUSABLE,
      };
    },
  ],
];

describe('a lock that never ends by itself', () => {
  it.each(LASTINGLY)('%s: "%s"', async (_, __, prepare) => {
    const { why: words, answer, thing, refusal } = await prepare();
    expect(await why(words)).toMatchObject({ exitCode: 0, answer });
    await world.advance(TEN_YEARS);
    const refused = await send(...thing);
    expect([refused.status, refused.response['subcode'] ?? undefined]).toEqual([
      refusal?.status,
      refusal?.subcode,
    ]);
    expect((await why(words)).answer).toMatchObject({ locked: true, free: null });
  });

  it('a rule is free after its missing record is replaced, as the page says', async () => {
    const { why: words, thing } = await ruleWithout('message')();
    const { transport } = serviceOf(world.sandbox);
    const told = await runCli(['why', ...words.split(' ')], { transport });
    expect(told.stdout).toContain('svc automation update click:1 --message-id ID --paused false');
    expect(
      (await send(thing[0], thing[1], { message_id: world.things.otherEmail, paused: false })).status,
    ).toBe(200);
    expect((await why(words)).answer).toEqual(UNLOCKED);
  });
});

const FREE: readonly Row[] = [
  [
    'States, task',
    'scheduled (cancelled=false, completed=false) | PUT with cancelled=true | task not completed',
    async () => {
      const id = await task();
      return { why: `task ${id}`, answer: UNLOCKED, thing: ['PUT', `task/${id}`, { cancelled: true }] };
    },
  ],
  [
    'States, message',
    'editable (e-mail)',
    async () => ({
      why: `email ${world.things.email}`,
      answer: UNLOCKED,
      thing: ['PUT', `emailMessage/${world.things.email}`, { name: 'Other' }],
    }),
  ],
  [
    'States, message',
    'editable (SMS)',
    async () => ({
      why: `sms-message ${world.things.sms}`,
      answer: UNLOCKED,
      thing: ['PUT', `smsMessage/${world.things.sms}`, { name: 'Other' }],
    }),
  ],
  [
    'States, automation rule',
    'active | PUT paused=true | paused',
    async () => {
      const id = await world.rule('open');
      return {
        why: `automation open:${id}`,
        answer: UNLOCKED,
        thing: ['PUT', `openAutomation/${id}`, { paused: true }],
      };
    },
  ],
  [
    'States, automation rule',
    'paused | PUT paused=false | all dependent resources exist | active',
    async () => {
      const id = await world.rule('open', { paused: 1 });
      return {
        why: `automation open:${id}`,
        answer: UNLOCKED,
        thing: ['PUT', `openAutomation/${id}`, { paused: false }],
      };
    },
  ],
  [
    'folder',
    'A folder can be empty',
    async () => {
      const id = await made('folder', { name: 'Empty' });
      return { why: `folder ${id}`, answer: UNLOCKED, thing: ['DELETE', `folder/${id}`] };
    },
  ],
];

describe('records that are not locked', () => {
  it.each(FREE)('%s: "%s"', async (_, __, prepare) => {
    const { why: words, answer, thing } = await prepare();
    expect(await why(words)).toMatchObject({ exitCode: 0, answer });
    expect((await send(...thing)).status).toBe(200);
  });
});

describe('other states', () => {
  it('task: "scheduled | processing of the send | completed": during the send it can only be cancelled', async () => {
    await subscribers(3);
    const id = await task({ rate: 1 });
    await world.advance(2000);
    expect((await why(`task ${id}`)).answer).toEqual({ ...LASTING, by: [byTask(id, null)] });
    expect((await send('PUT', `task/${id}`, { scheduledtime: NOW + TEN_YEARS })).status).toBe(409);
    await done('PUT', `task/${id}`, { cancelled: true });
  });

  it.each(['email', 'sms'] as const)(
    'message: "DELETE while a task references it | soft deleted: hidden from GET, still available to the task" (%s)',
    async (channel) => {
      const id = await task({ channel, message_id: message(channel) });
      await done('DELETE', `${resource(channel)}/${message(channel)}`);
      const words = `${noun(channel)} ${message(channel)}`;
      const { exitCode, stderr } = await why(words);
      expect(exitCode).toBe(4);
      const { message: told, hint } = JSON.parse(stderr).error;
      expect(told).toBe(
        `${words} was deleted: it is hidden permanently and cannot be changed. task ${id} (Spring sale) still sends the message in 10 minutes`,
      );
      expect(hint).toContain(`svc task cancel ${id}`);
      await world.advance(HOURS);
      expect(JSON.parse((await why(words)).stderr).error.message).toMatch(
        /task 1 \(Spring sale\) used the message$/,
      );
    },
  );

  it('automation rule: "DELETE | removed"', async () => {
    const id = await world.rule('open');
    await done('DELETE', `openAutomation/${id}`);
    expect((await why(`automation open:${id}`)).exitCode).toBe(4);
  });

  it('automation rule: "deletion of its list or the list\'s folder | paused": it names the list, and says that its state is unknown', async () => {
    const { list, folder } = world.things;
    const id = await world.rule('subscription', { list_id: list });
    await done('DELETE', `folder/${folder}`);
    expect((await why(`automation subscription:${id}`)).answer).toEqual({
      locked: null,
      by: [{ kind: 'list', id: list, name: null, until: null }],
      free: null,
    });
  });

  it('user: "unlocked | 3 consecutive failed logins | locked=true"', async () => {
    expect((await why(`user ${IDS.sub}`)).answer).toEqual(UNLOCKED);
    await world.db.run(sql`update "user" set locked = 1 where id = ${IDS.sub}`);
    expect((await why('user sub')).answer).toEqual({
      ...LASTING,
      by: [{ kind: 'user', id: IDS.sub, name: 'sub', until: null }],
    });
  });

  it('account: "unlocked | PUT accountFeatures locked=true | locked"', async () => {
    expect((await why('account', PARTNER)).answer).toEqual(UNLOCKED);
    await done('PUT', `accountFeatures/${IDS.company}`, { locked: true }, 'partner');
    expect((await why('account', PARTNER)).answer).toMatchObject({
      ...LASTING,
      by: [{ kind: 'account', id: IDS.company, until: null }],
    });
    expect((await why('account')).exitCode).toBe(3);
  });

  it('sms (single): "awaiting dispatch (dispatched=false) | dispatched / failed": no PUT, no DELETE', async () => {
    const id = await made('sms', {
      msisdn: '447700900001',
      fromaddress: 'Office',
      message: 'Hi',
      senddate: NOW + 600,
    });
    const told = async () =>
      (
        await runCli(['why', 'sms', `${id}`], { transport: serviceOf(world.sandbox).transport })
      ).stdout.replace(/\s+/g, ' ');
    expect((await why(`sms ${id}`)).answer).toEqual({
      ...LASTING,
      by: [{ kind: 'sms', id, name: null, until: null }],
    });
    expect(await told()).toContain('Tue 2026-12-01 09:10:00 +00:00 (Europe/London), in 10 minutes');
    await world.advance(600);
    expect(await told()).toContain('It was dispatched.');
    expect((await send('DELETE', `sms/${id}`)).status).toBe(405);
  });
});

describe('facts that the interface does not show', () => {
  it('lists tasks to lists, although the lists of a folder are unknown, and says that they may not concern it', async () => {
    const { folder, hiddenList } = world.things;
    const id = await task({ list_id: hiddenList });
    const until = NOW + 600 + 72 * HOURS;
    expect((await why(`folder ${folder}`)).answer).toEqual({
      locked: null,
      by: [byTask(id, until)],
      free: until,
    });
  });

  it('says that it does not know whether a list is permanent', async () => {
    expect((await why(`folder ${world.things.folder}`)).answer).toEqual({ locked: null, by: [], free: null });
    expect((await why(`list ${world.things.list}`)).answer).toEqual({ locked: null, by: [], free: null });
  });

  it('says that tasks to a list lock it, whatever its other state is', async () => {
    const { list, otherList } = world.things;
    await task({ list_id: otherList });
    const id = await task();
    const until = NOW + 600 + 72 * HOURS;
    expect((await why(`list ${list}`)).answer).toEqual({
      locked: true,
      by: [byTask(id, until)],
      free: until,
    });
  });
});

describe('the number of requests', () => {
  it('is limited, so svc reads a limited number of tasks and says so', async () => {
    const row = {
      ...{ account_id: IDS.company, user_id: IDS.admin, name: 'Old', channel: 'email', message_id: 1 },
      ...{ list_id: world.things.list, scheduledtime: NOW - 600, size: 0, cdate: NOW - 900 },
    };
    const ended = { ...row, completed: 1, started: 1 };
    await insertRows(
      world.db,
      'task',
      Array.from({ length: 1001 }, (_, index) => ({ ...ended, endtime: NOW - index })),
    );
    const { answer } = await why(`list ${world.things.list}`);
    expect(answer?.['by']).toHaveLength(1000);
    const { transport } = serviceOf(world.sandbox);
    const told = await runCli(['why', 'list', String(world.things.list)], { transport });
    expect(told.stdout.replace(/\s+/g, ' ')).toContain('svc checked at most 1000 tasks in each state');
  });

  it('contract, "Insight": `why message ID` is an error only if both kinds have that id', async () => {
    const { email, otherEmail, sms } = world.things;
    expect([email, sms]).toEqual([1, 1]);
    const { exitCode, stderr } = await why(`message ${email}`);
    expect(exitCode).toBe(2);
    expect(JSON.parse(stderr).error.hint).toBe(
      'use the kind and id of one message: svc why email 1, svc why sms-message 1',
    );
    const alone = await world.sandbox.put('email_message', {
      ...{
        account_id: IDS.company,
        user_id: IDS.admin,
        name: 'Alone',
        fromname: 'O',
        replyemail: 'o@example.com',
      },
      ...{ html: '', text: '', subject: '', cdate: NOW, mdate: NOW },
    });
    expect((await why(`message ${alone}`)).answer).toEqual(UNLOCKED);
    expect((await why('message Alone')).answer).toEqual(UNLOCKED);
    expect(otherEmail).not.toBe(alone);
  });

  it.each([
    ['email 99', 4],
    ['sms-message 99', 4],
    ['message 99', 4],
    ['message Nothing', 4],
    ['folder 99', 4],
    ['folder Nothing', 4],
    ['task 99', 4],
    ['automation click:99', 4],
    ['automation other:1', 2],
    ['user 99', 4],
    ['sms 99', 4],
    ['list Newsletter', 2],
    ['nothing 1', 2],
  ])('%s exits with %i', async (words, exit) => {
    expect((await why(words)).exitCode).toBe(exit);
  });

  it('prints a row for each of many companies', async () => {
    await task();
    const { transport } = serviceOf(world.sandbox);
    const { stdout, exitCode } = await runCli(
      ['why', 'task', '1', '--companies', String(IDS.company), '-o', 'json'],
      { transport, env: PARTNER },
    );
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual([{ company_id: IDS.company, company: 'Company', ...UNLOCKED }]);
  });
});

describe('a usage error says what to type', () => {
  const refused = async (...argv: readonly string[]) => {
    const { transport } = serviceOf(world.sandbox);
    const { exitCode, stderr } = await runCli([...argv, '--yes', '-o', 'json'], { transport });
    return [exitCode, JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error.hint];
  };

  it.each([
    ['email update 1 --name X', 'svc why email 1'],
    ['sms-message update 1 --name X', 'svc why sms-message 1'],
    ['folder delete 1', 'svc why folder 1'],
    ['task update 1 --name X', 'svc why task 1'],
    ['automation resume open:1', 'svc why automation open:1'],
  ])('%s', async (words, command) => {
    await task();
    await task({ channel: 'sms', message_id: world.things.sms });
    await done('PUT', 'task/1', { cancelled: true });
    await world.rule('open', { paused: 1, message_id: world.things.deletedEmail });
    const [exit, hint] = await refused(...words.split(' '));
    expect([exit, hint]).toEqual([
      5,
      expect.stringContaining(`To see what locks the record, run ${command}`),
    ]);
    const { transport } = serviceOf(world.sandbox);
    const { exitCode, stdout } = await runCli(command.split(' ').slice(1), { transport });
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining(' lock')]);
  });
});
