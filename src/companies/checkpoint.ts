/**
 * Progress of a run over many companies. The first line holds the length and a digest of the rest, by which svc rejects a truncated file. A
 * step is on disk before its request is sent.
 */
import { createHash } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { AccountId } from '../auth/credentials.ts';
import { BulkError } from '../bulk/errors.ts';
import { acquireRunnerLock, type RunnerLock } from '../bulk/runner-lock.ts';
import { checkOnlyOwnerWrites, flushDirectoryToDisk, thisUser } from '../files/directories.ts';
import { FileError } from '../files/errors.ts';
import { formatJson, parseJson } from '../protocol/json.ts';
import { type Id, isId } from '../schema/integer.ts';
import { parseJsonObject } from '../text/json-object.ts';
import { explainTooNewFileVersion, UPDATE_SVC_HINT } from '../text/svc-error.ts';
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
  let file: FileHandle | undefined;
  try {
    const isNew = !existsSync(path);
    const { O_RDWR, O_CREAT, O_NOFOLLOW = 0 } = constants;
    file = await open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > MAX_OCTETS)
      throw damaged(fileName, 'it is not a checkpoint of a command with --companies');
    checkOnlyOwnerWrites(fileName, stats, thisUser());
    const text = await file.readFile('utf8');
    // The file may have been emptied, and then nothing shows which companies were written.
    if (!isNew && text === '') throw damaged(fileName, 'it is empty');
    const lines = guardedFile(file, isNew ? '' : guardedText(text, fileName));
    const history: History = { states: new Map(), writes: new Map() };
    let known = companies;
    if (isNew) {
      await lines.append({ version: VERSION, ...identity, companies });
      flushDirectoryToDisk(dirname(path));
    } else {
      const [header = '', ...steps] = lines.text().split('\n').slice(0, -1);
      known = companiesIn(header, fileName, identity);
      for (const step of steps) addStep(history, parsed(step, fileName), fileName);
    }
    return checkpointOn(file, lines, lock, { companies: known, history, isResumed: !isNew, name: fileName });
  } catch (error) {
    lock.release();
    await file?.close();
    throw error instanceof BulkError ? error : cannotUse(fileName, error);
  }
}

interface History {
  readonly states: Map<AccountId, CompanyRunState>;
  readonly writes: Map<AccountId, RecordedWrite[]>;
}

type Step = { readonly [Name in 'company' | 'state' | 'write' | 'ended' | 'refused' | 'id']?: unknown };

function addStep({ states, writes }: History, step: Step, name: string): void {
  const { company, write, ended, refused, id } = step;
  const state = STATES.find((each) => each === step.state);
  if (!isCompany(company)) throw damaged(name, 'the file has a line in an unknown format');
  const own = writes.get(company) ?? [];
  if (isRecordedWrite(write)) {
    writes.set(company, [...own, write]);
    states.set(company, 'begun');
  } else if (typeof ended === 'number') {
    const made = isId(id) ? { id } : {};
    writes.set(
      company,
      own.map((each) => (each.n === ended ? { ...each, ...made, ended: true } : each)),
    );
  } else if (typeof refused === 'number') {
    writes.set(
      company,
      own.filter(({ n }) => n !== refused),
    );
  } else if (state !== undefined) states.set(company, state);
  else throw damaged(name, 'the file has a line in an unknown format');
}

const isCompany = (value: unknown): value is AccountId =>
  typeof value === 'number' || typeof value === 'bigint';

function checkpointOn(
  file: FileHandle,
  lines: GuardedFile,
  lock: RunnerLock,
  found: {
    readonly companies: readonly AccountId[];
    readonly history: History;
    readonly isResumed: boolean;
    readonly name: string;
  },
): CompaniesCheckpoint {
  const { companies, history, isResumed, name } = found;
  const { states, writes } = history;
  let newest = Math.max(0, ...[...writes.values()].flat().map(({ n }) => n));
  // Lines are written one at a time. A line that fails stops all others.
  let last: Promise<void> = Promise.resolve();
  let isClosed = false;
  const add = (step: Step): Promise<void> => {
    last = last.then(async () => {
      lock.check();
      await lines.append(step).catch((cause: unknown) => {
        throw cannotWrite(name, cause);
      });
      addStep(history, step, name);
    });
    return last;
  };
  return {
    companies,
    isResumed,
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
      await file.close();
      lock.release();
    },
  };
}

interface GuardedFile {
  readonly text: () => string;
  /** The line is on disk when the promise resolves. */
  readonly append: (line: object) => Promise<void>;
}

/**
 * The guard line is short and of fixed length, so the disk writes it as a whole. svc updates it after it has appended a line, so after a
 * crash the file may have one line more than it counts, but never fewer.
 */
const GUARD_OCTETS = guardOf(0, '').length;

function guardOf(octets: number, sha256: string): string {
  const padded = { octets: String(octets).padStart(12, '0'), sha256: sha256.padEnd(64, '0') };
  return `${JSON.stringify(padded)}\n`;
}

/** @throws BulkError if the guard line is missing, if fewer octets follow than it counts, or if their digest differs */
function guardedText(text: string, name: string): string {
  const [, octets, sha256] = /^\{"octets":"([0-9]{12})","sha256":"([0-9a-f]{64})"\}\n/.exec(text) ?? [];
  if (octets === undefined) throw damaged(name, 'the first line of the file has an unknown format');
  const rest = Buffer.from(text.slice(GUARD_OCTETS));
  const counted = rest.subarray(0, Number(octets));
  if (counted.length < Number(octets)) throw damaged(name, 'it is truncated');
  if (createHash('sha256').update(counted).digest('hex') !== sha256)
    throw damaged(name, 'the file was changed after svc wrote it');
  // A crash can leave one more line than the guard counts, and the beginning of another. A truncated line was never acted upon.
  const uncounted = rest.subarray(counted.length).toString('utf8').split('\n');
  if (uncounted.length > 2 || !/^(?:\{[^\0]*)?$/.test(uncounted.at(-1) ?? ''))
    throw damaged(name, 'it ends with text that svc did not write');
  return rest.subarray(0, rest.lastIndexOf('\n') + 1).toString('utf8');
}

function guardedFile(file: FileHandle, before: string): GuardedFile {
  const digest = createHash('sha256').update(before);
  let text = before;
  let octets = Buffer.byteLength(before);
  return {
    text: () => text,
    append: async (line) => {
      const added = `${formatJson(line)}\n`;
      await writeAt(file, added, GUARD_OCTETS + octets);
      await file.datasync();
      digest.update(added);
      octets += Buffer.byteLength(added);
      text = '';
      await writeAt(file, guardOf(octets, digest.copy().digest('hex')), 0);
    },
  };
}

async function writeAt(file: FileHandle, text: string, position: number): Promise<void> {
  const octets = Buffer.from(text);
  let done = 0;
  while (done < octets.length) {
    const { bytesWritten } = await file.write(octets, done, octets.length - done, position + done);
    done += bytesWritten;
  }
}

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

function companiesIn(header: string, name: string, identity: RunIdentity): readonly AccountId[] {
  const { version, companies, ...was } = parsed(header, name);
  const newer = explainTooNewFileVersion(name, version, VERSION);
  if (newer !== undefined)
    throw new BulkError('damaged-checkpoint', `${newer}; nothing was sent`, { hint: UPDATE_SVC_HINT });
  if (version !== VERSION || !Array.isArray(companies) || !companies.every(isCompany))
    throw damaged(name, 'the header of the file has an unknown format');
  const differing = Object.entries(identity).filter(([key, value]) => was[key] !== value);
  if (differing.length === 0) return companies;
  const words = differing.map(([key]) => WORDS[key] ?? key);
  throw new BulkError(
    'input',
    `${name} is the checkpoint of another run: ${words.join(', ')}; nothing was sent`,
    {
      hints: [
        'to resume that run, give the same command and files',
        'to start over, choose another file with --checkpoint; svc then does not know what the earlier run wrote',
      ],
    },
  );
}

const WORDS: Readonly<Record<string, string>> = {
  command: 'the command differs',
  sha256: 'the flags, arguments or files differ',
  origin: 'the service differs',
  partner: 'the partner differs',
};

function parsed(line: string, name: string): Readonly<Record<string, unknown>> {
  const value = parseJsonObject(line, parseJson);
  if (value !== undefined) return value;
  throw damaged(name, 'a line of the file is not JSON');
}

const damaged = (name: string, why: string): BulkError =>
  new BulkError('damaged-checkpoint', `cannot resume from ${name}: ${why}; nothing was sent`, {
    hints: [
      'restore a complete copy of the file, or see svc log list for the companies that were changed',
      'to start over, choose another file with --checkpoint; svc then changes all companies again',
    ],
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
  return new BulkError(
    'unwritable-checkpoint',
    `cannot write the checkpoint ${name} (${why}); no more requests are sent`,
    {
      cause,
    },
  );
}
