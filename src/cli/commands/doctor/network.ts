/** Checks the connection to the service: the proxy, and the certificate at its end. */
import { readFile } from 'node:fs/promises';
import { hostAndPort } from '../../../client/failures.ts';
import { codeOf } from '../../../files/errors.ts';
import { isLoopback } from '../../../protocol/origin.ts';
import { distanceOf } from '../../../text/distance.ts';
import { formatTime } from '../../../text/timezone.ts';
import { counted } from '../../../text/words.ts';
import { CliError, UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import type { Session } from '../../session/session.ts';
import { type CheckResult, type DoctorCheck, fine, warning } from './check.ts';

const DAY = 86_400;
/** Days of validity below which a certificate gets a warning. */
const LEAST_DAYS = 14;

/** Shows the effective setting of HTTPS_PROXY and NO_PROXY for this address. */
const proxy: DoctorCheck = { name: 'proxy', examine: async (session) => (await routeOf(session)).found };

async function routeOf(session: Session): Promise<{ readonly found: CheckResult; readonly proxy?: string }> {
  const { env } = session.context;
  const { origin } = await session.resolved();
  const [variable, url] = firstSet(env, ['HTTPS_PROXY', 'https_proxy']);
  if (url === undefined) return { found: fine('none') };
  const [exceptions, except] = firstSet(env, ['NO_PROXY', 'no_proxy']);
  const used = await proxyOf(origin, url, except);
  if (used !== undefined)
    return { found: fine(`${hostAndPort(used)} (${variable}), to ${hostAndPort(origin)}`), proxy: used };
  const { hostname, protocol } = new URL(origin);
  const why =
    isLoopback(hostname) || protocol === 'http:'
      ? 'the address is on this machine'
      : `${exceptions} lists its host`;
  return { found: fine(`none: ${variable} is set, but ${why}`) };
}

async function proxyOf(origin: string, url: string, except: string | undefined): Promise<string | undefined> {
  const { proxyFor } = await import('../../../client/transport/undici-transport.ts');
  try {
    return proxyFor(origin, { url, except });
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new UsageError(cause.message, { hint: 'Unset it, or use http://HOST:PORT.', cause });
  }
}

/** Returns the first variable that is set, as the requests read them: an empty one counts as unset. */
function firstSet(
  env: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): readonly [name: string, value: string | undefined] {
  const name = names.find((each) => env[each]);
  return [name ?? names[0] ?? '', name === undefined ? undefined : env[name]];
}

/** Checks the certificate, which stops every request once it expires. */
const tls: DoctorCheck = {
  name: 'tls',
  isNeeded: true,
  examine: async (session) => {
    const { origin } = await session.resolved();
    if (new URL(origin).protocol === 'http:') return fine('not used: plain http on this machine');
    // The service runs in the same process in tests.
    if (session.context.transport !== undefined) return undefined;
    const { certificateOf } = await import('../../../client/transport/certificate.ts');
    const { proxy: used } = await routeOf(session);
    return certificateFound(
      await session.waiting('for the certificate of the service (at most 10 seconds)', () =>
        certificateOf(origin, { proxy: used }),
      ),
      session.context.clock.now() / 1000,
    );
  },
};

type Shown = Awaited<ReturnType<typeof import('../../../client/transport/certificate.ts')['certificateOf']>>;

/** Returns the finding about a certificate. @param now Unix seconds of this machine @throws CliError for an untrusted one */
export function certificateFound(shown: Shown, now: number): CheckResult | undefined {
  // The check of the service explains a missing connection.
  if (shown === undefined) return undefined;
  const { problem, validUntil, authority, isPrivate } = shown;
  if (problem !== undefined) {
    const hint = problem.advice === undefined ? {} : { hint: problem.advice };
    throw new CliError('unreachable', problem.words, { exit: EXIT.unreachable, ...hint });
  }
  const signed = isPrivate
    ? `signed by ${authority}, a private authority that this machine trusts`
    : `signed by ${authority}`;
  const until = `the certificate expires ${formatTime(validUntil, 'UTC', 'table')} UTC, ${distanceOf(validUntil, now)}`;
  return validUntil - now < LEAST_DAYS * DAY
    ? warning(`${until}, ${signed}`, 'ask the operators of the service to renew it')
    : fine(`${until}; ${signed}`);
}

/** Checks the file. Node ignores a bad one with a single warning, which is easily missed. */
const extraCertificates: DoctorCheck = {
  name: 'NODE_EXTRA_CA_CERTS',
  examine: async ({ context }) => {
    const path = context.env['NODE_EXTRA_CA_CERTS'];
    if (!path) return undefined;
    let text: string;
    try {
      text = await readFile(path, 'latin1');
    } catch (error) {
      const why = codeOf(error) ?? 'unreadable';
      return warning(`ignored: cannot read ${path} (${why})`, 'correct the path, or unset the variable');
    }
    const count = text.split('-----BEGIN CERTIFICATE-----').length - 1;
    if (count === 0) return warning(`ignored: ${path} has no certificate`, 'use a file in PEM format');
    return fine(`${path}: ${counted(count, 'certificate')}`);
  },
};

export const NETWORK: readonly DoctorCheck[] = [proxy, extraCertificates, tls];
