/**
 * Relays every delivered e-mail to a real SMTP server after delivery. Relays at least once: if the process ends before it sees the
 * response, it sends the message again (src/protocol/README.md, "SMTP"). The engine never waits for the relay.
 */
import { serviceNow } from '../engine/clock.ts';
import { type Mail, type MailOptions, mailOf } from '../engine/mail/mime.ts';
import type { Store } from '../store/open.ts';
import { beginRelay, markRelayed, type Unrelayed, unrelayed } from '../store/relay-progress.ts';
import { insertRow } from '../store/rows.ts';
import { connectTo, type SmtpServer } from './transport.ts';

export interface RelayOptions {
  readonly server: SmtpServer;
  readonly mail: () => MailOptions;
  /** Milliseconds since the epoch. */
  readonly machineNow: () => number;
}

export interface Relay {
  /** Relays the waiting messages. Does nothing while the relay waits after a failure. Calls must not overlap. */
  readonly turn: () => Promise<void>;
  /** Stops the run of `turn` in progress. Its current message counts as not relayed. */
  readonly close: () => void;
}

/** Maximum number of messages that one query reads. */
const BATCH = 100;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

export async function startRelay(store: Store, options: RelayOptions): Promise<Relay> {
  const { machineNow } = options;
  await store.transaction(beginRelay);
  const connection = await connectTo(options.server);
  let failures = 0;
  let notBefore = 0;
  let isClosed = false;

  const log = (text: string): Promise<void> =>
    store.transaction(async (db) => {
      await insertRow(db, 'log', { time: await serviceNow(db, machineNow()), kind: 'smtp', text });
    }, UNHELD);

  /** Returns false if the server must be tried again later. */
  const relay = async (item: Unrelayed): Promise<boolean> => {
    const mail = await mailOf(store.db, item.accountId, entryId(item), options.mail());
    const failure = mail && (await connection.send(mail));
    if (isClosed) return false;
    if (failure?.retry) {
      if (failures === 0) await log(`${connection.name}: ${failure.reason}; retrying until it accepts mail`);
      notBefore = machineNow() + Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures);
      failures += 1;
      return false;
    }
    if (failures > 0 && mail) await log(`${connection.name}: accepts mail again`);
    if (mail) failures = 0;
    if (failure) await log(`${named(mail)} rejected by ${connection.name}: ${failure.reason}`);
    await store.transaction((db) => markRelayed(db, item), UNHELD);
    return true;
  };

  return {
    turn: async () => {
      if (machineNow() < notBefore) return;
      for (;;) {
        // Reads in a transaction if other processes write: an id may be assigned before a higher one, but become visible after it.
        const batch = store.isShared
          ? await store.transaction((db) => unrelayed(db, BATCH))
          : await unrelayed(store.db, BATCH);
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

/** Scope without a lock. The relay writes only its own rows, and log lines are only added. */
const UNHELD = { kind: 'unheld' } as const;

const entryId = ({ taskId, at }: Unrelayed): string => (taskId === 0 ? `d${at}` : `t${taskId}-${at}`);

const named = ({ id, envelope }: Mail): string => `Mail ${id} to ${envelope.to}`;
