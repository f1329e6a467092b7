/**
 * Progress of a run over many companies. The first line holds the length and a digest of the rest, by which svc rejects a truncated file. A
 * step is on disk before its request is sent.
 */
import { createHash } from 'node:crypto';
import { closeSync, existsSync, fstatSync, openSync, type Stats, writeSync } from 'node:fs';
import { checkOnlyOwnerWrites, thisUser } from '../../kit/files/directories.ts';
import { FileError } from '../../kit/files/errors.ts';
import { openLedger, readLines } from '../../kit/files/ledger.ts';
import { type Id, isId } from '../../kit/schema/integer.ts';
import type { AccountId } from '../../service/auth/credentials.ts';
import { formatJson } from '../../service/protocol/json.ts';
import {
  type CheckpointFormat,
  damagedCheckpoint,
  parseHeader,
  parseStep,
} from '../bulk/checkpoint-header.ts';
import { BulkError } from '../bulk/errors.ts';
import { acquireRunnerLock, type RunnerLock } from '../bulk/runner-lock.ts';
import { isRecordedWrite, type RecordedWrite } from './recorded-write.ts';

/** Values that identify a run. They never include an API key. */
export interface RunIdentity {
  readonly command: string;
  readonly sha256: string;
  readonly origin: string;
  readonly partner: AccountId;
}

/**
 * State of a company in a run:
 * - `begun`: svc has recorded a write for this company, so the service may have carried out the write.
 * - `done`: the command succeeded for this company. The next run skips the company.
 * - `failed`: the service carried out no write. The next run tries the company again.
 * - `unknown`: the outcome of a write for this company is unknown, or only a part of the writes was carried out. The run continued with
 *   other companies.
 */
export type CompanyRunState = (typeof STATES)[number];

export interface CompaniesCheckpoint {
  readonly companies: readonly AccountId[];
  readonly isResumed: boolean;
  readonly stateOf: (company: AccountId) => CompanyRunState | undefined;
  readonly writesOf: (company: AccountId) => readonly RecordedWrite[];
  /** @throws BulkError if another run has taken over, or if the state can't be written */
  readonly note: (company: AccountId, state: CompanyRunState) => Promise<void>;
  readonly begin: (company: AccountId, write: Omit<RecordedWrite, 'n' | 'ended'>) => Promise<number>;
  /** Without `success`, the service refused the write. */
  readonly ended: (
    company: AccountId,
    n: number,
    success?: { readonly id?: Id | undefined },
  ) => Promise<void>;
  readonly close: () => Promise<void>;
}

const VERSION = 2;
const STATES = ['begun', 'done', 'failed', 'unknown'] as const;
const MAX_OCTETS = 64 * 1024 * 1024;

/**
 * @throws BulkError `input` if the checkpoint belongs to another run, or if another run is using it
 * @throws BulkError `damaged-checkpoint` if the file was truncated or edited, or is no checkpoint
 */
export async function openCompaniesCheckpoint(
  path: string,
  fileName: string,
  identity: RunIdentity,
  companies: readonly AccountId[],
): Promise<CompaniesCheckpoint> {
  const lock = await lockOf(path, fileName);
  const format = formatOf(fileName, identity);
  let file: GuardedFile | undefined;
  try {
    const isResumed = existsSync(path);
    file = openGuardedFile(path, lock, format);
    const history: History = { states: new Map(), writes: new Map() };
    let known = companies;
    if (isResumed) {
      const [first = '', ...steps] = file.read();
      known = companiesIn(first, format);
      for (const step of steps) addStep(history, parseStep(step, format), format);
      file.trim();
    } else await file.append({ version: VERSION, ...identity, companies });
    return checkpointOn(file, lock, format, history, { companies: known, isResumed });
  } catch (error) {
    lock.release();
    file?.close();
    throw error instanceof BulkError ? error : cannotUse(fileName, error);
  }
}

interface History {
  readonly states: Map<AccountId, CompanyRunState>;
  readonly writes: Map<AccountId, RecordedWrite[]>;
}

type Step = { readonly [Name in 'company' | 'state' | 'write' | 'ended' | 'refused' | 'id']?: unknown };

function addStep({ states, writes }: History, step: Step, format: CheckpointFormat): void {
  const { company, write, ended, refused, id } = step;
  const state = STATES.find((each) => each === step.state);
  if (!isCompany(company)) throw damagedCheckpoint(format, 'the file has a line in an unknown format');
  const own = writes.get(company) ?? [];
  if (isRecordedWrite(write)) {
    writes.set(company, [...own, write]);
    states.set(company, 'begun');
  } else if (typeof ended === 'number') {
    const made = isId(id) ? { id } : {};
    const noted = own.map((each) => (each.n === ended ? { ...each, ...made, ended: true as const } : each));
    writes.set(company, noted);
  } else if (typeof refused === 'number') {
    const others = own.filter(({ n }) => n !== refused);
    writes.set(company, others);
  } else if (state !== undefined) states.set(company, state);
  else throw damagedCheckpoint(format, 'the file has a line in an unknown format');
}

const isCompany = (value: unknown): value is AccountId =>
  typeof value === 'number' || typeof value === 'bigint';

function checkpointOn(
  file: GuardedFile,
  lock: RunnerLock,
  format: CheckpointFormat,
  history: History,
  found: Pick<CompaniesCheckpoint, 'companies' | 'isResumed'>,
): CompaniesCheckpoint {
  const { states, writes } = history;
  let newest = Math.max(0, ...[...writes.values()].flat().map(({ n }) => n));
  // Lines are written one at a time. A line that fails stops all others.
  let last: Promise<void> = Promise.resolve();
  let isClosed = false;
  const add = (step: Step): Promise<void> => {
    last = last.then(async () => {
      await file.append(step).catch((cause: unknown) => {
        throw cause instanceof BulkError ? cause : cannotWrite(format.name, cause);
      });
      addStep(history, step, format);
    });
    return last;
  };
  return {
    ...found,
    stateOf: (company) => states.get(company),
    writesOf: (company) => writes.get(company) ?? [],
    note: (company, state) => add({ company, state }),
    begin: async (company, write) => {
      newest += 1;
      const n = newest;
      await add({ company, write: { n, ...write } });
      return n;
    },
    ended: (company, n, success) =>
      add(
        success === undefined
          ? { company, refused: n }
          : { company, ended: n, ...(success.id === undefined ? {} : { id: success.id }) },
      ),
    close: async () => {
      // Closing twice would close another file that has the number by then.
      if (isClosed) return;
      isClosed = true;
      await last.catch(() => undefined);
      file.close();
      lock.release();
    },
  };
}

type GuardedFile = ReturnType<typeof openGuardedFile>;

/**
 * The guard line is short and of fixed length, so the disk writes it as a whole. svc updates it after it has appended a line, so after a
 * crash the file may have one line more than it counts, but never fewer.
 */
function openGuardedFile(path: string, guard: RunnerLock, format: CheckpointFormat) {
  const checkFile = (stats: Stats): void => {
    if (!stats.isFile() || stats.size > MAX_OCTETS)
      throw damagedCheckpoint(format, 'it is not a checkpoint of a command with --companies');
    checkOnlyOwnerWrites(format.name, stats, thisUser());
  };
  const ledger = openLedger(path, checkFile, guard);
  // The ledger's own descriptor can only append.
  const top = openSync(path, 'r+');
  if (fstatSync(top).ino !== fstatSync(ledger.descriptor).ino)
    throw damagedCheckpoint(format, 'another program has replaced it');
  const digest = createHash('sha256');
  let octets = 0;
  const count = (text: string): void => {
    digest.update(text);
    octets += Buffer.byteLength(text);
  };
  const guardLine = (): string => {
    const sha256 = digest.copy().digest('hex');
    return `${JSON.stringify({ octets: String(octets).padStart(12, '0'), sha256 })}\n`;
  };
  return {
    /** Returns the lines after the guard line. */
    read: (): readonly string[] => {
      const [first, ...lines] = readLines(ledger.descriptor);
      // The file may have been emptied, and then nothing shows which companies were written.
      if (first === undefined) throw damagedCheckpoint(format, 'it is empty');
      const [, expected, sha256] = GUARD.exec(first.text) ?? [];
      if (expected === undefined)
        throw damagedCheckpoint(format, 'the first line of the file has an unknown format');
      const end = first.end + Number(expected);
      if ((lines.at(-1) ?? first).end < end) throw damagedCheckpoint(format, 'it is truncated');
      const counted = lines.filter((line) => line.end <= end);
      for (const { text } of counted) count(`${text}\n`);
      if (digest.copy().digest('hex') !== sha256)
        throw damagedCheckpoint(format, 'the file was changed after svc wrote it');
      // A crash can leave one more line than the guard counts, and the beginning of another.
      const others = lines.slice(counted.length);
      const added = others.filter(({ isWhole }) => isWhole);
      for (const { text } of added) count(`${text}\n`);
      const { text: cut } = others[added.length] ?? { text: '{' };
      if (added.length > 1 || !/^\{[^\0]*$/.test(cut))
        throw damagedCheckpoint(format, 'it ends with text that svc did not write');
      return [...counted, ...added].map(({ text }) => text);
    },
    /** Removes a truncated line at the end. */
    trim: (): void => ledger.truncate(Buffer.byteLength(guardLine()) + octets),
    /** The line is on disk when the promise resolves. */
    append: async (line: object): Promise<void> => {
      const text = `${formatJson(line)}\n`;
      ledger.append(octets === 0 ? guardLine() + text : text);
      await ledger.sync();
      count(text);
      writeSync(top, guardLine(), 0);
    },
    close: (): void => {
      closeSync(top);
      ledger.close();
    },
  };
}

const GUARD = /^\{"octets":"([0-9]{12})","sha256":"([0-9a-f]{64})"\}$/;

async function lockOf(path: string, name: string): Promise<RunnerLock> {
  const lock = await acquireRunnerLock(`${path}.lock`).catch((cause: unknown) => {
    throw cannotUse(name, cause);
  });
  if (!('holder' in lock)) return lock;
  const { pid, host } = lock.holder;
  throw new BulkError('input', `another run is using ${name} (process ${pid} on ${host}); nothing was sent`, {
    hint: `wait until the other run has ended, or stop it; its lock file is ${name}.lock`,
  });
}

function companiesIn(line: string, format: CheckpointFormat): readonly AccountId[] {
  const { companies } = parseHeader(line, format);
  if (Array.isArray(companies) && companies.every(isCompany)) return companies;
  throw damagedCheckpoint(format, `${format.firstLine} has an unknown format`);
}

const formatOf = (name: string, identity: RunIdentity): CheckpointFormat => ({
  ...{ version: VERSION, identity, name },
  ...{ firstLine: 'the header of the file', otherRun: 'another run' },
  difference: (member) =>
    member === 'sha256'
      ? 'the flags, arguments or files differ'
      : `the ${member === 'origin' ? 'service' : member} differs`,
  hints: {
    damaged: [
      'restore a complete copy of the file, or see svc log list for the companies that were changed',
      'to start over, choose another file with --checkpoint; svc then changes all companies again',
    ],
    other: [
      'to resume that run, give the same command and files',
      'to start over, choose another file with --checkpoint; svc then does not know what the earlier run wrote',
    ],
  },
});

function cannotUse(name: string, cause: unknown): BulkError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new BulkError('input', `cannot keep a checkpoint in ${name} (${why}); nothing was sent`, {
    hints: [...(cause instanceof FileError ? cause.hints : []), 'name another file with --checkpoint'],
    cause,
  });
}

function cannotWrite(name: string, cause: unknown): BulkError {
  const why = cause instanceof Error ? cause.message : String(cause);
  const message = `cannot write the checkpoint ${name} (${why}); no more requests are sent`;
  return new BulkError('unwritable-checkpoint', message, { cause });
}
