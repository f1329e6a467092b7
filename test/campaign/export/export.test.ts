/**
 * Contract, "Campaigns as files": "the company's messages, scheduled tasks and automations as such a file with its
 * content files. `plan` on it right afterwards has no changes". "It leaves out tasks that are over".
 */
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../../src/client/requests/client.ts';
import type { WantedMessage, WantedTask } from '../../../src/features/campaign/model.ts';
import { listSequences } from '../../../src/features/campaign/sequences.ts';
import { sql } from '../../../src/sandbox/store/driver/sql.ts';
import { appendCampaignMark } from '../../../src/service/resources/campaign-mark.ts';
import { virtualClock } from '../../client/fakes.ts';
import { openDemoService } from '../../support/demo-service.ts';
import { EMAIL, putEmail, putSms } from '../../support/messages.ts';
import { NOW } from '../../support/sandbox.ts';
import { type CampaignRun, email, HOUR, openCampaign, rule, task, text } from '../support.ts';
import { exportOf, hasNothingToDo, readBack } from './support.ts';

let run: CampaignRun;
beforeEach(async () => {
  run = await openCampaign();
});

const send = async (method: 'POST' | 'PUT' | 'DELETE', target: string, body?: unknown) => {
  const { status } = await run.sandbox.send('admin', method, target, body);
  expect(status).toBeLessThan(300);
};
const messages = (items: readonly unknown[]) =>
  items.filter((item): item is WantedMessage => (item as WantedMessage).kind === 'message');
const taskBody = (more: object = {}) => ({
  channel: 'email',
  message_id: 1,
  name: 'By hand',
  scheduledtime: NOW + 24 * HOUR,
  list_id: 1,
  search_id: null,
  ...more,
});

it("an export of the sandbox's demo company has an empty plan, and leaves nothing out", async () => {
  const demo = await openDemoService();
  const client = createClient({
    credentials: { kind: 'company', companyId: 1, userId: 1, apiKey: String(demo.admin['SVC_API_KEY']) },
    transport: demo.transport,
    random: randomBytes,
    clock: virtualClock(NOW * 1000),
  });
  const found = await exportOf(client, 'Harbour');
  await hasNothingToDo(found);
  expect(found.exported.omitted).toEqual([]);
  expect(found.exported.items.flatMap(({ warnings }) => warnings)).toEqual([]);
  const kinds = found.read.campaign.items.map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === 'message')).toHaveLength(9);
  expect(kinds.filter((kind) => kind === 'automation')).toHaveLength(5);
  expect(found.read.campaign.company).toBe(1);
  for (const content of found.exported.contents.values())
    expect(content).not.toMatch(/127\.0\.0\.1|\/t\/c\//);
});

/** Contract, "Series": "`export` writes two or more tasks of one name, message, list, rate and local time at a regular distance as a series". */
describe('an export of tasks at regular times', () => {
  const series = task('news', {
    at: '2027-03-15 09:00',
    repeat: { every: 'week', until: null, times: 5, ahead: 12, records: [] },
  });
  const seriesIn = async (campaign = 'Other') => {
    const found = await exportOf(run.client, campaign);
    await hasNothingToDo(found);
    expect(found.exported.omitted).toEqual([]);
    return found.read.campaign.items.flatMap((item) => (item.kind === 'task' ? [item] : []));
  };

  // Clocks go forward in London on 2027-03-28.
  it.each(['Spring', 'Another'])('has one series, and an empty plan, under the name %s', async (campaign) => {
    await run.apply([email('spring'), series]);
    const [one, ...others] = await seriesIn(campaign);
    expect(others).toEqual([]);
    expect(one).toMatchObject({
      ...{ name: 'Task news', list: '1', at: '2027-03-15T09:00:00+00:00' },
      repeat: { every: 'week', times: 5, records: { length: 5 } },
    });
    expect((await exportOf(run.client, campaign)).exported.text).toMatch(
      /^ {4}repeat: \{ every: week, times: 5 \}\n {4}occurrences:\n {6}- \{ day: 2027-03-15, id: 1, hash: \w{7} \}\n/m,
    );
  });

  it.each([
    ['day', [0, 1, 2]],
    ['weekday', [3, 6, 7]],
    ['month', [0, 31, 62]],
  ])('every %s', async (every, days) => {
    await run.apply([email('spring')]);
    for (const day of days)
      await send('POST', '/v1/task', taskBody({ scheduledtime: NOW + (24 + 24 * day) * HOUR }));
    expect((await seriesIn()).map(({ repeat }) => [repeat?.every, repeat?.times])).toEqual([
      [every, days.length],
    ]);
  });

  it.each([
    ['another distance', { scheduledtime: NOW + 24 * 6 * HOUR }],
    ['another hour', { scheduledtime: NOW + 24 * 3 * HOUR + 60 }],
    ['another list', { scheduledtime: NOW + 24 * 3 * HOUR, list_id: 2 }],
    ['another rate', { scheduledtime: NOW + 24 * 3 * HOUR, rate: 500 }],
    ['another name', { scheduledtime: NOW + 24 * 3 * HOUR, name: 'Other' }],
  ])('leaves a task alone that has %s', async (_, more) => {
    await run.apply([email('spring')]);
    for (const body of [{}, { scheduledtime: NOW + 24 * 2 * HOUR }, more])
      await send('POST', '/v1/task', taskBody(body));
    const alone = (await seriesIn()).filter(({ repeat }) => repeat === undefined);
    expect(alone).toHaveLength(_ === 'another distance' ? 3 : 1);
  });
});

describe('an export of rules that form a sequence', () => {
  const step = (key: string, minutes: number, more: Parameters<typeof rule>[1] = {}) =>
    rule(`welcome/${key}`, {
      rule: 'subscription',
      name: `Welcome, step ${key}`,
      values: {
        actiontype: 'email_autoresponder',
        actiontimediff: minutes,
        ...(minutes > 0 ? { actionhour: '09:00:00', actiononweekend: false } : {}),
      },
      references: { list_id: { id: '1' }, actiontarget: { key: 'spring' } },
      ...more,
    });
  const items = [email('spring'), text('sms'), step('hello', 0), step('2', 1440), step('tips', 3 * 1440)];

  it.each([
    // The marks of the rules have the hashes of the first key that the name gives.
    ['Spring', 'welcome-2'],
    ['Another', 'welcome'],
  ])('has one sequence, and an empty plan, under the name %s', async (campaign, key) => {
    await run.apply(items);
    const found = await exportOf(run.client, campaign);
    await hasNothingToDo(found);
    expect(listSequences(found.read.campaign.items)).toMatchObject([
      { name: 'Welcome', list: '1', steps: [{ key: 'hello' }, { key: '2' }, { key: 'tips' }] },
    ]);
    expect(found.exported.text).toContain(
      `sequences:\n  ${key}:\n    name: Welcome\n    list: 1\n    steps:\n`,
    );
    expect(found.exported.text).not.toContain('automations:');
  });

  it.each([
    [
      'another list',
      step('b', 1440, { references: { list_id: { id: '2' }, actiontarget: { key: 'spring' } } }),
    ],
    ['a paused rule', step('b', 1440, { paused: true })],
    ['a number that is not its place', step('3', 1440)],
  ])('has automations, because of %s', async (_, other) => {
    await run.apply([email('spring'), step('1', 0), other]);
    const found = await exportOf(run.client, 'Another');
    await hasNothingToDo(found);
    expect(listSequences(found.read.campaign.items)).toEqual([]);
  });

  it('has automations if a step cannot be part of the file', async () => {
    await run.apply([email('spring'), email('other'), step('1', 0), step('2', 1440), step('3', 2880)]);
    const [{ id } = { id: 0 }] = await run.sandbox.rows('subscription_automation');
    // The interface cannot make such a rule.
    await run.sandbox.service.store.db.run(
      sql`update subscription_automation set actiononweekend = 0 where id = ${Number(id)}`,
    );
    const found = await exportOf(run.client, 'Another');
    expect(listSequences(found.read.campaign.items)).toEqual([]);
    expect(found.exported.omitted).toHaveLength(1);
    expect(found.read.campaign.items.filter(({ kind }) => kind === 'automation')).toHaveLength(2);
  });
});

describe('an export of records that apply of another file made', () => {
  const items = [
    email('spring'),
    text('sms'),
    task('spring'),
    task('sms', { message: { key: 'sms' }, rate: 60 }),
    rule('welcome'),
    rule('remind', {
      rule: 'open',
      values: {
        actiontype: 'sms_autoresponder',
        actiontimediff: 2 * 86_400,
        actiononweekend: false,
        summary: null,
      },
      references: { message_id: { key: 'spring' }, actiontarget: { key: 'sms' } },
    }),
  ];

  it.each(['Spring', 'Another'])('has an empty plan, also under the name %s', async (campaign) => {
    await run.apply(items);
    const found = await exportOf(run.client, campaign);
    await hasNothingToDo(found);
    expect(found.exported.omitted).toEqual([]);
    expect(found.read.campaign.items.map(({ name }) => name).sort()).toEqual(
      items.map(({ name }) => name).sort(),
    );
    expect(found.exported.text).not.toContain('[svc-');
  });

  it('has the newest version of each message, and the existing older versions', async () => {
    await run.apply(items);
    await run.apply([email('spring', { subject: 'Other' }), ...items.slice(1)]);
    const found = await exportOf(run.client);
    await hasNothingToDo(found);
    const spring = found.read.campaign.items.find(
      (item) => item.kind === 'task' && item.key === 'task-spring',
    );
    expect((spring as WantedTask).message).toEqual({ key: 'message-spring-2' });
  });
});

describe('a message', () => {
  // Interface, emailMessage `html`: "links are rewritten to tracking URIs on POST/PUT and GET returns the rewritten version".
  it('has its original links in both parts, and says which links of the text part are tracked', async () => {
    const links = Array.from({ length: 40 }, (_, each) => `https://example.com/${each}?a=1&b=${each % 3}`);
    const html = links.map((href) => `<a  href="${href.replaceAll('&', '&amp;')}">x</a>`).join('\n');
    const body = `See ${links[3]}, (${links[2]}) and ${links[3]}.`;
    await send('POST', '/v1/emailMessage', { ...EMAIL, html, text: body, tracktextlinks: true });
    await send('POST', '/v1/emailMessage', { ...EMAIL, name: 'Untracked', html, text: body });
    // The order differs from that of their ids.
    await send('PUT', '/v1/emailMessage/2', { html: `<a href="https://example.com/new">x</a>\n${html}` });
    const found = await exportOf(run.client);
    await hasNothingToDo(found);
    expect(found.exported.contents.get('content/message.html')).toBe(html);
    expect(found.exported.contents.get('content/message.txt')).toBe(body);
    expect(found.exported.contents.get('content/untracked.html')).toBe(
      `<a href="https://example.com/new">x</a>\n${html}`,
    );
    const [tracked, untracked] = messages(found.read.campaign.items);
    expect(tracked?.values).toMatchObject({ tracktextlinks: true });
    expect(untracked?.values).not.toHaveProperty('tracktextlinks');
    expect(found.exported.items.flatMap(({ warnings }) => warnings)).toEqual([]);
  });

  it('keeps the addresses of the service if the targets are unknown, and says so', async () => {
    await putEmail(run.sandbox, {
      html: '<a href="https://t.example/aa">x</a><a href="https://t.example/bb">y</a><a href="https://t.example/cc">z</a>',
    });
    for (const target of ['https://a.example/', 'https://b.example/'])
      await run.sandbox.put('email_message_link', {
        account_id: 1,
        message_id: 1,
        type: 'html',
        target,
        cdate: NOW,
      });
    const found = await exportOf(run.client);
    await hasNothingToDo(found);
    const warning = 'the service rewrote some links in html, so svc cannot tell where they lead';
    expect(found.exported.items[0]?.warnings).toEqual([warning]);
    expect(found.exported.text).toContain(`# T${warning.slice(1)}.`);
    expect(found.exported.contents.get('content/message.html')).toContain('https://t.example/bb');
  });

  it('explains the effect of a change if the interface cannot write its editor or if it is the default opt-in', async () => {
    await putEmail(run.sandbox, { name: 'Classic', editor: 2, editable: 0 });
    await putEmail(run.sandbox, { name: 'Opt-in', defaultoptin: 1 });
    const found = await exportOf(run.client);
    await hasNothingToDo(found);
    expect(found.exported.text).toMatch(
      /# The message was created with the Classic Editor, .* svc creates a new version\.\n {2}classic:/,
    );
    expect(found.exported.text).toMatch(/# The default opt-in message of the company\.\n {2}opt-in:/);
    const edited = await readBack(found.exported, (file) => file.replace('subject: Hello', 'subject: Other'));
    expect(await run.plan(edited.campaign.items)).toMatchObject([
      { action: 'replace', key: 'classic' },
      { action: 'keep' },
    ]);
  });

  it.each([
    ['ends with line ends', 'Hello\n\n'],
    ['ends with CR', 'Hello\r'],
    ['ends with CR LF', 'Hello\r\n'],
    ['begins with a byte order mark', '\ufeffHello'],
    ['looks like a variable', `Hello \${{ name }} $\${{`],
  ])('for SMS that %s is read back unchanged', async (_, message) => {
    await putSms(run.sandbox, { message });
    const found = await exportOf(run.client);
    await hasNothingToDo(found);
    const [only] = messages(found.read.campaign.items);
    expect(String(only?.values['message']).replaceAll('\r\n', '\n')).toBe(message.replaceAll('\r\n', '\n'));
  });
});

describe('omitted records, with the reason', () => {
  const leftOut = async () => {
    const found = await exportOf(run.client);
    await hasNothingToDo(found);
    for (const { what, id, name, reason } of found.exported.omitted)
      expect(found.exported.text).toContain(`# - ${what} ${id} (${name}): ${reason}`);
    return found.exported.omitted;
  };
  beforeEach(() => putEmail(run.sandbox));

  it('do not include tasks that are over, which are not mentioned', async () => {
    await send('POST', '/v1/task', taskBody());
    await send('PUT', '/v1/task/1', { cancelled: true });
    expect(await leftOut()).toEqual([]);
    expect((await exportOf(run.client)).read.campaign.items.map(({ kind }) => kind)).toEqual(['message']);
  });

  // Interface, "States and transitions": a message that is deleted is hidden from GET, "still available to the task".
  it('include a task whose message was deleted', async () => {
    await send('POST', '/v1/task', taskBody());
    await send('POST', '/v1/task', taskBody({ name: 'Second' }));
    await run.sandbox.send('admin', 'DELETE', '/v1/emailMessage/1');
    expect(await leftOut()).toEqual([
      { what: 'task', id: '1', name: 'By hand', reason: 'the service has no message 1' },
      { what: 'task', id: '2', name: 'Second', reason: 'the service has no message 1' },
    ]);
  });

  it('include a task of a split test', async () => {
    await run.sandbox.put('task', {
      account_id: 1,
      user_id: 1,
      ...taskBody(),
      splittest_id: 4,
      size: 3,
      cdate: NOW,
    });
    expect(await leftOut()).toMatchObject([
      { what: 'task', reason: 'the task belongs to split test 4, which a campaign file cannot express' },
    ]);
  });

  it('include records that a campaign has withdrawn', async () => {
    await run.sandbox.put('subscription_automation', {
      account_id: 1,
      user_id: 1,
      name: appendCampaignMark('Rule', {
        campaignHash: 'aaaaaa',
        keyHash: 'bbbbb',
        contentHashOrReason: 'x',
      }),
      list_id: 1,
      actiontype: 'notify',
      actiontarget: 'office@example.com',
      actiononweekend: 1,
      actiontimediff: 0,
      paused: 1,
      cdate: NOW,
      mdate: NOW,
    });
    expect(await leftOut()).toMatchObject([{ what: 'rule subscription', id: '1' }]);
  });

  it('include records that the checks of a file refuse, and items that use them name them by id', async () => {
    await putEmail(run.sandbox, { name: ' ' });
    await send('POST', '/v1/task', taskBody({ message_id: 2 }));
    expect(await leftOut()).toEqual([
      { what: 'e-mail message', id: '2', name: ' ', reason: 'name is empty' },
    ]);
    const { read } = await exportOf(run.client);
    expect(read.campaign.items.find(({ kind }) => kind === 'task')).toMatchObject({
      message: { id: '2' },
      channel: 'email',
    });
  });
});

// A person who may name a message must not be able to write other files, or to add lines to the YAML.
describe('hostile names', () => {
  const NAMES = [
    '../../etc/passwd',
    '..\\..\\windows',
    '/absolute',
    'con',
    'NUL',
    '12',
    '---',
    'ключ',
    '日本語',
    'x'.repeat(300),
    `a\ncampaign: Other\ntasks: {}`,
    '# comment',
    '"quoted" \'too\'',
    '{{ field.Name }}',
    `\${{ env.HOME }} $\${{ x`,
    'true',
    '007',
    '1e3',
    '!!js/function "x"',
    '&anchor *alias',
    '<<: *merge',
    'tab\tbell\u0007 esc\u001b[31m',
    'next\u0085line\u2028sep\u202ebidi\ufeff\u{e0041}',
    ' leading and trailing ',
    'Message',
    'message',
    'Méssage',
    'ends with: ',
    '- dash',
  ];

  it('become keys and files of small letters, and are read back unchanged', async () => {
    for (const name of NAMES) await putEmail(run.sandbox, { name });
    for (const name of NAMES) await putSms(run.sandbox, { name, message: name.slice(0, 100) });
    await send('POST', '/v1/task', taskBody({ name: NAMES.join('\n') }));
    const found = await exportOf(run.client, 'Company');
    await hasNothingToDo(found);
    expect(found.exported.omitted).toEqual([]);
    const names = messages(found.read.campaign.items).map(({ name }) => name);
    expect(names).toEqual([...NAMES, ...NAMES]);
    const paths = [...found.exported.contents.keys()];
    expect(paths).toHaveLength(NAMES.length * 3);
    expect(new Set(paths.map((path) => path.toLowerCase())).size).toBe(paths.length);
    for (const path of paths) {
      expect(path).toMatch(/^content\/[a-z0-9][a-z0-9-]{0,39}\.(html|txt)$/);
      expect(path).not.toMatch(/\/(con|prn|aux|nul|com[0-9]|lpt[0-9])\./);
    }
    expect(found.exported.text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202e\ufeff]/);
  });
});
