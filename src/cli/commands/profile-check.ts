/** Checks the credentials of a new profile with one signed request, before anything is saved. */

import type { Profile } from '../../client/profiles/profile.ts';
import type { Client } from '../../client/requests/client.ts';
import type { SignedText, TraceEvent, TraceListener } from '../../client/requests/connection.ts';
import { ClientError, TransportError } from '../../client/requests/errors.ts';
import { readTimezone } from '../../kit/text/timezone.ts';
import { truncateText } from '../../kit/text/words.ts';
import type { AccountId } from '../../service/auth/credentials.ts';
import { readEnvelope } from '../../service/protocol/envelope.ts';
import { hostAndPort, parseBaseUrl, type WireResponse } from '../../service/protocol/wire.ts';
import { account } from '../../service/resources/account.ts';
import { readServiceClockTimeMs } from '../errors/client-error.ts';
import { CliError, UsageError } from '../errors/errors.ts';
import { EXIT } from '../errors/exit-codes.ts';
import { explainError } from '../errors/explain-error.ts';
import type { Context } from '../outside/context.ts';
import { createServiceConnections } from '../session/connections.ts';
import type { Commands, Invocation, Profiles, Tell } from '../session/ports.ts';
import { sandboxStartCommand, stoppedSandboxLines } from '../session/sandbox-start.ts';
import { openSession } from '../session/session.ts';
import { formatSignedTextLines } from '../session/signature-lines.ts';

type SettingsFromService = Pick<Profile, 'companyZone'>;

type CredentialCheckResult =
  | { readonly isAccepted: true; readonly who: string; readonly learnedSettings: SettingsFromService }
  | {
      readonly isAccepted: false;
      readonly isRefused: boolean;
      /** Message without a full stop, so that `; nothing was saved` can follow. */
      readonly message: string;
      readonly advice: readonly string[];
      /** Lines with the string that svc signed, which the caller must not wrap. Empty if svc has already shown them. */
      readonly signed: readonly string[];
      readonly cause: unknown;
    };

/** @throws only if the user interrupts the request */
export async function checkCredentials(
  session: Invocation & Tell & Profiles & Commands,
  profile: Profile,
): Promise<CredentialCheckResult> {
  let last: SignedText | undefined;
  const watch = ({ signed }: TraceEvent): void => {
    last = signed ?? last;
  };
  try {
    return { isAccepted: true, ...(await requestAccountName(session, profile, watch)) };
  } catch (cause) {
    if (session.context.signal.aborted) throw cause;
    const isRefused = cause instanceof ClientError && (cause.status === 401 || cause.status === 403);
    if (isRefused) {
      const signed = cause.status === 401 && !session.globals.explainSignature ? signedWords(last) : [];
      return { isAccepted: false, isRefused, ...refusal(session, profile, cause), signed, cause };
    }
    const { message, hint } = explainError(cause);
    const stopped = await stoppedSandbox(session, profile, cause);
    const advice = stopped ?? hint?.split('\n') ?? [];
    return { isAccepted: false, isRefused, message, advice, signed: [], cause };
  }
}

function signedWords(signed: SignedText | undefined): readonly string[] {
  if (signed === undefined) return [];
  return ['Signed string (\\r\\n is CR LF; no line end follows the key):', ...formatSignedTextLines(signed)];
}

export const keyAcceptedText = (who: string): string => `checked the API key: it is valid for ${who}`;

/**
 * Adds the settings that the service reports. Before the error, prints the string that svc signed, unless the output format is JSON.
 * @throws CliError that says why the check failed, and that svc saved nothing
 */
export async function checkProfile(
  session: Invocation & Tell & Profiles & Commands,
  profile: Profile,
): Promise<Profile> {
  const check = await checkCredentials(session, profile);
  if (check.isAccepted) {
    await session.info(keyAcceptedText(check.who));
    return { ...profile, ...check.learnedSettings };
  }
  const { kind, exit } = explainError(check.cause);
  if (session.globals.output !== 'json') for (const line of check.signed) await session.info(line);
  throw new CliError(kind, `${check.message}; nothing was saved`, {
    exit,
    hints: [...check.advice, 'To save the profile without a check, use --no-check.'],
    cause: check.cause,
  });
}

async function requestAccountName(
  session: Invocation & Tell & Commands,
  profile: Profile,
  watch: TraceListener,
): Promise<{ readonly who: string; readonly learnedSettings: SettingsFromService }> {
  const { kind, companyId, partnerId } = profile;
  const apiKey = profile.apiKey ?? (await keyFrom(session, profile.keyCommand ?? ''));
  session.hide([apiKey]);
  const { profile: _, baseUrl: __, company: ___, user: ____, dryRun: _____, ...globals } = session.globals;
  const context = contextOf(session.context, profile, apiKey);
  const trial = openSession(
    context,
    { ...globals, dryRun: false },
    { run: session.run, naming: profile.naming, ignoresFolder: true, watch },
  );
  try {
    const client = await trial.bareClient();
    if (companyId !== undefined) {
      const { name, timezone } = await client.single(account);
      const partner = kind === 'partner' ? `partner ${partnerId}, ` : '';
      const who = `${partner}company ${companyId} (${truncateText(String(name), MAX_NAME_LENGTH)})`;
      const companyZone = readTimezone(timezone);
      return { who, learnedSettings: companyZone === undefined ? {} : { companyZone } };
    }
    await assertKnown(client);
    return { who: `partner ${partnerId}`, learnedSettings: {} };
  } finally {
    await trial.close();
  }
}

const MAX_NAME_LENGTH = 40;

/** A partner without a company cannot read any record, so svc accepts every response of the service except 401 and 403. */
async function assertKnown(client: Client): Promise<void> {
  const about = { method: 'GET', path: `/v1/${account.name}` } as const;
  const { status, body } = await client.raw(about);
  const envelope = readEnvelope(body);
  if (envelope.kind === 'not-ours')
    throw new ClientError(
      'not-ours',
      `${about.path} returned status ${status}, but the response is not from the service`,
      about,
    );
  if (envelope.kind !== 'error') return;
  if (status === 401 || status === 403)
    throw new ClientError('refused', envelope.message, { ...about, status, envelope });
  if (status === 429 || status >= 500)
    throw new ClientError(status === 429 ? 'throttled' : 'failed', envelope.message, {
      ...about,
      status,
      envelope,
    });
}

async function keyFrom(session: Invocation & Tell, command: string): Promise<string> {
  const { runKeyCommand } = await import('../../client/profiles/key-command.ts');
  return session.waiting('for the key command, for 1 minute at most', () =>
    runKeyCommand(command, session.context.env),
  );
}

/** The profile's credentials replace all credentials of the user's environment. */
function contextOf(context: Context, profile: Profile, apiKey: string): Context {
  const { SVC_PROFILE: _, ...rest } = context.env;
  const isCompany = profile.kind === 'company';
  const text = (id: AccountId | undefined): string | undefined => (id === undefined ? undefined : String(id));
  return {
    ...context,
    env: {
      ...rest,
      SVC_BASE_URL: profile.baseUrl,
      SVC_COMPANY_ID: text(profile.companyId),
      SVC_USER_ID: text(profile.userId),
      SVC_PARTNER_ID: text(profile.partnerId),
      SVC_API_KEY: isCompany ? apiKey : undefined,
      SVC_PARTNER_API_KEY: isCompany ? undefined : apiKey,
    },
  };
}

/** A 401 does not name its cause, but has the service's time (wire, "Responses"). */
function refusal(
  session: Invocation,
  profile: Profile,
  { status, envelope, message }: ClientError,
): { readonly message: string; readonly advice: readonly string[] } {
  const who = ownerOf(profile);
  if (status === 403)
    return {
      message: `the service knows ${who}, but denies access (403: ${message})`,
      advice: ['The account or the user may be locked, or the company may not belong to this partner.'],
    };
  // A user is locked after three failed logins in a row (interface, "Limits").
  const lock = profile.userId === undefined ? [] : ['Three failed attempts in a row lock the user.'];
  return {
    message: `the service refused ${who} with this key (401)`,
    advice: [explainUnauthorized(session.context.clock.now(), readServiceClockTimeMs(envelope)), ...lock],
  };
}

function explainUnauthorized(now: number, time: number | undefined): string {
  const parts = 'the key or an id is wrong, or the key belongs to another account';
  if (time === undefined) return `Either ${parts}, or the clock of this machine is wrong.`;
  if (Math.abs(now - time) < MIN_SKEW_MS)
    return `The clocks of this machine and the service agree, so ${parts}.`;
  return `This machine's clock shows ${clockText(now)}, but the service's shows ${clockText(time)}. Set this machine's clock. If the service still refuses, ${parts}.`;
}

/** Milliseconds: a smaller difference between the clocks causes no refusal. */
const MIN_SKEW_MS = 30_000;

const clockText = (time: number): string =>
  `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

function ownerOf({ kind, companyId, userId, partnerId }: Profile): string {
  const ids: readonly (readonly [string, AccountId | undefined])[] = [
    ...(kind === 'partner' ? [['partner', partnerId] as const] : []),
    ['company', companyId],
    ['user', userId],
  ];
  return ids.flatMap(([what, id]) => (id === undefined ? [] : [`${what} ${id}`])).join(', ');
}

async function stoppedSandbox(
  session: Profiles,
  { baseUrl }: Profile,
  cause: unknown,
): Promise<readonly string[] | undefined> {
  const inner = cause instanceof ClientError ? cause.cause : undefined;
  if (!(inner instanceof TransportError) || !inner.isRefused) return undefined;
  const { profiles } = await (await session.store()).list();
  return stoppedSandboxLines(new URL(baseUrl).origin, profiles);
}

/** Default time limit of the request, in milliseconds. It is short because a person is waiting. */
const DEFAULT_TIMEOUT = 15_000;

/** Returns undefined if the service responds at the address. @param baseUrl a valid URL */
export async function explainUnusableServiceAddress(
  session: Invocation & Tell & Profiles,
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

async function unsigned(session: Invocation & Tell, origin: string, path: string): Promise<WireResponse> {
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

/** Every response of the service is a JSON envelope with a known form (wire, "Responses"). */
function answerProblem(
  { status, headers, body }: WireResponse,
  baseUrl: string,
): readonly string[] | undefined {
  if (status >= 300 && status < 400) {
    const location = headers.location?.slice(0, 200);
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
  session: Invocation & Profiles,
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
