/**
 * Contract, "A store that many share": due work is performed once, whichever process dies. Three processes send to 200,000 recipients
 * from one database that waits for its disk. One of them is killed at a random moment. `SVC_KILLS=50` sets the number of repetitions.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pass } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/sandbox/seeded-random.ts';
import type { SandboxReadyMessage } from '../../../src/sandbox/start.ts';
import { sql } from '../../../src/sandbox/store/driver/sql.ts';
import { openStore, type Store } from '../../../src/sandbox/store/open.ts';
import { insertRow, selectRequiredRow } from '../../../src/sandbox/store/rows.ts';
import type { Row } from '../../../src/sandbox/store/schema/tables.ts';
import { bundleForNode } from '../../support/bundle.ts';
import { countsOfAllSent, fillLargeSend, sentCounts } from '../../support/large-send.ts';
import { type Cluster, postgresPrograms, runSql, startCluster } from '../../support/postgres.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporary-folder.ts';

const KILLS = Number(process.env['SVC_KILLS'] ?? 2);
const SEED = Number(process.env['SVC_SEED'] ?? Date.now() % 1_000_000_000);
const RECIPIENTS = 200_000;
const READERS = 30;
const NOW = Math.floor(Date.now() / 1000) - 3_600;
const SEND = { recipients: RECIPIENTS, leftOut: 500, spare: 7, now: NOW };

interface Process {
  readonly child: ChildProcess;
  readonly ready: SandboxReadyMessage;
  readonly ended: Promise<unknown>;
}

describe.skipIf(postgresPrograms() === undefined)('three processes, one of them killed', () => {
  let cluster: Cluster;
  let folder: string;
  let runner: string;
  beforeAll(async () => {
    cluster = await startCluster(true);
    folder = await makeTemporaryFolder('kills');
    runner = await bundleForNode(new URL('runner.ts', import.meta.url).pathname);
    runSql(cluster.url, 'create database filled');
    const store = await openStore(cluster.urlOf('filled'));
    await fillLargeSend(store, SEND);
    const user = { account_id: 1, username: 'admin', firstname: 'A', lastname: 'B', email: 'a@example.com' };
    await insertRow(store.db, 'user', { ...user, isadmin: 1, timezone: 'UTC', cdate: NOW, mdate: NOW });
    await store.db.run(sql`update setting set value = 'real' where key = 'clock.mode'`);
    await store.db.exec(sql`analyze`);
    await store.close();
  });
  afterAll(async () => {
    cluster?.remove();
    await removeFolder(folder);
    await removeFolder(dirname(runner));
  });

  it(
    `after ${KILLS} kills each of ${RECIPIENTS} recipients has one message, and all counts agree (SVC_SEED=${SEED})`,
    async () => {
      const random = seededRandom(SEED);
      const moments: string[] = [];
      for (let at = 0; at < KILLS; at += 1) {
        const name = `send${at}`;
        runSql(cluster.url, `create database ${name} template filled strategy file_copy`);
        const url = cluster.urlOf(name);
        const processes = await Promise.all(
          [0, 1, 2].map((number) => start(join(folder, `${name}-${number}`), url)),
        );
        const store = await openStore(url);
        try {
          moments.push(await killDuring(store, processes, random));
          expect(await sentCounts(store)).toEqual(countsOfAllSent(SEND));
          await readersCount(store, processes);
        } finally {
          for (const { child, ended } of processes) {
            child.kill('SIGKILL');
            await ended;
          }
          await store.close();
        }
        runSql(cluster.url, `drop database ${name} with (force)`);
        process.stdout.write(`kill ${at + 1}: ${moments.at(-1)}\n`);
      }
      // Kills after the send would prove nothing.
      expect(moments.filter((moment) => moment !== 'after the send').length).toBeGreaterThanOrEqual(
        KILLS / 2,
      );
    },
    KILLS * 900_000,
  );

  async function start(data: string, url: string): Promise<Process> {
    const child = spawn(process.execPath, [runner, data, url], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    return { child, ended, ready: JSON.parse(String(line)) };
  }
});

/** Kills a process, and returns a text with the number of recipients sent to by then. */
async function killDuring(
  store: Store,
  processes: readonly Process[],
  random: () => number,
): Promise<string> {
  const victim = processes[Math.floor(random() * processes.length)];
  // The send continues from the start of the first batch, part of which may already be done.
  const point = random() * RECIPIENTS;
  while ((await progressOf(store)).sent < point) await pass(2);
  victim?.child.kill('SIGKILL');
  await victim?.ended;
  const { sent, completed } = await progressOf(store);
  const until = Date.now() + 600_000;
  while ((await progressOf(store)).completed === 0) {
    if (Date.now() > until) throw new Error(`the send stands at ${(await progressOf(store)).sent}`);
    await pass(50);
  }
  return completed === 1 ? 'after the send' : `at ${sent} of ${RECIPIENTS}`;
}

const progressOf = ({ db }: Store): Promise<{ readonly sent: number; readonly completed: number }> =>
  selectRequiredRow(db, sql<Pick<Row<'task'>, 'sent' | 'completed'>>`select sent, completed from task`);

/**
 * Sends the readers' actions to the remaining processes, twice each and at once. A unique open counts once, and the
 * outbox has all of them.
 */
async function readersCount(store: Store, processes: readonly Process[]): Promise<void> {
  const left = processes.filter(({ child }) => child.exitCode === null && child.signalCode === null);
  expect(left).toHaveLength(2);
  const rows = await store.db.all(
    sql<
      Pick<Row<'task_recipient'>, 'subscriber_id'>
    >`select subscriber_id from task_recipient limit ${READERS}`,
  );
  const opens = rows.flatMap(({ subscriber_id }) =>
    left.map(({ ready }) => fetch(`${ready.baseUrl}/t/o/t1-${subscriber_id}`).then(({ status }) => status)),
  );
  expect(new Set(await Promise.all(opens))).toEqual(new Set([200]));
  const { emailuniqueopens } = await selectRequiredRow(
    store.db,
    sql<Pick<Row<'task'>, 'emailuniqueopens'>>`select emailuniqueopens from task`,
  );
  expect(emailuniqueopens).toBe(READERS);
  const [{ ready } = { ready: undefined }] = left;
  const reply = await fetch(`${ready?.baseUrl}/control/outbox/list`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ready?.controlToken}` },
    body: JSON.stringify({ limit: 1000 }),
  });
  const { data } = (await reply.json()) as {
    readonly data: readonly { readonly id: string; readonly to: string }[];
  };
  expect([data.length, new Set(data.map(({ to }) => to)).size]).toEqual([1000, 1000]);
}
