/**
 * Runs one program of jq in a thread of its own (`jq.ts`). A program may never end, and only the end of its thread stops it. jq is
 * WebAssembly with at most 256 MB of memory, without access to files, to the network or to the environment of this process.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { loadJq } from 'jq-wasm';

export interface JqThreadData {
  readonly program: string;
  readonly wasm: Uint8Array;
  /** One number, which is 1 while the reader has not taken the last output. */
  readonly taken: Int32Array;
}

export type JqThreadMessage =
  | { readonly kind: 'output'; readonly octets: Uint8Array }
  /** The program was compiled, or has ended. `exit` is jq's exit code, and undefined if jq ran out of memory. */
  | { readonly kind: 'end'; readonly exit: number | undefined; readonly errors: string };

/** One result a line, texts without quotes. A program may begin with `-`. */
const FLAGS = ['-r', '-c', '--'];
const OUTPUT = 1;
const FULL = 64 * 1024;
const MAX_ERROR_OCTETS = 64 * 1024;

const { program, wasm, taken } = workerData as JqThreadData;
const REPLACEMENTS = {
  _fd_write: writeToFile,
  _environ_sizes_get: countVariables,
  _environ_get: () => 0,
};
let pending: Uint8Array[] = [];
let pendingOctets = 0;
let errors: Uint8Array[] = [];
let errorOctets = 0;
let memory: WebAssembly.Memory | undefined;

void start();

async function start(): Promise<void> {
  const jq = await loadJq({ instantiateWasm });
  // Without input, jq compiles the program and does not run it.
  post(run(''));
  parentPort?.on('message', (input: string) => post(run(input)));

  function run(input: string): JqThreadMessage {
    errors = [];
    errorOctets = 0;
    let exit: number | undefined;
    try {
      exit = jq.raw(input, program, FLAGS).exitCode;
    } catch (error) {
      // jq aborts when it gets no more memory.
      if (!(error instanceof WebAssembly.RuntimeError) && !(error instanceof RangeError)) throw error;
    }
    flush();
    return { kind: 'end', exit, errors: Buffer.concat(errors).toString('utf8') };
  }
}

/**
 * Replaces functions of the package by their name: it would keep the whole output in memory, and invents variables for `env`.
 * @throws Error if the package has no such function
 */
function instantiateWasm(
  imports: WebAssembly.Imports,
  onSuccess: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
): void {
  for (const [own, replacement] of Object.entries(REPLACEMENTS)) {
    const found = Object.values(imports).flatMap((functions) =>
      Object.entries(functions).map(([name, each]) => ({ functions, name, each })),
    );
    const target = found.find(({ each }) => typeof each === 'function' && each.name === own);
    if (target === undefined) throw new Error(`the package jq-wasm has no function ${own}`);
    target.functions[target.name] = replacement;
  }
  void WebAssembly.instantiate(wasm, imports).then(({ instance, module }) => {
    memory = Object.values(instance.exports).find((each) => each instanceof WebAssembly.Memory);
    onSuccess(instance, module);
  });
}

const viewOfMemory = (): DataView => new DataView(memory?.buffer ?? new ArrayBuffer(0));

/** `fd_write` of WASI. @param parts address of pairs of address and length */
function writeToFile(file: number, parts: number, count: number, written: number): number {
  const view = viewOfMemory();
  let total = 0;
  for (let part = parts; part < parts + 8 * count; part += 8) {
    const [start, length] = [view.getUint32(part, true), view.getUint32(part + 4, true)];
    const octets = new Uint8Array(view.buffer, start, length).slice();
    total += length;
    if (file === OUTPUT) keep(octets);
    else keepError(octets);
  }
  view.setUint32(written, total, true);
  return 0;
}

/** `environ_sizes_get` of WASI. */
function countVariables(count: number, octets: number): number {
  const view = viewOfMemory();
  view.setUint32(count, 0, true);
  view.setUint32(octets, 0, true);
  return 0;
}

function keep(octets: Uint8Array): void {
  pending.push(octets);
  pendingOctets += octets.length;
  if (pendingOctets >= FULL) flush();
}

function keepError(octets: Uint8Array): void {
  if (errorOctets >= MAX_ERROR_OCTETS) return;
  errors.push(octets);
  errorOctets += octets.length;
}

/** Waits until the reader has taken the output, so that a program which prints without end does not fill the memory. */
function flush(): void {
  if (pendingOctets === 0) return;
  const octets = Buffer.concat(pending);
  pending = [];
  pendingOctets = 0;
  Atomics.store(taken, 0, 1);
  post({ kind: 'output', octets });
  Atomics.wait(taken, 0, 1);
}

function post(message: JqThreadMessage): void {
  parentPort?.postMessage(message);
}
