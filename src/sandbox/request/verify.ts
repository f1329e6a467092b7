/** Who sent a request, proved by its signature (interface, "Authentication"; wire, "Authentication, where open"). */
import { claimProblem } from '../../auth/claim-problem.ts';
import { type Claim, readClaim, verifyClaim } from '../../auth/verify.ts';
import type { Naming } from '../../protocol/naming.ts';
import type { WireRequest } from '../../protocol/wire.ts';
import { formatDuration } from '../../text/duration.ts';
import { formatHttpDate } from '../../text/http-date.ts';
import { accountById, forgetNonce, isNonceUsed, partnerById, rememberNonce } from '../store/identity.ts';
import type { Db } from '../store/open.ts';
import type { Row } from '../store/tables.ts';
import type { Account } from './call.ts';
import { type Check, type Claimed, NotAuthenticated } from './failed-check.ts';

/** A Date further off than this is refused. */
const DATE_WINDOW_SECONDS = 15 * 60;
/** Longer than the window can let a nonce back in. */
const NONCE_MEMORY_SECONDS = 30 * 60;

/** The ids of a request whose signature holds. */
export interface Identity {
  readonly as: 'company' | 'partner';
  readonly partnerId: number | undefined;
  readonly companyId: number | undefined;
  readonly userId: number | undefined;
  /** The company as it was when the signature was checked, where it has signed. */
  readonly account?: Account | undefined;
  /** What it may be used for once, and in whose name. */
  readonly nonce: { readonly owner: string; readonly text: string };
  /** What has been proved, for the log of a request that fails later. */
  readonly claimed: Claimed;
}

/**
 * Proves the request, or throws 401: the same for every cause, so that nothing tells the client which part was wrong.
 * Writes nothing, and leaves the nonce to `useNonce`.
 * @param machineNow milliseconds; authentication never runs on the clock that a sandbox can move
 */
export async function verify(
  request: WireRequest,
  db: Db,
  naming: Naming,
  machineNow: number,
): Promise<Identity> {
  const now = Math.floor(machineNow / 1000);
  const claim = readClaim(request, naming);
  if (!claim) throw new NotAuthenticated(now, { check: 'headers', why: claimProblem(request, naming) });
  const refuse = (check: Check, why: string, key?: string) =>
    new NotAuthenticated(now, {
      ...{ check, why, header: claim.kind === 'partner' ? 'PID' : 'CID' },
      claimed: { claim, naming, key },
    });
  if (Math.abs(machineNow - claim.time) > DATE_WINDOW_SECONDS * 1000)
    throw refuse('clock', apart(claim.time, machineNow));
  const signer = await signerOf(claim, db);
  // An unknown id is checked against a key too, so that it takes as long.
  const key = signer?.api_key;
  const holds = isSigned(claim, key ?? 'unknown', naming);
  if (signer === undefined) throw refuse('id', `There is no ${whoIn(claim)} here`);
  if (!holds) throw refuse('signature', `The signature is not what the key of ${whoIn(claim)} gives`, key);
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

const whoIn = ({ kind, signed }: Claim): string =>
  kind === 'partner' ? `partner ${signed.partnerId}` : `company ${signed.companyId}`;

function apart(claimed: number, machineNow: number): string {
  const seconds = Math.round(Math.abs(machineNow - claimed) / 1000);
  const side = claimed < machineNow ? 'behind' : 'ahead of';
  const most = formatDuration(DATE_WINDOW_SECONDS);
  return `Date is ${formatDuration(seconds)} ${side} the service's clock, which shows ${formatHttpDate(machineNow)}; at most ${most} are taken`;
}

/** 401 for a nonce that was used, before anything else is done for its request. */
export async function refuseUsedNonce(identity: Identity, db: Db, machineNow: number): Promise<void> {
  const now = Math.floor(machineNow / 1000);
  const { owner, text } = identity.nonce;
  if (await isNonceUsed(db, owner, text, now)) throw nonceUsed(identity, now);
}

const nonceUsed = ({ claimed }: Identity, now: number): NotAuthenticated =>
  new NotAuthenticated(now, {
    check: 'nonce',
    why: `The nonce was used before; each request needs a new one, and one is remembered for ${formatDuration(NONCE_MEMORY_SECONDS)}`,
    claimed,
  });

/**
 * Uses the nonce up, in the request's own transaction: a request that fails leaves it unused. 401 when another request
 * with the same one came first.
 */
export async function useNonce(identity: Identity, db: Db, machineNow: number): Promise<void> {
  const now = Math.floor(machineNow / 1000);
  const { owner, text } = identity.nonce;
  const remembered = { now, expires: now + NONCE_MEMORY_SECONDS };
  if (!(await rememberNonce(db, owner, text, remembered))) throw nonceUsed(identity, now);
}

/** Takes back `useNonce`. */
export async function returnNonce({ nonce }: Identity, db: Db): Promise<void> {
  await forgetNonce(db, nonce.owner, nonce.text);
}

/** A path with a slash at its end may be signed with or without it (wire, "trailing slash"). */
function isSigned(claim: Claim, key: string, naming: Naming): boolean {
  if (verifyClaim(claim, key, naming)) return true;
  const { path } = claim.signed;
  if (!path.endsWith('/')) return false;
  return verifyClaim({ ...claim, signed: { ...claim.signed, path: path.slice(0, -1) } }, key, naming);
}

function signerOf({ kind, signed }: Claim, db: Db): Promise<Account | Row<'partner'> | undefined> {
  if (kind === 'partner') return partnerById(db, Number(signed.partnerId));
  return accountById(db, Number(signed.companyId));
}

const numberOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text);
