/**
 * Implements the service's side of signatures: reads the caller's ids and the signature from the headers of a request, and verifies the
 * signature.
 */
import { timingSafeEqual } from 'node:crypto';
import { DEFAULT_WIRE_NAMING, headerNames, type Naming } from '../protocol/naming.ts';
import type { WireRequest } from '../protocol/wire.ts';
import { parseHttpDate } from '../text/http-date.ts';
import { MAX_NONCE_LENGTH, type SignedRequestParts, signatureOf } from './sign.ts';

/**
 * The caller's ids and the signature, as the headers of a request give them. The signature is not verified yet, so the ids may be false.
 */
export interface UnverifiedSignature {
  readonly kind: 'company' | 'partner';
  readonly signed: SignedRequestParts;
  /** Signature of 40 hexadecimal characters, lower case. */
  readonly signature: string;
  /** Time of the `Date` header, in milliseconds since the epoch. */
  readonly time: number;
}

/**
 * Reads the caller's ids and the signature from the headers of a request. Does not verify the signature. Returns undefined if a header is
 * missing or malformed, or if two headers contradict each other.
 */
export function readSignatureHeaders(
  request: WireRequest,
  naming: Naming = DEFAULT_WIRE_NAMING,
): UnverifiedSignature | undefined {
  const { headers, method, path } = request;
  const names = headerNames(naming);
  const authorization = readAuthorization(headers['authorization'] ?? '', naming);
  const date = headers['date'] ?? '';
  const nonce = headers[names.nonce] ?? '';
  const time = parseHttpDate(date);
  if (
    !authorization ||
    time === undefined ||
    !/^[\x21-\x7e]+$/.test(nonce) ||
    nonce.length > MAX_NONCE_LENGTH
  )
    return undefined;
  const partnerId = headers[names.pid];
  const companyId = headers[names.cid];
  const userId = headers[names.uid];
  if (![partnerId, companyId, userId].every((id) => id === undefined || /^[0-9]{1,15}$/.test(id)))
    return undefined;
  const { kind, signature } = authorization;
  if (kind === 'company' && (partnerId !== undefined || companyId === undefined || userId === undefined))
    return undefined;
  if (kind === 'partner' && (partnerId === undefined || (userId !== undefined && companyId === undefined)))
    return undefined;
  const signed: SignedRequestParts = { method, path, date, nonce, partnerId, companyId, userId };
  return { kind, signed, signature, time };
}

/** Reports whether the signature was made with this key. The check takes the same time for right and wrong signatures. */
export function verifyRequestSignature(
  claim: UnverifiedSignature,
  key: string,
  naming: Naming = DEFAULT_WIRE_NAMING,
): boolean {
  const expected = Buffer.from(signatureOf(claim.signed, key, naming), 'latin1');
  return timingSafeEqual(expected, Buffer.from(claim.signature, 'latin1'));
}

function readAuthorization(
  header: string,
  naming: Naming,
): { readonly kind: 'company' | 'partner'; readonly signature: string } | undefined {
  const match = /^([A-Za-z][A-Za-z0-9-]*) +signature="([0-9A-Fa-f]{40})"$/.exec(header.slice(0, 200));
  if (!match) return undefined;
  const signature = (match[2] ?? '').toLowerCase();
  if (match[1] === naming.companyScheme) return { kind: 'company', signature };
  if (match[1] === naming.partnerScheme) return { kind: 'partner', signature };
  return undefined;
}
