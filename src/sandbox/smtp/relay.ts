/**
 * Hands every delivered e-mail to a real SMTP server as well, after it was delivered. At least once: a message whose
 * answer was lost with the process is handed over again (src/protocol/README.md, "SMTP"). The engine never waits for it.
 */
import { serviceNow } from '../engine/clock.ts';
import { type Mail, type MailOptions, mailOf } from '../engine/mail/mime.ts';
import type { Store } from '../store/open.ts';
import { beginRelay, markRelayed, type Unrelayed, unrelayed } from '../store/relayed.ts';
import { insertRow } from '../store/rows.ts';
import { connectTo, type SmtpServer } from './transport.ts';

export interface RelayOptions {
  readonly server: SmtpServer;
  readonly mail: () => MailOptions;
  /** Milliseconds since the epoch. */
  readonly machineNow: () => number;
}

export interface Relay {
  /** Hands over what there is, or returns at once while it waits after a failure. Never two at a time. */
  readonly turn: () => Promise<void>;
  /** A turn under way ends with the message at hand, which counts as not handed over. */
  readonly close: () => void;
}

/** Messages that are looked for at a time. */
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

  /** False where the server has to be tried again later. */
  const relay = async (item: Unrelayed): Promise<boolean> => {
    const mail = await mailOf(store.db, item.accountId, entryId(item), options.mail());
    const failure = mail && (await connection.send(mail));
    if (isClosed) return false;
    if (failure?.retry) {
      if (failures === 0)
        await log(`${connection.name}: ${failure.reason}; trying again until it takes mail`);
      notBefore = machineNow() + Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures);
      failures += 1;
      return false;
    }
    if (failures > 0 && mail) await log(`${connection.name}: takes mail again`);
    if (mail) failures = 0;
    if (failure) await log(`${named(mail)} not taken by ${connection.name}: ${failure.reason}`);
    await store.transaction((db) => markRelayed(db, item), UNHELD);
    return true;
  };

  return {
    turn: async () => {
      if (machineNow() < notBefore) return;
      for (;;) {
        // Alone with a store that others write to: an id may be given before, and be seen after, a higher one.
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

/** Its own rows, and lines that are added to the log. */
const UNHELD = { kind: 'unheld' } as const;

const entryId = ({ taskId, at }: Unrelayed): string => (taskId === 0 ? `d${at}` : `t${taskId}-${at}`);

const named = ({ id, envelope }: Mail): string => `Mail ${id} to ${envelope.to}`;
