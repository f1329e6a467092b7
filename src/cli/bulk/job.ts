import { setMaxListeners } from 'node:events';
import {
  type BulkJobCheckpoint,
  type BulkReport,
  createBulkJobCheckpoint,
  createRowOutcomes,
} from '../../client/bulk/checkpoint.ts';
import {
  type LockedCheckpoint,
  lockCheckpoint,
  type NewRecordBounds,
  type OpenedCheckpoint,
} from '../../client/bulk/checkpoint-file.ts';
import { isBulkError } from '../../client/bulk/errors.ts';
import { createRejectedRowsFileWriter, type RejectedRowsFileWriter } from '../../client/bulk/rejects.ts';
import type { CheckedRow, RowOperation } from '../../client/bulk/row.ts';
import { sendRows } from '../../client/bulk/row-sender.ts';
import type { InputSource } from '../../client/bulk/source.ts';
import type { NotedWrite } from '../../client/journal/entry.ts';
import type { Client } from '../../client/requests/client.ts';
import type { TraceEvent } from '../../client/requests/connection.ts';
import { type ConcurrencyLimiter, createConcurrencyLimiter } from '../../client/requests/limiter.ts';
import { DEFAULT_TIMEOUT, settleTime } from '../../client/requests/recovery/settle.ts';
import type { Resource } from '../../kit/schema/resource.ts';
import type { Input, Outcome } from '../command/command.ts';
import { chooseProgressBarGlyphs } from '../output/bar.ts';
import { canRedrawLines } from '../output/redraw.ts';
import { once } from '../session/once.ts';
import type { Invocation, Ports, Profiles, ServiceAccess, Tell } from '../session/ports.ts';
import { concurrencyFlag, DEFAULT_CONCURRENCY } from './flags.ts';
import { type BulkJobFiles, resolveBulkJobFiles } from './job-files.ts';
import { createRowProgressDisplay } from './progress.ts';
import {
  completedJobOutcome,
  createBulkReport,
  createFailedRowReporter,
  isJobComplete,
  rowRejectionReason,
  unconfirmedRowsText,
  unfinishedJobOutcome,
} from './report.ts';
import {
  alreadySentError,
  type OnceOnly,
  saveUnconfirmedRows,
  type TrackedCheckpoint,
  trackUnconfirmedRows,
} from './unconfirmed.ts';
import { createJobWaitTracker, type JobWaitTracker, withWaitNotice } from './waiting.ts';

interface BulkCommandJob<B> {
  readonly command: string;
  readonly resource: Resource;
  readonly method?: 'DELETE';
  readonly undoes?: number;
  readonly verb: string;
  readonly source: InputSource;
  /** Undefined if the file was not checked. */
  readonly survey: { readonly sha256: string; readonly rows: number } | undefined;
  /** A checkpoint written with other options cannot be resumed. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly readRows: () => AsyncIterable<CheckedRow<B>>;
  readonly readStart: (client: Client) => Promise<NewRecordBounds>;
  readonly operation: (client: Client, start: () => Promise<NewRecordBounds>) => RowOperation<B>;
  /** After a crash, the outcome of at most this number of rows is unknown. */
  readonly rowsPerCheckpoint: number;
  /** The requests of the job may then share connections. */
  readonly isRepeatable: boolean;
  readonly onceOnly?: OnceOnly<B>;
}

const MAX_UNANSWERED = 8;
const WAIT_CHECK_MS = 500;

/** A job that stops early throws a `CliError` with the report, and keeps the checkpoint, with which the same command resumes it. */
export async function runBulkJob<B>(session: Ports, input: Input, job: BulkCommandJob<B>): Promise<Outcome> {
  const { source } = job;
  session.beforeChange(`${job.command} ${source.name}`);
  await session.beforeWrite();
  const place = resolveBulkJobFiles(session, input, source);
  if (place.checkpoint === undefined)
    await session.info('cannot resume this run later, because it reads standard input; use a file instead');
  const held = place.checkpoint === undefined ? undefined : await lockCheckpoint(place.checkpoint);
  try {
    return await runHeld(session, input, job, place, held);
  } finally {
    held?.release();
    await source.close();
  }
}

async function runHeld<B>(
  session: Invocation & Tell & ServiceAccess & Profiles,
  input: Input,
  job: BulkCommandJob<B>,
  place: BulkJobFiles,
  held: LockedCheckpoint | undefined,
): Promise<Outcome> {
  const { signal } = session.context;
  const rejects = createRejectedRowsFileWriter(place.rejects, place.rejectsName, held?.check, signal);
  let checkpoint: BulkJobCheckpoint | undefined;
  try {
    await withWaitNotice(
      session,
      `checking that ${job.source.name} has not changed since svc first read it`,
      job.source.verify,
    );
    const max = input.find(concurrencyFlag) ?? DEFAULT_CONCURRENCY;
    // Every request in flight listens for Ctrl-C.
    setMaxListeners(0, session.context.signal);
    const { clock, signal } = session.context;
    const limiter = createConcurrencyLimiter({ clock, max, signal });
    const waiting = createJobWaitTracker(clock, session.globals.timeout ?? DEFAULT_TIMEOUT);
    const trace = (event: TraceEvent): void => {
      limiter.trace(event);
      waiting.trace(event);
    };
    const client = await session.bareClient({
      trace,
      sharePostConnections: job.isRepeatable,
      checkLock: held?.checkToSend,
    });
    const begin = () => job.readStart(client);
    const opened = await openCheckpoint(session, job, held, begin, rejects);
    if (opened?.finished !== undefined) return completedJobOutcome(session, job, opened.finished);
    const resumed = {
      sendableBelow: opened?.sendableBelow ?? 0,
      outcomes: opened?.outcomes ?? createRowOutcomes(),
    };
    const tracked = trackUnconfirmedRows(
      createBulkJobCheckpoint(opened?.file, resumed, job.rowsPerCheckpoint),
    );
    checkpoint = tracked.checkpoint;
    if (opened?.isResumed) await session.info('continuing an earlier run with this file');
    const start = once(opened === undefined ? begin : async () => opened.start);
    const work = { ...tracked, limiter, client, start, rejects, waiting, patience: max + MAX_UNANSWERED };
    return await recordJob(session, job, work, () => runOpened(session, job, held, work));
  } finally {
    await rejects.abort();
    await checkpoint?.close();
  }
}

/** The entry names the input file and does not list its rows. */
async function recordJob<B>(
  session: ServiceAccess,
  { resource, source, survey, options, method, undoes }: BulkCommandJob<B>,
  { client, start }: Pick<Work, 'client' | 'start'>,
  work: () => Promise<JobRun>,
): Promise<Outcome> {
  const recorder = await session.recorder();
  const sent = {
    file: source.path ?? source.name,
    sha256: survey?.sha256 ?? null,
    rows: survey?.rows ?? null,
    ...(typeof options['column'] === 'string' ? { column: options['column'] } : {}),
  };
  const write: NotedWrite = {
    ...{ method: method ?? 'POST', resource: resource.name, id: null, sent, before: null },
    ...(undoes === undefined ? {} : { undoes }),
  };
  const n = await recorder?.begin(write, { refuse: true });
  const { outcome, report, isDone } = await work();
  // The service's time at both ends distinguishes the records of this job from others with the same values.
  const since = report.added > 0 ? (await start().catch(() => undefined))?.since : undefined;
  const until = client.serviceTime();
  const times = since === undefined || until === undefined ? {} : { since, until };
  await recorder?.end(write, { state: isDone ? 'done' : 'unknown', after: { ...report, ...times } }, n);
  return outcome();
}

interface JobRun {
  readonly report: BulkReport;
  readonly isDone: boolean;
  /** @throws the error that stopped the job early */
  readonly outcome: () => Promise<Outcome>;
}

interface Work extends TrackedCheckpoint {
  readonly limiter: ConcurrencyLimiter;
  readonly client: Client;
  readonly start: () => Promise<NewRecordBounds>;
  readonly rejects: RejectedRowsFileWriter;
  readonly waiting: JobWaitTracker;
  readonly patience: number;
}

async function runOpened<B>(
  session: Invocation & Tell,
  job: BulkCommandJob<B>,
  held: LockedCheckpoint | undefined,
  { checkpoint, isUnconfirmed, limiter, client, start, rejects, waiting, patience }: Work,
): Promise<JobRun> {
  const { context, globals } = session;
  const { clock, signal, stderr } = context;
  const total = job.survey?.rows;
  const progress = createRowProgressDisplay({
    stderr,
    isDrawn: canRedrawLines(stderr, context.env, globals.plain),
    clock,
    quiet: globals.quiet,
    glyphs: chooseProgressBarGlyphs(context.env, context.platform),
    total,
    verb: job.verb,
    waiting: waiting.text,
  });
  // A test's clock may be stopped. The timer only reads the clock.
  const ticking = setInterval(progress.redraw, WAIT_CHECK_MS);
  ticking.unref();
  const reports = createFailedRowReporter(session, rejects, progress);
  const result = await sendRows({
    rows: job.readRows(),
    operation: withStartRead(job.operation(client, start), start),
    checkpoint,
    limiter,
    clock,
    signal,
    lateArrivalMs: settleTime(globals),
    maxUnanswered: patience,
    retries: globals.retries,
    reasonOf: rowRejectionReason,
    onReport: reports.add,
    onProgress: progress.update,
    onUnknownRows: waiting.setUnknownRows,
  }).finally(() => {
    clearInterval(ticking);
    progress.end();
  });
  // After the loss of the lock, another run writes the rejects file.
  const file = isBulkError(result.problem, 'lost-lock') ? undefined : await rejects.commit();
  const report = createBulkReport(result, job.survey?.rows, file);
  const isDone = isJobComplete(result, report, signal);
  await reports.printRest(file, isDone);
  if (report.unconfirmed > 0) await printUnconfirmedRows(session, job, report, isDone, isUnconfirmed);
  if (!isDone)
    return {
      report,
      isDone,
      outcome: () => unfinishedJobOutcome(session, job, { ...result, report, canResume: held !== undefined }),
    };
  await checkpoint.finish({ ...report });
  if (job.onceOnly === undefined) await held?.remove();
  return { report, isDone, outcome: () => completedJobOutcome(session, job, report) };
}

/** After the last row of the file, also saves them, and says how to send them alone. */
async function printUnconfirmedRows<B>(
  session: Tell,
  job: BulkCommandJob<B>,
  { unconfirmed }: BulkReport,
  isDone: boolean,
  isUnconfirmed: (row: number) => boolean,
): Promise<void> {
  if (!isDone || job.onceOnly === undefined) {
    await session.warn(unconfirmedRowsText(unconfirmed, job.onceOnly?.lookUpCommand));
    return;
  }
  const { problem, hint } = await saveUnconfirmedRows(job, job.onceOnly, isUnconfirmed);
  await session.warn(problem);
  await session.warn(`Hint: ${hint}`);
}

function withStartRead<B>(
  operation: RowOperation<B>,
  start: () => Promise<NewRecordBounds>,
): RowOperation<B> {
  let isBegun = false;
  const begin = async (): Promise<void> => {
    await start();
    isBegun = true;
  };
  const send = operation.send;
  return { ...operation, send: (body) => (isBegun ? send(body) : begin().then(() => send(body))) };
}

async function openCheckpoint<B>(
  session: Profiles,
  job: BulkCommandJob<B>,
  held: LockedCheckpoint | undefined,
  begin: () => Promise<NewRecordBounds>,
  rejects: RejectedRowsFileWriter,
): Promise<OpenedCheckpoint | undefined> {
  const { command, survey, options, onceOnly } = job;
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
  if (onceOnly !== undefined && !onceOnly.again) {
    const report = opened.finished;
    throw await alreadySentError(job, onceOnly, report, (row) => opened.outcomes.get(row) === 'unconfirmed');
  }
  // The earlier run ended after its report and before its checkpoint was removed.
  await held.remove();
  return onceOnly === undefined ? opened : held.open(identity, begin, rejects.add);
}
