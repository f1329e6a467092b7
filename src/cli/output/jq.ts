/** Applies `--jq`: the program is checked before the command sends anything, and runs in a thread of its own. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { brotliDecompressSync } from 'node:zlib';
import packedJq from 'jq-wasm/jq.wasm?brotli';
import { formatDuration } from '../../kit/text/duration.ts';
import { escapeForTerminal } from '../../kit/text/terminal.ts';
import { UsageError } from '../errors/errors.ts';
import type { OutputStream } from '../outside/context.ts';
import type { JqThreadData, JqThreadMessage } from './jq-thread.ts';
import thread from './jq-thread.ts?script';
import type { JqProgram } from './result.ts';

interface JqLimits {
  /** Milliseconds for which a program may print nothing. */
  readonly silence: number;
  readonly signal: AbortSignal;
}

/** Loads jq, and compiles the program. @throws UsageError for an invalid program, with jq's own message */
export async function startJq(program: string, { silence, signal }: JqLimits): Promise<JqProgram> {
  const taken = new Int32Array(new SharedArrayBuffer(4));
  const workerData: JqThreadData = {
    program,
    wasm: brotliDecompressSync(Buffer.from(packedJq, 'base64')),
    taken,
  };
  // The package writes to these streams when jq runs out of memory.
  const worker = new Worker(thread, { eval: true, workerData, stdout: true, stderr: true });
  const close = async (): Promise<void> => void (await worker.terminate());
  const next = async (): Promise<JqThreadMessage> => {
    const late = AbortSignal.timeout(silence);
    try {
      const [message] = await once(worker, 'message', { signal: AbortSignal.any([signal, late]) });
      return message as JqThreadMessage;
    } catch (error) {
      signal.throwIfAborted();
      if (!late.aborted) throw error;
      throw new UsageError(`--jq: the program printed nothing for ${formatDuration(silence / 1000)}`, {
        hint: 'change the program, or allow more with --timeout',
      });
    }
  };
  const follow = async (first: Promise<JqThreadMessage>, out?: OutputStream): Promise<End> => {
    const decoder = new TextDecoder();
    let message = await first;
    while (message.kind === 'output') {
      const text = decoder.decode(message.octets, { stream: true });
      await out?.write(out.isTTY ? escapeForTerminal(text, { newlines: true }) : text);
      const following = next();
      Atomics.store(taken, 0, 0);
      Atomics.notify(taken, 0);
      message = await following;
    }
    return message;
  };
  try {
    failIfNotDone(await follow(next()));
  } catch (error) {
    await close();
    throw error;
  }
  const print: JqProgram['print'] = async (input, out, err) => {
    const first = next();
    worker.postMessage(input);
    const end = await follow(first, out);
    const notes = end.errors.replace(ERRORS, '').trimEnd();
    if (notes !== '') await err.write(`${escapeForTerminal(notes, { newlines: true })}\n`);
    failIfNotDone(end);
  };
  return { print, close };
}

type End = JqThreadMessage & { readonly kind: 'end' };

/** @throws UsageError if the program failed */
function failIfNotDone({ exit, errors }: End): void {
  if (exit === 0) return;
  if (exit === undefined)
    throw new UsageError('--jq: the data and the program need more than the 256 MB that jq gets', {
      hint: 'filter the list, or print -o ndjson to a program of your own',
    });
  const said = [...errors.matchAll(ERROR)].map(([, words = '']) => words);
  throw new UsageError(`--jq: ${said.join('; ') || 'halt_error'}`, {
    hint:
      exit === COMPILE
        ? 'jqlang.org/manual describes the syntax'
        : 'to see the data of a list or a get, add --jq .',
  });
}

/** jq's exit code for a program that it cannot compile. */
const COMPILE = 3;
const ERROR = /^jq: error(?: \(at [^)]*\))?:? ?(.*?):?$/gm;
/** The first of these lines and all after it: a compile error also shows the program and the place in it. */
const ERRORS = /^jq: error[\s\S]*/m;
