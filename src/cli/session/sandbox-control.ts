/** Sends requests to the control plane of a sandbox on this machine (contract, "Sandbox"). */
import { type RequestOptions, request } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { type OperationName, operationOf } from '../../protocol/control.ts';
import type { Json, JsonObject } from '../../protocol/envelope.ts';
import { formatJson } from '../../protocol/json.ts';
import { isLoopback } from '../../protocol/origin.ts';
import { objectIn } from '../../text/json-object.ts';
import { shellWord } from '../../text/words.ts';
import { CliError } from '../errors/errors.ts';
import { EXIT, exitForStatus } from '../errors/exit-codes.ts';
import { explainStart } from '../errors/start-errors.ts';
import type { Session } from './session.ts';

export interface SandboxEndpoint {
  /** Data folder. */
  readonly folder: string;
  readonly pid: number;
  readonly host: string;
  readonly port: number;
  readonly controlToken: string;
  /** SHA-256 of the certificate that it must show, in hexadecimal. If undefined, it uses plain HTTP on loopback. */
  readonly fingerprint: string | undefined;
}

/**
 * Returns the address that the sandbox of this folder has published; it may have died since. Trusts only a file that no other user can have
 * put there.
 */
export async function endpointOf(folder: string): Promise<SandboxEndpoint | undefined> {
  const { checkOwnFolder, readOwnFile } = await import('../../files/own-files.ts');
  let text: string | undefined;
  try {
    checkOwnFolder(folder);
    text = readOwnFile(join(folder, 'sandbox.json'));
  } catch (error) {
    throw explainStart(error);
  }
  return text === undefined ? undefined : endpointIn(folder, text);
}

function endpointIn(folder: string, text: string): SandboxEndpoint | undefined {
  const { pid, host = LOOPBACK, port, controlToken, fingerprint } = parse(text);
  if (!Number.isSafeInteger(pid) || !Number.isSafeInteger(port) || typeof controlToken !== 'string')
    return undefined;
  if (typeof host !== 'string' || !(fingerprint === undefined || typeof fingerprint === 'string'))
    return undefined;
  return { folder, pid: Number(pid), host, port: Number(port), controlToken, fingerprint };
}

const LOOPBACK = '127.0.0.1';

export interface SandboxAnswer {
  readonly data: Json;
  /** Time zone of the company. */
  readonly zone: string;
}

/**
 * Returns the data of a reading operation for the session's company, or undefined if the service is no sandbox of a profile on this machine,
 * or cannot be asked. Sends one request to a sandbox's control plane, none elsewhere.
 */
export async function knownToSandbox(
  session: Session,
  operation: OperationName,
  args: JsonObject = {},
): Promise<Json | undefined> {
  const { origin, credentials } = await session.resolved();
  const { hostname, port } = new URL(origin);
  const folder = isLoopback(hostname) ? (await session.asked())?.sandbox?.dataDir : undefined;
  if (folder === undefined) return undefined;
  try {
    const endpoint = await endpointOf(folder);
    // Another sandbox may have this port by now.
    if (endpoint === undefined || String(endpoint.port) !== port) return undefined;
    const { companyId: company } = credentials;
    const body = company === undefined ? args : { company, ...args };
    return (await askControl(endpoint, operation, body, { signal: session.context.signal }))?.data;
  } catch {
    return undefined;
  }
}

/** Reports whether the operation changes nothing. */
export const isReading = (operation: OperationName): boolean => operationOf(operation).reads === true;

export const isLong = (operation: OperationName): boolean => operationOf(operation).long === true;

interface Patience {
  readonly signal?: AbortSignal | undefined;
  /** Time limit for the whole response in milliseconds. If omitted, the operation's own; long operations have none. */
  readonly timeout?: number | undefined;
}

/**
 * Sends an operation to the sandbox's control plane. Returns undefined if the connection is refused, or if another program answers.
 * @throws CliError exit 7 when a read got no response, 10 when it is unknown whether a write was carried out
 */
export async function askControl(
  found: SandboxEndpoint,
  operation: OperationName,
  args: JsonObject,
  patience: Patience = {},
): Promise<SandboxAnswer | undefined> {
  const path = `/control/${operation.replaceAll(' ', '/')}`;
  const timeout = timeoutOf(operation, patience.timeout);
  try {
    const reply = await post(found, path, formatJson(args), { signal: patience.signal, timeout });
    return reply && readReply(reply);
  } catch (error) {
    if (patience.signal?.aborted || !(error instanceof Error)) throw error;
    throw lost(found, operation, error);
  }
}

const USUAL_TIMEOUT_MS = 30_000;

const timeoutOf = (operation: OperationName, given: number | undefined): number | undefined =>
  given ?? (isLong(operation) ? undefined : USUAL_TIMEOUT_MS);

/** Returns the text about the wait for an operation, with its time limit. */
export function waitText(operation: OperationName, given: number | undefined): string {
  const timeout = timeoutOf(operation, given);
  const long = timeout === undefined ? 'without a time limit' : `at most ${timeout / 1000} seconds`;
  return `for the sandbox to run "${operation}" (${long}); Ctrl-C only stops waiting`;
}

interface Reply {
  readonly status: number;
  readonly text: string;
}

function readReply(reply: Reply): SandboxAnswer | undefined {
  const parsed = parse(reply.text);
  const error = parsed['error'];
  if (reply.status === 200 && parsed['data'] !== undefined)
    return { data: parsed['data'], zone: String(parsed['zone'] ?? 'UTC') };
  // Another program, or another sandbox, has the port now.
  if (reply.status === 401 || typeof error !== 'object' || error === null) return undefined;
  const message =
    'message' in error ? String(error.message) : 'the sandbox refused the request and gave no reason';
  throw new CliError(kindOf(reply.status), message, { exit: exitForStatus(reply.status) });
}

/** Returns the error for a lost response: a read was unreachable, a write is in doubt. */
function lost({ folder, host, port, pid }: SandboxEndpoint, operation: OperationName, cause: Error): Error {
  if (cause instanceof CliError) return cause;
  const code = 'code' in cause ? String(cause.code) : '';
  if (!BROKEN.test(code)) return cause;
  const why = code === TIMED_OUT ? cause.message : `closed the connection before it responded (${code})`;
  const status = `svc sandbox status --data ${shellWord(folder)}`;
  const who = `the sandbox at ${host}:${port} (process ${pid})`;
  if (isReading(operation))
    return new CliError('unreachable', `${who} ${why}`, {
      exit: EXIT.unreachable,
      hint: `to see whether it runs, run ${status}; to wait longer, add --timeout`,
      cause,
    });
  return new CliError('unknown', `${who} ${why}; the outcome of "${operation}" is unknown`, {
    exit: EXIT.unknown,
    hint: `before you run it again, check whether its change is there; to see whether the sandbox runs, run ${status}`,
    cause,
  });
}

const TIMED_OUT = 'CONTROL_TIMED_OUT';
const BROKEN = new RegExp(`^(?:ECONN|EPIPE|ETIMEDOUT|${TIMED_OUT})`);

function kindOf(status: number): string {
  switch (status) {
    case 404:
      return 'not-found';
    case 409:
      return 'conflict';
    case 400:
      return 'invalid';
    default:
      return 'sandbox';
  }
}

const parse = (text: string): JsonObject => (objectIn(text) ?? {}) as JsonObject;

/** Sends a POST, never through a proxy. Returns undefined if the connection is refused, or another program answers. */
async function post(
  found: SandboxEndpoint,
  path: string,
  body: string,
  { signal, timeout }: { readonly signal: AbortSignal | undefined; readonly timeout: number | undefined },
): Promise<Reply | undefined> {
  const { host, port, controlToken, fingerprint } = found;
  const openPinned = fingerprint === undefined ? undefined : (await import('./pinned.ts')).openPinned;
  return new Promise((resolved, reject) => {
    const headers = {
      authorization: `Bearer ${controlToken}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    let secured: Socket | undefined;
    const connection: RequestOptions = openPinned
      ? {
          createConnection: (_, handOver) => {
            secured = openPinned({ host, port, fingerprint: fingerprint ?? '' }, handOver);
            return undefined;
          },
        }
      : { agent: false };
    const options = { host, port, path, method: 'POST', headers, ...connection };
    const sent = request({ ...options, ...(signal ? { signal } : {}) }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () =>
        resolved({ status: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
      );
    });
    const timer =
      timeout === undefined
        ? undefined
        : setTimeout(() => sent.destroy(timedOut(timeout)), Math.min(timeout, LONGEST_TIMER_MS));
    sent.on('close', () => {
      clearTimeout(timer);
      secured?.destroy();
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (NOBODY_THERE.test(error.code ?? '')) resolved(undefined);
      else reject(error);
    });
    sent.end(body);
  });
}

/** Error codes for a refused connection, or a peer that speaks no HTTP, no TLS, or shows another certificate. */
const NOBODY_THERE = /^(?:ECONNREFUSED|HPE_|EPROTO|ERR_SSL_|CONTROL_OTHER_CERTIFICATE)/;

/** Longest time that a timer can hold. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const timedOut = (timeout: number): Error =>
  Object.assign(new Error(`did not respond within ${timeout / 1000} s`), { code: TIMED_OUT });
