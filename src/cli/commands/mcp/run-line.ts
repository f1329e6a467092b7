/** Runs a command line of svc in this process for an assistant: without a terminal, without questions, and within limits. */
import { EXIT } from '../../errors/exit-codes.ts';
import type { AssistantCommandLimits, Context, OutputStream } from '../../outside/context.ts';
import type { Run } from '../../session/session.ts';

/** Environment variables that would change the output of a command, or send requests to other addresses. */
const LEFT_OUT = ['SVC_OUTPUT', 'SVC_PAGER', 'SVC_PLAIN', 'SVC_UPDATE_URL'];

/** Maximum length of the output in characters. A command with a longer output fails. */
const MAX_CHARACTERS = 64 * 1024 * 1024;

/**
 * Runs the command line in this process, and captures what it prints. @param outer context of the server, from which the command gets its
 * clock and folders
 */
export async function runCommandLine(
  outer: Context,
  run: Run,
  argv: readonly string[],
  limits: { readonly confined: AssistantCommandLimits; readonly signal: AbortSignal },
) {
  const stdout = captured();
  const stderr = captured();
  const { cwd, homeDir, platform, clock, random, machineZone, timer, transport } = outer;
  const exit = await run(argv, {
    ...{ cwd, homeDir, platform, clock, random, machineZone },
    ...(timer ? { timer } : {}),
    ...(transport ? { transport } : {}),
    env: Object.fromEntries(Object.entries(outer.env).filter(([name]) => !LEFT_OUT.includes(name))),
    stdin: NO_INPUT,
    stdout: stdout.stream,
    stderr: stderr.stream,
    prompter: { confirm: unanswered, input: unanswered, password: unanswered, select: unanswered },
    ...limits,
  });
  return {
    exit: limits.signal.aborted ? EXIT.interrupted : exit,
    stdout: stdout.text(),
    stderr: stderr.text(),
  };
}

const NO_INPUT: Context['stdin'] = {
  isTTY: false,
  readAll: async () => '',
  chunks: async function* () {},
};

const unanswered = async (): Promise<never> => {
  throw new Error('cannot prompt: an assistant runs this command');
};

function captured(): { readonly stream: OutputStream; readonly text: () => string } {
  const pieces: string[] = [];
  let length = 0;
  const write = async (text: string): Promise<void> => {
    length += text.length;
    if (length > MAX_CHARACTERS)
      throw new RangeError('the output of the command is too long for an assistant');
    pieces.push(text);
  };
  return { stream: { isTTY: false, columns: undefined, write }, text: () => pieces.join('') };
}
