/**
 * Contract, "Sandbox": `subscriber history` lists what a person received, did and wrote, and what rules did to them, newest first, also
 * after the subscriber was deleted (interface, doNotContact: "Subscribers who unsubscribe are added automatically").
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../support/running-sandbox.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sandbox: SocketSandbox;
beforeAll(async () => {
  folder = await temporaryFolder();
  sandbox = await runSandbox(folder.path, { clock: 'manual', seed: 'demo' });
});
afterAll(async () => {
  expect(sandbox.reports).toEqual([]);
  await sandbox.stop();
  await folder.remove();
});

async function asked(operation: string, args: object = {}) {
  const { json } = await sandbox.control(operation, args);
  if (json.error) throw new Error(json.error.message);
  return json.data;
}

const history = (subscriber: number | string, more: object = {}) =>
  asked('subscriber history', { subscriber, limit: 100, ...more });

type Event = Record<string, unknown>;

const eventsOf = (events: readonly Event[]): unknown[] => events.map(({ event }) => event);

const EMAIL = 'someone@example.com';
const NUMBER = '447700900555';

describe('the history of a person', () => {
  let id = 0;
  let task = 0;
  let link = 0;

  it('is empty at first', async () => {
    ({ id } = await asked('subscriber create', { email: EMAIL, msisdn: NUMBER, lists: [1] }));
    expect(await history(id)).toEqual([]);
    expect(await history('nobody@example.com')).toEqual([]);
  });

  it('has the message of a task, and what the person did with it', async () => {
    const { time } = await asked('clock show');
    const made = await sandbox.api('POST', '/v1/task', {
      ...{ channel: 'email', message_id: 2, name: 'To all', scheduledtime: time + 60 },
      ...{ list_id: 1, search_id: null },
    });
    task = made.json.response.data.id;
    await asked('clock advance', { seconds: 600 });
    await asked('event open', { task, subscriber: id });
    await asked('clock advance', { seconds: 60 });
    // A rule of the demo reacts to this click an hour later.
    const [rule] = (await sandbox.api('GET', '/v1/clickAutomation')).json.response.data;
    link = rule.link_id;
    await asked('event click', { link, subscriber: id, task });
    await asked('clock advance', { seconds: 3600 });
    const [acted, clicked, opened, sent] = await history(id);
    expect(acted).toMatchObject({
      ...{ event: 'acted', title: 'addtolist', target: '2', cause: 'click:1', why: null, delivery: null },
      time: time + 600 + 60 + 3600,
    });
    expect(clicked).toMatchObject({ event: 'clicked', link, cause: `task:${task}`, time: time + 660 });
    expect(clicked.target).toMatch(/^https:/);
    expect(opened).toMatchObject({ event: 'opened', target: null, time: time + 600 });
    expect(sent).toMatchObject({
      ...{ event: 'sent', title: 'Pull a better shot at home', address: EMAIL, channel: 'email' },
      ...{ delivery: `t${task}-${id}`, cause: `task:${task}`, time: time + 60 },
    });
  });

  it('has the SMS that the person wrote, and the answer', async () => {
    const [destination] = (await sandbox.api('GET', '/v1/smsDestination')).json.response.data;
    const text = `${destination.keyword ?? ''} COFFEE <b>`;
    await asked('clock advance', { seconds: 60 });
    await asked('event sms-in', { to: destination.destination, from: NUMBER, text });
    await asked('clock advance', { seconds: 7200 });
    const events: Event[] = await history(id);
    const wrote = events.findIndex(({ event }) => event === 'wrote');
    expect(events[wrote]).toMatchObject({ title: text, target: destination.destination, delivery: null });
    for (const each of events.slice(0, wrote)) expect(each['cause']).toMatch(/^(sms|subscription):/);
    // The person's number finds the same events as their id, and so does the address.
    expect(await history(NUMBER)).toEqual(events);
    expect(await history(EMAIL.toUpperCase())).toEqual(expect.arrayContaining(events.filter(isOfEmail)));
  });

  it('stays after the person has unsubscribed, and joins what happens to the address later', async () => {
    const before: Event[] = await history(id);
    await asked('event unsubscribe', { task, subscriber: id });
    expect((await sandbox.api('GET', `/v1/subscriber/${id}`)).status).toBe(404);
    const after: Event[] = await history(id);
    expect(after[0]).toMatchObject({ event: 'unsubscribed', delivery: `t${task}-${id}` });
    expect(after.slice(1)).toEqual(expect.arrayContaining(before.filter(isOfEmail)));
    expect(eventsOf(await history(EMAIL))).toContain('unsubscribed');
    const [entry] = (await sandbox.api('GET', `/v1/doNotContact?contactdata=${EMAIL}`)).json.response.data;
    await sandbox.api('DELETE', `/v1/doNotContact/${entry.id}`);
    const again = await asked('subscriber create', { email: EMAIL, lists: [1] });
    expect(eventsOf(await history(again.id))).toEqual(expect.arrayContaining(['sent', 'unsubscribed']));
  });

  it('is paged without a gap or a repetition', async () => {
    const all: Event[] = await history(EMAIL);
    expect(all.length).toBeGreaterThan(4);
    const walked: Event[] = [];
    for (let before: unknown; ; ) {
      const page: Event[] = await history(EMAIL, { limit: 2, ...(before === undefined ? {} : { before }) });
      walked.push(...page);
      if (page.length === 0) break;
      before = page.at(-1)?.['place'];
    }
    expect(walked).toEqual(all);
    const times = all.map(({ time }) => Number(time));
    expect(times).toEqual([...times].sort((x, y) => y - x));
  });

  it('says why a rule did nothing', async () => {
    const made = await asked('subscriber create', { msisdn: '447700900778', lists: [2] });
    await asked('event subscribe', { list: 1, subscriber: made.id });
    await asked('clock advance', { seconds: 7200 });
    const [skipped] = await history(made.id);
    expect(skipped).toMatchObject({ event: 'skipped', cause: 'subscription:1' });
    expect(skipped.why).toContain(`subscriber ${made.id}`);
  });

  it('belongs to one company', async () => {
    const { json } = await sandbox.control('subscriber history', { company: 2, subscriber: id });
    expect(json.data).toEqual([]);
    const other = await sandbox.control('subscriber history', { company: 2, subscriber: EMAIL });
    expect(other.json.data).toEqual([]);
  });

  it.each([
    [{ subscriber: 'no address' }, 'is not an id, an e-mail address or a phone number'],
    [{ subscriber: 1, before: 'x' }, 'is not the position of an event'],
    [{ subscriber: 1, before: `1-2-3-4'` }, 'is not the position of an event'],
  ])('refuses %o', async (args, reason) => {
    const { status, text } = await sandbox.control('subscriber history', args);
    expect(status).toBe(400);
    expect(text).toContain(reason);
  });
});

/** The address of a deleted subscriber is known, but not the number. */
const isOfEmail = ({ event, address }: Event): boolean =>
  event !== 'wrote' && (address === null || address === EMAIL) && event !== 'acted';
