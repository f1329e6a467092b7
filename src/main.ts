/** argv and a context to an exit code. One of two places where an error is caught; the other is the sandbox's `handle`. */

import type { Arguments, Input, Outcome, Verb } from './cli/command/command.ts';
import { readGlobals, wantsJson } from './cli/command/globals.ts';
import { readInput } from './cli/command/input.ts';
import { readCommandLine } from './cli/command/program.ts';
import { type Asked, notToRepeat } from './cli/command/repeatable.ts';
import { inTypedWords } from './cli/command/typed-words.ts';
import { explainError } from './cli/errors/errors.ts';
import { EXIT, type ExitCode } from './cli/errors/exit-codes.ts';
import { colourWanted } from './cli/output/colour.ts';
import { printError } from './cli/output/print-error.ts';
import { createRedactor } from './cli/output/redact.ts';
import { render } from './cli/output/render.ts';
import type { Context } from './cli/outside/context.ts';
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
  try {
    const line = await readCommandLine(argv, entries, { version: VERSION, columns: context.stdout.columns });
    if (line.kind === 'print') {
      await context.stdout.write(line.text);
      return 0;
    }
    const { path, verb } = line;
    asked = line;
    const input = readInput(verb, line.given);
    const { timeout, ...others } = readGlobals(verb, input, context.env);
    const globals = verb.ownsTimeout || timeout === undefined ? others : { ...others, timeout };
    const own = { output: verb.output, secrets: secretsIn(line.given), command: path.join(' '), run: main };
    session = openSession(context, globals, own);
    return await run(session, verb, input);
  } catch (error) {
    return await fail(error, { argv, asked }, context, session);
  } finally {
    await session?.close().catch(() => undefined);
  }
}

async function run(session: Session, verb: Verb, input: Input): Promise<ExitCode> {
  const { context, globals } = session;
  const { result, exit } = await outcomeOf(session, verb, input);
  const exitCode = (): ExitCode => (typeof exit === 'function' ? exit() : (exit ?? EXIT.done));
  if (result.kind === 'nothing') return exitCode();
  const rendering = {
    ...shown(globals),
    format: await session.format(),
    colour: colourWanted(context.env, context.stdout, !globals.color),
    zone: () => session.companyZone(),
    width: context.stdout.isTTY ? context.stdout.columns : undefined,
  };
  await render(result, rendering, context.stdout, context.stderr);
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

const shown = ({ fields, query, jq, header, csvRaw, quiet }: Globals) => ({
  fields,
  query,
  jq,
  header,
  csvRaw,
  quiet,
});

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
    colour: colourWanted(env, stderr, argv.includes('--no-color')),
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
