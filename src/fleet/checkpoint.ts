/**
 * What a run over many companies has done, so that the same command goes on after a crash: a header, then a line for each
 * company that was begun (on disk before its first write is sent) and for what came of it. What was begun and has no
 * other line may have been written: it is never begun again.
 */
import { constants, existsSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { BulkError } from '../bulk/errors.ts';
import { type RunnerLock, takeRunnerLock } from '../bulk/runner-lock.ts';
import { syncDirectory } from '../files/directories.ts';

/** What makes a run this one and no other. Never a key. */
export interface RunIdentity {
  readonly command: string;
  /** Over words, flags and files. */
  readonly sha256: string;
  readonly origin: string;
  readonly partner: number;
}

/** `begun`: it may have been written. `failed`: it certainly was not, and may be tried again. */
export type CompanyState = 'begun' | 'done' | 'failed' | 'unknown';

export interface FleetCheckpoint {
  /** The companies as they were selected when the run was begun. */
  readonly companies: readonly number[];
  readonly isResumed: boolean;
  readonly stateOf: (company: number) => CompanyState | undefined;
  /** On disk when it resolves. @throws BulkError where another run has taken over, or it can't be written */
  readonly note: (company: number, state: CompanyState) => Promise<void>;
  readonly close: () => Promise<void>;
}

const VERSION = 1;
const STATES: readonly string[] = ['begun', 'done', 'failed', 'unknown'] satisfies readonly CompanyState[];
const MOST_OCTETS = 64 * 1024 * 1024;

/**
 * @param name what people know the file by
 * @throws BulkError `input` where it is another run's, or another run is at work on it
 */
export async function openFleetCheckpoint(
  path: string,
  name: string,
  identity: RunIdentity,
  companies: readonly number[],
): Promise<FleetCheckpoint> {
  const lock = await lockOf(path, name);
  let file: FileHandle | undefined;
  try {
    const isNew = !existsSync(path);
    const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW = 0 } = constants;
    file = await open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600);
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > MOST_OCTETS) throw damaged(name, 'it is no file of such a run');
    const text = await file.readFile('utf8');
    const [header = '', ...lines] = text.split('\n');
    // What was cut off in the middle of a line was never acted upon.
    const torn = lines.at(-1) ?? header;
    const states = new Map<number, CompanyState>();
    let known = companies;
    if (lines.length === 0) {
      if (torn !== '') throw damaged(name, 'its first line is not whole');
      await append(file, { version: VERSION, ...identity, companies });
      if (isNew) syncDirectory(dirname(path), process.platform);
    } else {
      known = companiesIn(header, name, identity);
      for (const line of lines.slice(0, -1)) {
        const { company, state } = parsed(line, name);
        if (typeof company !== 'number' || !STATES.includes(String(state)))
          throw damaged(name, 'a line of it is of another kind');
        states.set(company, state as CompanyState);
      }
      if (torn !== '') await file.truncate(Buffer.byteLength(text) - Buffer.byteLength(torn));
    }
    return checkpointOn(file, lock, { companies: known, states, isResumed: lines.length > 0, name });
  } catch (error) {
    lock.release();
    await file?.close();
    throw error instanceof BulkError ? error : cannotUse(name, error);
  }
}

function checkpointOn(
  file: FileHandle,
  lock: RunnerLock,
  found: {
    readonly companies: readonly number[];
    readonly states: Map<number, CompanyState>;
    readonly isResumed: boolean;
    readonly name: string;
  },
): FleetCheckpoint {
  const { companies, states, isResumed, name } = found;
  // One line at a time; what one could not write stops all others.
  let last: Promise<void> = Promise.resolve();
  return {
    companies,
    isResumed,
    stateOf: (company) => states.get(company),
    note: (company, state) => {
      last = last.then(async () => {
        lock.check();
        await append(file, { company, state }).catch((cause: unknown) => {
          throw cannotWrite(name, cause);
        });
        states.set(company, state);
      });
      return last;
    },
    close: async () => {
      await last.catch(() => undefined);
      await file.close();
      lock.release();
    },
  };
}

async function append(file: FileHandle, line: object): Promise<void> {
  await file.appendFile(`${JSON.stringify(line)}\n`);
  await file.datasync();
}

async function lockOf(path: string, name: string): Promise<RunnerLock> {
  const lock = await takeRunnerLock(`${path}.lock`).catch((cause: unknown) => {
    throw cannotUse(name, cause);
  });
  if (!('holder' in lock)) return lock;
  const { pid, host } = lock.holder;
  throw new BulkError(
    'input',
    `another run is at work with ${name} (process ${pid} on ${host}); nothing was sent`,
    {
      hint: `wait for it, or end it first; its lock is ${name}.lock`,
    },
  );
}

function companiesIn(header: string, name: string, identity: RunIdentity): readonly number[] {
  const { version, companies, ...was } = parsed(header, name);
  if (version !== VERSION || !Array.isArray(companies))
    throw damaged(name, 'its first line is of another kind');
  const differing = Object.entries(identity).filter(([key, value]) => was[key] !== value);
  if (differing.length === 0) return companies.map(Number);
  const words = differing.map(([key]) => WORDS[key] ?? key);
  throw new BulkError(
    'input',
    `${name} is the checkpoint of another run: ${words.join(', ')}; nothing was sent`,
    {
      hints: [
        'to go on with that run, give the same command and files as then',
        'to begin anew, name another file; what was written then is not known to it',
      ],
    },
  );
}

const WORDS: Readonly<Record<string, string>> = {
  command: 'the command differs',
  sha256: 'its flags, words or files differ',
  origin: 'the service differs',
  partner: 'the partner differs',
};

function parsed(line: string, name: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return { ...value };
  } catch {
    // Said below, together with JSON that is no object.
  }
  throw damaged(name, 'a line of it is not JSON');
}

const damaged = (name: string, why: string): BulkError =>
  new BulkError(
    'damaged-checkpoint',
    `${name} is no checkpoint that can be gone on with: ${why}; nothing was sent`,
    {
      hint: 'name another file, or move it away; what it tells of an earlier run is then not known any more',
    },
  );

function cannotUse(name: string, cause: unknown): BulkError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new BulkError('input', `can't keep a checkpoint in ${name} (${why}); nothing was sent`, {
    hint: 'name another file with --checkpoint',
    cause,
  });
}

function cannotWrite(name: string, cause: unknown): BulkError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new BulkError(
    'unwritable-checkpoint',
    `the checkpoint ${name} can't be written (${why}); no more is sent`,
    {
      cause,
    },
  );
}
