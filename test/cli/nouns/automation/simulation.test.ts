/**
 * Contract, "Insight": `automation simulate` predicts to the second what the sandbox does. The test makes random rules through the
 * interface, alone and in chains over lists. Their events come at random moments, half of them near a clock change.
 */

import { expect, it } from 'vitest';
import { receiveSms } from '../../../../src/sandbox/engine/automations/inbound-sms.ts';
import { queueTriggeredRuleActions } from '../../../../src/sandbox/engine/automations/triggers.ts';
import { type RecipientEvent, recordRecipientEvent } from '../../../../src/sandbox/engine/events.ts';
import { runAccountWorkStep } from '../../../../src/sandbox/engine/step.ts';
import { advanceClockUntilIdle } from '../../../../src/sandbox/engine/tick.ts';
import { seededRandom } from '../../../../src/sandbox/seeded-random.ts';
import { sql } from '../../../../src/sandbox/store/driver/sql.ts';
import { assignments, insertRow } from '../../../../src/sandbox/store/rows.ts';
import { writeSetting } from '../../../../src/sandbox/store/settings.ts';
import { createWorld, target, type World } from '../../../support/automations.ts';
import { depth } from '../../../support/depth.ts';
import { type RuleEffect, watchEffects } from '../../../support/rule-effects.ts';
import { runCli, serviceOf } from '../../../support/run-cli.ts';
import { IDS, NOW } from '../../../support/sandbox.ts';

const RULES = depth('SVC_SIMULATIONS', { few: 30, full: 10_000 });
const SEED = Number(process.env['SVC_SEED'] ?? Date.now() % 1_000_000_000);
/** The number of rules in one sandbox. */
const BATCH = 250;

/**
 * Four zones that change their clocks by an hour, one of them at midnight; one zone that changes by half an hour; and one that never
 * changes.
 */
const ZONES = [
  ...['Europe/London', 'America/New_York', 'America/Santiago', 'Pacific/Auckland'],
  ...['Australia/Lord_Howe', 'Asia/Kathmandu'],
];
const YEARS = [Date.UTC(2027, 0) / 1000, Date.UTC(2030, 0) / 1000] as const;
const HOUR = 3600;
const DAY = 86_400;
const SHORTCODE = '60300';

type Kind = 'click' | 'open' | 'subscription' | 'date' | 'sms';
interface Row {
  readonly time: number;
  readonly local: string;
  readonly action: string;
  readonly target: string;
}

/** Returns functions that make uniform choices for one seed. */
function chooser(seed: number) {
  const random = seededRandom(seed);
  const below = (count: number): number => Math.floor(random() * count);
  return {
    below,
    chance: (share: number): boolean => random() < share,
    one: <T>(...these: readonly T[]): T => these[below(these.length)] as T,
  };
}
type Chooser = ReturnType<typeof chooser>;

/** Returns the hours at which the zone's offset changes, according to Intl. */
function changesOf(zone: string): readonly number[] {
  const format = new Intl.DateTimeFormat('en', {
    timeZone: zone,
    timeZoneName: 'longOffset',
    hour: '2-digit',
  });
  const offset = (time: number) =>
    format.formatToParts(time * 1000).find(({ type }) => type === 'timeZoneName')?.value;
  const found: number[] = [];
  for (let time = YEARS[0]; time < YEARS[1]; time += DAY) {
    if (offset(time) === offset(time + DAY)) continue;
    for (let hour = time; hour < time + DAY; hour += HOUR / 2)
      if (offset(hour) !== offset(hour + HOUR / 2)) found.push(hour + HOUR / 2);
  }
  return found;
}
const CHANGES = new Map(ZONES.map((zone) => [zone, changesOf(zone)]));

it(`predicts what the sandbox does, for ${RULES} rules (SVC_SEED=${SEED} SVC_SIMULATIONS=${RULES})`, async () => {
  expect([...CHANGES].map(([zone, changes]) => [zone, changes.length])).toEqual(
    ZONES.map((zone) => [zone, zone === 'Asia/Kathmandu' ? 0 : 6]),
  );
  const seen = { rows: 0, chained: 0, moved: 0, past: 0, loops: 0, changes: 0 };
  for (let from = 0; from < RULES; from += BATCH) {
    const scene = await createScene();
    for (let at = from; at < Math.min(RULES, from + BATCH); at += 1) await rehearse(scene, SEED + at, seen);
  }
  expect(seen.rows).toBeGreaterThan(RULES);
  // The rules include everything that can move a time. With a small number of rules this is not certain.
  if (RULES < 1000) return;
  for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(0);
}, 3_600_000);

type Seen = Record<'rows' | 'chained' | 'moved' | 'past' | 'loops' | 'changes', number>;
type Scene = Awaited<ReturnType<typeof createScene>>;

async function createScene() {
  const world = await createWorld();
  const { sandbox, things } = world;
  const { store } = sandbox.service;
  const { db } = store;
  await sandbox.put('sms_destination', { account_id: IDS.company, destination: SHORTCODE, isshortcode: 1 });
  const fourth = await sandbox.put('list', { account_id: IDS.company, name: 'E', cdate: NOW });
  const rich = { emailcreditbalance: 1e9, smscreditbalance: 1e9, enablesubscriptionmo: 1 };
  await db.run(sql`update account set ${assignments(rich)} where id = ${IDS.company}`);
  return {
    ...world,
    db,
    store,
    service: serviceOf(sandbox),
    lists: [things.list, things.otherList, things.hiddenList, fourth],
    effects: await watchEffects(db),
  };
}

async function rehearse(scene: Scene, seed: number, seen: Seen): Promise<void> {
  const choose = chooser(seed);
  const { db, store, service } = scene;
  const zone = choose.one(...ZONES);
  const event = momentIn(zone, choose);
  await db.run(sql`update account set timezone = ${zone} where id = ${IDS.company}`);
  const kind = choose.one<Kind>('click', 'open', 'subscription', 'date', 'sms');
  // A date may be known long before, or may be past when it is set.
  const now = kind === 'date' ? event + choose.one(-30 * DAY, -3 * DAY, -HOUR, 0, HOUR, 2 * DAY) : event;
  await writeSetting(db, 'clock.time', String(now));
  const id = await createRule(scene, kind, choose, scene.lists[0] ?? 0);
  // A simulation of a rule does not include other effects of the event itself.
  const watched = scene.lists.slice(kind === 'subscription' ? 1 : 0);
  const followers = choose.below(4);
  for (let count = 0; count < followers; count += 1)
    await createRule(scene, 'subscription', choose, choose.one(...watched));

  const argv = ['automation', 'simulate', `${kind}:${id}`, '--at', String(event), '-o', 'json'];
  const run = await runCli(argv, { transport: service.transport });
  expect(run.exitCode, run.stderr).toBe(0);
  const rows: readonly (Row & { readonly why: string })[] = JSON.parse(run.stdout);

  await scene.effects();
  const who = {
    email: `person${seed}@example.net`,
    msisdn: `4477${String(seed).padStart(9, '0').slice(-9)}`,
  };
  await store.transaction((inside) => happen({ ...scene, db: inside }, { kind, id, event, now, ...who }));
  // One action per step records effects in order and at their own times.
  await advanceClockUntilIdle(store, { machineNow: () => NOW * 1000, batch: 1 });
  const done = await scene.effects();
  // For a subscription, the first effect is the event itself.
  const own = kind === 'subscription' ? 1 : 0;
  const wrong = differences(rows, done.slice(own), done.slice(0, own));
  expect(wrong, `seed ${seed}: ${JSON.stringify({ zone, event, now, kind, rows, done }, null, 1)}`).toEqual(
    [],
  );
  for (const { time, local } of rows) expect(local).toBe(wallClock(time, zone));

  seen.rows += rows.length;
  seen.chained += rows.filter(({ why }) => why.startsWith('subscription:')).length;
  seen.moved += rows.filter(({ why }) => why.includes('a weekend')).length;
  seen.past += rows.filter(({ why }) => why.includes('that is past')).length;
  seen.loops += rows.filter(({ why }) => why.includes('a loop')).length;
  seen.changes += rows.filter(({ why }) => /skip that time|comes twice/.test(why)).length;
  for (const each of ['click', 'open', 'subscription', 'date', 'sms'] as const)
    await db.run(sql`delete from ${sql.ref(`${each}_automation`)}`);
}

/** Returns a moment near a clock change, or any moment. */
function momentIn(zone: string, choose: Chooser): number {
  const changes = CHANGES.get(zone) ?? [];
  if (changes.length === 0 || choose.chance(0.4)) return YEARS[0] + choose.below(YEARS[1] - YEARS[0]);
  return choose.one(...changes) - 4 * DAY + choose.below(6 * DAY);
}

/** Makes a rule that the interface allows. */
async function createRule(scene: Scene, kind: Kind, choose: Chooser, list: number): Promise<number> {
  const body = kind === 'sms' ? smsRule(scene, choose, list) : timedRule(scene, kind, choose, list);
  const answer = await scene.sandbox.send('admin', 'POST', target(kind), {
    name: 'Rule',
    summary: null,
    ...body,
  });
  expect(answer.status, answer.text).toBe(202);
  return Number(answer.data['id']);
}

function timedRule({ things, lists }: Scene, kind: Exclude<Kind, 'sms'>, choose: Chooser, list: number) {
  const other = choose.one(...lists.filter((each) => each !== list));
  const [actiontype, actiontarget] = choose.one<readonly [string, string | number]>(
    ['notify', 'office@example.com'],
    ['email_autoresponder', things.email],
    ['sms_autoresponder', things.sms],
    ...(kind === 'subscription'
      ? ([
          ['copytolist', other],
          ['movetolist', other],
          ['movetolist', other],
          ['removefromlist', 0],
        ] as const)
      : ([
          ['addtolist', other],
          ['addtolist', other],
          ['addtolist', other],
        ] as const)),
  );
  const isDelayed = /list$/.test(actiontype);
  const sign = kind === 'date' ? choose.one(-1, 1) : 1;
  const { hour, diff } = timing(choose, kind === 'subscription' ? 60 : 1, isDelayed);
  const isTimed = hour !== null || diff !== 0;
  const own = {
    click: choose.one(
      { link_id: things.link, message_id: null },
      { link_id: null, message_id: things.email },
    ),
    open: { message_id: things.email },
    subscription: { list_id: list },
    date: {},
  };
  return {
    ...own[kind],
    actiontype,
    actiontarget: String(actiontarget),
    actiontimediff: sign * diff,
    actionhour: hour,
    ...(isTimed ? { actiononweekend: choose.chance(0.4) } : {}),
  };
}

function smsRule({ things, lists }: Scene, choose: Chooser, list: number) {
  const { hour, diff } = timing(choose, 1, false);
  const isTimed = hour !== null || diff !== 0;
  const answer = {
    message_id: things.sms,
    message_actiontimediff: diff,
    message_actionhour: hour,
    ...(isTimed ? { message_actiononweekend: choose.chance(0.4) } : {}),
  };
  return {
    keyword: null,
    list_id: list,
    ...(choose.chance(0.5) ? { email_list_id: choose.one(...lists) } : {}),
    ...(choose.chance(0.7) ? answer : {}),
    ...(choose.chance(0.3) ? { notifyemail: 'shop@example.com' } : {}),
    ...(choose.chance(0.3) ? { notifymsisdn: '447700900999' } : {}),
    ...(choose.chance(0.3) ? { notifyurl: 'https://example.com/sms' } : {}),
  };
}

/**
 * Returns timing that follows rule 4: with an hour, the offset is a multiple of 1440, in any unit.
 * @param unit the seconds in one unit of the kind
 */
function timing(choose: Chooser, unit: number, isDelayed: boolean) {
  const hour = choose.chance(0.4) ? null : choose.chance(0.6) ? choose.below(4) : choose.below(24);
  const least = isDelayed ? 1 : 0;
  if (hour !== null) {
    const most = Math.floor((4 * DAY) / (1440 * unit));
    return { hour: `${String(hour).padStart(2, '0')}:00:00`, diff: 1440 * (least + choose.below(most)) };
  }
  return { hour, diff: choose.chance(0.3) ? least : least + choose.below(Math.floor((5 * DAY) / unit)) };
}

interface Happening {
  readonly kind: Kind;
  readonly id: number;
  readonly event: number;
  readonly now: number;
  readonly email: string;
  readonly msisdn: string;
}

/** Performs an action of the recipient, as the sandbox's control plane does. */
async function happen(
  { db, things, lists }: Pick<World, 'things'> & Pick<Scene, 'db' | 'lists'>,
  { kind, id, event, now, email, msisdn }: Happening,
): Promise<void> {
  const effects = { requestAfterCommit: () => undefined };
  // Every possible recipient has an address of both channels, as a simulation assumes.
  const person = { account_id: IDS.company, email, email_domain: 'example.net', msisdn, cdate: now };
  const subscriberId = await insertRow(db, 'subscriber', person);
  if (kind === 'sms') {
    const other = { ...person, email: `other-${email}`, msisdn: `9${msisdn}` };
    await insertRow(db, 'subscriber', other);
    const sms = { to: SHORTCODE, from: msisdn, text: `hello ${other.email}` };
    expect(await receiveSms(db, sms, IDS.company, now, effects)).toMatchObject({ ruleIds: [id] });
    return;
  }
  if (kind === 'date') {
    const trigger = { kind, ruleId: id, time: event } as const;
    await runAccountWorkStep(db, IDS.company, (step) =>
      queueTriggeredRuleActions({ step, now }, trigger, subscriberId),
    );
    return;
  }
  const events: Readonly<Record<typeof kind, RecipientEvent>> = {
    click: { kind: 'click', linkId: things.link, subscriberId },
    open: { kind: 'open', messageId: things.email, subscriberId },
    subscription: { kind: 'subscription', listId: lists[0] ?? 0, subscriberId },
  };
  await recordRecipientEvent(db, IDS.company, events[kind], now);
}

/**
 * Compares the performed effects with the predicted ones, in order and to the second. No effect may be left over on either side. A person
 * who is already on a list is not added again, so only that action may have no effect.
 * @param before the effects of the event itself
 */
function differences(
  rows: readonly Row[],
  done: readonly RuleEffect[],
  before: readonly RuleEffect[],
): readonly unknown[] {
  const left = [...done];
  const members = new Map(before.map(({ to, subscriber }) => [to, new Set([subscriber])]));
  const membersOf = (list: string) => members.get(list) ?? new Set();
  const take = (time: number, what: RuleEffect['what'], to?: string): boolean => {
    const [next] = left;
    if (next?.time !== time || next.what !== what || (to !== undefined && next.to.split('?')[0] !== to))
      return false;
    left.shift();
    if (what === 'joined') members.set(next.to, new Set([...membersOf(next.to), next.subscriber]));
    if (what === 'left') membersOf(next.to).delete(next.subscriber);
    return true;
  };
  for (const row of rows) {
    const { time, action, target: to } = row;
    const joins = () => take(time, 'joined', to) || membersOf(to).size > 0;
    const isDone: Readonly<Record<string, () => boolean>> = {
      email_autoresponder: () => take(time, 'sent', `message ${to}`),
      sms_autoresponder: () => take(time, 'sent', `message ${to}`),
      addtolist: joins,
      copytolist: joins,
      movetolist: () => take(time, 'left') && joins(),
      removefromlist: () => take(time, 'left'),
    };
    if (!(isDone[action] ?? (() => take(time, 'sent', to)))()) return [{ foretold: row, done: left[0] }];
  }
  return left;
}

const wallClock = (time: number, zone: string): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' }).format(
    time * 1000,
  );
