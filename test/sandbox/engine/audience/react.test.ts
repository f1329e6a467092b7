/** Contract, "The everyday screen": `--audience`: "recipients act by themselves as the clock moves, seeded". */

import { beforeEach, describe, expect, it } from 'vitest';
import { advanceClockTo, advanceClockUntilIdle, runDueWork } from '../../../../src/sandbox/engine/tick.ts';
import { sql } from '../../../../src/sandbox/store/driver/sql.ts';
import { openStore } from '../../../../src/sandbox/store/open.ts';
import { selectRequiredRow } from '../../../../src/sandbox/store/rows.ts';
import type { Row } from '../../../../src/sandbox/store/schema/tables.ts';
import {
  REACTION_SHARE_PRESETS,
  type SimulatedRecipientSettings,
} from '../../../../src/service/protocol/control/audience.ts';
import { fillLargeSend } from '../../../support/large-send.ts';
import { EMAIL, putList, putSubscriber } from '../../../support/messages.ts';
import { createTestSandbox, NOW, type TestSandbox } from '../../../support/sandbox.ts';

const DAY = 86_400;
const machineNow = () => NOW * 1000;
const simulatedRecipients: SimulatedRecipientSettings = {
  shares: { open: 0.5, click: 0.2, unsubscribe: 0.1, complaint: 0.1, bounce: 0.1 },
  seed: 1,
};

let sandbox: TestSandbox;
let list: number;
let messageId: number;
beforeEach(async () => {
  sandbox = await createTestSandbox();
  list = await putList(sandbox);
  for (let i = 0; i < 20; i += 1) await putSubscriber(sandbox, [list], { email: `s${i}@example.com` });
  const html = '<a href="https://a.example/unsubscribe">no</a> <a href="https://a.example">a</a>';
  messageId = Number(
    (await sandbox.send('admin', 'POST', '/v1/emailMessage', { ...EMAIL, html })).data['id'],
  );
});

async function schedule(name = 'T', at = NOW): Promise<number> {
  const body = {
    channel: 'email',
    message_id: messageId,
    name,
    scheduledtime: at,
    list_id: list,
    search_id: null,
  };
  return Number((await sandbox.send('admin', 'POST', '/v1/task', body)).data['id']);
}

const advance = (seconds: number, given: SimulatedRecipientSettings | null = simulatedRecipients) =>
  advanceClockTo(sandbox.service.store, NOW + seconds, {
    machineNow,
    simulatedRecipients: given ?? undefined,
  });
const statistics = async (id: number) => {
  const { data } = await sandbox.send('admin', 'GET', `/v1/task/${id}`);
  return ['opens', 'clicks', 'unsubscriptions', 'complaints', 'bounces'].map(
    (each) => data[`emailunique${each}`],
  );
};

describe('the audience of a sandbox', () => {
  it('reacts to a send in exactly the shares, and not before its time', async () => {
    const task = await schedule();
    await runDueWork(sandbox.service.store, { machineNow, simulatedRecipients });
    expect(await statistics(task)).toEqual([0, 0, 0, 0, 0]);
    await advance(2 * DAY);
    expect(await statistics(task)).toEqual([10, 4, 2, 2, 2]);
    expect(await sandbox.rows('reaction')).toEqual([]);
  });

  it('does not include silent subscribers, and the others react as if all did', async () => {
    const opened = async () =>
      (await sandbox.rows('task_recipient'))
        .filter(({ opened }) => opened !== null)
        .map(({ task_id, subscriber_id }) => `${task_id} ${subscriber_id}`);
    const opens = { shares: { ...REACTION_SHARE_PRESETS.none, open: 0.5 }, seed: 1 };
    await schedule();
    await advance(2 * DAY, opens);
    const all = await opened();
    expect(all).toHaveLength(10);
    const [first = ''] = all;
    const silent = new Set([Number(first.split(' ')[1])]);
    await schedule('second', NOW + 3 * DAY);
    await advance(6 * DAY, { ...opens, silent });
    const later = (await opened()).filter((each) => each.startsWith('2 '));
    expect(later).toEqual(all.slice(1).map((each) => each.replace(/^1/, '2')));
  });

  it('clicks no link to unsubscribe', async () => {
    await schedule();
    await runDueWork(sandbox.service.store, { machineNow, simulatedRecipients });
    const links = new Set((await sandbox.rows('reaction')).map((row) => row['link_id']));
    const wanted = (await sandbox.rows('email_message_link')).filter(
      (row) => row['target'] === 'https://a.example',
    );
    expect(links).toEqual(new Set([null, wanted[0]?.['id']]));
  });

  it('records which link each recipient clicked first, and when', async () => {
    const task = await schedule();
    await advance(2 * DAY);
    const wanted = (await sandbox.rows('task_recipient')).flatMap(({ subscriber_id, clicked }) =>
      clicked === null ? [] : [{ task_id: task, subscriber_id, link_id: expect.any(Number), time: clicked }],
    );
    expect(wanted).toHaveLength(4);
    expect(await sandbox.rows('task_click')).toMatchObject(wanted);
  });

  it('adds unsubscribed people to Do Not Contact, and still counts a person who left for other sends', async () => {
    const [first, second] = [await schedule('A'), await schedule('B', NOW + 60)];
    await advance(3 * DAY);
    expect(await statistics(first)).toEqual([10, 4, 2, 2, 2]);
    expect(await statistics(second)).toEqual([10, 4, 2, 2, 2]);
    expect(await sandbox.rows('do_not_contact')).toHaveLength(2);
  });

  it('runs open rules at the time of each open', async () => {
    await sandbox.send('admin', 'POST', '/v1/openAutomation', {
      message_id: messageId,
      name: 'Thanks',
      actiontype: 'email_autoresponder',
      actiontarget: String(messageId),
      actiontimediff: 3600,
      actiononweekend: true,
      summary: null,
    });
    await schedule();
    await advance(3 * DAY);
    const opened = (await sandbox.rows('task_recipient')).flatMap((row) =>
      row['opened'] === null ? [] : [row],
    );
    const sent = (await sandbox.rows('delivery')).filter((row) => row['rule_kind'] === 'open');
    const gone = new Set((await sandbox.rows('former_recipient')).map((row) => row['subscriber_id']));
    expect(sent.map((row) => [row['subscriber_id'], row['time']])).toEqual(
      expect.arrayContaining(
        opened
          .filter((row) => !gone.has(row['subscriber_id']))
          .map((row) => [row['subscriber_id'], Number(row['opened']) + 3600]),
      ),
    );
    expect(sent.length).toBeGreaterThan(5);
  });

  it('gives the same rows in one advance and in several', async () => {
    const marks = async (steps: readonly number[]) => {
      const other = await createTestSandbox();
      sandbox = other;
      list = await putList(other);
      for (let i = 0; i < 20; i += 1) await putSubscriber(other, [list], { email: `o${i}@example.com` });
      messageId = Number(
        (
          await other.send('admin', 'POST', '/v1/emailMessage', {
            ...EMAIL,
            html: '<a href="https://a.example">a</a>',
          })
        ).data['id'],
      );
      await schedule();
      for (const step of steps) await advance(step);
      return (await other.rows('task_recipient')).map(({ opened, clicked, bounced }) => [
        opened,
        clicked,
        bounced,
      ]);
    };
    expect(await marks([2 * DAY])).toEqual(await marks([600, 3600, 7201, 50_000, 2 * DAY]));
  });

  it('is empty unless one is given', async () => {
    const task = await schedule();
    await advance(2 * DAY, null);
    expect(await statistics(task)).toEqual([0, 0, 0, 0, 0]);
  });

  it('leaves the clock at the last action', async () => {
    await schedule();
    await advanceClockUntilIdle(sandbox.service.store, { machineNow, simulatedRecipients });
    const last = Math.max(
      ...(await sandbox.rows('task_recipient')).flatMap((row) =>
        [row['opened'], row['clicked'], row['unsubscribed'], row['complained']].map(Number),
      ),
    );
    expect((await sandbox.rows('setting')).find((row) => row['key'] === 'clock.time')?.['value']).toBe(
      String(last),
    );
  });
});

describe('a large send', () => {
  it('takes few transactions: 20,000 recipients in under a hundred steps', async () => {
    const store = await openStore(':memory:');
    await fillLargeSend(store, { recipients: 20_000, now: NOW });
    const steps = await advanceClockUntilIdle(store, {
      machineNow,
      simulatedRecipients: { shares: REACTION_SHARE_PRESETS.lively, seed: 1 },
    });
    const { emailuniqueopens } = await selectRequiredRow(store.db, sql<Row<'task'>>`select * from task`);
    await store.close();
    expect(emailuniqueopens).toBe(7_000);
    expect(steps).toBeLessThan(100);
  });
});
