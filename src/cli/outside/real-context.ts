/** Creates the context of the real process: streams, signals, clock and environment. Only `bin/svc.js` uses it. */
import { randomBytes } from 'node:crypto';
import { fstatSync, statSync, writeSync } from 'node:fs';
import { homedir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { isatty } from 'node:tty';
import type { RandomOctets } from '../../client/requests/ports.ts';
import { type Context, type InputStream, type OutputStream, wantsPlainOutput } from './context.ts';
import { handleExitSignals } from './exit-signals.ts';
import { createPrompter } from './prompts.ts';

/** Returns the context of this process, and starts to handle its signals. */
export function realContext(): Context {
  const exitSignals = handleExitSignals(process, (milliseconds, fire) => {
    const timer = setTimeout(fire, milliseconds).unref();
    return () => clearTimeout(timer);
  });
  if (!process.argv.includes('--debug')) hideWarnings();
  return {
    env: process.env,
    cwd: process.cwd(),
    get homeDir() {
      return homeOf();
    },
    platform: process.platform,
    stdin: inputFrom(() => process.stdin, exitSignals.signal),
    stdout: outputTo(() => process.stdout, 1),
    stderr: outputTo(() => process.stderr, 2),
    clock: {
      now: () => Date.now(),
      sleep: async (milliseconds, signal) => {
        await sleep(milliseconds, undefined, signal ? { signal } : {});
      },
    },
    // Called inside, so that `node:crypto` is loaded only when random octets are needed.
    random: createPooledRandomSource((count) => randomBytes(count)),
    prompter: createPrompter(exitSignals.signal, needsPlainPrompts(process.argv, process.env)),
    signal: exitSignals.signal,
    exitSignals,
    startPager: async (command) => (await import('./pager.ts')).startPager(command, process.env, process),
    // A getter, because it takes 10 ms and few commands need it.
    get machineZone() {
      return new Intl.DateTimeFormat().resolvedOptions().timeZone;
    },
  };
}

/** Reports whether prompts must never redraw a line: with `--plain`, `SVC_PLAIN`, or on a dumb terminal. */
const needsPlainPrompts = (argv: readonly string[], env: NodeJS.ProcessEnv): boolean =>
  argv.includes('--plain') || wantsPlainOutput(env) || env['TERM'] === 'dumb';

/** Hides Node's warnings, which are for developers. A rejected certificate file is still reported, because it explains a TLS failure. */
function hideWarnings(): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ message }) => {
    if (message.startsWith('Ignoring extra certs')) process.stderr.write(`svc: ${message}\n`);
  });
}

function homeOf(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}

/** Reports whether the descriptor is a terminal. Recognizes files, pipes and /dev/null without `node:tty`, which takes 5 ms to load. */
function isTerminal(descriptor: number): boolean {
  if (process.platform === 'win32') return isatty(descriptor);
  try {
    const about = fstatSync(descriptor);
    return about.isCharacterDevice() && about.rdev !== statSync('/dev/null').rdev && isatty(descriptor);
  } catch {
    return isatty(descriptor);
  }
}

function isRegularFile(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isFile();
  } catch {
    return false;
  }
}

/**
 * Returns a stream for stdout or stderr, opened late, because that takes longer than printing the help. Once the reader has closed the pipe,
 * the next write rejects, and no error event ends the process.
 */
function outputTo(open: () => NodeJS.WriteStream, descriptor: number): OutputStream {
  const isTTY = isTerminal(descriptor);
  let stream: NodeJS.WriteStream | undefined;
  let isFirst = !isTTY && process.platform !== 'win32';
  let gone: Error | undefined;
  const opened = (): NodeJS.WriteStream => {
    stream ??= open().on('error', (error) => {
      gone = error;
    });
    return stream;
  };
  return {
    isTTY,
    get isFile() {
      return isRegularFile(descriptor);
    },
    get columns() {
      return isTTY ? opened().columns : undefined;
    },
    get rows() {
      return isTTY ? opened().rows : undefined;
    },
    write: (text) =>
      new Promise((resolve, reject) => {
        const octets = isFirst ? Buffer.from(text) : undefined;
        isFirst = false;
        const rest = octets && octets.length <= MAX_DIRECT_OCTETS ? writeDirectly(octets, descriptor) : text;
        if (rest.length === 0) {
          resolve();
          return;
        }
        const target = opened();
        if (gone) reject(gone);
        else target.write(rest, (error) => (error ? reject(error) : resolve()));
      }),
  };
}

/** Number of octets that an empty pipe accepts in one write on every system. */
const MAX_DIRECT_OCTETS = 16 * 1024;

/** Writes octets to the descriptor, and returns the rest: all of them after an error, which Node's stream then reports. */
function writeDirectly(octets: Buffer, descriptor: number): Buffer {
  try {
    return octets.subarray(writeSync(descriptor, octets));
  } catch {
    return octets;
  }
}

/** Returns the input stream of the process. Ctrl-C ends a read that may never finish. */
function inputFrom(open: () => NodeJS.ReadStream, signal: AbortSignal): InputStream {
  const opened = (): NodeJS.ReadStream => {
    const stream = open();
    const end = (): void => void stream.destroy(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
    return stream;
  };
  return {
    isTTY: isTerminal(0),
    readAll: async (maxOctets) => {
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of opened()) {
        const octets = Buffer.from(chunk);
        size += octets.length;
        if (size > maxOctets) throw new RangeError(`standard input is larger than ${maxOctets} bytes`);
        chunks.push(octets);
      }
      return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
    },
    chunks: opened,
  };
}

const POOL = 4096;

/** Takes octets from a pool, once each, because each call of `source` takes as long as a signature. */
export function createPooledRandomSource(source: (count: number) => Uint8Array): RandomOctets {
  let pool: Uint8Array = new Uint8Array(0);
  let at = 0;
  return (count) => {
    if (count > POOL) return source(count);
    if (at + count > pool.length) {
      pool = source(POOL);
      at = 0;
    }
    // A copy is needed: `slice` of a Buffer shares its memory.
    const given = new Uint8Array(pool.subarray(at, at + count));
    pool.fill(0, at, at + count);
    at += count;
    return given;
  };
}
