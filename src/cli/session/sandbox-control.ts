/** Sends requests to the control plane of a sandbox on this machine (contract, "Sandbox"). */

import { type RequestOptions, request } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { parseJsonObject } from '../../kit/text/json-object.ts';
import { quoteShellWord } from '../../kit/text/words.ts';
import type { Answer } from '../../sandbox/control/all.ts';
import { type ControlOperationName, controlOperationNamed } from '../../service/protocol/control.ts';
import { formatJson } from '../../service/protocol/json.ts';
import { isLoopback } from '../../service/protocol/wire.ts';
import { CliError } from '../errors/errors.ts';
import { EXIT, exitCodeForHttpStatus } from '../errors/exit-codes.ts';
import { explainSandboxStartError } from '../errors/start-errors.ts';
import type { Invocation, Profiles, Tell } from './ports.ts';

export interface SandboxAddress {
  readonly folder: string;
  readonly pid: number;
  readonly host: string;
  readonly port: number;
  readonly controlToken: string;
  /** SHA-256 of the certificate that the sandbox must show, in hexadecimal. If undefined, the sandbox uses plain HTTP on loopback. */
  readonly fingerprint: string | undefined;
}

/** The sandbox may have ended since. */
export async function readSandboxAddress(folder: string): Promise<SandboxAddress | undefined> {
  const { checkSandboxDataFolder, readSandboxDataFile } = await import('../../kit/files/own-files.ts');
  let text: string | undefined;
  try {
    checkSandboxDataFolder(folder);
    text = readSandboxDataFile(join(folder, 'sandbox.json'));
  } catch (error) {
    throw explainSandboxStartError(error);
  }
  return text === undefined ? undefined : endpointIn(folder, text);
}

function endpointIn(folder: string, text: string): SandboxAddress | undefined {
  const { pid, host = LOOPBACK, port, controlToken, fingerprint } = parseJsonObject(text) ?? {};
  if (!Number.isSafeInteger(pid) || !Number.isSafeInteger(port) || typeof controlToken !== 'string')
    return undefined;
  if (typeof host !== 'string' || !(fingerprint === undefined || typeof fingerprint === 'string'))
    return undefined;
  return { folder, pid: Number(pid), host, port: Number(port), controlToken, fingerprint };
}

const LOOPBACK = '127.0.0.1';

export interface SandboxResponse<N extends ControlOperationName = ControlOperationName> {
  readonly data: Answer<N>;
  readonly zone: string;
}

/** Returns undefined if it fails, or if the service is not a sandbox of this machine that `svc sandbox start` has saved. */
export async function readFromSandbox<N extends ControlOperationName>(
  session: Invocation & Tell & Profiles,
  operation: N,
  args: object = {},
): Promise<Answer<N> | undefined> {
  const { origin, credentials } = await session.resolved();
  const { hostname, port } = new URL(origin);
  const folder = isLoopback(hostname) ? (await session.requestContext())?.sandbox?.dataDir : undefined;
  if (folder === undefined) return undefined;
  try {
    const endpoint = await readSandboxAddress(folder);
    // Another sandbox may have this port by now.
    if (endpoint === undefined || String(endpoint.port) !== port) return undefined;
    const { companyId: company } = credentials;
    const body = company === undefined ? args : { company, ...args };
    return (await sendSandboxOperation(endpoint, operation, body, { signal: session.context.signal }))?.data;
  } catch {
    return undefined;
  }
}

export const isSandboxReadOperation = (operation: ControlOperationName): boolean =>
  controlOperationNamed(operation).reads === true;

/** A long operation has no time limit. */
export const isLongSandboxOperation = (operation: ControlOperationName): boolean =>
  controlOperationNamed(operation).long === true;

interface ControlLimits {
  readonly signal?: AbortSignal | undefined;
  /** If omitted, the usual limit applies; long operations have no limit. */
  readonly timeout?: number | undefined;
}

/**
 * Returns undefined if the connection is refused, or if another program answers.
 * @throws CliError exit 7 when a read got no response, 10 when it is unknown whether a write was carried out
 */
export async function sendSandboxOperation<N extends ControlOperationName>(
  endpoint: SandboxAddress,
  operation: N,
  args: object,
  limits: ControlLimits = {},
): Promise<SandboxResponse<N> | undefined> {
  const path = `/control/${operation.replaceAll(' ', '/')}`;
  const timeout = timeoutOf(operation, limits.timeout);
  try {
    const reply = await post(endpoint, path, formatJson(args), { signal: limits.signal, timeout });
    return reply && readReply<N>(reply);
  } catch (error) {
    if (limits.signal?.aborted || !(error instanceof Error)) throw error;
    throw lostResponseError(endpoint, operation, error);
  }
}

const USUAL_TIMEOUT_MS = 30_000;

const timeoutOf = (operation: ControlOperationName, given: number | undefined): number | undefined =>
  given ?? (isLongSandboxOperation(operation) ? undefined : USUAL_TIMEOUT_MS);

export function formatOperationWait(
  operation: ControlOperationName,
  timeoutFlag: number | undefined,
): string {
  const timeout = timeoutOf(operation, timeoutFlag);
  const long = timeout === undefined ? 'without a time limit' : `at most ${timeout / 1000} seconds`;
  return `for the sandbox to run "${operation}" (${long}); Ctrl-C only stops waiting`;
}

interface Reply {
  readonly status: number;
  readonly text: string;
}

function readReply<N extends ControlOperationName>(reply: Reply): SandboxResponse<N> | undefined {
  const { data, error, zone } = parseJsonObject(reply.text) ?? {};
  if (reply.status === 200 && data !== undefined)
    return { data: data as Answer<N>, zone: String(zone ?? 'UTC') };
  // Another program, or another sandbox, has the port now.
  if (reply.status === 401 || typeof error !== 'object' || error === null) return undefined;
  const message =
    'message' in error ? String(error.message) : 'the sandbox refused the request and gave no reason';
  throw new CliError(ERROR_KINDS[reply.status] ?? 'sandbox', message, {
    exit: exitCodeForHttpStatus(reply.status),
  });
}

/** The kind of the error is `unreachable` for a read, and `unknown` for a write. */
function lostResponseError(
  { folder, host, port, pid }: SandboxAddress,
  operation: ControlOperationName,
  cause: Error,
): Error {
  if (cause instanceof CliError) return cause;
  const code = 'code' in cause ? String(cause.code) : '';
  if (!BROKEN.test(code)) return cause;
  const why =
    code === TIMED_OUT ? cause.message : `the connection closed before the sandbox responded (${code})`;
  const status = `svc sandbox status --data ${quoteShellWord(folder)}`;
  const who = `the sandbox at ${host}:${port} (process ${pid})`;
  if (isSandboxReadOperation(operation))
    return new CliError('unreachable', `${who}: ${why}`, {
      exit: EXIT.unreachable,
      hint: `to see whether the sandbox is running, run ${status}; to wait longer, add --timeout`,
      cause,
    });
  return new CliError('unknown', `${who}: ${why}; the outcome of "${operation}" is unknown`, {
    exit: EXIT.unknown,
    hint: `before you run the command again, check whether the change was made; to see whether the sandbox is running, run ${status}`,
    cause,
  });
}

const TIMED_OUT = 'CONTROL_TIMED_OUT';
const BROKEN = new RegExp(`^(?:ECONN|EPIPE|ETIMEDOUT|${TIMED_OUT})`);

/** Kinds of refusals. Any other status is an error of the sandbox. */
const ERROR_KINDS: Readonly<Record<number, string>> = { 400: 'invalid', 404: 'not-found', 409: 'conflict' };

/** Returns undefined if the connection is refused, or another program answers. */
function post(
  found: SandboxAddress,
  path: string,
  body: string,
  { signal, timeout }: { readonly signal: AbortSignal | undefined; readonly timeout: number | undefined },
): Promise<Reply | undefined> {
  const { host, port, controlToken, fingerprint } = found;
  return new Promise((resolved, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    let secured: Socket | undefined;
    const connection: RequestOptions =
      fingerprint === undefined
        ? { agent: false }
        : {
            createConnection: (_, handOver) => {
              secured = openPinnedTlsConnection({ host, port, fingerprint }, handOver);
              return undefined;
            },
          };
    const options = { host, port, path, method: 'POST', headers, ...connection };
    const sent = request({ ...options, ...(signal ? { signal } : {}) }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () =>
        resolved({ status: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
      );
    });
    // Not in `headers`: with NODE_DEBUG=http or net, Node prints the options of a request on stderr.
    sent.setHeader('authorization', `Bearer ${controlToken}`);
    const timer =
      timeout === undefined
        ? undefined
        : setTimeout(() => sent.destroy(timedOut(timeout)), Math.min(timeout, MAX_TIMER_MS));
    sent.on('close', () => {
      clearTimeout(timer);
      secured?.destroy();
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (NO_SANDBOX.test(error.code ?? '')) resolved(undefined);
      else reject(error);
    });
    sent.end(body);
  });
}

/** Matches error codes of an address without the sandbox: refused, no HTTP or TLS, or another certificate. */
const NO_SANDBOX = /^(?:ECONNREFUSED|HPE_|EPROTO|ERR_SSL_|CONTROL_OTHER_CERTIFICATE)/;

/** Maximum milliseconds that a timer can hold. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const timedOut = (timeout: number): Error =>
  Object.assign(new Error(`no response within ${timeout / 1000} s`), { code: TIMED_OUT });

/** The fingerprint comes from a file that only this user and the sandbox can write. Nothing is sent before the match. */
function openPinnedTlsConnection(
  { host, port, fingerprint }: Pick<SandboxAddress, 'host' | 'port'> & { readonly fingerprint: string },
  handOver: (error: Error | null, socket: TLSSocket) => void,
): TLSSocket {
  // Names and authorities are not checked, because the fingerprint is stricter than both.
  const socket = connect({ host, port, rejectUnauthorized: false });
  const failed = (error: Error): void => handOver(error, socket);
  socket.once('error', failed);
  socket.once('secureConnect', () => {
    socket.off('error', failed);
    const { fingerprint256 } = socket.getPeerCertificate();
    if (fingerprint256?.replaceAll(':', '').toLowerCase() === fingerprint) return handOver(null, socket);
    socket.destroy();
    const error = new Error('the server at the address of the sandbox has a different certificate');
    return handOver(Object.assign(error, { code: 'CONTROL_OTHER_CERTIFICATE' }), socket);
  });
  return socket;
}
