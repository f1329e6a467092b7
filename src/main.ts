/** argv and a context to an exit code. One of two places where an error is caught; the other is the sandbox's `handle`. */

import type { Arguments, Input, Outcome, Verb } from './cli/command/command.ts';
import { looksIn, readGlobals, wantsJson } from './cli/command/globals.ts';
import { readInput } from './cli/command/input.ts';
import { readCommandLine } from './cli/command/program.ts';
import { type Asked, notToRepeat } from './cli/command/repeatable.ts';
import { inTypedWords } from './cli/command/typed-words.ts';
import { unknownFirstWord } from './cli/command/words.ts';
import { explainError } from './cli/errors/errors.ts';
import { EXIT, type ExitCode } from './cli/errors/exit-codes.ts';
import { colourWanted } from './cli/output/colour.ts';
import { printError } from './cli/output/print-error.ts';
import { createRedactor } from './cli/output/redact.ts';
import { render } from './cli/output/render.ts';
import type { Context, OutputStream } from './cli/outside/context.ts';
import { thrownIn } from './cli/outside/ending.ts';
import { VERSION } from './cli/outside/version.ts';
import { entries } from './cli/registry/entries.ts';
import type { Globals } from './cli/session/globals.ts';
import { openSession, type Session } from './cli/session/session.ts';

export { realContext } from './cli/outside/real-context.ts';

/** Never throws. @param argv without node and script */
export async function main(argv: readonly string[], context: Context): Promise<number> {
  let session: Session | undefined;
  let asked: Asked | undefined;
  let words = argv;
  try {
    const unknown = unknownFirstWord(argv, entries);
    const meant = unknown && (await (await ownWords()).ownWordOf(argv, unknown, context));
    if (meant?.kind === 'plugin') return await meant.run();
    if (meant?.kind === 'alias') words = meant.argv;
    const line = await readCommandLine(words, entries, aboutThis(context));
    if (line.kind === 'print') {
      await paged(context, looksIn(words, context.env).pager, ({ stdout }) => stdout.write(line.text));
      return 0;
    }
    const { path, verb } = line;
    asked = line;
    const input = readInput(verb, line.given);
    const { timeout, ...others } = readGlobals(verb, input, context.env);
    const globals = verb.ownsTimeout || timeout === undefined ? others : { ...others, timeout };
    const own = { output: verb.output, secrets: secretsIn(line.given), command: path.join(' '), run: main };
    const exitCode = await paged(context, globals.pager && !verb.live, async ({ stdout, stderr }) => {
      session = openSession(withStderr(context, stderr), globals, own);
      return run(session, verb, input, stdout);
    });
    if (context.env['SVC_UPDATE_URL'] && !globals.quiet && !globals.dryRun && !verb.live)
      await (await import('./cli/outside/update-notice.ts')).noticeUpdate(context);
    return exitCode;
  } catch (error) {
    return await fail(error, { argv: words, asked }, context, session);
  } finally {
    await session?.close().catch(() => undefined);
  }
}

const aboutThis = (context: Context) => ({
  version: VERSION,
  columns: context.stdout.columns,
  aliases: async () => (await ownWords()).aliasesForHelp(context),
});

/** Loaded where a first word is no command, or help is to show those there are. */
const ownWords = () => import('./cli/commands/own-word.ts');

/** @param stdout where the result goes */
async function run(session: Session, verb: Verb, input: Input, stdout: OutputStream): Promise<ExitCode> {
  const { context, globals } = session;
  const { result, exit } = await outcomeOf(session, verb, input);
  const exitCode = (): ExitCode => (typeof exit === 'function' ? exit() : (exit ?? EXIT.done));
  if (result.kind === 'nothing') return exitCode();
  const rendering = {
    ...shown(globals),
    format: await session.format(),
    colour: colourWanted(context.env, context.stdout, !globals.color),
    zone: session.tableZone,
    now: session.serviceNow,
    names: stdout.isTTY ? session.names : undefined,
    width: stdout.isTTY && !globals.wide ? stdout.columns || 80 : undefined,
  };
  await render(result, rendering, stdout, context.stderr);
  const thrown = thrownIn(context.signal);
  if (thrown) throw thrown;
  return context.signal.aborted ? EXIT.interrupted : exitCode();
}

/** What the verb returns, or of a dry run all that it would have done; whatever else it threw was about that. */
async function outcomeOf(session: Session, verb: Verb, input: Input): Promise<Outcome> {
  const { dryRun } = session;
  try {
    const outcome = await verb.run(session, input);
    if (dryRun.planned.length === 0) return outcome;
  } catch (error) {
    if (dryRun.planned.length === 0) throw error;
  }
  const { dryRunOutcome } = await import('./cli/command/dry-run-outcome.ts');
  return dryRunOutcome(dryRun, await session.format(), session.warn);
}

const shown = ({ fields, query, jq, header, csvRaw, quiet, plain }: Globals) => ({
  plain,
  fields,
  query,
  jq,
  header,
  csvRaw,
  quiet,
});

/** What `work` writes, through a pager where it is long and somebody looks; resolves when the pager has been left. */
async function paged<T>(
  context: Context,
  wanted: boolean,
  work: (streams: Pick<Context, 'stdout' | 'stderr'>) => Promise<T>,
): Promise<T> {
  if (!wanted || !context.stdout.isTTY) return work(context);
  const { openPaging } = await import('./cli/output/paging.ts');
  const paging = openPaging(context, wanted);
  if (paging === undefined) return work(context);
  try {
    return await work({ stdout: paging.out, stderr: paging.err });
  } finally {
    await paging.end();
  }
}

/** The same context; what it works out only when asked is not asked for here. */
function withStderr(context: Context, stderr: OutputStream): Context {
  if (stderr === context.stderr) return context;
  const own = Object.getOwnPropertyDescriptors(context);
  return Object.defineProperties({} as Context, { ...own, stderr: { value: stderr, enumerable: true } });
}

async function fail(
  error: unknown,
  { argv, asked }: { readonly argv: readonly string[]; readonly asked: Asked | undefined },
  context: Context,
  session: Session | undefined,
): Promise<ExitCode> {
  const { env, stderr } = context;
  const explained = inTypedWords(explainError(error, await session?.asked()), argv, asked);
  const withoutKeys =
    session?.redact ?? createRedactor([env['SVC_API_KEY'] ?? '', env['SVC_PARTNER_API_KEY'] ?? '']);
  const names = (await session?.profileNames()) ?? [];
  const withoutGiven = createRedactor(notToRepeat(argv, env, asked).filter((text) => !names.includes(text)));
  const options = {
    json: session?.globals.output === 'json' || wantsJson(argv, env),
    colour: colourWanted(env, stderr, !looksIn(argv, env).color),
    debug: argv.includes('--debug'),
    redact: (text: string) => withoutGiven(withoutKeys(text)),
  };
  await printError(explained, options, stderr).catch(() => undefined);
  const isInterrupted = context.signal.aborted && !thrownIn(context.signal);
  return isInterrupted && !OVER_INTERRUPTED.includes(explained.exit) ? EXIT.interrupted : explained.exit;
}

/** What Ctrl-C came too late for, or may have: 130 would say that nothing is left to look at. */
const OVER_INTERRUPTED: readonly ExitCode[] = [EXIT.unknown, EXIT.conflict];

/** A password may be a word of argv; it must not come back in an error. */
function secretsIn({ flags }: Arguments): readonly string[] {
  const password = flags.get('password');
  return typeof password === 'string' ? [password] : [];
}
