/** Puts rules, subscribers and events directly into the store, and moves a clock so that their actions fall due. */

import {
  queueTriggeredRuleActions,
  type TimedRuleEvent,
} from '../../src/sandbox/engine/automations/triggers.ts';
import type { NotifyUrlRequest } from '../../src/sandbox/engine/due.ts';
import { runAccountWorkStep } from '../../src/sandbox/engine/step.ts';
import { advanceClockTo } from '../../src/sandbox/engine/tick.ts';
import { sql } from '../../src/sandbox/store/driver/sql.ts';
import type { Db } from '../../src/sandbox/store/open.ts';
import type { SqlRow } from '../../src/sandbox/store/rows.ts';
import { assignments, selectRequiredRow } from '../../src/sandbox/store/rows.ts';
import type { Row } from '../../src/sandbox/store/schema/tables.ts';
import { createWorld, type Things, type TimedKind, table, type World } from './automations.ts';
import { IDS, NOW } from './sandbox.ts';

export interface EngineWorld extends World {
  readonly db: Db;
  /** Makes a rule. By default it sends a notice to office@example.com at once. */
  readonly rule: (kind: TimedKind, more?: SqlRow) => Promise<number>;
  readonly smsRule: (more?: SqlRow) => Promise<number>;
  /** Makes a subscriber with an address for both channels. */
  readonly subscriber: (more?: SqlRow) => Promise<number>;
  readonly fire: (trigger: TimedRuleEvent, subscriberId: number) => Promise<void>;
  /** Moves the clock to this many seconds after NOW, and performs all due work on the way. */
  readonly advance: (secondsAfterNow: number) => Promise<void>;
  /** The messages that left the sandbox. */
  readonly effects: readonly NotifyUrlRequest[];
  readonly account: (set: SqlRow) => Promise<void>;
  readonly credits: () => Promise<{ readonly email: number; readonly sms: number }>;
  /** Returns when each queued action is due, in seconds after NOW. */
  readonly queued: () => Promise<readonly number[]>;
  readonly log: () => Promise<readonly string[]>;
  /** Returns the ids of the subscriber's lists. */
  readonly lists: (subscriberId: number) => Promise<readonly number[]>;
}

export async function createEngineWorld(): Promise<EngineWorld> {
  const world = await createWorld();
  const { sandbox, things } = world;
  const { db } = sandbox.service.store;
  const effects: NotifyUrlRequest[] = [];
  const times = { cdate: NOW, mdate: NOW };
  const made = { account_id: IDS.company, user_id: IDS.admin, name: 'Rule', ...times };
  let people = 0;
  return {
    ...world,
    db,
    effects,
    rule: (kind, more = {}) =>
      sandbox.put(table(kind), {
        ...made,
        ...watched(kind, things),
        actiononweekend: 1,
        actiontarget: 'office@example.com',
        actiontimediff: 0,
        actiontype: 'notify',
        ...more,
      }),
    smsRule: (more = {}) => sandbox.put('sms_automation', { ...made, list_id: things.list, ...more }),
    subscriber: (more = {}) => {
      people += 1;
      const email = `person${people}@example.net`;
      return sandbox.put('subscriber', {
        account_id: IDS.company,
        email,
        email_domain: 'example.net',
        msisdn: `44770090${String(people).padStart(4, '0')}`,
        cdate: NOW,
        ...more,
      });
    },
    fire: async (trigger, subscriberId) => {
      await runAccountWorkStep(db, IDS.company, (step) =>
        queueTriggeredRuleActions({ step, now: NOW }, trigger, subscriberId),
      );
    },
    advance: async (seconds) => {
      await advanceClockTo(sandbox.service.store, NOW + seconds, {
        machineNow: () => NOW * 1000,
        sendNotifyUrlRequest: (effect) => effects.push(effect),
      });
    },
    account: async (set) => {
      await db.run(sql`update account set ${assignments(set)} where id = ${IDS.company}`);
    },
    credits: async () => {
      const account = await selectRequiredRow(
        db,
        sql<Row<'account'>>`select * from account where id = ${IDS.company}`,
      );
      return { email: account.emailcreditbalance, sms: account.smscreditbalance };
    },
    queued: async () =>
      (await db.all(sql<Row<'queued_action'>>`select * from queued_action order by id`)).map(
        ({ due }) => due - NOW,
      ),
    log: async () => (await db.all(sql<Row<'log'>>`select * from log order by id`)).map(({ text }) => text),
    lists: async (subscriberId) =>
      (
        await db.all(
          sql<
            Pick<Row<'subscription'>, 'list_id'>
          >`select list_id from subscription where subscriber_id = ${subscriberId} order by list_id`,
        )
      ).map(({ list_id }) => list_id),
  };
}

function watched(kind: TimedKind, things: Things): SqlRow {
  switch (kind) {
    case 'click':
      return { link_id: null, message_id: things.email };
    case 'open':
      return { message_id: things.email };
    case 'subscription':
      return { list_id: things.list };
    case 'date':
      return {};
  }
}

/** Returns the event that triggers the kind's rule; `ruleId` is for a date rule. */
export function eventOf(kind: TimedKind, things: Things, ruleId: number): TimedRuleEvent {
  switch (kind) {
    case 'click':
      return { kind, linkId: things.link, messageId: things.email };
    case 'open':
      return { kind, messageId: things.email };
    case 'subscription':
      return { kind, listId: things.list };
    case 'date':
      return { kind, ruleId, time: NOW };
  }
}
