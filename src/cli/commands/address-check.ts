/** Checks that an address belongs to the service, with one unsigned request, before the user types a key for it. */
import { TransportError } from '../../client/errors.ts';
import { hostAndPort } from '../../client/failures.ts';
import { readEnvelope } from '../../protocol/envelope.ts';
import { parseBaseUrl, type WireResponse } from '../../protocol/wire.ts';
import { account } from '../../resources/account.ts';
import { CliError, UsageError } from '../errors/errors.ts';
import { EXIT } from '../errors/exit-codes.ts';
import type { Context } from '../outside/context.ts';
import { createServiceConnections } from '../session/connections.ts';
import { sandboxStartCommand, stoppedSandboxLines } from '../session/sandbox-start.ts';
import type { Session } from '../session/session.ts';

/** Default time limit of the request, in milliseconds. It is short because a person is waiting. */
const DEFAULT_TIMEOUT = 15_000;

/**
 * Returns lines that say why the address is unusable and what to do. Returns undefined if the service responds at the address.
 * @param baseUrl a valid URL
 */
export async function explainUnusableServiceAddress(
  session: Session,
  baseUrl: string,
): Promise<readonly string[] | undefined> {
  const base = parseBaseUrl(baseUrl);
  if ('problem' in base) return [`The address ${base.problem}.`];
  const path = `${base.basePath}/v1/${account.name}`;
  try {
    return answerProblem(await unsigned(session, base.origin, path), baseUrl);
  } catch (error) {
    // The request changes nothing, so a transport error leaves nothing in doubt.
    if (session.context.signal.aborted)
      throw new CliError('interrupted', 'interrupted', { exit: EXIT.interrupted, cause: error });
    if (error instanceof UsageError) return [`${error.message}.`];
    if (!(error instanceof TransportError)) throw error;
    return [`No response: ${error.message}.`, ...(await adviceFor(session, error, base.origin))];
  }
}

async function unsigned(session: Session, origin: string, path: string): Promise<WireResponse> {
  const { context, globals } = session;
  const timeout = globals.timeout ?? DEFAULT_TIMEOUT;
  const connections = createServiceConnections(context);
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(timeout)]);
  try {
    return await session.waiting(
      `for ${hostAndPort(origin)} to answer, for ${timeout / 1000} seconds at most`,
      async () => {
        const transport = await connections.open(origin, false);
        return transport({ method: 'GET', path, query: '', headers: {} }, signal);
      },
    );
  } finally {
    await connections.close();
  }
}

/**
 * Returns the lines that say why the response is not from the service. Returns undefined for a response of the service. Every response of
 * the service is a JSON envelope with a known form (wire, "Responses").
 */
function answerProblem(
  { status, headers, body }: WireResponse,
  baseUrl: string,
): readonly string[] | undefined {
  if (status >= 300 && status < 400) {
    const location = headers['location']?.slice(0, 200);
    return [
      `The address redirects ${location === undefined ? 'without a location' : `to ${location}`}.`,
      'Use the final address of the service: svc does not follow redirects.',
    ];
  }
  const envelope = readEnvelope(body);
  const asked = `svc requested ${baseUrl.replace(/\/+$/, '')}/v1/${account.name}; svc adds /v1, so the address must not end in it.`;
  // At the right path, an unsigned request for the account is refused rather than not found.
  if (envelope.kind === 'error' && status === 404 && new URL(baseUrl).pathname !== '/')
    return ['The service responds, but has nothing at the path of this address (404).', asked];
  if (envelope.kind !== 'not-ours') return undefined;
  if (status >= 500)
    return [`The address responds with ${status} in an unknown format: the service may be down.`];
  return [
    `Another server, not the service, responds at this address with status ${status}: ${envelope.problem}.`,
    asked,
  ];
}

const AUTHORITIES = 'NODE_EXTRA_CA_CERTS';

/** Returns advice about NODE_EXTRA_CA_CERTS. Node reads the file of this variable only at its start, and ignores an unreadable file. */
async function extraCertificatesAdvice({ env }: Context): Promise<string> {
  const file = env[AUTHORITIES];
  if (!file)
    return (
      'svc reads the environment variable NODE_EXTRA_CA_CERTS only at its start. ' +
      'Press Ctrl-C, set the variable, and run svc init again.'
    );
  const { access, constants } = await import('node:fs/promises');
  const isRead = await access(file, constants.R_OK).then(
    () => true,
    () => false,
  );
  const problem = isRead ? 'does not hold the certificate of the issuer' : 'cannot be read';
  return `${AUTHORITIES} is set to ${file}, which ${problem}: press Ctrl-C, correct the variable, and run svc init again.`;
}

async function adviceFor(
  session: Session,
  { advice, isRefused }: TransportError,
  origin: string,
): Promise<readonly string[]> {
  if (advice !== undefined)
    return advice.includes(AUTHORITIES) ? [advice, await extraCertificatesAdvice(session.context)] : [advice];
  if (!isRefused || !origin.startsWith('http:')) return [];
  const { profiles } = await (await session.store()).list();
  const stopped = stoppedSandboxLines(origin, profiles);
  if (stopped !== undefined) return stopped;
  return [
    `For a sandbox: ${sandboxStartCommand()} --port ${new URL(origin).port || '80'} starts a sandbox and creates its profile.`,
  ];
}
