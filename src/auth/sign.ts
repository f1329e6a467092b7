/** Signs one attempt of a request. Nonce and Date are arguments: both are new for every attempt. */
import { hash } from 'node:crypto';
import { headerNames, type Naming, NEUTRAL_NAMING } from '../protocol/naming.ts';
import { canonicalString, type Signed } from './canonical.ts';
import type { Credentials } from './credentials.ts';

/** SHA-1 of the canonical string, 40 lower-case hexadecimal characters. */
export function signatureOf(signed: Signed, key: string, naming: Naming = NEUTRAL_NAMING): string {
  return hash('sha1', canonicalString(signed, key, naming), 'hex');
}

/**
 * The headers of a signed request, names in lower case.
 * @param date an IMF-fixdate, as `Date.prototype.toUTCString` gives
 */
export function signRequest(
  request: { readonly method: string; readonly path: string },
  credentials: Credentials,
  {
    nonce,
    date,
    naming = NEUTRAL_NAMING,
  }: {
    readonly nonce: string;
    readonly date: string;
    readonly naming?: Naming | undefined;
  },
): Record<string, string> {
  if (
    credentials.kind === 'partner' &&
    credentials.userId !== undefined &&
    credentials.companyId === undefined
  )
    throw new RangeError('a user id is allowed only with a company id');
  const names = headerNames(naming);
  const { method, path } = request;
  const { companyId, userId } = credentials;
  const signed: Signed = {
    method,
    path,
    date,
    nonce,
    partnerId: credentials.kind === 'partner' ? String(credentials.partnerId) : undefined,
    companyId: companyId === undefined ? undefined : String(companyId),
    userId: userId === undefined ? undefined : String(userId),
  };
  const scheme = credentials.kind === 'partner' ? naming.partnerScheme : naming.companyScheme;
  const headers: Record<string, string> = { date, accept: 'application/json' };
  if (signed.partnerId !== undefined) headers[names.pid] = signed.partnerId;
  if (signed.companyId !== undefined) headers[names.cid] = signed.companyId;
  if (signed.userId !== undefined) headers[names.uid] = signed.userId;
  headers[names.nonce] = nonce;
  headers['authorization'] = `${scheme} signature="${signatureOf(signed, credentials.apiKey, naming)}"`;
  return headers;
}
