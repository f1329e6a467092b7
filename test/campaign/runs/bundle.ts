/**
 * Runs one seed of bundles: a campaign file for the companies of a partner, planned as a bundle, applied under bad conditions, changed by
 * hand, renamed and bundled again. Only the store counts: each company has each thing once, and nothing that no plan in use has.
 * The order in which two runs at once are performed also depends on the disk, so a seed does not always repeat them.
 */
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SqlRow } from '../../../src/sandbox/store/rows.ts';
import { createChance } from '../../client/simulation-world.ts';
import type { Run } from '../../support/run-cli.ts';
import { makeKey } from '../../support/ssh-keys.ts';
import { HOUR } from '../support.ts';
import {
  type BundleFile,
  type CompanyValues,
  editedBundleFile,
  randomBundleFile,
  timesOfTask,
  writeBundleFile,
  writeValues,
} from './bundle-file.ts';
import { type BundleWorld, type MachineRun, openBundleWorld, type WriteSent } from './bundle-world.ts';
import { sentTwice } from './oracle.ts';
import { rowsOf, type StoredItem } from './stored.ts';

export interface BundleTally {
  readonly faults: string[];
  bundles: number;
  bundleKills: number;
  bundleRaces: number;
  bundleHands: number;
  /** Companies that had drifted and were blocked alone. */
  bundleDrifted: number;
  /** Bundles with a plan that was taken out or put in, and those over the budget. */
  bundleRefused: number;
  bundleOverBudget: number;
  bundleApproved: number;
  bundleRenamed: number;
  /** New plans after runs at once or changes by hand. */
  bundlePlannedAgain: number;
  bundleSent: number;
}

/** The machine of a person who changes records without a campaign. */
const BY_HAND = 'by-hand';

const isMarked = ({ row }: StoredItem): boolean => String(row['name']).includes('[svc-');
const accountOf = ({ row }: StoredItem): number => Number(row['account_id']);

export async function runBundleSeed(
  seed: number,
  log: (line: string) => void = () => undefined,
): Promise<BundleTally> {
  const chance = createChance(seed);
  const tally: BundleTally = {
    ...{ faults: [], bundles: 0, bundleKills: 0, bundleRaces: 0, bundleHands: 0, bundleDrifted: 0 },
    ...{ bundleRefused: 0, bundleOverBudget: 0, bundleApproved: 0, bundleRenamed: 0 },
    ...{ bundlePlannedAgain: 0, bundleSent: 0 },
  };
  const fault = (what: string): void => {
    tally.faults.push(`seed ${seed} (bundle): ${what}`);
    log(`FAULT ${what}`);
  };
  let file = randomBundleFile(chance);
  const values = new Map<number, CompanyValues>();
  /** The companies whose plans a run may apply. */
  let meant: readonly number[] = [];
  /** The number of runs that work at once, or were killed since the last run that completed alone. */
  let atOnce = 1;
  let mayHaveSpare = false;

  const world: BundleWorld = await openBundleWorld(chance, createChance(seed), async (sent) => {
    log(`  ${sent.company}: ${sent.method} ${sent.path}`);
    await checkWrite(sent);
  });
  const { agency, companies, lists } = world;
  const { sandbox } = agency;
  const path = (...names: string[]): string => join(agency.folder, ...names);
  for (const id of companies) values.set(id, { list: lists.get(id)?.[0] ?? 0, city: `City-${id}` });

  /** "Nothing is sent twice", at every moment, and no company gets what no plan in use has. */
  async function checkWrite({ machine: by, company, method, path: target }: WriteSent): Promise<void> {
    if (by === BY_HAND) return;
    if (!meant.includes(company)) fault(`${method} ${target} in company ${company}, which is not meant`);
    const rows = (await rowsOf(sandbox, ['task', 'subscription_automation'])).filter(isMarked);
    const live = new Map<string, number>();
    for (const each of rows) {
      const { row, kind } = each;
      const isLive = kind === 'task' ? row['cancelled'] === 0 : row['paused'] === 0;
      if (!isLive) continue;
      const name = `${kind} ${each.key} of company ${accountOf(each)}`;
      live.set(name, (live.get(name) ?? 0) + 1);
      if (kind === 'task' && accountOf(each) === company && method === 'POST') checkMeant(each, company);
    }
    for (const [name, count] of live)
      if (count > (name.startsWith('task') ? atOnce : 1)) fault(`${name} is live ${count} times`);
  }

  /** Tasks that earlier bundles made, by id. Each was checked when it was made. */
  const known = new Set<string>();
  function checkMeant({ key, row }: StoredItem, company: number): void {
    if (known.has(String(row['id']))) return;
    known.add(String(row['id']));
    const time = file.tasks.flatMap(timesOfTask).find(([name]) => name === key)?.[1];
    const isRight =
      row['list_id'] === values.get(company)?.list &&
      row['scheduledtime'] === time &&
      bare(row).endsWith(` in ${values.get(company)?.city}`);
    if (!isRight) fault(`no plan of company ${company} has task ${key}: ${JSON.stringify(row)}`);
  }

  let machine = 0;
  async function svc(line: string, how: MachineRun = {}): Promise<Run | undefined> {
    const run = await world.svc(line, how);
    if (run === undefined) tally.bundleKills += 1;
    log(`svc ${line}: ${run === undefined ? 'killed' : `${run.exitCode} ${run.stderr.trim()}`}`);
    return run;
  }
  async function refused(line: string, what: string, exits: readonly number[] = [2]): Promise<void> {
    const before = world.written.length;
    const run = await svc(line);
    if (run === undefined || !exits.includes(run.exitCode))
      fault(`${what}: exit ${run?.exitCode}, ${run?.stderr}`);
    if (world.written.length > before) fault(`${what}, and it writes`);
  }

  let number = 0;
  const selector = chance.is(0.7) ? 'all' : companies.slice(0, 2).join();
  const chosen = selector === 'all' ? companies : companies.slice(0, 2);
  async function planned(flags = ''): Promise<string> {
    number += 1;
    tally.bundles += 1;
    for (const [name, text] of Object.entries(writeBundleFile(file))) await writeFile(path(name), text);
    await writeFile(path('values.yaml'), writeValues(values));
    const line = `plan spring.yaml --companies ${selector} --values values.yaml --out b${number}${flags}`;
    const run = await svc(line);
    if (run?.exitCode !== 0) fault(`cannot plan: ${run?.stderr}`);
    if (identity !== undefined) {
      const approved = await svc(`approve b${number}/bundle.plan --identity ${identity} --yes`);
      if (approved?.exitCode !== 0) fault(`cannot approve: ${approved?.stderr}`);
      tally.bundleApproved += 1;
    }
    return `b${number}`;
  }

  /** The path of a person's key, if the profile requires an approval. */
  let identity: string | undefined;
  if (chance.is(0.2)) {
    const { path: key, line } = await makeKey(agency.folder, 'ada');
    await writeFile(path('team.signers'), `ada@example.com ${line}\n`);
    await svc(`profile set agency signers ${path('team.signers')}`);
    await svc('profile set agency require-approvals 1');
    identity = key;
  }

  /** Changes a live task or an active rule of the company by hand, if it has one. */
  async function changeByHand(company: number): Promise<boolean> {
    const own = (await rowsOf(sandbox, ['task', 'subscription_automation'])).filter(
      (each) =>
        accountOf(each) === company &&
        isMarked(each) &&
        (each.kind === 'task'
          ? each.row['cancelled'] === 0 &&
            each.row['completed'] === 0 &&
            Number(each.row['scheduledtime']) > world.now() + HOUR
          : each.row['paused'] === 0),
    );
    if (own.length === 0) return false;
    const { kind, row } = chance.pick(own);
    const id = String(row['id']);
    const later = (): string => new Date((Number(row['scheduledtime']) + 900) * 1000).toISOString();
    const line =
      kind === 'automation'
        ? `automation pause subscription:${id}`
        : // A profile that requires approvals lets nobody move a task.
          chance.is(0.5) || identity !== undefined
          ? `task cancel ${id}`
          : `task update ${id} --scheduledtime ${later()}`;
    const run = await world.svc(`${line} --company ${company} --yes`, { machine: BY_HAND });
    log(`by hand: ${line} in company ${company}: ${run?.exitCode} ${run?.stderr}`);
    if (run?.exitCode !== 0) fault(`cannot change by hand: ${run?.stderr}`);
    tally.bundleHands += 1;
    return true;
  }

  async function checkSettled(of: readonly number[]): Promise<void> {
    const all = await rowsOf(sandbox);
    for (const company of of) {
      const own = all.filter((each) => accountOf(each) === company && isMarked(each));
      for (const what of unsettled(own, file, { ...valuesOf(company), now: world.now(), mayHaveSpare }))
        fault(`company ${company}: ${what}`);
    }
  }
  const valuesOf = (company: number): CompanyValues => values.get(company) ?? { list: 0, city: '' };

  /** "A plan right after that is empty", and the bundle has nothing to do. */
  async function checkDone(bundle: string): Promise<void> {
    const before = world.written.length;
    const again = await svc(`apply ${bundle}/bundle.plan --yes`);
    if (again?.exitCode !== 0 || world.written.length > before)
      fault(`applied again: exit ${again?.exitCode}, ${again?.stderr}`);
  }

  const rounds = Math.ceil(chance.between(0, 3));
  let earlier: string | undefined;
  for (let round = 1; round <= rounds; round += 1) {
    const renamesBefore = JSON.stringify(file.renames);
    for (let edits = Math.ceil(chance.between(0, 3)); edits > 0 && round > 1; edits -= 1)
      file = editedBundleFile(chance, file);
    if (JSON.stringify(file.renames) !== renamesBefore) tally.bundleRenamed += 1;
    if (round > 1 && chance.is(0.3)) {
      const id = chance.pick(chosen);
      values.set(id, { ...valuesOf(id), list: chance.pick(lists.get(id) ?? [0]) });
    }
    log(`--- round ${round}: ${JSON.stringify(file)} ${JSON.stringify([...values])}`);
    meant = [];
    let bundle = await planned();
    if (chance.is(0.3)) await tamper(bundle, earlier);
    if (round === 1 && chance.is(0.3)) await exceedBudget(bundle);

    const drifted = chance.is(0.3) ? chance.pick(chosen) : undefined;
    const hasDrifted = drifted !== undefined && (await changeByHand(drifted));
    meant = hasDrifted ? chosen.filter((id) => id !== drifted) : chosen;
    const line = `apply ${bundle}/bundle.plan --yes`;
    const kill = (): MachineRun['kill'] =>
      chance.is(0.6) ? { at: Math.ceil(chance.between(0, 12)), isDone: chance.is(0.6) } : undefined;
    const hand =
      chance.is(0.2) && round > 1
        ? { at: Math.ceil(chance.between(20, 80)), act: () => changeByHand(chance.pick(meant)) }
        : undefined;
    const isRace = chance.is(0.3);
    if (isRace) {
      atOnce = 2;
      mayHaveSpare = true;
      machine += 1;
      tally.bundleRaces += 1;
      await Promise.all([
        svc(line, { kill: kill(), before: hand }),
        svc(line, { kill: kill(), machine: `machine-${machine}` }),
      ]);
    } else {
      for (let kills = Math.floor(chance.between(0, 3)); kills > 0; kills -= 1)
        await svc(line, { kill: kill(), before: hand });
    }
    const run = await svc(line);
    atOnce = 1;
    if (hasDrifted) {
      tally.bundleDrifted += 1;
      if (run?.exitCode !== 5 || !run.stderr.includes(`company ${drifted} `))
        fault(`company ${drifted} has drifted: exit ${run?.exitCode}, ${run?.stderr}`);
    }
    // After a crash the bundle continues. After other runs or changes by hand, svc may ask for a new plan.
    const isDisturbed = isRace || hand !== undefined;
    if (!isDisturbed && !hasDrifted && run?.exitCode !== 0) fault(`alone it fails: ${run?.stderr}`);
    if (!isDisturbed) await checkSettled(meant);
    if (run?.exitCode !== 0 || isDisturbed) {
      if (![0, 5].includes(run?.exitCode ?? 0)) fault(`exit ${run?.exitCode}, ${run?.stderr}`);
      tally.bundlePlannedAgain += 1;
      meant = [];
      bundle = await planned(' --overwrite');
      meant = chosen;
      const last = await svc(`apply ${bundle}/bundle.plan --yes`);
      if (last?.exitCode !== 0) fault(`the new plan fails: exit ${last?.exitCode}, ${last?.stderr}`);
    }
    await checkSettled(chosen);
    meant = [];
    await checkDone(bundle);
    if (earlier !== undefined && chance.is(0.3))
      await refused(`apply ${earlier}/bundle.plan --yes`, 'an earlier bundle is applied', [0, 2, 5]);
    earlier = bundle;
    if (chance.is(0.6)) await world.pass(Math.ceil(chance.betweenLog(60, 30 * HOUR)));
  }

  /** A plan of a bundle is of no use without it, nor in another one. */
  async function tamper(bundle: string, other: string | undefined): Promise<void> {
    tally.bundleRefused += 1;
    const id = chance.pick(chosen);
    const name = `${id}.plan`;
    if (chance.is(0.5)) {
      await refused(`apply ${bundle}/${name} --company ${id} --yes`, 'a plan was taken out of its bundle');
      return;
    }
    const from = other !== undefined && chance.is(0.5) ? other : await planned();
    const own = await readFile(path(bundle, name));
    await copyFile(path(from, name), path(bundle, name));
    await refused(`apply ${bundle}/bundle.plan --yes`, 'a plan of another bundle was put in');
    await writeFile(path(bundle, name), own);
  }

  /** The tasks of all companies on one day count together. */
  async function exceedBudget(bundle: string): Promise<void> {
    const days = new Map<string, number>();
    for (const task of file.tasks)
      for (const [, time] of timesOfTask(task).slice(0, task.repeat?.ahead)) {
        const day = new Date(time * 1000).toISOString().slice(0, 10);
        days.set(day, (days.get(day) ?? 0) + chosen.length);
      }
    tally.bundleOverBudget += 1;
    await svc(`profile set agency budget.tasks-per-day ${Math.max(...days.values()) - 1} --yes`);
    await refused(`apply ${bundle}/bundle.plan --yes`, 'the companies together exceed the budget');
    await svc(`profile set agency budget.tasks-per-day ${10 * Math.max(...days.values())} --yes`);
  }

  await world.pass(60 * 24 * HOUR);
  for (const { what } of await sentTwice(sandbox)) fault(`sent twice: ${what}`);
  tally.bundleSent = (await sandbox.rows('task_recipient')).length;
  for (const report of sandbox.reports) fault(`the service has a bug: ${String(report)}`);
  await world.close();
  return tally;
}

const bare = (row: SqlRow | undefined): string => String(row?.['name']).replace(/ \[svc-[^\]]*\]$/, '');

/** Returns what differs in one company from the file with its values. */
function unsettled(
  own: readonly StoredItem[],
  { texts, tasks, steps }: BundleFile,
  { list, city, now, mayHaveSpare }: CompanyValues & { readonly now: number; readonly mayHaveSpare: boolean },
): readonly string[] {
  const faults: string[] = [];
  const textOf = (id: unknown): unknown =>
    own.find(({ table, row }) => table === 'sms_message' && String(row['id']) === String(id))?.row['message'];
  for (const [key, text] of Object.entries(texts)) {
    const current = own.filter(
      (each) => each.kind === 'message' && each.key === key && each.row['message'] === text,
    );
    if (current.length === 0 || (current.length > 1 && !mayHaveSpare))
      faults.push(`${current.length} messages ${key} have the text of the file`);
  }
  const wanted = tasks.flatMap((task) =>
    // The next times of a series, and those that were made before.
    timesOfTask(task)
      .filter(([, time]) => task.repeat === undefined || time - now >= 2 * HOUR)
      .slice(0, task.repeat?.ahead)
      .map(([key, time]) => ({ task, key, time })),
  );
  for (const { task, key, time } of wanted) {
    const live = own.filter(
      (each) => each.kind === 'task' && each.key === key && each.row['cancelled'] === 0,
    );
    const [one] = live;
    const { row } = one ?? {};
    if (live.length !== 1 || row === undefined) {
      faults.push(`task ${key} is scheduled ${live.length} times`);
      continue;
    }
    const isRight =
      row['list_id'] === list &&
      row['scheduledtime'] === time &&
      textOf(row['message_id']) === texts[task.message] &&
      bare(row) === `Task ${task.key} in ${city}`;
    if (!isRight) faults.push(`task ${key} is not as the file says: ${JSON.stringify(row)}`);
  }
  for (const { key, message } of steps) {
    const active = own.filter(
      (each) => each.kind === 'automation' && each.key === `w1/${key}` && each.row['paused'] === 0,
    );
    const [one] = active;
    const isRight =
      active.length === 1 &&
      one?.row['list_id'] === list &&
      textOf(one.row['actiontarget']) === texts[message];
    if (!isRight)
      faults.push(
        `step ${key} has ${active.length} active rules: ${JSON.stringify(active.map(({ row }) => row))}`,
      );
  }
  for (const { kind, key, row } of own) {
    const isLive = kind === 'task' && row['cancelled'] === 0 && row['completed'] === 0;
    const isOfFile = tasks.flatMap(timesOfTask).some(([name]) => name === key);
    if (isLive && !isOfFile) faults.push(`task ${key} is scheduled, and is not in the file`);
  }
  return faults;
}
