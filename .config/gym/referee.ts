/**
 * Gives a task to a driver, runs what it asks for, and judges by the state of the sandbox. A driver is a program that reads a task on stdin and
 * writes requests on stdout, one JSON object a line (docs/assistants.md, "The gym").
 */
import type { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type McpConnection, openMcp } from './mcp.ts';
import type { GymTask } from './tasks.ts';
import { openWorld, type State, type World } from './world.ts';

export type Through = 'shell' | 'mcp';

export interface Attempt {
  readonly task: string;
  readonly through: Through;
  /** Empty if the task was solved. */
  readonly faults: readonly string[];
  readonly calls: number;
  /** Everything that the driver was shown. */
  readonly bytes: number;
  /** Calls that ended with an error. */
  readonly deadEnds: number;
  /** Commands, flags and tools that the driver used before anything had shown them. */
  readonly guesses: readonly string[];
}

interface Request {
  readonly run?: readonly string[];
  readonly input?: string;
  readonly write?: { readonly name: string; readonly text: string };
  readonly read?: string;
  readonly tools?: true;
  readonly call?: { readonly name: string; readonly arguments?: Readonly<Record<string, unknown>> };
  readonly done?: unknown;
}

export interface Gym {
  /** Folder of the project. */
  readonly root: string;
  /** Folder in which the processes of all worlds share V8's compiled code, so that each starts faster. */
  readonly compiled: string;
  /** Paths of all commands: `task create`. */
  readonly commands: readonly string[];
  /** Starts the driver, once for each task. */
  readonly start: () => ReturnType<typeof spawn>;
}

export async function attempt(
  { root, compiled, commands, start }: Gym,
  task: GymTask,
  through: Through,
): Promise<Attempt> {
  const world = await openWorld(root, compiled);
  let mcp: McpConnection | undefined;
  try {
    const facts = await task.prepare(world);
    const before = await world.state();
    if (through === 'mcp') mcp = await openMcp(world.startMcp());
    const text = task.text(world, facts);
    const seen = await converse(world, mcp, { task, through, text, known: new Known(commands) }, start());
    await mcp?.close();
    mcp = undefined;
    const after = await world.state();
    const judged =
      seen.broken ?? (await task.judge({ world, before, after, answer: seen.answer, facts }).catch(faultOf));
    return {
      task: task.name,
      through,
      faults: [judged].flat(),
      ...{ calls: seen.calls, bytes: seen.bytes, deadEnds: seen.deadEnds, guesses: seen.guesses },
    };
  } finally {
    await mcp?.close();
    await world.close();
  }
}

const faultOf = (error: unknown): readonly string[] => [String(error)];

/** What is different: `tasks 5`, `doNotContact +9`, `rules -2`. */
export function changesBetween(before: State, after: State): readonly string[] {
  return (Object.keys(before) as (keyof State)[]).flatMap((kind) => {
    const key = (row: Readonly<Record<string, unknown>>): string => `${row['kind'] ?? ''}${row['id']}`;
    const old = new Map(before[kind].map((row) => [key(row), JSON.stringify(row)]));
    const now = new Map(after[kind].map((row) => [key(row), JSON.stringify(row)]));
    return [
      ...[...now].flatMap(([id, text]) =>
        old.has(id) ? (old.get(id) === text ? [] : [`${kind} ${id}`]) : [`${kind} +${id}`],
      ),
      ...[...old.keys()].flatMap((id) => (now.has(id) ? [] : [`${kind} -${id}`])),
    ];
  });
}

interface Conversation {
  readonly task: GymTask;
  readonly through: Through;
  readonly text: string;
  readonly known: Known;
}

async function converse(
  world: World,
  mcp: McpConnection | undefined,
  { task, through, text, known }: Conversation,
  driver: ReturnType<typeof spawn>,
) {
  const seen = { calls: 0, bytes: 0, deadEnds: 0, guesses: [] as string[], answer: undefined as unknown };
  const { stdin, stdout } = driver;
  if (!stdin || !stdout) throw new Error('the driver has no stdin or stdout');
  stdin.on('error', () => undefined);
  const tell = (reply: object): void => {
    stdin.write(`${JSON.stringify(reply)}\n`);
  };
  const show = (reply: object, isError = false): void => {
    const shown = JSON.stringify(reply);
    seen.bytes += Buffer.byteLength(shown);
    if (isError) seen.deadEnds += 1;
    known.add(shown);
    tell(reply);
  };
  const entrance = through === 'shell' ? 'svc agent guide' : 'the instructions and tools of svc mcp';
  known.add(text);
  tell({ task: task.name, through, text, entrance, calls: task.calls, bytes: task.bytes });
  try {
    for await (const line of createInterface({ input: stdout })) {
      const request = JSON.parse(line) as Request;
      if ('done' in request) {
        seen.answer = request.done;
        return { ...seen, broken: overdrawn(seen, task) };
      }
      if (request.write) {
        await world.write(request.write.name, request.write.text);
        tell({ written: request.write.name });
      } else if (request.read !== undefined) show({ text: (await world.file(request.read)) ?? null });
      else if (request.tools && mcp) show({ instructions: mcp.instructions, tools: await mcp.tools() });
      else if (request.call && mcp) {
        seen.calls += 1;
        if (!known.hasTool(request.call.name)) seen.guesses.push(request.call.name);
        const result = await mcp.call(request.call.name, request.call.arguments ?? {});
        show({ result }, result['ok'] === false);
      } else if (request.run && through === 'shell') {
        seen.calls += 1;
        seen.guesses.push(...known.missingIn(request.run));
        const result = await world.run(request.run, request.input);
        show(result, ![0, 11].includes(result.exit));
      } else tell({ error: `not a request: ${line.slice(0, 200)}` });
      const over = overdrawn(seen, task);
      if (over !== undefined) return { ...seen, broken: over };
    }
    return { ...seen, broken: ['the driver ended without an answer'] };
  } catch (error) {
    return { ...seen, broken: faultOf(error) };
  } finally {
    driver.kill();
  }
}

function overdrawn(
  { calls, bytes }: { readonly calls: number; readonly bytes: number },
  task: GymTask,
): readonly string[] | undefined {
  if (calls > task.calls) return [`more than ${task.calls} calls`];
  return bytes > task.bytes ? [`more than ${task.bytes} bytes`] : undefined;
}

/** The commands, flags and tools that something has shown to the driver. */
class Known {
  #text = 'svc agent guide';
  readonly #paths: ReadonlySet<string>;

  /** @param commands the paths of all commands: `task create` */
  constructor(commands: readonly string[]) {
    const groups = commands.flatMap((path) =>
      path.split(' ').map((_, end, words) => words.slice(0, end).join(' ')),
    );
    this.#paths = new Set([...commands, ...groups]);
  }

  add(text: string): void {
    this.#text += `\n${text.replaceAll('\\"', '"')}`;
  }

  /** The longest start of the words that is a command or a group. */
  #pathIn(words: readonly string[]): string {
    const paths = words.map((_, end) => words.slice(0, words.length - end).join(' '));
    return paths.find((path) => this.#paths.has(path)) ?? words.slice(0, 1).join('');
  }

  hasTool(name: string): boolean {
    return this.#text.includes(`"name":"${name}"`);
  }

  /** `svc help task create --json` shows a flag as `"name":"at"`, other texts as `--at`. */
  missingIn(argv: readonly string[]): readonly string[] {
    const at = argv.findIndex((word) => word.startsWith('-'));
    const words = at < 0 ? argv : argv.slice(0, at);
    const flags = argv
      .filter((word) => /^--[a-z]/.test(word))
      .map((word) => word.slice(2).split('=')[0] ?? '');
    const path = this.#pathIn(words[0] === 'help' ? words.slice(1) : words);
    const isNamed = (name: string): boolean =>
      this.#text.includes(`"path":"${name}"`) || this.#text.includes(`svc ${name}`);
    // The index has one row for a group such as `why`. Its help names the commands.
    const isShown =
      path === '' || isNamed(path) || (words[0] === 'help' && isNamed(path.split(' ')[0] ?? ''));
    return [
      ...(isShown ? [] : [`svc ${path}`]),
      ...flags
        .filter((flag) => !this.#text.includes(`--${flag}`) && !this.#text.includes(`"name":"${flag}"`))
        .map((flag) => `--${flag}`),
    ];
  }
}
