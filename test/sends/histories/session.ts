/** Runs one history: several runners at once or one after the other, a person in between, a later run of each command, and the sends. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceContextParts } from '../../../src/cli/outside/context.ts';
import { main } from '../../../src/main.ts';
import { queueTriggeredRuleActions } from '../../../src/sandbox/engine/automations/triggers.ts';
import { runAccountWorkStep } from '../../../src/sandbox/engine/step.ts';
import { type Chance, createChance } from '../../client/simulation-world.ts';
import { putSubscriber } from '../../support/messages.ts';
import { outsideOf } from '../../support/run-cli.ts';
import { IDS, NOW } from '../../support/sandbox.ts';
import { makeTemporaryFolder, removeFolder } from '../../support/temporary-folder.ts';
import { actByHand } from './hands.ts';
import { doublesIn, type Hand, isWanted, receivedTwice, type Thing, thingsOf, unmeantIn } from './judge.ts';
import { type Job, MAKERS, type Maker, type Pair, pairOf } from './makers.ts';
import {
  type Conditions,
  type Connection,
  connect,
  GOOD,
  KILLS,
  type Kill,
  type OnTheWay,
} from './network.ts';
import { type Ended, type Fault, faultsOfKey, faultsOfRun, namesAll, textOf } from './run-judge.ts';
import { openWorld } from './world.ts';

export interface Tally {
  readonly maker: Maker;
  readonly faults: string[];
  /** How often each thing occurred: kills, faults of the network, exits, hands. */
  readonly counts: Record<string, number>;
}

/** Seconds before a send in which svc does not cancel any more (docs/acceptance.md, "The lowest id stays"), with those of a run. */
const SHORT_LEAD = 10 * 60 + 120;
/** No run waits longer than this many milliseconds. */
const LONGEST_RUN = 4 * 3_600_000;

/** Returns the maker of a history, without running it. */
export const makerOf = (seed: number): Maker => createChance(seed).pick(MAKERS);

export async function runSeed(seed: number, log: (line: string) => void = () => undefined): Promise<Tally> {
  const chance = createChance(seed);
  return runHistory(seed, chance, pairOf(chance, chance.pick(MAKERS)), log);
}

async function runHistory(
  seed: number,
  chance: Chance,
  pair: Pair,
  log: (line: string) => void,
): Promise<Tally> {
  const tally: Tally = { maker: pair.maker, faults: [], counts: { [pair.maker]: 1 } };
  const count = (what: string, by = 1): void => {
    tally.counts[what] = (tally.counts[what] ?? 0) + by;
  };
  const fault = (kind: string, what: string): void => {
    count(kind);
    tally.faults.push(`seed ${seed} (${pair.maker}): ${kind}: ${what}`);
    log(`FAULT ${kind}: ${what}`);
  };
  const judge = (found: readonly Fault[]): void => {
    for (const each of found) fault(...each);
  };
  const folder = await makeTemporaryFolder('history');
  const lag = chance.is(0.25) ? chance.between(500, 10_000) : 0;
  /** The runners at work. */
  const active = new Set<Connection>();
  const world = await openWorld(lag > 0, () => [...active].some((each) => !each.isWaiting()));
  const onTheWay: OnTheWay = { count: 0 };
  const hands: Hand[] = [];
  let acts = 0;
  const jobs = new Map<string, Job>();
  const ended: Ended[] = [];
  let running = 0;
  let hasFaults = false;

  for (const job of pair.jobs)
    for (const [name, text] of Object.entries(job.files)) {
      mkdirSync(join(folder, `${job.title}.files`), { recursive: true });
      writeFileSync(join(folder, `${job.title}.files`, name), text);
    }

  /** Starts a command, and adds to `ended` when it is over. */
  function start(job: Job, name: string, conditions: Conditions, machine: string, argv = job.argv): void {
    jobs.set(name, job);
    running += 1;
    const startedAt = world.now();
    let isAlone = running === 1 && onTheWay.count === 0;
    const connection = connect(world, { name, seed: seed * 101 + jobs.size, log }, conditions, onTheWay);
    log(
      `${name} at +${world.now() - NOW * 1000} on ${machine}: svc ${argv.join(' ')} ${JSON.stringify(conditions)}`,
    );
    const { context, readStdout, readStderr } = outsideOf({
      transport: connection.transport,
      env: { SVC_STATE_DIR: join(folder, machine) },
      cwd: join(folder, `${job.title}.files`),
      random: connection.random,
      machineZone: 'Europe/London',
    });
    active.add(connection);
    const work = main(argv, replaceContextParts(context, { clock: connection.clock }));
    const actsBefore = acts;
    const watch = (): void => {
      if (running > 1 || onTheWay.count > 0) isAlone = false;
    };
    watchers.add(watch);
    void Promise.race([work, connection.killed]).then(async (exit) => {
      watch();
      const things = await thingsOf(world);
      const doubles = doublesIn(things, pair.jobs);
      for (const each of connection.faults) count(each);
      if (connection.faults.length > 0 || exit === 'killed') hasFaults = true;
      count(exit === 'killed' ? 'killed' : `exit ${exit}`);
      if (exit === 'killed') count(`killed ${conditions.kill?.how}`);
      // The journal of this machine knows what lists that lag do not show yet.
      const isKnown =
        job.by === 'key' &&
        acts === 0 &&
        ended.length > 0 &&
        ended.every((each) => each.exit === 0 && each.job === job && each.machine === machine);
      // A person may act after the last look of a run.
      const isUndisturbed =
        isAlone && acts === actsBefore && connection.faults.length === 0 && (conditions.lag === 0 || isKnown);
      ended.push({
        name,
        job,
        machine,
        exit,
        stdout: readStdout(),
        stderr: readStderr(),
        isUndisturbed,
        doubles,
        things,
        startedAt,
      });
      log(`${name} ended: ${exit} ${JSON.stringify(readStdout())}\n${readStderr()}`);
      watchers.delete(watch);
      active.delete(connection);
      running -= 1;
    });
  }
  const watchers = new Set<() => void>();

  async function finish(limit = world.now() + LONGEST_RUN): Promise<boolean> {
    return world.drive(() => {
      for (const watch of watchers) watch();
      return running === 0;
    }, limit);
  }

  // 1. The runners.
  const [first, second] = pair.jobs;
  const runners = chance.is(0.15)
    ? [first]
    : chance.is(0.7)
      ? [first, second]
      : [first, second, chance.pick(pair.jobs)];
  const faults = chance.is(0.5) ? 0 : chance.pick([0.1, 0.3, 0.6]);
  const isOneMachine = chance.is(0.5);
  const isEven = chance.is(0.6);
  const machines = new Map<Job, string>();
  let wait = 0;
  let isInTurn = false;
  const begin: (() => void)[] = [];
  for (const [number, job] of runners.entries()) {
    const machine = isOneMachine ? 'machine' : `machine${number + 1}`;
    machines.set(job, machine);
    const isOnce = job.by === 'hand' && number > 0 && runners[0] === job;
    if (isOnce) continue;
    const conditions: Conditions = {
      faults,
      lag,
      isEven,
      kill: job.by !== 'hand' && chance.is(0.3) ? killOf(chance, job) : undefined,
    };
    const run = (): void => start(job, `run${number + 1}`, conditions, machine);
    if (number > 0 && chance.is(0.2)) isInTurn = true;
    if (isInTurn) begin.push(run);
    else {
      wait += number === 0 ? 0 : chance.is(0.7) ? chance.between(0, 60) : chance.between(0, 4000);
      if (wait === 0) run();
      else {
        running += 1;
        world.at(world.now() + wait, () => {
          running -= 1;
          run();
        });
      }
    }
  }
  const hasHand = chance.is(0.35);
  const isHandDuring = chance.is(0.6);
  const hand = async (): Promise<boolean> => {
    acts += 1;
    return actByHand(world, chance, hands, count, log);
  };
  /** A person sees a record only once it exists. */
  const handAt = (delay: number, tries: number): void =>
    world.at(world.now() + delay, async () => {
      if (!(await hand()) && tries > 1 && running > 0) handAt(chance.between(20, 500), tries - 1);
    });
  if (hasHand && isHandDuring) handAt(chance.betweenLog(200, 5000), 20);
  let isHanging = !(await finish());
  for (const run of begin) {
    if (isHanging) break;
    run();
    isHanging = !(await finish());
  }
  if (isHanging) fault('hang', `${running} runs never end`);
  else await world.drain();

  // 2. What a run alone may say.
  for (const each of ended) judge(faultsOfRun(each, false, hands));

  // 3. Time passes, but not until the send.
  if (hasHand && !isHandDuring) await hand();
  const isFarAhead = chance.is(0.5);
  const due = soonest(await thingsOf(world));
  const left = due - world.now() / 1000 - 30;
  if (left > 60 && !isHanging)
    await world.pass(isFarAhead ? Math.min(left / 3, 400) : chance.between(0, left));

  // 4. A later run of each.
  const later = [...new Set(runners)].filter((job) => job.by !== 'hand');
  if (chance.is(0.5)) later.reverse();
  const lastRuns: Ended[] = [];
  const lead = (): number => soonest(lastThings) - world.now() / 1000;
  let lastThings = await thingsOf(world);
  const leadAtLaterRuns = lead();
  for (const job of isHanging ? [] : later) {
    const machine = machines.get(job) ?? 'machine';
    const looks = job.check !== undefined && chance.is(0.6) ? [job.check] : [];
    for (const argv of [...looks, job.argv]) {
      start(job, `later${lastRuns.length + 1}`, GOOD, machine, argv);
      if (!(await finish())) {
        fault('hang', `${argv.join(' ')} never ends`);
        isHanging = true;
        break;
      }
      const run = ended.at(-1);
      if (!run) continue;
      lastRuns.push(run);
      judge(faultsOfRun(run, true, hands));
      judge(await faultsOfKey(world, run));
    }
  }
  await world.drain();
  lastThings = await thingsOf(world);

  // 5. The records.
  const isTold = (group: readonly Thing[]): boolean => {
    const concerned = lastRuns.filter(({ job }) => group.some(({ name }) => job.owns(name)));
    const areTold = concerned.every(
      ({ exit, stdout, stderr }) => exit !== 0 && namesAll(`${stdout}${stderr}`, group),
    );
    const isShort =
      group.some(({ row, kind }) => kind === 'task' && row['completed'] === 1) || leadOf(group) < SHORT_LEAD;
    return concerned.length > 0 && areTold && isShort && leadAtLaterRuns < SHORT_LEAD;
  };
  for (const what of await unmeantIn(world, jobs, hands, isTold)) fault('unmeant', what);
  const standing = doublesIn(lastThings, pair.jobs);
  const told = new Set<readonly Thing[]>();
  for (const group of standing) {
    if (isTold(group)) {
      count('told');
      told.add(group);
    } else fault('double', `${textOf(group)} (${Math.round(leadOf(group))} s ahead)`);
  }
  const isCalm = !hasFaults && lag === 0 && !hasHand && !isHanging;
  if (isCalm) judgeCalm();

  // 6. The outbox.
  if (!isHanging) await judgeOutbox();
  for (const report of world.sandbox.reports) fault('service', String(report));
  await world.close();
  await removeFolder(folder);
  return tally;

  function leadOf(group: readonly Thing[]): number {
    return (
      Math.min(...group.map(({ row }) => Number(row['scheduledtime'] ?? Number.POSITIVE_INFINITY))) -
      world.now() / 1000
    );
  }

  /** Without faults, lag and hands, one of each stays, and unrelated jobs do not disturb each other. */
  function judgeCalm(): void {
    for (const job of later) {
      const live = lastThings.filter((each) => each.isLive && isWanted(each, job));
      const isRun = lastRuns.some((run) => run.job === job && run.exit === 0);
      if (pair.areUnrelated && !isRun && leadAtLaterRuns > 600)
        fault('withheld', `${job.argv.join(' ')} is refused, though nothing is the same`);
      if (pair.areUnrelated && live.length !== 1)
        fault('withheld', `${job.title} is live ${live.length} times`);
    }
    const isSend = pair.jobs.some(({ wants }) =>
      wants.some(({ kind }) => kind === 'task' || kind === 'rule'),
    );
    if (isSend && !lastThings.some((each) => each.isLive && pair.jobs.some((job) => isWanted(each, job))))
      fault('withheld', 'nothing is live at the end');
  }

  async function judgeOutbox(): Promise<void> {
    const groups = doublesIn(lastThings, pair.jobs);
    if (pair.jobs.some(({ wants }) => wants.some(({ kind }) => kind === 'rule'))) {
      const { db } = world.sandbox.service.store;
      const newcomer = { email: 'new@example.com', msisdn: '447700900777' };
      const subscriber = await putSubscriber(world.sandbox, [1, 2], newcomer);
      for (const listId of [1, 2])
        await runAccountWorkStep(db, IDS.company, (step) =>
          queueTriggeredRuleActions(
            { step, now: Math.floor(world.now() / 1000) },
            { kind: 'subscription', listId },
            subscriber,
          ),
        );
    }
    await world.pass(60 * 86_400);
    const received = await world.sandbox.rows('task_recipient');
    count('received', received.length + (await world.sandbox.rows('delivery')).length);
    for (const group of groups) {
      const twice = await receivedTwice(world, group);
      if (twice.length > 0) count(told.has(group) ? 'received twice, told' : 'received twice');
    }
  }
}

/** Returns the Unix seconds of the earliest send, at most a day from the start. */
const soonest = (things: readonly Thing[]): number =>
  Math.min(
    NOW + 86_400,
    ...things
      .filter(({ kind, isLive, madeBy }) => kind === 'task' && isLive && madeBy !== undefined)
      .map(({ row }) => Number(row['scheduledtime'])),
  );

/** Half of the kills are at a write, where they matter most. */
function killOf(chance: Chance, job: Job): Kill {
  const how = chance.pick(KILLS);
  return chance.is(0.5)
    ? { of: 'writes', at: chance.pick([1, 1, 2, 3]), how }
    : { of: 'requests', at: Math.ceil(chance.between(0, job.by === 'campaign' ? 42 : 9)), how };
}
