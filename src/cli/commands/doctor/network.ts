/** Checks the connection to the service: the settings of the proxy, and the TLS certificate of the service. */
import { readFile } from 'node:fs/promises';
import { hostAndPort } from '../../../client/failures.ts';
import type { ServerCertificate } from '../../../client/transport/certificate.ts';
import {
  type CheckResult,
  checkCertificate,
  checkExtraCertificates,
  passedCheck,
  warningResult,
} from '../../../doctor/setup.ts';
import { codeOf } from '../../../files/errors.ts';
import { isLoopback } from '../../../protocol/wire.ts';
import { CliError, UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import type { Session } from '../../session/session.ts';

/** Check of `svc doctor`. The result of each check is one line of the output. */
export interface DoctorCheck {
  readonly name: string;
  /**
   * Runs the check. Returns undefined if the check does not apply.
   * @throws an error if the check fails; the error's exit code becomes the exit code of `svc doctor`
   */
  readonly examine: (session: Session) => Promise<CheckResult | undefined>;
  /** Set if later checks depend on this check. If this check fails, svc skips the later checks. */
  readonly isNeededByLaterChecks?: true;
}

/** Shows whether svc uses a proxy for the address of the service, according to HTTPS_PROXY and NO_PROXY. */
const proxy: DoctorCheck = { name: 'proxy', examine: async (session) => (await routeOf(session)).found };

async function routeOf(session: Session): Promise<{ readonly found: CheckResult; readonly proxy?: string }> {
  const { env } = session.context;
  const { origin } = await session.resolved();
  const [variable, url] = firstSet(env, ['HTTPS_PROXY', 'https_proxy']);
  if (url === undefined) return { found: passedCheck('none') };
  const [exceptions, except] = firstSet(env, ['NO_PROXY', 'no_proxy']);
  const used = await proxyOf(origin, url, except);
  if (used !== undefined)
    return {
      found: passedCheck(`${hostAndPort(used)} (${variable}), to ${hostAndPort(origin)}`),
      proxy: used,
    };
  const { hostname, protocol } = new URL(origin);
  const why =
    isLoopback(hostname) || protocol === 'http:'
      ? 'the address is on this machine'
      : `${exceptions} excludes the host of the service from the proxy`;
  return { found: passedCheck(`svc uses no proxy: ${variable} is set, but ${why}`) };
}

async function proxyOf(origin: string, url: string, except: string | undefined): Promise<string | undefined> {
  const { proxyUrlFor } = await import('../../../client/transport/undici-transport.ts');
  try {
    return proxyUrlFor(origin, { url, except });
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new UsageError(cause.message, {
      hint: 'Unset the proxy variable, or set it to http://HOST:PORT.',
      cause,
    });
  }
}

/**
 * Returns the name and value of the first of these environment variables that is set. If no variable is set, returns the first name and
 * undefined. An empty variable counts as unset, because svc also ignores empty variables when it chooses a proxy for a request.
 */
function firstSet(
  env: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): readonly [name: string, value: string | undefined] {
  const name = names.find((each) => env[each]);
  return [name ?? names[0] ?? '', name === undefined ? undefined : env[name]];
}

/** Checks the certificate of the service. After the certificate expires, every request fails. */
const tls: DoctorCheck = {
  name: 'tls',
  isNeededByLaterChecks: true,
  examine: async (session) => {
    const { origin } = await session.resolved();
    if (new URL(origin).protocol === 'http:')
      return passedCheck('TLS is not used: plain http on this machine');
    // The service runs in the same process in tests.
    if (session.context.transport !== undefined) return undefined;
    const { fetchServerCertificate } = await import('../../../client/transport/certificate.ts');
    const { proxy: used } = await routeOf(session);
    return checkServiceCertificate(
      await session.waiting('for the certificate of the service (at most 10 seconds)', () =>
        fetchServerCertificate(origin, { proxy: used }),
      ),
      session.context.clock.now() / 1000,
    );
  },
};

/**
 * Returns the result for the service's certificate, or undefined without a TLS connection.
 * @param now Unix seconds of this machine's clock
 * @throws CliError for an untrusted certificate
 */
export function checkServiceCertificate(
  certificate: ServerCertificate | undefined,
  now: number,
): CheckResult | undefined {
  // The check of the service explains a missing connection.
  if (certificate === undefined) return undefined;
  const { problem } = certificate;
  if (problem === undefined) return checkCertificate(certificate, now);
  const hint = problem.advice === undefined ? {} : { hint: problem.advice };
  throw new CliError('unreachable', problem.words, { exit: EXIT.unreachable, ...hint });
}

/** Checks that the file of additional certificate authorities is readable. Node ignores an unreadable file without a message. */
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
      return warningResult(
        `ignored: cannot read ${path} (${why})`,
        'correct the path in the variable, or unset the variable',
      );
    }
    return checkExtraCertificates(path, text);
  },
};

export const NETWORK_CHECKS: readonly DoctorCheck[] = [proxy, extraCertificates, tls];
