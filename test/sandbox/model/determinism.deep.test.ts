import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { listOutbox, showDelivery } from '../../../src/sandbox/engine/mail/outbox.ts';
import { DEMO_RECORD_IDS } from '../../../src/sandbox/seed/demo-company.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../support/running-sandbox.ts';
import { removeFolder } from '../../support/temporary-folder.ts';

const MACHINE = Date.now();
const NOW = Math.floor(MACHINE / 1000);
const HOUR = 3600;
const DAY = 24 * HOUR;
const { lists, emails, sms, searches } = DEMO_RECORD_IDS;

/**
 * A command of the control plane with its arguments, or a request: method, target and body. A later command can refer to a record by its
 * `as` name: '#name' is the id, and '@name' the id as text.
 */
type Command = readonly [string, object] | readonly [string, string, object];

const rule = (more: object) => ({ name: 'Rule', summary: null, actiononweekend: true, ...more });
const task = (more: object) => ({ channel: 'email', name: 'Task', list_id: null, search_id: null, ...more });
const email = {
  fromemail: null,
  fromname: 'Harbour',
  html: '<p>Hi {{ field.Firstname | there }}, <a href="https://example.com/a?b=1">look</a></p>',
  name: 'New',
  replyemail: 'hello@harbourcoffee.example',
  subject: 'For {{ email }}',
  text: 'See https://example.com/text',
  tracktextlinks: true,
  galinkdata: true,
  friendlink: true,
};

const SCRIPT: readonly Command[] = [
  ['list create as tuesday', { name: 'Tuesday', folder: DEMO_RECORD_IDS.folders.events }],
  ['list create as archive', { name: 'Archive' }],
  ['POST as email', '/v1/emailMessage', email],
  [
    'POST as copy',
    '/v1/subscriptionAutomation',
    rule({ list_id: '#tuesday', actiontype: 'copytolist', actiontarget: '@archive', actiontimediff: 1 }),
  ],
  [
    'POST',
    '/v1/subscriptionAutomation',
    rule({ list_id: '#archive', actiontype: 'movetolist', actiontarget: '@tuesday', actiontimediff: 2 }),
  ],
  [
    'POST',
    '/v1/subscriptionAutomation',
    rule({ list_id: '#tuesday', actiontype: 'email_autoresponder', actiontarget: '@email' }),
  ],
  [
    'POST as open',
    '/v1/openAutomation',
    rule({ message_id: '#email', actiontype: 'notify', actiontarget: 'office@example.com' }),
  ],
  [
    'POST',
    '/v1/clickAutomation',
    rule({
      link_id: null,
      message_id: '#email',
      actiontype: 'sms_autoresponder',
      actiontarget: '1',
      actionhour: '09:00:00',
    }),
  ],
  [
    'POST as date',
    '/v1/dateAutomation',
    rule({ actiontype: 'notify', actiontarget: 'office@example.com', actiontimediff: -1440 }),
  ],
  [
    'POST as slow',
    '/v1/task',
    task({ message_id: '#email', list_id: lists.newsletter, scheduledtime: NOW + HOUR, rate: 90 }),
  ],
  ['POST', '/v1/task', task({ message_id: emails.news, search_id: searches.espresso, scheduledtime: NOW })],
  [
    'POST',
    '/v1/task',
    task({ channel: 'sms', message_id: sms.points, list_id: lists.loyalty, scheduledtime: NOW + HOUR }),
  ],
  ['POST', '/v1/sms', { msisdn: '447700900001', fromaddress: 'Harbour', message: 'Hi', senddate: null }],
  [
    'POST',
    '/v1/sms',
    { msisdn: '447700900999', fromaddress: 'Harbour', message: 'Blocked', senddate: NOW + HOUR },
  ],
  ['clock advance', { seconds: 0 }],
  ['event subscribe', { list: '#tuesday', subscriber: 1 }],
  ['event subscribe', { list: '#tuesday', subscriber: 2 }],
  ['event subscribe', { list: '#archive', subscriber: 3 }],
  ['clock advance', { seconds: 10 * 60 }],
  [
    'subscriber create',
    { lists: ['#tuesday', lists.newsletter], email: 'new@example.com', msisdn: '447700900801' },
  ],
  ['clock advance', { seconds: 2 * HOUR }],
  ['event open', { message: '#email', subscriber: 1 }],
  ['event open', { message: '#email', subscriber: 1 }],
  ['event bounce', { task: '#slow', subscriber: 4 }],
  ['POST', '/v1/doNotContact', { contactdata: 'rival.example' }],
  ['event sms-in', { to: '60990', from: '447700900802', text: 'JOIN someone@example.com' }],
  ['event sms-in', { to: '447700900990', from: '447700900803', text: 'harbour join' }],
  ['clock advance', { seconds: 30 * 60 }],
  ['PUT', '/v1/subscriptionAutomation/@copy', { paused: true }],
  ['event subscribe', { list: '#tuesday', subscriber: 6 }],
  ['credits set', { email: 300, sms: 20 }],
  [
    'POST',
    '/v1/task',
    task({ message_id: emails.news, list_id: lists.loyalty, scheduledtime: NOW + 4 * HOUR }),
  ],
  [
    'POST',
    '/v1/task',
    task({ channel: 'sms', message_id: sms.points, list_id: lists.loyalty, scheduledtime: NOW + 4 * HOUR }),
  ],
  ['clock advance', { seconds: 3 * HOUR }],
  ['credits set', { email: 5000, sms: 500 }],
  ['event date', { rule: '#date', subscriber: 9, at: NOW + 3 * DAY }],
  ['DELETE', '/v1/openAutomation/@open', {}],
  ['clock advance', { seconds: 6 * DAY }],
  ['DELETE', '/v1/emailMessage/@email', {}],
  ['event subscribe', { list: '#tuesday', subscriber: 10 }],
  ['clock run', {}],
];

it('gives the same outbox for the same seed and commands, byte for byte, with or without restarts', async () => {
  const once = await play(Number.POSITIVE_INFINITY);
  expect(once.entries).toBeGreaterThan(500);
  const again = await play(Number.POSITIVE_INFINITY);
  const withRestarts = await play(4);
  expect(again.text === once.text).toBe(true);
  expect(withRestarts.text === once.text).toBe(true);
});

/** Returns the outbox of a sandbox in a new folder, each entry in full. The sandbox restarts after every `restartAfter` commands. */
async function play(restartAfter: number): Promise<{ readonly text: string; readonly entries: number }> {
  const folder = await temporaryFolder();
  const start = () => runSandbox(folder.path, { seed: 'demo', clock: 'manual', machineNow: () => MACHINE });
  let sandbox = await start();
  const made = new Map<string, number>();
  try {
    for (const [index, command] of SCRIPT.entries()) {
      if ((index + 1) % restartAfter === 0) {
        await sandbox.stop();
        sandbox = await start();
      }
      await obey(sandbox, command, made);
    }
    return await outboxOf(sandbox);
  } finally {
    await sandbox.stop();
    await removeFolder(dirname(folder.path));
  }
}

async function obey(sandbox: SocketSandbox, command: Command, made: Map<string, number>): Promise<void> {
  const idOf = (_: string, name: string): string => String(made.get(name));
  const named = JSON.stringify(command)
    .replaceAll(/"#(\w+)"/g, idOf)
    .replaceAll(/@(\w+)(?=")/g, idOf);
  const [first, second, body] = JSON.parse(named) as Command;
  const [verb = '', name] = first.split(' as ');
  const reply =
    typeof second === 'string' && body
      ? await sandbox.api(verb, second, verb === 'DELETE' ? undefined : body)
      : await sandbox.control(verb, second);
  if (reply.status >= 300) throw new Error(`${named}: ${reply.text}`);
  const { data } = reply.json.response ?? reply.json;
  if (name !== undefined) made.set(name, data.id);
}

async function outboxOf({ service }: SocketSandbox) {
  const { db } = service.store;
  const accountId = DEMO_RECORD_IDS.company;
  const listed = await listOutbox(db, { accountId, after: '', limit: 100_000 });
  const shown: unknown[] = [];
  for (const { id } of listed)
    shown.push(await showDelivery(db, accountId, id, { trackingBaseUrl: 'http://127.0.0.1:1' }));
  return { text: JSON.stringify([listed, shown]), entries: listed.length };
}
