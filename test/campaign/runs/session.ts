/** Runs one seed: a file that is edited, applied under bad conditions, changed by hand, and applied again. */

import { ClientError } from '../../../src/client/requests/errors.ts';
import { SendError } from '../../../src/client/sends/errors.ts';
import { applyCampaign } from '../../../src/features/campaign/apply/apply.ts';
import { CampaignError } from '../../../src/features/campaign/errors.ts';
import type { Campaign, Step, WantedRule } from '../../../src/features/campaign/model.ts';
import { readAllRecordsForCampaign } from '../../../src/features/campaign/observe.ts';
import { planCampaign } from '../../../src/features/campaign/plan/plan.ts';
import type { PlanOptions } from '../../../src/features/campaign/plan/situation.ts';
import type { SqlRow } from '../../../src/sandbox/store/rows.ts';
import { createChance } from '../../client/simulation-world.ts';
import { NOW } from '../../support/sandbox.ts';
import { HOUR, sendPortsOf } from '../support.ts';
import { edited, type File, otherCampaign, randomFile } from './file.ts';
import { changeByHand, createHands, type Hand } from './hands.ts';
import {
  activeRules,
  doubledRules,
  faultsOf,
  isSameMessage,
  liveTasks,
  sameSends,
  sentTwice,
} from './oracle.ts';
import {
  adoptWith,
  campaignWith,
  firstKey,
  keepingRenames,
  type Renames,
  renamedMore,
  withFirstKey,
} from './renames.ts';
import { withTimes } from './series.ts';
import { isSetAside, keyOf, rowsOf, type StoredItem } from './stored.ts';
import { openWorld, type RunClient, type Sent, type World } from './world.ts';

export interface Tally {
  readonly faults: string[];
  runs: number;
  kills: number;
  failed: number;
  requests: number;
  byHand: number;
  sent: number;
  /** Records that got the mark of a new key or campaign: alone, and together with a change. */
  renamed: number;
  renamedAndChanged: number;
  /** Tasks of series, and those of them that were sent. */
  ofSeries: number;
  sentOfSeries: number;
  blocked: Record<string, number>;
}

interface Ended {
  readonly steps?: readonly Step[];
  readonly error?: unknown;
  /** The step that failed. */
  readonly failed?: Step | undefined;
  readonly isKilled?: true;
}

/** Returns the requests of one run, each with its place among the requests of all runs. */
const requestsOf = (run: string, sent: readonly Sent[]): readonly (Sent & { readonly at: number })[] =>
  sent.map((each, at) => ({ ...each, at })).filter((each) => each.run === run);

export async function runSeed(seed: number, log: (line: string) => void = () => undefined): Promise<Tally> {
  const chance = createChance(seed);
  const hands = createHands();
  const tally: Tally = {
    faults: [],
    runs: 0,
    kills: 0,
    failed: 0,
    requests: 0,
    byHand: 0,
    sent: 0,
    renamed: 0,
    renamedAndChanged: 0,
    ofSeries: 0,
    sentOfSeries: 0,
    blocked: {},
  };
  const fault = (what: string): void => {
    tally.faults.push(`seed ${seed}: ${what}`);
    log(`FAULT ${what}`);
  };
  /** The number of runs that work at once, or were killed since the last run that completed alone. */
  let atOnce = 1;
  let isOverwriting = false;
  let mayHaveSpare = false;
  /** The number of tasks for each send, and the rules that act twice, at the last check. */
  const sends = new Map<string, number>();
  const doubled = new Set<string>();
  const saidSince = new Map<string, number>();

  const world = await openWorld(chance, async (all, sent) => {
    log(`  ${sent.run}: ${sent.method} ${sent.path}`);
    if (sent.method === 'GET' || sent.method === 'HEAD') return;
    for (const [key, live] of await liveTasks(all.sandbox)) {
      // README of src/features/campaign: two simultaneous runs may both have made one, until the second run withdraws its own.
      if (live.length > atOnce)
        fault(`task ${key} is scheduled ${live.length} times at once, after ${sent.method} ${sent.path}`);
    }
    for (const hand of hands.standing)
      if (hand.set['paused'] === 0 && isUnseen(all, sent, hand)) hands.unpaused.add(keyOf(hand.item));
    for (const [key, active] of await activeRules(all.sandbox))
      if (active.length > 1 && !hands.unpaused.has(`automation ${key}`))
        fault(`${active.length} rules of ${key} act, after ${sent.method} ${sent.path}`);
    await noteMade(all, sent);
    await excuseCancelling(sent);
    checkHands(all, sent);
    if (sent.method === 'POST' && sent.path === '/v1/task') await checkLost(all);
    if (!isOverwriting) await checkCancelled(all, sent);
    await checkSame(sent.run);
  });

  /**
   * Reports whether a person resumed a rule after the run's last look at rules of this kind, directly before the run's write. The interface
   * has no compare-and-set, so no run can prevent that two rules act then.
   */
  function isUnseen({ sent: requests }: World, { run, method }: Sent, hand: Hand): boolean {
    const collection = hand.path.replace(/\/[0-9]+$/, '');
    const look = requestsOf(run, requests).at(-2);
    return method === 'PUT' && look?.method === 'GET' && look.path === collection && look.at < hand.at;
  }

  /** The run that made each task, by path. */
  const madeBy = new Map<string, string>();
  async function noteMade(all: World, { run, path, method }: Sent): Promise<void> {
    if (method !== 'POST' || path !== '/v1/task') return;
    // No task is made by hand, so each new task comes from this request.
    for (const row of await all.sandbox.rows('task')) {
      const made = `/v1/task/${String(row['id'])}`;
      if (!madeBy.has(made)) madeBy.set(made, run);
    }
  }
  /**
   * Excuses one write over a change by hand. A run cancels a task that it made itself if a check failed or could not be done (contract,
   * "Safety"). A run whose POST got no response treats an equal task as its own, although a simultaneous run may have made it (contract,
   * "Safety"). The PUT must change no other attribute that was changed by hand, except the name, which gets the mark.
   */
  async function excuseCancelling({ run, path, method }: Sent): Promise<void> {
    if (method !== 'PUT' || !madeBy.has(path)) return;
    if (madeBy.get(path) !== run && !world.unanswered.has(`${run} POST /v1/task`)) return;
    const row = (await allRows(path))?.row;
    if (row?.['cancelled'] !== 1 || !isSetAside(row)) return;
    for (const hand of hands.standing) {
      if (hand.path !== path || pending.some((each) => each.hand === hand)) continue;
      const isKept = Object.entries(hand.set).every(
        ([name, value]) => name === 'name' || String(row[name]) === String(value),
      );
      // A person who cancelled it by hand must find it cancelled.
      if (isKept && hand.set['cancelled'] === undefined) hands.standing.delete(hand);
    }
  }

  /**
   * Checks that no change by hand is overwritten. The only exception is a record that was read before the change,
   * because there is no compare-and-set.
   */
  function checkHands(all: World, { run, path, method }: Sent): void {
    if (isOverwriting) return;
    for (const hand of hands.standing) {
      if (hand.path !== path) continue;
      const own = requestsOf(run, all.sent);
      const write = own.at(-1);
      if (!write || write.at < hand.at) continue;
      // A run finds the record of another run by its name, and resumes a rule after a look at all rules of the kind.
      const isInCollection = method === 'DELETE' || path.includes('Automation/');
      const collection = isInCollection ? path.replace(/\/[0-9]+$/, '') : path;
      const looks = own.filter((each) => each.method === 'GET' && [path, collection].includes(each.path));
      const look = looks.at(-1);
      const between = look
        ? own.filter((each) => each.at > look.at && !(each.path === path && each.method === method))
        : [];
      // Someone changed the record between the read and the write. Only the links of the message are read there.
      if (look && look.at < hand.at && between.every((each) => each.path === '/v1/emailMessageLink')) {
        hands.standing.delete(hand);
        continue;
      }
      pending.push({
        hand,
        what: `${run} ${method} ${path}, ${look ? (look.at >= hand.at ? 'though it had looked' : 'long after its look') : 'without a look'}`,
      });
    }
  }
  const pending: { readonly hand: Hand; readonly what: string }[] = [];
  async function checkStanding(): Promise<void> {
    if (!isOverwriting) await checkCancelled(world);
    unseen.clear();
    const rows = await rowsOf(world.sandbox);
    for (const hand of hands.standing) {
      const found = rows.find((each) => each.path === hand.path);
      const all = found ?? (await allRows(hand.path));
      const isKept =
        all !== undefined &&
        Object.entries(hand.set).every(([name, value]) => String(all.row[name]) === String(value));
      // The second of two records of two runs is withdrawn whatever its current name, because both would be sent.
      if (hand.item.kind === 'task' && /-w\]$/.test(String(all?.row['name']))) {
        hands.standing.delete(hand);
        continue;
      }
      const isGone = all === undefined;
      if (isKept) {
        // A task that someone moved may have been sent since, but svc must not cancel it.
        if (hand.item.kind !== 'task' || hand.set['cancelled'] === 1 || all.row['cancelled'] === 0) continue;
      }
      const by = pending.find((each) => each.hand === hand)?.what ?? 'nobody knows how';
      fault(
        `changed by hand and written over (${isGone ? 'gone' : JSON.stringify(all?.row)}): ${hand.path} ${JSON.stringify(hand.set)} by ${by}`,
      );
      hands.standing.delete(hand);
    }
    pending.length = 0;
  }
  async function allRows(path: string) {
    const [, , resource = '', id] = path.split('/');
    const table = resource.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const row = (await world.sandbox.rows(table as 'task')).find((each) => String(each['id']) === id);
    return row && { row };
  }
  /**
   * Checks tasks that lost their marks. Such a task belongs to no item any more. It counts as sent twice only in a clear case: it sends
   * the same existing message, under its key or another, to the same list.
   */
  async function checkLost(all: World): Promise<void> {
    const rows = await rowsOf(all.sandbox);
    const messageOf = ({ row }: StoredItem): StoredItem | undefined =>
      rows.find(
        (each) =>
          each.table === (row['channel'] === 'email' ? 'email_message' : 'sms_message') &&
          each.row['id'] === row['message_id'],
      );
    const made = rows
      .filter(({ kind }) => kind === 'task')
      .sort((a, b) => Number(a.row['id']) - Number(b.row['id']))
      .at(-1);
    if (!made || !hands.lost.has(`task ${made.key}`)) return;
    for (const each of rows) {
      const isAlike =
        each.key === made.key &&
        each.kind === 'task' &&
        !String(each.row['name']).includes('[svc-') &&
        each.row['cancelled'] === 0 &&
        each.row['list_id'] === made.row['list_id'] &&
        isSameMessage(messageOf(each), messageOf(made));
      if (!isAlike) continue;
      const isSent = each.row['completed'] === 1;
      // With --overwrite it is sent once more, and then that task belongs to the item.
      if (isSent && isOverwriting) hands.sentAnyway.add(each.path);
      if (!isSent || !hands.sentAnyway.has(each.path))
        fault(`task ${made.key} lost its mark by hand, and was made once more`);
    }
  }
  /**
   * Contract: "A task that someone cancelled by hand is drift, and svc never creates it again by itself."
   * @param sent the request that was just carried out; undefined after the runs have ended
   */
  async function checkCancelled(all: World, sent?: Sent): Promise<void> {
    for (const [key, live] of await liveTasks(all.sandbox)) {
      const above = hands.cancelled.get(`task ${key}`);
      if (above === undefined || !live.some(({ row }) => Number(row['id']) > above)) continue;
      if (sent && isCancellationUnseen(all, sent, key)) unseen.set(key, sent.run);
      const run = unseen.get(key);
      if (sent && run !== undefined) continue;
      // A killed run can no longer cancel its task.
      if (run === undefined || !killed.has(run))
        fault(`task ${key} was cancelled by hand and is there again`);
      hands.cancelled.delete(`task ${key}`);
    }
  }
  /**
   * Keys of tasks that a run created directly after a look that was older than a person's cancellation, with the name of the run. Between
   * the look and the task it reads the message. There is no compare-and-set, so the run cannot prevent that. It must have cancelled its
   * task when it ends.
   */
  const unseen = new Map<string, string>();
  const killed = new Set<string>();

  function isCancellationUnseen(
    { sent: requests }: World,
    { run, method, path }: Sent,
    key: string,
  ): boolean {
    if (method !== 'POST' || path !== '/v1/task') return false;
    const look = requestsOf(run, requests)
      .slice(0, -1)
      .findLast((each) => each.method !== 'GET' || !/^\/v1\/(email|sms)Message/.test(each.path));
    const hand = [...hands.standing].find(
      ({ item, set }) => item.kind === 'task' && item.key === key && set['cancelled'] === 1,
    );
    return hand !== undefined && look?.method === 'GET' && look.path === '/v1/task' && look.at < hand.at;
  }

  /**
   * Contract: never a second send, nor a second active rule, of the same thing.
   * @param by a run, or hands
   */
  async function checkSame(by?: string): Promise<void> {
    for (const [send, rows] of await sameSends(world.sandbox)) {
      const ids = rows.map((row) => row['id']).join(', ');
      const before = sends.get(send) ?? 0;
      const count = Math.max(before, atOnce);
      if (by !== undefined && rows.length > count) fault(`${by} sends the same twice: tasks ${ids}, ${send}`);
      sends.set(send, rows.length);
    }
    const pairs = await doubledRules(world.sandbox);
    for (const pair of pairs)
      if (by !== undefined && !doubled.has(pair)) fault(`${by} sets a second rule going: ${pair}`);
    for (const pair of pairs) doubled.add(pair);
  }

  let renames: Renames = new Map();
  let number = 0;
  async function run(
    items: File,
    conditions: {
      readonly faults?: number;
      readonly kill?: { readonly at: number; readonly isDone: boolean } | undefined;
      readonly overwrite?: boolean;
      readonly options?: Partial<PlanOptions>;
      readonly campaign?: Campaign;
      /** Keys of an earlier version of the file. */
      readonly renames?: Renames;
    },
  ): Promise<Ended> {
    number += 1;
    tally.runs += 1;
    const { faults = 0, kill, overwrite = false, options = {}, renames: keys = renames } = conditions;
    const { campaign = campaignWith(keys, items) } = conditions;
    const name = `run${number}`;
    const one = world.open({ name, faults, kill });
    log(`${name}: ${JSON.stringify(conditions)}`);
    let begun: Step | undefined;
    const adopt = options.adopt === undefined ? {} : { adopt: adoptWith(keys, options.adopt) };
    const all = { overwrite, prune: false, ...options, ...adopt, zone: 'Europe/London' };
    const work = applied(one, campaign, all, (step) => {
      begun = step;
    }).then(
      (steps): Ended => ({ steps }),
      (error: unknown): Ended => ({ error, failed: begun }),
    );
    const ended = await Promise.race([work, one.killed.then((): Ended => ({ isKilled: true }))]);
    tally.requests += one.count();
    if (ended.isKilled) {
      tally.kills += 1;
      killed.add(name);
    }
    if (ended.error !== undefined) tally.failed += 1;
    log(
      `${name} ended: ${ended.isKilled ? 'killed' : ended.error === undefined ? 'done' : String(ended.error)}`,
    );
    return ended;
  }

  async function applied(
    { client }: RunClient,
    campaign: Campaign,
    options: PlanOptions,
    begin: (step: Step) => void,
  ): Promise<readonly Step[]> {
    const observed = await readAllRecordsForCampaign(client, campaign, options.adopt);
    const done = await applyCampaign(planCampaign(campaign, observed, options), {
      client,
      sends: sendPortsOf(client),
      note: async (line) => log(`  note: ${line}`),
      begin: async (step) => {
        log(`  begin ${JSON.stringify(step)}`);
        begin(withFirstKey(step));
      },
      end: async ({ step }) => {
        if (step.action === 'rename') tally.renamed += 1;
        else if (step.renamedFrom) tally.renamedAndChanged += 1;
      },
    });
    return done.map(({ step }) => withFirstKey(step));
  }

  /** Applies the file until a run ends undisturbed. */
  async function settle(items: File, overwrite: boolean): Promise<File> {
    isOverwriting = overwrite;
    if (overwrite) forget();
    let wanted = items;
    const prune = overwrite && chance.is(0.4);
    const adopt = overwrite && chance.is(0.4) ? await lostIn(items) : undefined;
    if (adopt) for (const item of Object.keys(adopt)) hands.lost.delete(item);
    const options = { prune, ...(adopt ? { adopt } : {}) };
    for (let attempt = 1; ; attempt += 1) {
      const ended = await run(wanted, { overwrite, options });
      atOnce = 1;
      if (ended.steps) {
        for (const [key, live] of await liveTasks(world.sandbox))
          if (
            live.length > 1 &&
            ended.steps.find((step) => step.kind === 'task' && step.key === key)?.action !== 'blocked'
          )
            if (withTimes(wanted).some((item) => item.kind === 'task' && item.key === key))
              fault(`task ${key} is scheduled ${live.length} times after a run that came to its end`);
        const steps = ended.steps;
        for (const step of steps)
          if (step.action === 'blocked')
            tally.blocked[step.blockedBy ?? '?'] = (tally.blocked[step.blockedBy ?? '?'] ?? 0) + 1;
        for (const what of await faultsOf(world.sandbox, {
          items: wanted,
          steps,
          hands,
          now: world.now(),
          mayHaveSpare,
          adopted: adopt ?? {},
          saidSince,
        }))
          fault(what);
        // Someone resumed the rule by hand, and the file wants it active. From now on it counts as the file's.
        for (const hand of hands.standing) {
          const { kind, key } = hand.item;
          const isKept = steps.some(
            (step) => step.kind === kind && step.key === key && step.action === 'keep',
          );
          if (kind === 'automation' && hand.set['paused'] === 0 && isKept) hands.standing.delete(hand);
        }
        // Contract: a record that the file no longer names is left as it is.
        if (overwrite)
          for (const { kind, key, action } of steps)
            if (key !== undefined && action !== 'blocked') hands.unpaused.delete(`${kind} ${key}`);
        // The next run performs steps that wait for another item to be replaced.
        if (!steps.some(({ reason }) => /apply (automation \S+|the other item) first/.test(reason ?? '')))
          await again(wanted, overwrite);
        return wanted;
      }
      const { error } = ended;
      // The run names the fault and makes no record, so the file is repaired.
      if (error instanceof SendError && error.kind === 'unexpected-size') {
        const [, present = ''] = /^task ([\w@-]+):/.exec(error.message) ?? [];
        const key = firstKey(present);
        if (((await liveTasks(world.sandbox)).get(key) ?? []).length > 0)
          fault(`${error.message}, and it is scheduled`);
        wanted = wanted.map((item) =>
          item.kind === 'task' && item.key === key.replace(/@.*/, '') ? { ...item, expectSize: null } : item,
        );
        continue;
      }
      // Its time came while the run was waiting.
      const isLate = error instanceof CampaignError && /by now$/.test(error.message);
      if (isLate && attempt < 5) continue;
      if (error instanceof CampaignError && attempt < 5 && (await hasGivenWay(ended.failed))) continue;
      fault(
        `a run alone fails: ${String(error)} ${error instanceof ClientError ? JSON.stringify(error.envelope ?? '') : (error as Error).stack}`,
      );
      return wanted;
    }
  }

  /**
   * Contract, "Sends and campaigns, once more": of two tasks or rules that do the same, the one with the higher id gives way, and `apply` ends
   * with 5. The plan has named both, the first is cancelled or paused now, and the other one is still active.
   */
  async function hasGivenWay({ reason = '' }: Partial<Step> = {}): Promise<boolean> {
    const named =
      /svc (?:cancels|pauses) (task|rule) (?:(\w+):)?(\d+), and \1 (?:(\w+):)?(\d+)(?: of another campaign)? stays$/.exec(
        reason,
      );
    if (named === null) return false;
    const [, kind, rule, id, rivalRule, rivalId] = named;
    if (Number(rivalId) >= Number(id)) fault(`the ${kind} with the lower id gave way: ${reason}`);
    const rows = await rowsOf(world.sandbox);
    const find = (of: string | undefined, wanted: unknown): SqlRow | undefined => {
      const table = of === undefined ? 'task' : `${of}_automation`;
      return rows.find(({ table: t, row }) => t === table && String(row['id']) === wanted)?.row;
    };
    const [own, rival] = [find(rule, id), find(rivalRule, rivalId)];
    if (own === undefined || rival === undefined) return false;
    if (kind === 'rule') return own['paused'] === 1 && rival['paused'] === 0;
    const isSame = ['list_id', 'search_id', 'channel'].every((column) => own[column] === rival[column]);
    const minute = ({ scheduledtime }: SqlRow): number => Math.floor(Number(scheduledtime) / 60);
    if (!isSame || minute(own) !== minute(rival)) fault(`gave way to another send: ${reason}`);
    return own['cancelled'] === 1 && rival['cancelled'] === 0;
  }

  /** Returns the values for `--adopt`: records of the file that lost their mark, if no other record has that mark. */
  async function lostIn(items: File): Promise<Readonly<Record<string, string>> | undefined> {
    const rows = (await rowsOf(world.sandbox)).filter(
      ({ kind, row }) => kind === 'automation' || (row['cancelled'] === 0 && row['completed'] === 0),
    );
    const isLost = ({ row }: StoredItem): boolean => !String(row['name']).includes('[svc-');
    const lost = rows.filter(
      (each) =>
        isLost(each) &&
        !rows.some((other) => other.kind === each.kind && other.key === each.key && !isLost(other)) &&
        // The command refuses a rule whose kind in the file has changed.
        withTimes(items).some(
          (item) =>
            item.kind === each.kind &&
            item.key === each.key &&
            hands.lost.has(keyOf(item)) &&
            (item.kind === 'task' || `${(item as WantedRule).rule}_automation` === each.table),
        ),
    );
    if (lost.length === 0) return undefined;
    const idOf = ({ kind, table, row }: StoredItem): string =>
      `${kind === 'automation' ? `${table.replace('_automation', '')}:` : ''}${String(row['id'])}`;
    return Object.fromEntries(lost.map((each) => [keyOf(each), idOf(each)]));
  }

  function forget(): void {
    hands.standing.clear();
    hands.cancelled.clear();
  }

  /** "Applying again immediately does nothing." */
  async function again(items: File, overwrite: boolean): Promise<void> {
    const before = world.sent.length;
    const ended = await run(items, { overwrite });
    const writes = world.sent.slice(before).filter(({ method }) => method !== 'GET' && method !== 'HEAD');
    if (ended.error !== undefined) fault(`applied again it fails: ${String(ended.error)}`);
    if (writes.length > 0)
      fault(`applied again it writes: ${writes.map(({ method, path }) => `${method} ${path}`).join(', ')}`);
  }

  let items = randomFile(chance, world.now());
  const rounds = Math.ceil(chance.between(2, 6));
  for (let round = 1; round <= rounds; round += 1) {
    log(`--- round ${round} at +${world.now() - NOW}: ${JSON.stringify(items)}`);
    const before = items;
    for (let edits = Math.floor(chance.between(0, 3)); edits > 0 && round > 1; edits -= 1)
      items = keepingRenames(renames, items, edited(chance, items, world.now()));
    log(`    edited: ${JSON.stringify(items)}`);
    for (const item of items)
      if (item.kind === 'task' && item.at.startsWith('+') && !saidSince.has(`${item.key} ${item.at}`))
        saidSince.set(`${item.key} ${item.at}`, world.now());
    isOverwriting = false;
    const earlier = renames;
    if (round > 1) renames = renamedMore(chance, renames, items);
    log(`    renamed: ${JSON.stringify([...renames])}`);
    const other = chance.is(0.25) ? otherCampaign(chance, items) : undefined;
    if (other && chance.is(0.5)) await run([], { campaign: other });
    const faults = chance.is(0.5) ? chance.pick([0.05, 0.2, 0.5]) : 0;
    const kill = (): { at: number; isDone: boolean } | undefined =>
      chance.is(0.4) ? { at: Math.ceil(chance.between(0, 40)), isDone: chance.is(0.6) } : undefined;
    const hand = async (): Promise<void> => {
      tally.byHand += 1;
      log('  by hand');
      const from = hands.standing.size;
      await changeByHand(world, chance, hands);
      await checkSame();
      log(
        `  by hand: ${JSON.stringify([...hands.standing].slice(from).map(({ path, set }) => [path, set]))}`,
      );
    };
    for (let count = Math.floor(chance.between(0, 2.4)); count > 0 && round > 1; count -= 1) await hand();
    // This happens while the run works.
    if (chance.is(0.4)) world.before.set(world.sent.length + Math.ceil(chance.between(8, 40)), hand);
    const first = kill();
    if (chance.is(0.35)) {
      const second = kill();
      atOnce = 2;
      const file = chance.is(0.3) ? before : items;
      // The other machine may not have the new keys yet.
      const keys = file === items && chance.is(0.4) ? { renames: earlier } : {};
      mayHaveSpare = true;
      await Promise.all([run(items, { faults, kill: first }), run(file, { faults, kill: second, ...keys })]);
      log('both ended');
      if (!first && !second && faults === 0) atOnce = 1;
    } else if (first || faults > 0 || chance.is(0.5)) await run(items, { faults, kill: first });
    world.before.clear();
    await checkStanding();
    items = await settle(items, chance.is(0.3));
    if (other) await run([], { campaign: other });
    await checkStanding();
    isOverwriting = false;
    if (chance.is(0.5)) await world.pass(Math.ceil(chance.betweenLog(60, 30 * HOUR)));
  }
  await world.pass(60 * HOUR);
  for (const { key, what } of await sentTwice(world.sandbox))
    if (!hands.lost.has(`task ${key}`)) fault(`sent twice: ${what}`);
  tally.sent = (await world.sandbox.rows('task_recipient')).length;
  const ofSeries = (await rowsOf(world.sandbox, ['task'])).filter(({ key }) => key.includes('@'));
  tally.ofSeries = ofSeries.length;
  tally.sentOfSeries = ofSeries.filter(({ row }) => row['completed'] === 1).length;
  for (const report of world.sandbox.reports) fault(`the service has a bug: ${String(report)}`);
  await world.sandbox.service.store.close();
  return tally;
}
