/**
 * Runs a parsed command: opens its session, and prints its result or its error. Errors are caught only here and in the sandbox's `handle`.
 */

import type { Arguments, Input, Verb } from './cli/command/command.ts';
import { flagsOf } from './cli/command/companies-flags.ts';
import { createFindingWords } from './cli/command/finding-words.ts';
import { readDisplaySettings, readGlobalFlags, wantsJson } from './cli/command/globals.ts';
import { readInput } from './cli/command/input.ts';
import { commandWithFlag } from './cli/command/next-command.ts';
import type { ParsedCommandLine } from './cli/command/program.ts';
import { runOrListPlannedRequests } from './cli/command/run-verb.ts';
import { collectPossibleSecrets, type VerbWithArguments } from './cli/command/safe-to-repeat.ts';
import {
  type CompanyWithError,
  type ErrorExplanation,
  findUncaughtErrorThatAborted,
} from './cli/errors/errors.ts';
import { EXIT, type ExitCode } from './cli/errors/exit-codes.ts';
import { explainError } from './cli/errors/explain-error.ts';
import { isColourWanted } from './cli/output/colour.ts';
import { isJobLog } from './cli/output/job-log.ts';
import { formatErrorObject, printError } from './cli/output/print-error.ts';
import { createArgumentShortener, createRedactor } from './cli/output/redact.ts';
import { render } from './cli/output/render.ts';
import type { PrintedResult, ResultOptions } from './cli/output/result.ts';
import type { WorkingIndicator } from './cli/output/working-line.ts';
import {
  type Context,
  isForAgent,
  type OutcomeTaker,
  type OutputStream,
  replaceContextParts,
} from './cli/outside/context.ts';
import type { GlobalFlagValues } from './cli/session/globals.ts';
import type { Clocks, Invocation, Ports, Run, ServiceAccess, Tell } from './cli/session/ports.ts';
import { openSession } from './cli/session/session.ts';
import { DEFAULT_TIMEOUT } from './client/requests/recovery/settle.ts';
import { quoteShellWord } from './kit/text/words.ts';

/**
 * Runs a parsed command and returns its exit code. Never throws. @param program the function that runs a whole command line, for commands
 * that run other commands
 */
export async function runParsedCommand(
  line: ParsedCommandLine & { readonly kind: 'run' },
  argv: readonly string[],
  outer: Context,
  program: Run,
): Promise<ExitCode> {
  let session: Ports | undefined;
  let sign: WorkingIndicator | undefined;
  let context = outer;
  try {
    const { path, verb, given } = line;
    const input = readInput(verb, given);
    const { timeout, ...others } = readGlobalFlags(verb, input, context.env);
    const globals = verb.ownsTimeout || timeout === undefined ? others : { ...others, timeout };
    if (outer.stderr.isTTY && !globals.quiet && !verb.live)
      sign = (await import('./cli/output/working-line.ts')).createWorkingIndicator(outer, globals.plain);
    if (sign) context = replaceContextParts(outer, sign.contextParts);
    const own = {
      output: verb.output,
      secrets: secretsIn(given),
      command: path.join(' '),
      needsNoCompany:
        typeof verb.needsNoCompany === 'function' ? verb.needsNoCompany(input) : verb.needsNoCompany,
      ignoresFolder: verb.ignoresFolder,
      run: program,
      report: async (failed: unknown, of: Ports, company?: CompanyWithError) => {
        const explained = await explainFailure(failed, argv, of, company);
        await printFailure(explained, { argv, asked: line }, context, of);
        return explained;
      },
    };
    const exitCode = await paged(context, globals.pager && !verb.live, async ({ stdout, stderr }) => {
      session = openSession(
        stderr === context.stderr ? context : replaceContextParts(context, { stderr }),
        globals,
        own,
      );
      const flags = flagsOf(verb);
      if (flags.some(({ name, writes }) => writes !== undefined && given.flags.has(name)))
        (await import('./cli/request/new-file.ts')).checkWrittenPaths(session, flags, given.flags);
      return run(session, verb, input, stdout, (flag) => {
        const redact = createRedactor(collectPossibleSecrets(argv, context.env, line));
        return redact(session?.redact(commandWithFlag(argv, flags, flag)) ?? '');
      });
    });
    return exitCode;
  } catch (error) {
    return await fail(error, { argv, asked: line }, context, session);
  } finally {
    await session?.close().catch(() => undefined);
    sign?.end();
  }
}

/** Prints the error of a command line that could not be parsed, and returns the exit code. */
export const printParseError = (
  error: unknown,
  argv: readonly string[],
  context: Context,
): Promise<ExitCode> => fail(error, { argv, asked: undefined }, context, undefined);

/** Checks the program of `--jq` before the verb sends anything. */
async function run(
  session: Ports,
  verb: Verb,
  input: Input,
  stdout: OutputStream,
  commandWith: NonNullable<ResultOptions['commandWith']>,
): Promise<ExitCode> {
  const { context, globals } = session;
  if (globals.jq === undefined || context.taker !== undefined)
    return runAndPrint(session, verb, input, { stdout, commandWith });
  const { startJq } = await import('./cli/output/jq.ts');
  const silence = globals.timeout ?? DEFAULT_TIMEOUT;
  const jq = await startJq(globals.jq, { silence, signal: context.signal });
  try {
    return await runAndPrint(session, verb, input, { stdout, commandWith, jq });
  } finally {
    await jq.close();
  }
}

interface Printing extends Pick<ResultOptions, 'commandWith' | 'jq'> {
  /** The stream for the result. */
  readonly stdout: OutputStream;
}

/** Runs the verb, prints its result and returns the exit code. */
async function runAndPrint(session: Ports, verb: Verb, input: Input, printing: Printing): Promise<ExitCode> {
  const { context, globals } = session;
  const isOne = globals.companies === undefined;
  const { result, exit } = await runOrListPlannedRequests(session, async () => {
    if (isOne) return verb.run(session, input);
    if (verb.runForCompanies) return verb.runForCompanies(session, input);
    return (await import('./cli/companies/run.ts')).runVerbForCompanies(session, verb, input);
  });
  const exitCode = (): ExitCode => (typeof exit === 'function' ? exit() : (exit ?? EXIT.done));
  if (result.kind === 'nothing') return exitCode();
  if (context.taker === undefined) await print(session, result, printing);
  else await hand(session, result, context.taker);
  const thrown = findUncaughtErrorThatAborted(context.signal);
  if (thrown) throw thrown;
  return context.signal.aborted ? EXIT.interrupted : exitCode();
}

/** Hands the data to the caller of the command. */
async function hand(
  { globals, serviceNow, warn }: Invocation & Tell & Clocks,
  result: PrintedResult,
  taker: OutcomeTaker,
): Promise<void> {
  const { readResultValue } = await import('./cli/output/value.ts');
  const { value, notes } = await readResultValue(result, globals.fields, serviceNow);
  taker.take(value);
  for (const note of notes) await warn(note);
}

async function print(
  session: Invocation & Tell & ServiceAccess & Clocks,
  result: PrintedResult,
  { stdout, ...given }: Printing,
): Promise<void> {
  const { context, globals } = session;
  const isOne = globals.companies === undefined;
  const rendering = {
    ...shown(globals),
    ...given,
    format: await session.format(),
    colour: isColourWanted(context.env, context.stdout, !globals.color),
    isJobLog: isJobLog(context.env, context.stdout),
    zone: (result.kind === 'rows' ? result.zone : undefined) ?? session.tableZone,
    now: session.serviceNow,
    names: stdout.isTTY && isOne ? session.names : undefined,
    showsRelativeTimes: stdout.isTTY && isOne,
    hasWholeNames: globals.wide,
    width: stdout.isTTY && !globals.wide ? stdout.columns || 80 : undefined,
  };
  await render(result, rendering, stdout, context.stderr);
}

const shown = ({ fields, query, header, csvRaw, quiet, plain }: GlobalFlagValues) => ({
  plain,
  fields,
  query,
  header,
  csvRaw,
  quiet,
});

/** Runs `work` with streams that show long output in a pager on a terminal. Resolves when the pager has ended. */
async function paged<T>(
  context: Context,
  wanted: boolean,
  work: (streams: Pick<Context, 'stdout' | 'stderr'>) => Promise<T>,
): Promise<T> {
  if (!wanted || !context.stdout.isTTY) return work(context);
  return (await import('./cli/output/paging.ts')).runWithPager(context, work);
}

async function fail(
  error: unknown,
  { argv, asked }: GivenCommand,
  context: Context,
  session: Ports | undefined,
): Promise<ExitCode> {
  const explained = await explainFailure(error, argv, session);
  await printFailure(explained, { argv, asked }, context, session, context.taker);
  const isInterrupted = context.signal.aborted && !findUncaughtErrorThatAborted(context.signal);
  return isInterrupted && !KEPT_ON_INTERRUPT.includes(explained.exit) ? EXIT.interrupted : explained.exit;
}

interface GivenCommand {
  readonly argv: readonly string[];
  readonly asked: VerbWithArguments | undefined;
}

/** @param company the company in which the error occurred, in a run over many companies */
async function explainFailure(
  error: unknown,
  argv: readonly string[],
  session: Ports | undefined,
  company?: CompanyWithError,
): Promise<ErrorExplanation> {
  return withAnswers(
    { ...explainError(error, await session?.requestContext()), company },
    argv,
    session?.answers ?? [],
  );
}

/** Never throws. @param taker gets the error, if the command ends with it */
async function printFailure(
  explained: ErrorExplanation,
  { argv, asked }: GivenCommand,
  context: Context,
  session: Ports | undefined,
  taker?: OutcomeTaker,
): Promise<void> {
  const { env, stderr } = session?.context ?? context;
  const withoutKeys =
    session?.redact ?? createRedactor([env.SVC_API_KEY ?? '', env.SVC_PARTNER_API_KEY ?? '']);
  const withoutGiven = createRedactor(collectPossibleSecrets(argv, env, asked));
  const redact = (text: string): string => withoutGiven(withoutKeys(text));
  // The profile's format counts, too. A profile that can't be read may be the error itself.
  const format = await session?.format().catch(() => undefined);
  const options = {
    json: format === undefined ? wantsJson(argv, env) : format === 'json' || isForAgent({ env }),
    colour: isColourWanted(env, stderr, !readDisplaySettings(argv, env).color),
    debug: argv.includes('--debug'),
    redact,
    shorten: createArgumentShortener(argv, redact),
    words: asked && createFindingWords(argv, asked),
  };
  if (taker === undefined) await printError(explained, options, stderr).catch(() => undefined);
  // The hints for a command line are for people.
  else
    taker.fail(
      formatErrorObject({ ...explained, hint: explained.suggestions?.join('\n') || undefined }, options),
    );
}

/** Exit codes after which the same command can be given again, because the service created no record. */
const CHANGED_NOTHING: readonly ExitCode[] = [EXIT.usage, EXIT.denied, EXIT.notFound, EXIT.invalid];

/** Adds the command with the flags for the answers of a person, so that no answer is lost. */
function withAnswers(
  explained: ErrorExplanation,
  argv: readonly string[],
  answers: readonly string[],
): ErrorExplanation {
  if (answers.length === 0 || !CHANGED_NOTHING.includes(explained.exit)) return explained;
  const command = ['svc', ...argv, ...answers].map(quoteShellWord).join(' ');
  const { hint } = explained;
  return {
    ...explained,
    hint: `${hint === undefined ? '' : `${hint}\n`}the command with your answers: ${command}`,
  };
}

/** Exit codes that Ctrl-C does not replace with 130, because they tell the user to check something. */
const KEPT_ON_INTERRUPT: readonly ExitCode[] = [EXIT.unknown, EXIT.conflict];

/** Returns the passwords among the given flags, so that no error repeats them. */
function secretsIn({ flags }: Arguments): readonly string[] {
  const password = flags.get('password');
  return typeof password === 'string' ? [password] : [];
}
