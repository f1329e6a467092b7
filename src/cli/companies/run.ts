/** Implements `--companies`: runs one verb over many companies of a partner (contract, "Partners and many companies"). */

import { setMaxListeners } from 'node:events';
import { resolve } from 'node:path';
import { isBulkError } from '../../client/bulk/errors.ts';
import { type CompaniesCheckpoint, openCompaniesCheckpoint } from '../../client/companies/checkpoint.ts';
import { createRowMerger } from '../../client/companies/merged-rows.ts';
import { isResumeError, type ResumeError } from '../../client/companies/resume.ts';
import { type SelectedCompany, selectCompanies } from '../../client/companies/selector.ts';
import { companiesOfProfile } from '../../client/profiles/roster.ts';
import { runConcurrently } from '../../client/requests/limiter.ts';
import type { AccountId } from '../../service/auth/credentials.ts';
import type { Input, Outcome, PreparedVerb, Verb } from '../command/command.ts';
import { companiesAtOnceFlag, companiesCheckpointFlag, writeFlag } from '../command/companies-flags.ts';
import { CliError, UsageError } from '../errors/errors.ts';
import { combineExitCodes, EXIT, type ExitCode } from '../errors/exit-codes.ts';
import { explainError } from '../errors/explain-error.ts';
import type { Rows } from '../output/result.ts';
import type { InputStream } from '../outside/context.ts';
import { COMPANY_COLUMNS } from '../request/company-rows.ts';
import { canAskUser, confirmByTyping, requireYesFlagOrTerminal } from '../request/guards.ts';
import { readText } from '../request/input-text.ts';
import { showBeforeConfirmation } from '../request/page.ts';
import { countsCompaniesOnTerminal } from '../session/globals.ts';
import { once } from '../session/once.ts';
import type {
  Clocks,
  Commands,
  Invocation,
  Notes,
  Ports,
  Profiles,
  ServiceAccess,
  Tell,
} from '../session/ports.ts';
import { refuseWriteIfReadOnly } from '../session/write-stages.ts';
import {
  type CompanyRunOptions,
  computeRunIdentity,
  createSingleCompanyRun,
  type RowFormatForAllCompanies,
  type SingleCompanyRun,
} from './company-run.ts';
import { type CompanyProgressDisplay, createCompanyProgressDisplay } from './progress.ts';

const MAX_OCTETS = 16 * 1024 * 1024;

/** If one company fails, the others continue. @throws errors that concern the whole command */
export async function runVerbForCompanies(session: Ports, verb: Verb, input: Input): Promise<Outcome> {
  const { globals, context } = session;
  const { selector, selected, roster, profile } = await selectCompaniesOfRun(session);
  const writes = workOf(verb, input) === 'writes';
  const isChange = writes && !globals.dryRun;
  const confirm = (companies: readonly SelectedCompany[]): Promise<void> =>
    confirmByTyping(session, `run ${session.command} on ${namesOf(companies)}`, String(companies.length));
  if (isChange) {
    refuseWriteIfReadOnly(profile);
    const isAllowed = input.get(writeFlag) && (globals.yes || canAskUser(session));
    if (!isAllowed) await refuseFaultyCommand(session, verb, input, selected[0]);
    if (!input.get(writeFlag))
      throw new UsageError(
        `cannot run ${session.command} on ${countOf(selected)} without --write; nothing was sent`,
      );
  }
  const { run, preview, finish }: PreparedVerb = (await verb.prepare?.(session, input)) ?? verb;
  if (isChange) requireYesFlagOrTerminal(session, `run ${session.command} on ${namesOf(selected)}`);
  const isShownFirst = isChange && preview !== undefined;
  if (isChange && !isShownFirst) await confirm(selected);
  if (isChange && globals.yes && countsCompaniesOnTerminal(context, globals))
    await session.warn(`on ${namesOf(selected)}, profile ${roster.name}`);
  const checkpoint = await checkpointOf(session, verb, input, { selector, selected, isChange });
  try {
    const known = new Map(companiesOfProfile(roster).map(({ id, name }) => [id, name]));
    const companies = (checkpoint?.companies ?? selected.map(({ id }) => id)).map(
      (id): SelectedCompany => ({ id, name: known.get(id) }),
    );
    if (checkpoint?.isResumed) await sayResumed(session, checkpoint, selected);
    const stdin = sharedStdin(context.stdin, isChange && checkpoint !== undefined);
    const work = { run, input, writes, checkpoint, stdin, isShown: isShownFirst };
    const atOnce = input.get(companiesAtOnceFlag);
    const shown = isShownFirst
      ? await previewChanges(session, companies, { ...work, run: preview, writes: false }, atOnce)
      : undefined;
    const left = companies.filter(({ id }) => !shown?.failed.has(id));
    if (shown !== undefined && shown.count > 0) await confirm(left.filter(({ id }) => shown.changed.has(id)));
    const outcome = await mergedOutcome(session, left, work, { atOnce, failedBefore: shown?.failed });
    return finish?.(outcome) ?? outcome;
  } catch (error) {
    await checkpoint?.close();
    throw error;
  }
}

/** @throws UsageError without a partner profile, and ProfileError for a selector that names no company */
export async function selectCompaniesOfRun(session: Invocation & Profiles) {
  const { globals, context } = session;
  const selector = globals.companies ?? '';
  const { profile, credentials } = await session.resolved();
  if (credentials.kind !== 'partner') throw new UsageError('--companies needs a partner profile');
  const roster = profile ?? { name: '(no profile)', roster: [] };
  const readFile = (name: string): Promise<string> => readText(context, name, MAX_OCTETS);
  return { selector, selected: await selectCompanies(selector, roster, readFile), roster, profile };
}

/**
 * Runs the verb as a dry run for one company, up to the first note or request, and prints nothing. Errors of the command line thus come
 * before one about a missing `--write` or `--yes`.
 */
async function refuseFaultyCommand(
  session: Commands,
  verb: Verb,
  input: Input,
  company: SelectedCompany | undefined,
): Promise<void> {
  if (company === undefined || verb.prepare !== undefined) return;
  const stop = (): never => {
    throw new DOMException('nothing is sent', 'AbortError');
  };
  const trial = session.actingFor(company.id, {
    globals: { dryRun: true, yes: true, input: false, retries: 0 },
    beforeNote: async () => stop(),
    onRequest: stop,
  });
  try {
    await verb.run(trial, input);
  } catch (error) {
    if (error instanceof UsageError) throw error;
  }
}

const workOf = ({ companies }: Verb, input: Input) =>
  typeof companies === 'function' ? companies(input) : companies;

interface Shown {
  /** Could not be read. The run does not write to them. */
  readonly failed: ReadonlyMap<AccountId, ExitCode>;
  /** Companies for which the preview shows at least one change. */
  readonly changed: ReadonlySet<unknown>;
  readonly count: number;
}

async function previewChanges(
  session: Invocation & Tell & Clocks & Commands,
  companies: readonly SelectedCompany[],
  work: Omit<CompanyRunOptions, 'beforeNote'>,
  atOnce: number,
): Promise<Shown> {
  const { checkpoint } = work;
  const open = companies.filter(({ id }) => checkpoint?.stateOf(id) !== 'done');
  const failed = new Map<AccountId, ExitCode>();
  const changed = new Set<unknown>();
  let count = 0;
  const onFailed = ({ id }: SelectedCompany, exit: ExitCode): void => {
    failed.set(id, exit);
  };
  const reading = { ...work, checkpoint: undefined };
  const { result } = await mergedOutcome(session, open, reading, { atOnce, onFailed });
  async function* counted(rows: Rows['rows']) {
    for await (const row of rows) {
      count += 1;
      if ('company_id' in row) changed.add(row.company_id);
      yield row;
    }
  }
  if (result.kind === 'rows') {
    await showBeforeConfirmation(session, { ...result, rows: counted(result.rows) });
  }
  session.context.signal.throwIfAborted();
  return { failed, changed, count };
}

/** Returns when the columns are known. Later rows arrive meanwhile. */
async function mergedOutcome(
  session: Invocation & Tell & Commands,
  companies: readonly SelectedCompany[],
  given: Omit<CompanyRunOptions, 'beforeNote'>,
  options: {
    readonly atOnce: number;
    readonly onFailed?: (company: SelectedCompany, exit: ExitCode) => void;
    /** Skipped, because the preview failed for them. */
    readonly failedBefore?: ReadonlyMap<AccountId, ExitCode> | undefined;
  },
): Promise<Outcome> {
  const { signal } = session.context;
  const { atOnce, onFailed, failedBefore = new Map<AccountId, ExitCode>() } = options;
  const total = companies.length + failedBefore.size;
  const progress: CompanyProgressDisplay = createCompanyProgressDisplay(session, companies.length);
  const work = { ...given, beforeNote: progress.clear };
  // Every request in flight listens for Ctrl-C.
  setMaxListeners(0, signal);
  const isInOrder = (await session.format()) !== 'ndjson';
  const merged = createRowMerger<object>(companies.length, isInOrder);
  const exits: ExitCode[] = [...failedBefore.values()];
  let asked = failedBefore.size;
  const failed = new Set<AccountId>(failedBefore.keys());
  const notes: string[] = [];
  let shape: RowFormatForAllCompanies | undefined;
  let isShaped: () => void = () => undefined;
  const shaped = new Promise<void>((resolved) => {
    isShaped = resolved;
  });
  const pass = async (company: SelectedCompany, at: number): Promise<void> => {
    let hasFailed = false;
    const exit = await runInCompany(session, company, work, {
      onFailure: async () => {
        hasFailed = true;
        failed.add(company.id);
        await progress.clear();
      },
      push: (row) => merged.push(at, row),
      onShape: (found) => {
        shape ??= found;
        isShaped();
      },
      onNotes: (more) => notes.push(...more),
    });
    merged.end(at);
    if (exit !== undefined) {
      asked += 1;
      exits.push(exit);
      if (hasFailed) onFailed?.(company, exit);
    }
    await progress.done(hasFailed);
  };
  // Aborted when the reader has closed stdout, so that no further company starts.
  const halted = new AbortController();
  const workOnAll = async (): Promise<void> => {
    try {
      await runConcurrently(companies, atOnce, pass, AbortSignal.any([signal, halted.signal]));
    } finally {
      merged.endAll();
      isShaped();
      await progress.end();
      await work.checkpoint?.close();
    }
  };
  const working = workOnAll();
  // The generator below awaits this promise after the last row, and then throws its error.
  working.catch(() => undefined);
  await shaped;
  if (shape === undefined) await working;
  async function* rows() {
    try {
      for await (const row of merged.rows()) {
        // On a terminal, the progress line must not appear between the rows.
        if (session.context.stdout.isTTY) await progress.clear();
        yield row;
      }
    } finally {
      halted.abort();
      await working.catch(() => undefined);
    }
    await working;
  }
  const { columns = [], attributes, ofRules, empty = 'No rows.' } = shape ?? {};
  return {
    result: {
      kind: 'rows',
      rows: rows(),
      columns: [...COMPANY_COLUMNS, ...columns],
      ...(attributes === undefined ? {} : { attributes: [...COMPANY_COLUMNS, ...attributes] }),
      ...(ofRules === undefined ? {} : { ofRules }),
      ofCompanies: true,
      zone: () => commonZone(session, companies, atOnce),
      empty,
      notes: () => [...notes, ...summaryOf(session, { failed: [...failed], left: total - asked }, total)],
    },
    exit: () => combineExitCodes(exits),
  };
}

/** UTC if the zones of the companies differ. Ignores companies that svc cannot read. */
async function commonZone(
  session: Invocation & Commands,
  companies: readonly SelectedCompany[],
  atOnce: number,
): Promise<string> {
  const zones = new Set<string>();
  await runConcurrently(
    companies,
    atOnce,
    async ({ id }) => {
      // If a company can't be read, the run of that company reports the error.
      await session
        .actingFor(id)
        .displayZone()
        .then(
          (zone) => zones.add(zone),
          () => undefined,
        );
    },
    session.context.signal,
  );
  const [zone = 'UTC', ...others] = zones;
  return others.length === 0 ? zone : 'UTC';
}

interface Receiver {
  readonly onFailure: () => Promise<void>;
  readonly push: (row: object) => Promise<boolean>;
  readonly onShape: (shape: RowFormatForAllCompanies) => void;
  readonly onNotes: (notes: readonly string[]) => void;
}

/** Returns undefined after Ctrl-C. @throws errors that stop the work in all companies */
async function runInCompany(
  session: Invocation & Commands,
  company: SelectedCompany,
  work: CompanyRunOptions,
  receiver: Receiver,
): Promise<ExitCode | undefined> {
  const { checkpoint } = work;
  const before = checkpoint?.stateOf(company.id);
  if (before === 'done') return EXIT.done;
  const one = createSingleCompanyRun(session, company, work);
  const failed = async (error: unknown): Promise<ExitCode> => {
    await receiver.onFailure();
    return (await one.session.report(error, company)).exit;
  };
  try {
    const { shape, rows, notes, exit } = await one.run();
    receiver.onShape(shape);
    const name = company.name ?? (await nameOf(one.session));
    for await (const row of rows) {
      const isWanted = await receiver.push({ company_id: company.id, company: name ?? null, ...row });
      if (!isWanted) break;
    }
    receiver.onNotes(notes().map((note) => `company ${company.id}: ${note}`));
    const code = exit();
    await recordOutcome(checkpoint, company, one, code === EXIT.done);
    return code;
  } catch (error) {
    if (isBulkError(error, 'unwritable-checkpoint', 'lost-lock')) throw error;
    // The earlier run has renamed or deleted the missing record.
    if (explainError(error).exit === EXIT.notFound && one.mayRecordBeMissing()) {
      await checkpoint?.note(company.id, 'done');
      return EXIT.done;
    }
    if (isResumeError(error)) return failed(resumeFailure(error, session, company.id));
    const { exit } = explainError(error);
    // A usage error would be the same for all companies, so it is thrown once.
    if (exit === EXIT.usage && one.hasSentNothing()) throw error;
    await recordOutcome(checkpoint, company, one, false, exit === EXIT.unknown);
    if (session.context.signal.aborted && exit === EXIT.interrupted) return undefined;
    return failed(error);
  }
}

/** A resumed run skips each write that the service carried out, and repeats a write only if the service certainly did not carry it out. */
async function recordOutcome(
  checkpoint: CompaniesCheckpoint | undefined,
  { id }: SelectedCompany,
  one: SingleCompanyRun,
  isDone: boolean,
  isInDoubt = false,
): Promise<void> {
  const written = one.writeState();
  const hasEarlier = (checkpoint?.writesOf(id).length ?? 0) > 0;
  if (isDone) await checkpoint?.note(id, 'done');
  else if (isInDoubt || written === 'something') await checkpoint?.note(id, 'unknown');
  else if (written === 'refused' && !hasEarlier) await checkpoint?.note(id, 'failed');
}

async function nameOf(session: ServiceAccess): Promise<string | undefined> {
  try {
    const { name } = await session.account();
    return typeof name === 'string' ? name : undefined;
  } catch {
    return undefined;
  }
}

async function checkpointOf(
  session: Invocation & Profiles,
  verb: Verb,
  input: Input,
  about: {
    readonly selector: string;
    readonly selected: readonly SelectedCompany[];
    readonly isChange: boolean;
  },
): Promise<CompaniesCheckpoint | undefined> {
  const name = input.get(companiesCheckpointFlag);
  if (name === undefined) return undefined;
  if (workOf(verb, input) !== 'writes')
    throw new UsageError(`cannot combine --checkpoint with ${session.command}: it changes nothing`);
  if (!about.isChange) return undefined;
  const { selector, selected } = about;
  const identity = await computeRunIdentity(session, verb, input, { command: session.command, selector });
  const ids = selected.map(({ id }) => id);
  return openCompaniesCheckpoint(resolve(session.context.cwd, name), name, identity, ids);
}

async function sayResumed(
  session: Notes,
  { companies, stateOf }: CompaniesCheckpoint,
  selected: readonly SelectedCompany[],
): Promise<void> {
  const done = companies.filter((id) => stateOf(id) === 'done').length;
  await session.info(`resuming: an earlier run finished ${done} of ${companies.length} companies`);
  const ids = new Set(companies);
  if (selected.length === ids.size && selected.every(({ id }) => ids.has(id))) return;
  await session.warn(
    'the selected companies differ from those of the earlier run; continuing with those of the earlier run',
  );
}

/** The outcome of a write is unknown, or someone has changed the record since. */
function resumeFailure(
  { kind, message, knownAt }: ResumeError,
  session: Invocation,
  id: AccountId,
): CliError {
  const byHand = `to see what was recorded, run svc log list --company ${id}; to run it for this company, svc ${session.command} --company ${id}`;
  if (kind === 'changed')
    return new CliError('changed-since', `${message}; nothing was written`, {
      exit: EXIT.conflict,
      hint: byHand,
    });
  const later =
    knownAt === undefined
      ? byHand
      : `run the same command again after ${new Date(knownAt).toISOString().slice(0, 16)}Z; until then, the earlier request may still reach the service`;
  return new CliError('unknown', `${message}; not sent again`, { exit: EXIT.unknown, hint: later });
}

/** Names the selector of the failed companies, except with `-o json`. */
function summaryOf(
  { globals }: Invocation,
  { failed, left }: { readonly failed: readonly AccountId[]; readonly left: number },
  total: number,
): readonly string[] {
  if (globals.output === 'json') return [];
  return [
    ...(failed.length === 0
      ? []
      : [
          `${failed.length} of ${total} companies failed; to select them again, use --companies ${failed.join(',')}`,
        ]),
    ...(left === 0 ? [] : [`${left} of ${total} companies were not processed`]),
  ];
}

const countOf = (companies: readonly SelectedCompany[]): string =>
  companies.length === 1 ? '1 company' : `${companies.length} companies`;

const NAMED = 3;

/** Returns `50 companies (A (1), B (2), C (3) and 47 more)`. */
export function namesOf(companies: readonly SelectedCompany[]): string {
  const named = companies
    .slice(0, NAMED)
    .map(({ id, name }) => (name === undefined ? `${id}` : `${name} (${id})`));
  const more = companies.length - named.length;
  return `${countOf(companies)} (${named.join(', ')}${more === 0 ? '' : ` and ${more} more`})`;
}

/** All companies can read the content. @param isRefused true to refuse every read with a UsageError */
function sharedStdin(stdin: InputStream, isRefused: boolean): InputStream {
  const read = once(() => stdin.readAll(MAX_OCTETS));
  const readAll = async (): Promise<string> => {
    if (isRefused) throw new UsageError('cannot read standard input with --checkpoint; nothing was sent');
    return read();
  };
  return {
    isTTY: false,
    readAll,
    async *chunks() {
      yield Buffer.from(await readAll(), 'utf8');
    },
  };
}
