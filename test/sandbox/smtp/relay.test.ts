import type { AddressInfo } from 'node:net';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadOutboxMail } from '../../../src/sandbox/engine/mail/mime.ts';
import { type MailRelay, startMailRelay } from '../../../src/sandbox/smtp/relay.ts';
import { settle } from '../../support/engine.ts';
import { EMAIL, putList, putSubscriber } from '../../support/messages.ts';
import { runSandbox, temporaryFolder } from '../../support/running-sandbox.ts';
import { createTestSandbox, IDS, NOW, type TestSandbox } from '../../support/sandbox.ts';

const BASE = 'http://127.0.0.1:4010';

interface Arrived {
  readonly from: string;
  readonly to: readonly string[];
  readonly octets: Buffer;
}

const arrived: Arrived[] = [];
const servers: SMTPServer[] = [];
const relays: MailRelay[] = [];

async function smtpServer(port = 0, options: SMTPServerOptions = {}): Promise<number> {
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    onData: (stream, session, callback) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        arrived.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          octets: Buffer.concat(chunks),
        });
        callback();
      });
    },
    ...options,
  });
  servers.push(server);
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
  return (server.server.address() as AddressInfo).port;
}

const stopServers = async (): Promise<void> => {
  for (const server of servers.splice(0)) await new Promise<void>((resolve) => server.close(() => resolve()));
};

let sandbox: TestSandbox;
let list: number;
let now: number;
beforeEach(async () => {
  arrived.splice(0);
  now = NOW * 1000;
  sandbox = await createTestSandbox();
  list = await putList(sandbox);
  for (const name of ['ann', 'bob', 'cat'])
    await putSubscriber(sandbox, [list], { email: `${name}@example.net` });
});
afterEach(async () => {
  for (const relay of relays.splice(0)) relay.close();
  await stopServers();
});

async function relayTo(port: number): Promise<MailRelay> {
  const relay = await startMailRelay(sandbox.service.store, {
    server: { host: '127.0.0.1', port },
    mail: () => ({ trackingBaseUrl: BASE }),
    machineNow: () => now,
  });
  relays.push(relay);
  return relay;
}

async function send(): Promise<void> {
  const made = await sandbox.send('admin', 'POST', '/v1/emailMessage', { ...EMAIL, subject: 'Grüße – €' });
  const task = { channel: 'email', message_id: made.data['id'], name: 'T', list_id: list, search_id: null };
  await sandbox.send('admin', 'POST', '/v1/task', { ...task, scheduledtime: NOW });
  await settle(sandbox);
}

const recipients = () => arrived.map(({ to }) => to.join());
const log = async () => (await sandbox.rows('log')).map(({ text }) => String(text));

describe('messages that arrive at a real SMTP server', () => {
  it('are those of a task, octet for octet as in the outbox', async () => {
    const relay = await relayTo(await smtpServer());
    await send();
    await relay.relayWaiting();
    expect(arrived.map(({ from, to }) => [from, ...to])).toEqual([
      ['office@example.com', 'ann@example.net'],
      ['office@example.com', 'bob@example.net'],
      ['office@example.com', 'cat@example.net'],
    ]);
    const { db } = sandbox.service.store;
    for (const [index, { octets }] of arrived.entries()) {
      const mail = await loadOutboxMail(db, IDS.company, `t1-${index + 1}`, { trackingBaseUrl: BASE });
      expect(octets.toString('latin1')).toBe(mail?.octets.toString('latin1'));
    }
    const message: ParsedMail = await simpleParser(arrived[0]?.octets ?? '');
    expect([message.subject, message.messageId]).toEqual(['Grüße – €', '<1.t1-1@sandbox.invalid>']);
    expect(message.text).toContain(`Unsubscribe: ${BASE}/t/u/t1-1`);
    await relay.relayWaiting();
    expect([arrived.length, await log()]).toEqual([3, []]);
  });

  it('also include those of rules, but no SMS, no call of a URL, and none from before the first start', async () => {
    const row = { account_id: IDS.company, body: 'Who: ann', time: NOW, cause: 'rule', cause_id: 1 };
    const notice = { ...row, channel: 'notification', subject: 'Rule', sender: 'office@example.com' };
    await sandbox.put('delivery', { ...notice, recipient: 'before@example.com' });
    await send();
    const relay = await relayTo(await smtpServer());
    await sandbox.put('delivery', { ...row, channel: 'sms', sender: 'Company', recipient: '447700900123' });
    await sandbox.put('delivery', { ...notice, recipient: 'http://127.0.0.1:9/' });
    await sandbox.put('delivery', { ...notice, recipient: 'boss@example.com' });
    await relay.relayWaiting();
    expect(recipients()).toEqual(['boss@example.com']);
  });

  it('continue at the same place after a restart', async () => {
    const port = await smtpServer();
    const first = await relayTo(port);
    await send();
    await first.relayWaiting();
    first.close();
    await send();
    const second = await relayTo(port);
    await second.relayWaiting();
    const names = ['ann@example.net', 'bob@example.net', 'cat@example.net'];
    expect(recipients()).toEqual([...names, ...names]);
  });
});

describe('a server that does not accept everything', () => {
  it('gets messages again with growing pauses after an outage, which is logged once, and all arrive later', async () => {
    const port = await smtpServer();
    await stopServers();
    const relay = await relayTo(port);
    await send();
    // The milliseconds after the first failure at which the next attempt connects: 1, 2, 4 … seconds.
    await relay.relayWaiting();
    await smtpServer(port);
    now += 999;
    await relay.relayWaiting();
    expect(arrived).toEqual([]);
    await stopServers();
    now += 1;
    await relay.relayWaiting();
    await smtpServer(port);
    now += 1999;
    await relay.relayWaiting();
    expect(arrived).toEqual([]);
    now += 1;
    await relay.relayWaiting();
    expect(recipients()).toEqual(['ann@example.net', 'bob@example.net', 'cat@example.net']);
    expect(await log()).toEqual([
      expect.stringMatching(/^127\.0\.0\.1:\d+: .*ECONNREFUSED.*; retrying until the server accepts mail$/),
      `127.0.0.1:${port}: accepts mail again`,
    ]);
  });

  it('loses a permanently rejected message, which is logged, and gets a deferred message later', async () => {
    let isBusy = true;
    const port = await smtpServer(0, {
      onRcptTo: ({ address }, _, callback) => {
        const code = address.startsWith('bob') ? 550 : address.startsWith('cat') && isBusy ? 451 : 0;
        callback(code === 0 ? null : Object.assign(new Error('no such luck'), { responseCode: code }));
      },
    });
    const relay = await relayTo(port);
    await send();
    await relay.relayWaiting();
    expect(recipients()).toEqual(['ann@example.net']);
    isBusy = false;
    now += 1000;
    await relay.relayWaiting();
    expect(recipients()).toEqual(['ann@example.net', 'cat@example.net']);
    expect(await log()).toEqual([
      expect.stringMatching(/^Mail t1-2 to bob@example\.net rejected by 127\.0\.0\.1:\d+: .*no such luck/),
      expect.stringMatching(/451.*; retrying/),
      expect.stringMatching(/accepts mail again$/),
    ]);
  });

  it('delays neither the engine nor the stop if it hangs', async () => {
    const port = await smtpServer(0, { onRcptTo: () => undefined });
    const relay = await relayTo(port);
    await send();
    const turn = relay.relayWaiting();
    await send();
    expect(await sandbox.rows('task')).toMatchObject([{ completed: 1 }, { completed: 1 }]);
    relay.close();
    await turn;
    expect(await sandbox.rows('relayed')).toEqual([{ task_id: 0, last: 0 }]);
  });
});

describe('sandbox start --smtp', () => {
  it('relays the messages that the running sandbox delivers, and no others', async () => {
    const port = await smtpServer();
    const folder = await temporaryFolder();
    const running = await runSandbox(folder.path, {
      seed: 'demo',
      clock: 'manual',
      smtp: { host: 'localhost', port },
    });
    try {
      const { time } = (await running.control('clock show')).json.data;
      const { id } = (await running.control('list create', { name: 'Twenty' })).json.data;
      const rows = Array.from({ length: 20 }, (_, at) => ({ email: `new${at}@example.net` }));
      await running.control('subscriber import', { lists: [id], rows });
      const wanted = { channel: 'email', message_id: 6, name: 'Hampers', list_id: id, search_id: null };
      await running.api('POST', '/v1/task', { ...wanted, scheduledtime: time });
      await running.control('clock advance', { seconds: 1 });
      const sent = (await running.control('outbox list')).json.data as {
        id: string;
        to: string;
        time: number;
      }[];
      const mails = sent.filter((entry) => entry.time >= time).map(({ to }) => to);
      expect(mails.length).toBeGreaterThan(10);
      // Waits for all of them, however busy the machine is: each one needs a transaction and a conversation with the
      // server.
      await expect.poll(() => arrived.length, { timeout: 120_000 }).toBeGreaterThanOrEqual(mails.length);
      expect(recipients()).toEqual(mails);
      const [first] = arrived;
      const link = /href="([^"]+)"/.exec(String((await simpleParser(first?.octets ?? '')).html))?.[1] ?? '';
      expect(link.startsWith(`${running.ready.baseUrl}/t/`)).toBe(true);
    } finally {
      await running.stop();
      await folder.remove();
    }
    expect(running.reports).toEqual([]);
  }, 180_000);
});
