/** Authenticates the sender of a request by its signature (interface, "Authentication"; docs/wire.md, "Authentication, where open"). */

import { formatDuration } from '../../kit/text/duration.ts';
import {
  firstAuthHeaderProblem,
  readSignatureHeaders,
  type UnverifiedSignature,
  verifyRequestSignature,
} from '../../service/auth/verify.ts';
import { headerNames, type Naming } from '../../service/protocol/naming.ts';
import { createUnauthenticatedError, ServiceError } from '../../service/protocol/service-errors.ts';
import { formatHttpDate, type WireRequest } from '../../service/protocol/wire.ts';
import { accountById, partnerById } from '../store/accounts.ts';
import { forgetNonce, isNonceUsed, rememberNonce } from '../store/nonces.ts';
import type { Db } from '../store/open.ts';
import type { Row } from '../store/schema/tables.ts';
import { sessionOf } from '../store/users.ts';

/** Maximum number of seconds between the Date and the machine's clock. */
const DATE_WINDOW_SECONDS = 15 * 60;
/** Seconds for which a used nonce is remembered. A request is accepted only for a shorter time, so its nonce can't be used twice. */
const NONCE_MEMORY_SECONDS = 30 * 60;

export interface AuthenticatedIds {
  readonly as: 'company' | 'partner';
  readonly partnerId?: number | undefined;
  readonly companyId: number | undefined;
  readonly userId: number | undefined;
  /** Company whose key signed the request. Undefined for other signers. */
  readonly account?: Row<'account'> | undefined;
  /** The nonce and its owner. Undefined for a session token, which has no nonce. */
  readonly nonce?: { readonly owner: string; readonly text: string } | undefined;
  /** Claimed caller and signature, which the request log shows if the request fails later, and the key, which it never shows. */
  readonly claimed?: CheckedClaim | undefined;
}

/**
 * Authenticates the request, or throws the same 401 for every cause. Leaves the nonce to `markNonceUsed`. `machineNow` is this machine's time
 * in milliseconds; authentication never uses the clock that a sandbox can move.
 */
export async function verify(
  request: WireRequest,
  db: Db,
  naming: Naming,
  machineNow: number,
): Promise<AuthenticatedIds> {
  const now = Math.floor(machineNow / 1000);
  const claim = readSignatureHeaders(request, naming);
  if (!claim)
    throw new NotAuthenticatedError(now, { check: 'headers', why: firstAuthHeaderProblem(request, naming) });
  const refuse = (check: CheckName, why: string, key?: string) =>
    new NotAuthenticatedError(now, {
      ...{ check, why, header: claim.kind === 'partner' ? 'PID' : 'CID' },
      claimed: { claim, naming, key },
    });
  if (Math.abs(machineNow - claim.time) > DATE_WINDOW_SECONDS * 1000)
    throw refuse('clock', apart(claim.time, machineNow));
  const signer = await signerOf(claim, db);
  // An unknown id is also checked against a key, so that it takes the same time.
  const key = signer?.api_key;
  const holds = isSigned(claim, key ?? 'unknown', naming);
  if (signer === undefined) throw refuse('id', `This sandbox has no ${whoIn(claim)}`);
  if (!holds) throw refuse('signature', `The signature does not match the key of ${whoIn(claim)}`, key);
  return {
    as: claim.kind,
    partnerId: numberOf(claim.signed.partnerId),
    companyId: numberOf(claim.signed.companyId),
    userId: numberOf(claim.signed.userId),
    account: 'partner_id' in signer ? signer : undefined,
    nonce: { owner: whoIn(claim), text: claim.signed.nonce },
    claimed: { claim, naming, key },
  };
}

/** Returns the session token, which only a sandbox with `--companions` accepts (docs/wire.md, "Companions, in full"). */
export function readSessionToken({ headers }: WireRequest, { tokenScheme }: Naming): string | undefined {
  const authorization = headers['authorization'] ?? '';
  return authorization.startsWith(`${tokenScheme} `)
    ? authorization.slice(tokenScheme.length + 1, tokenScheme.length + 201).trim()
    : undefined;
}

/** Authenticates a request as the user of a session token, whose ids the headers may repeat. Throws the same 401 for every cause. */
export async function verifySessionToken(
  request: WireRequest,
  token: string,
  db: Db,
  naming: Naming,
  machineNow: number,
): Promise<AuthenticatedIds> {
  const now = Math.floor(machineNow / 1000);
  const refuse = (check: CheckName, why: string) => new NotAuthenticatedError(now, { check, why });
  const session = await sessionOf(db, token, now);
  if (!session) throw refuse('token', 'The token is unknown or has expired');
  const { account_id: companyId, user_id: userId } = session;
  const names = headerNames(naming);
  const claimed = [names.pid, names.cid, names.uid].map((name) => request.headers[name]);
  const own = [undefined, String(companyId), String(userId)];
  if (claimed.some((id, at) => id !== undefined && id !== own[at]))
    throw refuse('token', 'The token does not belong to the company and user in the headers of the request');
  return { as: 'company', companyId, userId };
}

const whoIn = ({ kind, signed }: UnverifiedSignature): string =>
  kind === 'partner' ? `partner ${signed.partnerId}` : `company ${signed.companyId}`;

function apart(claimed: number, machineNow: number): string {
  const seconds = Math.round(Math.abs(machineNow - claimed) / 1000);
  const side = claimed < machineNow ? 'behind' : 'ahead of';
  const most = formatDuration(DATE_WINDOW_SECONDS);
  return `The header Date is ${formatDuration(seconds)} ${side} the service's clock, which shows ${formatHttpDate(machineNow)}; the maximum difference is ${most}`;
}

/** Throws a 401 for a used nonce. Call it before any other work for the request. */
export async function refuseUsedNonce(identity: AuthenticatedIds, db: Db, machineNow: number): Promise<void> {
  if (!identity.nonce) return;
  const now = Math.floor(machineNow / 1000);
  const { owner, text } = identity.nonce;
  if (await isNonceUsed(db, owner, text, now)) throw nonceUsed(identity, now);
}

const nonceUsed = ({ claimed }: AuthenticatedIds, now: number): NotAuthenticatedError =>
  new NotAuthenticatedError(now, {
    check: 'nonce',
    why: `The nonce was used before; each request needs a new nonce, and the service remembers a nonce for ${formatDuration(NONCE_MEMORY_SECONDS)}`,
    claimed,
  });

/** Uses up the nonce in the request's transaction, so that a failed request leaves it unused. Throws 401 if another was first. */
export async function markNonceUsed(identity: AuthenticatedIds, db: Db, machineNow: number): Promise<void> {
  if (!identity.nonce) return;
  const now = Math.floor(machineNow / 1000);
  const { owner, text } = identity.nonce;
  const remembered = { now, expires: now + NONCE_MEMORY_SECONDS };
  if (!(await rememberNonce(db, owner, text, remembered))) throw nonceUsed(identity, now);
}

/** Marks a nonce as unused again, after `markNonceUsed`. */
export async function markNonceUnused({ nonce }: AuthenticatedIds, db: Db): Promise<void> {
  if (nonce) await forgetNonce(db, nonce.owner, nonce.text);
}

/** Checks the signature. A path that ends with a slash may be signed with or without it (docs/wire.md, "trailing slash"). */
function isSigned(claim: UnverifiedSignature, key: string, naming: Naming): boolean {
  if (verifyRequestSignature(claim, key, naming)) return true;
  const { path } = claim.signed;
  if (!path.endsWith('/')) return false;
  return verifyRequestSignature(
    { ...claim, signed: { ...claim.signed, path: path.slice(0, -1) } },
    key,
    naming,
  );
}

function signerOf(
  { kind, signed }: UnverifiedSignature,
  db: Db,
): Promise<Row<'account'> | Row<'partner'> | undefined> {
  if (kind === 'partner') return partnerById(db, Number(signed.partnerId));
  return accountById(db, Number(signed.companyId));
}

const numberOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text);

type CheckName = 'headers' | 'clock' | 'id' | 'signature' | 'nonce' | 'login' | 'token';

export interface FailedAuthCheck {
  readonly check: CheckName;
  /** Reason why the check failed: a sentence without a full stop. */
  readonly why: string;
  /** Header whose id is unknown, without the common prefix: `CID` for `X-Svc-CID`. Set only for the check `id`. */
  readonly header?: 'PID' | 'CID' | 'UID';
  /** The caller and signature in the headers. Undefined if a header is missing or malformed. */
  readonly claimed?: CheckedClaim | undefined;
}

interface CheckedClaim {
  readonly claim: UnverifiedSignature;
  readonly naming: Naming;
  /** Key with which the signature was checked. Undefined if no company or partner has the id in the headers. */
  readonly key?: string | undefined;
}

/** A failed authentication. The response is the same 401 for every cause; only the request log shows `failed`. */
export class NotAuthenticatedError extends ServiceError {
  readonly failed: FailedAuthCheck;

  /** @param now the machine's clock, Unix seconds */
  constructor(now: number, failed: FailedAuthCheck) {
    const { status, message, details } = createUnauthenticatedError(now);
    super(status, message, details);
    this.failed = failed;
  }
}
