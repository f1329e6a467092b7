/** Runs a verb for one of many companies: returns its rows, its exit code, and the state of its writes. */

import { createHash } from 'node:crypto';
import type { CompaniesCheckpoint, RunIdentity } from '../../client/companies/checkpoint.ts';
import { type ResumeOptions, resumeRun } from '../../client/companies/resume.ts';
import type { SelectedCompany } from '../../client/companies/selector.ts';
import { parseJson } from '../../service/protocol/json.ts';
import type { Input, Outcome, Verb } from '../command/command.ts';
import {
  companiesAtOnceFlag,
  companiesCheckpointFlag,
  companiesFlag,
  flagsOf,
  writeFlag,
} from '../command/companies-flags.ts';
import { runOrListPlannedRequests } from '../command/run-verb.ts';
import { UsageError } from '../errors/errors.ts';
import { EXIT, type ExitCode } from '../errors/exit-codes.ts';
import { explainError } from '../errors/explain-error.ts';
import { wholeText } from '../output/render.ts';
import type { Column, Result, Rows } from '../output/result.ts';
import type { InputStream } from '../outside/context.ts';
import { readText } from '../request/input-text.ts';
import type { Commands, Invocation, Ports, Profiles } from '../session/ports.ts';

export interface RowFormatForAllCompanies {
  readonly columns: readonly Column[];
  /** If omitted, a row has only the attributes in `columns`. */
  readonly attributes?: readonly Column[];
  readonly ofRules?: true;
  readonly empty: string;
}

export interface SingleCompanyRun {
  readonly session: Ports;
  readonly hasSentNothing: () => boolean;
  /** `something` once a write was carried out, `refused` if all writes so far were refused. */
  readonly writeState: () => 'nothing' | 'something' | 'refused';
  /** An earlier run renamed or deleted a record, so a missing one is no error. */
  readonly mayRecordBeMissing: () => boolean;
  /** `notes` and `exit` are final only after the last of the `rows` has been read. */
  readonly run: () => Promise<{
    readonly shape: RowFormatForAllCompanies;
    readonly rows: Rows['rows'];
    readonly notes: () => readonly string[];
    readonly exit: () => ExitCode;
  }>;
}

export interface CompanyRunOptions {
  readonly run: Verb['run'];
  readonly input: Input;
  readonly writes: boolean;
  readonly checkpoint: CompaniesCheckpoint | undefined;
  /** The user confirms a preview of the changes before the verb writes. */
  readonly isShown?: boolean;
  readonly beforeNote: () => Promise<void>;
  /** Read once for all companies. */
  readonly stdin: InputStream;
}

/** The session asks no questions, because one confirmation covers all companies. */
export function createSingleCompanyRun(
  session: Invocation & Commands,
  { id, name }: SelectedCompany,
  work: CompanyRunOptions,
): SingleCompanyRun {
  const { run, input, writes, checkpoint, stdin, beforeNote } = work;
  let requests = 0;
  let written: ReturnType<SingleCompanyRun['writeState']> = 'nothing';
  const resumed = checkpoint && resumeRun(resumeOptions(checkpoint));
  const acting: Ports = session.actingFor(id, {
    globals: { yes: session.globals.yes || writes, input: false },
    context: { stdin },
    prefix: `company ${id}${name === undefined ? '' : ` (${name})`}: `,
    writes: {
      resume: resumed?.stage,
      onWritten: (isDone) => {
        if (isDone) written = 'something';
        else if (written === 'nothing') written = 'refused';
      },
    },
    beforeNote,
    onRequest: () => {
      requests += 1;
    },
  });
  return {
    session: acting,
    hasSentNothing: () => requests === 0,
    writeState: () => written,
    mayRecordBeMissing: () => resumed?.mayRecordBeMissing() ?? false,
    run: async () => {
      if (checkpoint !== undefined && checkpoint.writesOf(id).length > 0)
        await resumed?.resolveEarlierWrites(await acting.bareClient());
      const outcome = await runOrListPlannedRequests(acting, () => run(acting, input));
      const { exit = EXIT.done } = outcome;
      return {
        ...(await contentOf(outcome.result, writes)),
        exit: () => (typeof exit === 'function' ? exit() : exit),
      };
    },
  };

  function resumeOptions(notes: CompaniesCheckpoint): ResumeOptions {
    const { timeout, settle } = session.globals;
    return {
      recorder: {
        writesOfEarlierRuns: notes.writesOf(id),
        recordBeforeSending: (write) => notes.begin(id, write),
        recordOutcome: (n, how) => notes.ended(id, n, how),
      },
      clock: session.context.clock,
      signal: session.context.signal,
      timeout,
      settle,
      isConfirmed: work.isShown ?? false,
      onFound: (title) => acting.info(`found ${title}, created by an earlier run`),
      waiting: (look) => acting.waiting(`for what an earlier run sent to company ${id}`, look),
      isRefusal: (error) =>
        ![EXIT.unknown, EXIT.interrupted].some((exit) => exit === explainError(error).exit),
    };
  }
}

const nothing = (): readonly string[] => [];

async function contentOf(
  result: Outcome['result'],
  writes: boolean,
): Promise<{
  readonly shape: RowFormatForAllCompanies;
  readonly rows: Rows['rows'];
  readonly notes: () => readonly string[];
}> {
  switch (result.kind) {
    case 'rows':
      return { shape: shapeOf(result), rows: result.rows, notes: result.notes ?? nothing };
    case 'object':
      return { shape: { ...shapeOf(result), empty: EMPTY }, rows: [result.value], notes: nothing };
    case 'text':
      return alone('text', result.text);
    case 'raw':
      return alone('answer', parsed(await wholeText(result.body)));
    case 'nothing':
      // A write without a result still gets a row for its company.
      return { shape: { columns: [], empty: EMPTY }, rows: writes ? [{}] : [], notes: nothing };
  }
}

const EMPTY = 'The result is empty for every company.';

function shapeOf(result: Extract<Result, { readonly columns: readonly Column[] }>): RowFormatForAllCompanies {
  const { columns, attributes, ofRules } = result;
  return {
    columns,
    ...(attributes === undefined ? {} : { attributes }),
    ...(ofRules === undefined ? {} : { ofRules }),
    empty: result.kind === 'rows' ? result.empty : EMPTY,
  };
}

const alone = (name: string, value: unknown) => ({
  shape: { columns: [{ name }], empty: EMPTY },
  rows: [{ [name]: value }],
  notes: nothing,
});

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

const MAX_OCTETS = 16 * 1024 * 1024;

const EXCLUDED_FLAGS = [companiesAtOnceFlag, companiesCheckpointFlag, writeFlag].map(({ name }) => name);

/**
 * Flags, arguments and input files are only a hash, because they may contain a password.
 * @throws UsageError for standard input, which svc can't read again
 */
export async function computeRunIdentity(
  session: Invocation & Profiles,
  verb: Verb,
  input: Input,
  commandLine: { readonly command: string; readonly selector: string },
): Promise<RunIdentity> {
  const { credentials, origin } = await session.resolved();
  const hash = createHash('sha256');
  const add = (...texts: readonly string[]): void => {
    for (const text of texts) hash.update(`${Buffer.byteLength(text)}:${text}`);
  };
  const addFile = async (name: string): Promise<void> => {
    if (name === '-') throw fromStandardInput();
    add(await readText(session.context, name, MAX_OCTETS));
  };
  add(commandLine.selector, session.globals.tz ?? '', ...input.positionals);
  for (const [at, name] of input.positionals.entries())
    if (verb.positionals?.[at]?.isFile) await addFile(name);
  for (const flag of flagsOf(verb)) {
    if (EXCLUDED_FLAGS.includes(flag.name) || !input.has(flag)) continue;
    if (flag.name.endsWith('-stdin')) throw fromStandardInput();
    add(flag.name);
    const [, ...texts] = input.asWritten([flag]);
    add(...texts);
    for (const text of texts) {
      const isBody = flag.name === 'data' || flag.name === companiesFlag.name;
      if (isBody && (text === '-' || text.startsWith('@'))) await addFile(text.replace(/^@/, ''));
      else if (flag.value === 'file' && text !== flag.name) await addFile(text);
    }
  }
  return {
    command: commandLine.command,
    sha256: hash.digest('hex'),
    origin,
    partner: credentials.kind === 'partner' ? credentials.partnerId : 0,
  };
}

const fromStandardInput = (): UsageError =>
  new UsageError(
    'cannot use --checkpoint with standard input, because svc cannot read it twice; nothing was sent',
    { hint: 'read the input from a file, or leave out --checkpoint' },
  );
