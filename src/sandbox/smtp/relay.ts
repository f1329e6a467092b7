/**
 * Relays every delivered e-mail to a real SMTP server at least once: if the process ends before the server has answered, a message is sent
 * again (src/service/protocol/README.md, "SMTP"). The engine never waits for the relay.
 */
import { isLoopback } from '../../service/protocol/wire.ts';
import { readServiceTime } from '../engine/clock.ts';
import { loadOutboxMail, type Mail, type MailOptions } from '../engine/mail/mime.ts';
import { type Store, WITHOUT_LOCK } from '../store/open.ts';
import {
  initialiseRelayProgress,
  listUnrelayedDeliveries,
  markDeliveryRelayed,
  type UnrelayedDelivery,
} from '../store/outbox.ts';
import { insertRow } from '../store/rows.ts';

interface RelayOptions {
  readonly server: SmtpServer;
  readonly mail: () => MailOptions;
  /** Returns this machine's time in milliseconds since the epoch. */
  readonly machineNow: () => number;
}

export interface MailRelay {
  /** Relays the waiting messages. Does nothing while the relay waits after a failure. Calls must not overlap. */
  readonly relayWaiting: () => Promise<void>;
  /** Stops a call of `relayWaiting` that is in progress. The message that is being sent counts as not relayed. */
  readonly close: () => void;
}

/** Maximum number of messages that one query reads. */
const BATCH = 100;

const FIRST_WAIT_MS = 1_000;

const MAX_WAIT_MS = 60_000;

export async function startMailRelay(store: Store, options: RelayOptions): Promise<MailRelay> {
  const { machineNow } = options;
  await store.transaction(initialiseRelayProgress);
  const connection = await connectTo(options.server);
  let failures = 0;
  let notBefore = 0;
  let isClosed = false;

  const log = (text: string): Promise<void> =>
    store.transaction(async (db) => {
      await insertRow(db, 'log', { time: await readServiceTime(db, machineNow()), kind: 'smtp', text });
    }, WITHOUT_LOCK);

  /** Relays one message. Returns false if the server must be tried again later. */
  const relay = async (item: UnrelayedDelivery): Promise<boolean> => {
    const mail = await loadOutboxMail(store.db, item.accountId, entryId(item), options.mail());
    const failure = mail && (await connection.send(mail));
    if (isClosed) return false;
    if (failure?.retry) {
      if (failures === 0)
        await log(`${connection.name}: ${failure.reason}; retrying until the server accepts mail`);
      notBefore = machineNow() + Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** failures);
      failures += 1;
      return false;
    }
    if (failures > 0 && mail) await log(`${connection.name}: accepts mail again`);
    if (mail) failures = 0;
    if (failure) await log(`${named(mail)} rejected by ${connection.name}: ${failure.reason}`);
    await store.transaction((db) => markDeliveryRelayed(db, item), WITHOUT_LOCK);
    return true;
  };

  return {
    relayWaiting: async () => {
      if (machineNow() < notBefore) return;
      for (;;) {
        // Reads in a transaction if other processes write: an id may be assigned before a higher one, but become visible after it.
        const batch = store.isShared
          ? await store.transaction((db) => listUnrelayedDeliveries(db, BATCH))
          : await listUnrelayedDeliveries(store.db, BATCH);
        if (batch.length === 0) return;
        for (const item of batch) if (isClosed || !(await relay(item))) return;
      }
    },
    close: () => {
      isClosed = true;
      connection.close();
    },
  };
}

const entryId = ({ taskId, at }: UnrelayedDelivery): string => (taskId === 0 ? `d${at}` : `t${taskId}-${at}`);

const named = ({ id, envelope }: Mail): string => `Mail ${id} to ${envelope.to}`;

/** Address of the SMTP server, which gets no user name and no password. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
}

interface RelayFailure {
  /** True if every message would fail, so that the relay tries again later. False if it skips this message. */
  readonly retry: boolean;
  readonly reason: string;
}

interface SmtpConnection {
  /** The server as `host:port`. */
  readonly name: string;
  /** Sends a message. Returns the failure, or undefined if the server has accepted the message. */
  readonly send: (mail: Mail) => Promise<RelayFailure | undefined>;
  /** Closes the connection and aborts a message in progress. */
  readonly close: () => void;
}

/** Time limits of the SMTP connection in milliseconds. */
const TIMEOUTS = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 30_000 };

/** Creates a client, which connects to the server with the first message. */
async function connectTo({ host, port }: SmtpServer): Promise<SmtpConnection> {
  const { createTransport } = await import('nodemailer');
  const isHere = isLoopback(host);
  const transport = createTransport({
    pool: true,
    maxConnections: 1,
    maxMessages: Number.POSITIVE_INFINITY,
    // The name localhost can only mean this machine, so it is not looked up.
    host: host === 'localhost' ? '127.0.0.1' : host,
    port,
    name: 'sandbox.invalid',
    secure: false,
    ignoreTLS: isHere,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...TIMEOUTS,
  });
  // Ignores errors of an idle connection; a failing message reports its own.
  transport.on('error', () => undefined);
  const closed = new AbortController();
  const ended = new Promise<RelayFailure>((resolve) => {
    const failure = { retry: true, reason: 'the sandbox is stopping' };
    closed.signal.addEventListener('abort', () => resolve(failure), { once: true });
  });
  return {
    name: `${host}:${port}`,
    send: ({ envelope, octets }) =>
      Promise.race([
        ended,
        transport.sendMail({ envelope: { ...envelope }, raw: octets }).then(
          () => undefined,
          (error: unknown) => failureOf(error),
        ),
      ]),
    close: () => {
      closed.abort();
      transport.close();
    },
  };
}

/** Returns the failure. A 5xx response to the envelope or the message concerns only this message. Any other error concerns the server. */
function failureOf(error: unknown): RelayFailure {
  const { code, responseCode, message } = Object(error);
  const isRefused =
    (code === 'EENVELOPE' || code === 'EMESSAGE') && typeof responseCode === 'number' && responseCode >= 500;
  return { retry: !isRefused, reason: String(message ?? error) };
}
