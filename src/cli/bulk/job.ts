/** Runs one bulk job from its file to its report, with checkpoint, lock, client, progress and rejects. */
import { setMaxListeners } from 'node:events';
import { type Checkpoint, createCheckpoint, createRowOutcomes } from '../../bulk/checkpoint.ts';
import {
  type HeldCheckpoint,
  holdCheckpoint,
  type JobStart,
  type OpenedCheckpoint,
} from '../../bulk/checkpoint-file.ts';
import { isBulkError } from '../../bulk/errors.ts';
import type { Operation } from '../../bulk/operation.ts';
import { createRejects, type Rejects } from '../../bulk/rejects.ts';
import type { CheckedRow } from '../../bulk/row.ts';
import { sendRows } from '../../bulk/row-sender.ts';
import type { Source } from '../../bulk/source.ts';
import type { Client } from '../../client/client.ts';
import { withWrites } from '../../client/decorate.ts';
import { createLimiter, type Limiter } from '../../client/limiter.ts';
import { DEFAULT_TIMEOUT, settlingTime } from '../../client/recovery/settle.ts';
import type { TraceEvent } from '../../client/trace.ts';
import type { WriteOptions } from '../../client/writes.ts';
import type { Resource } from '../../schema/resource.ts';
import type { Input, Outcome } from '../command/command.ts';
import { UsageError } from '../errors/errors.ts';
import { glyphsFor } from '../output/bar.ts';
import { canDraw } from '../output/redraw.ts';
import { once } from '../session/once.ts';
import type { Access, Session } from '../session/session.ts';
import { concurrencyFlag } from './flags.ts';
import { type JobFiles, jobFilesOf } from './places.ts';
import { createProgress } from './progress.ts';
import {
  bulkReport,
  completedOutcome,
  isComplete,
  type Report,
  unconfirmedText,
  unfinishedOutcome,
} from './report.ts';
import { createRowReports, rowReason } from './row-reports.ts';
import { createWaiting, type Waiting, withNotice } from './waiting.ts';

export interface BulkJob<B> {
  /** Name of the command, `dnc import`, which the checkpoint stores. */
  readonly command: string;
  /** Resource that each row creates. */
  readonly resource: Resource;
  /** Verb for a completed row: `added`. */
  readonly verb: string;
  readonly source: Source;
  /** SHA-256 and number of rows of the file, from an earlier check of all its rows. Undefined if the file was not checked. */
  readonly survey: { readonly sha256: string; readonly rows: number } | undefined;
  /** Options that decide the requests together with the file. A checkpoint written with other options cannot be resumed. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly rows: AsyncIterable<CheckedRow<B>>;
  /** Returns the state before the first row of a job is sent. */
  readonly begin: (client: Client) => Promise<JobStart>;
  readonly operation: (client: Client, start: () => Promise<JobStart>) => Operation<B>;
  /** Number of rows between two checkpoints. After a crash, the outcome of as many rows may be unknown. */
  readonly step: number;
  /** True if sending a row twice does no harm. The requests of the job may then share connections. */
  readonly harmless: boolean;
  /** Command that shows whether an unconfirmed row exists: `svc sms list --to NUMBER`. */
  readonly lookBy?: string;
  /** Flag that a second run of a completed job needs, and whether the flag was given. If undefined, a second run needs no flag. */
  readonly onceOnly?: { readonly flag: string; readonly again: boolean };
}

/**
 * Maximum number of consecutive requests without a response before the job calls the service unreachable. Requests in flight are not
 * counted, because a restart of the service interrupts all of them.
 */
const PATIENCE = 8;
/** Milliseconds between checks whether to report a wait. */
const TICK = 500;

/**
 * Runs the job and returns its report with the exit code. If the job stops early, throws a `CliError` with the report among its details.
 * The checkpoint is kept, and the same command resumes the job.
 */
export async function runBulk<B>(session: Session, input: Input, job: BulkJob<B>): Promise<Outcome> {
  const { source } = job;
  session.beforeChange(`${job.command} ${source.name}`);
  await session.beforeWrite();
  const place = jobFilesOf(session, input, source);
  if (place.checkpoint === undefined)
    await session.info('cannot resume this run later, because it reads standard input; use a file instead');
  const held = place.checkpoint === undefined ? undefined : await holdCheckpoint(place.checkpoint);
  try {
    return await runHeld(session, input, job, place, held);
  } finally {
    held?.release();
    await source.close();
  }
}

async function runHeld<B>(
  session: Session,
  input: Input,
  job: BulkJob<B>,
  place: JobFiles,
  held: HeldCheckpoint | undefined,
): Promise<Outcome> {
  const rejects = createRejects(place.rejects, place.rejectsName, held?.check);
  let checkpoint: Checkpoint | undefined;
  try {
    await withNotice(session, `comparing ${job.source.name} with what was checked`, job.source.verify);
    const max = input.get(concurrencyFlag);
    // Every request in flight listens for Ctrl-C.
    setMaxListeners(0, session.context.signal);
    const { clock, signal } = session.context;
    const limiter = createLimiter({ clock, max, signal });
    const waiting = createWaiting(clock, session.globals.timeout ?? DEFAULT_TIMEOUT);
    const trace = (event: TraceEvent): void => {
      limiter.trace(event);
      waiting.trace(event);
    };
    const bare = await session.bareClient({ trace, keepPosts: job.harmless });
    const client = held === undefined ? bare : checkedClient(bare, held.checkToSend);
    const begin = () => job.begin(client);
    const opened = await openHeld(session, job, held, begin, rejects);
    if (opened?.finished !== undefined)
      return completedOutcome(session, job, opened.finished as unknown as Report);
    const resumed = {
      sendableBelow: opened?.sendableBelow ?? 0,
      outcomes: opened?.outcomes ?? createRowOutcomes(),
    };
    checkpoint = createCheckpoint(opened?.file, resumed, job.step);
    if (opened?.isResumed) await session.info('continuing an earlier run of this file');
    const start = once(opened === undefined ? begin : async () => opened.start);
    const work = { checkpoint, limiter, client, start, rejects, waiting, patience: max + PATIENCE };
    return await recorded(session, job, () => runOpened(session, job, held, work));
  } finally {
    await rejects.abort();
    await checkpoint?.close();
  }
}

/** Records all writes as one journal entry before the first row is sent. The file identifies the rows. */
async function recorded<B>(
  session: Access,
  { resource, source, survey }: BulkJob<B>,
  work: () => Promise<JobRun>,
): Promise<Outcome> {
  const recorder = await session.recorder();
  const sent = {
    file: source.path ?? source.name,
    sha256: survey?.sha256 ?? null,
    rows: survey?.rows ?? null,
  };
  const write = { method: 'POST', resource: resource.name, id: null, sent, before: null } as const;
  const n = await recorder?.begin(write, { refuse: true });
  const { outcome, report, isDone } = await work();
  await recorder?.end(write, { state: isDone ? 'done' : 'unknown', after: { ...report } }, n);
  return outcome();
}

interface JobRun {
  readonly report: Report;
  readonly isDone: boolean;
  /** Returns the outcome. @throws the error that stopped the job early */
  readonly outcome: () => Promise<Outcome>;
}

interface Work {
  readonly checkpoint: Checkpoint;
  readonly limiter: Limiter;
  readonly client: Client;
  readonly start: () => Promise<JobStart>;
  readonly rejects: Rejects;
  readonly waiting: Waiting;
  readonly patience: number;
}

async function runOpened<B>(
  session: Session,
  job: BulkJob<B>,
  held: HeldCheckpoint | undefined,
  { checkpoint, limiter, client, start, rejects, waiting, patience }: Work,
): Promise<JobRun> {
  const { context, globals } = session;
  const { clock, signal, stderr } = context;
  const total = job.survey?.rows;
  const progress = createProgress({
    stderr,
    isDrawn: canDraw(stderr, context.env, globals.plain),
    clock,
    quiet: globals.quiet,
    glyphs: glyphsFor(context.env, context.platform),
    total,
    verb: job.verb,
    waiting: waiting.text,
  });
  // A test's clock may be stopped. The timer only reads the clock.
  const ticking = setInterval(progress.tick, TICK);
  ticking.unref();
  const reports = createRowReports(session, rejects, progress);
  const result = await sendRows({
    rows: job.rows,
    operation: begunBefore(job.operation(client, start), start),
    checkpoint,
    limiter,
    clock,
    signal,
    settle: settlingTime(globals),
    patience,
    retries: globals.retries,
    reasonOf: rowReason,
    onReport: reports.add,
    onProgress: progress.update,
    onDoubt: waiting.inDoubt,
  }).finally(() => {
    clearInterval(ticking);
    progress.end();
  });
  // Another run writes them now.
  const file = isBulkError(result.problem, 'lost-lock') ? undefined : await rejects.commit();
  await reports.printRest(file);
  const report = bulkReport(result, job.survey?.rows, file);
  if (report.unconfirmed > 0) await session.warn(unconfirmedText(report.unconfirmed, job.lookBy));
  const isDone = isComplete(result, report, signal);
  if (!isDone)
    return { report, isDone, outcome: () => unfinishedOutcome(session, result, report, held !== undefined) };
  await checkpoint.finish({ ...report });
  if (job.onceOnly === undefined) await held?.remove();
  return { report, isDone, outcome: () => completedOutcome(session, job, report) };
}

/** Returns the operation with one addition: it reads the initial state before it sends the first row. */
function begunBefore<B>(operation: Operation<B>, start: () => Promise<JobStart>): Operation<B> {
  let isBegun = false;
  const begin = async (): Promise<void> => {
    await start();
    isBegun = true;
  };
  const send = operation.send;
  return { ...operation, send: (body) => (isBegun ? send(body) : begin().then(() => send(body))) };
}

async function openHeld<B>(
  session: Session,
  { command, survey, options, onceOnly }: BulkJob<B>,
  held: HeldCheckpoint | undefined,
  begin: () => Promise<JobStart>,
  rejects: Rejects,
): Promise<OpenedCheckpoint | undefined> {
  if (held === undefined || survey === undefined) return undefined;
  const { credentials, origin } = await session.resolved();
  const identity = {
    command,
    sha256: survey.sha256,
    origin,
    company: credentials.companyId ?? null,
    user: credentials.userId ?? null,
    partner: credentials.kind === 'partner' ? credentials.partnerId : null,
    options,
  };
  const opened = await held.open(identity, begin, rejects.add);
  if (opened.finished === undefined) return opened;
  await opened.file.close();
  if (onceOnly !== undefined && !onceOnly.again)
    throw new UsageError('this file was already sent; nothing was sent', {
      details: [],
      hint: `to send all of it again, use ${onceOnly.flag}`,
    });
  // The earlier run ended after its report and before its checkpoint was removed.
  await held.remove();
  return onceOnly === undefined ? opened : held.open(identity, begin, rejects.add);
}

/** Returns a client that calls `check` right before each attempt of a write, after all other checks. See `runner-lock.ts`. */
function checkedClient(client: Client, check: () => void): Client {
  const checked = <T extends WriteOptions>(options: T | undefined) => ({
    ...(options as T),
    beforeAttempt: () => {
      const asking = options?.beforeAttempt?.();
      if (asking !== undefined) return asking.then(check);
      check();
      return undefined;
    },
  });
  return withWrites(client, {
    create: (resource, body, options) => client.create(resource, body, checked(options)),
    update: (resource, id, body, options) => client.update(resource, id, body, checked(options)),
  });
}
