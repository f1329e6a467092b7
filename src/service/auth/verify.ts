/** The service's side of signatures. */
import { timingSafeEqual } from 'node:crypto';
import { DEFAULT_WIRE_NAMING, headerNames, type Naming } from '../protocol/naming.ts';
import { parseHttpDate, type WireRequest } from '../protocol/wire.ts';
import { MAX_NONCE_LENGTH, type SignedParts, signatureOf } from './sign.ts';

/** The signature is not verified yet, so the ids may be false. */
export interface UnverifiedSignature {
  readonly kind: 'company' | 'partner';
  readonly signed: SignedParts;
  readonly signature: string;
  /** Time of the `Date` header, in milliseconds since the epoch. */
  readonly time: number;
}

/** Returns undefined if a header is missing or malformed, or if two headers contradict each other. */
export function readSignatureHeaders(
  request: WireRequest,
  naming: Naming = DEFAULT_WIRE_NAMING,
): UnverifiedSignature | undefined {
  const { headers, method, path } = request;
  const names = headerNames(naming);
  const authorization = readAuthorization(headers.authorization ?? '', naming);
  const date = headers.date ?? '';
  const nonce = headers[names.nonce] ?? '';
  const time = parseHttpDate(date);
  if (!authorization || time === undefined || nonceProblem(nonce) !== undefined) return undefined;
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
  const signed: SignedParts = { method, path, date, nonce, partnerId, companyId, userId };
  return { kind, signed, signature, time };
}

/** The interface allows any characters, and a header has no line breaks. */
function nonceProblem(nonce: string): string | undefined {
  const characters = Array.from(nonce).length;
  if (characters === 0 || characters > MAX_NONCE_LENGTH)
    return `must have 1 to ${MAX_NONCE_LENGTH} characters, but the sent value has ${characters}`;
  return /[\0-\x08\x0a-\x1f\x7f\ud800-\udfff]/u.test(nonce) ? 'must not have control characters' : undefined;
}

/** The check takes the same time for right and wrong signatures. */
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

export interface AuthHeaderCheck {
  readonly field: string;
  /** Value of the header as sent. Null if the header is missing, or if the value may be secret. */
  readonly sent: string | null;
  /** Null if the header has the right form. */
  readonly problem: string | null;
}

/** Call this function only for a request for which `readSignatureHeaders` returns undefined. */
export const firstAuthHeaderProblem = (request: Pick<WireRequest, 'headers'>, naming: Naming): string =>
  checkAuthHeaders(request, naming).find(({ problem }) => problem !== null)?.problem ?? '';

/** Checks only the form: a well-formed header can still hold a wrong value. Returns no value that may be secret. */
export function checkAuthHeaders(
  { headers }: Pick<WireRequest, 'headers'>,
  naming: Naming,
): readonly AuthHeaderCheck[] {
  const { partnerScheme, companyScheme, headerPrefix } = naming;
  const names = headerNames(naming);
  const scheme = /^([A-Za-z][A-Za-z0-9-]*) /.exec(headers.authorization ?? '')?.[1];
  const isMissing = (end: keyof typeof ENDS): string | null =>
    headers[names[end]] === undefined
      ? `The header ${headerPrefix}${ENDS[end]} is missing${hintForSimilarHeader(headers, ENDS[end])}`
      : null;
  const idField = (end: 'pid' | 'cid' | 'uid', misplaced: string | null): AuthHeaderCheck => {
    const sent = headers[names[end]];
    const field = `${headerPrefix}${ENDS[end]}`;
    if (sent !== undefined && !/^[0-9]{1,15}$/.test(sent))
      return { field, sent: null, problem: `${field} must be an id with at most 15 digits` };
    return { field, sent: sent ?? null, problem: misplaced };
  };
  const isCompany = scheme === companyScheme;
  const isPartner = scheme === partnerScheme;
  const lonelyUser = headers[names.uid] !== undefined && headers[names.cid] === undefined;
  return [
    authorizationField(headers.authorization, scheme, naming),
    dateField(headers.date),
    nonceField(headers[names.nonce], `${headerPrefix}Nonce`, isMissing('nonce')),
    idField(
      'pid',
      isPartner
        ? isMissing('pid')
        : isCompany && headers[names.pid] !== undefined
          ? `The header ${headerPrefix}PID is allowed only with the scheme ${partnerScheme}, not with ${companyScheme}`
          : null,
    ),
    idField('cid', isCompany ? isMissing('cid') : null),
    idField(
      'uid',
      isCompany
        ? isMissing('uid')
        : isPartner && lonelyUser
          ? `The header ${headerPrefix}UID also needs the header ${headerPrefix}CID, which is missing`
          : null,
    ),
  ];
}

const ENDS = { cid: 'CID', uid: 'UID', pid: 'PID', nonce: 'Nonce' } as const;
const MAX_SHOWN = 60;
/** Hides the rest, because anyone who reads the complete value could send the request again. */
const SHOWN_OF_SIGNATURE = 6;

function authorizationField(
  value: string | undefined,
  scheme: string | undefined,
  { companyScheme, partnerScheme }: Naming,
): AuthHeaderCheck {
  const wrong = (problem: string): AuthHeaderCheck => ({ field: 'Authorization', sent: null, problem });
  if (!value) return wrong('The header Authorization is missing');
  // A single word may be a key.
  if (scheme !== companyScheme && scheme !== partnerScheme)
    return wrong(
      `The header Authorization must begin with ${companyScheme} or ${partnerScheme}${scheme === undefined ? '' : `, and begins with ${scheme.slice(0, MAX_SHOWN)}`}`,
    );
  const [, signature] = /^[^ ]+ +signature="([0-9A-Fa-f]{40})"$/.exec(value.slice(0, 200)) ?? [];
  if (signature === undefined)
    return wrong(
      `The header Authorization must be ${scheme} signature="…" with 40 hexadecimal characters between the quotes, and nothing else`,
    );
  const sent = `${scheme} signature="${signature.slice(0, SHOWN_OF_SIGNATURE)}…"`;
  return { field: 'Authorization', sent, problem: null };
}

function dateField(value: string | undefined): AuthHeaderCheck {
  const sent = value?.slice(0, MAX_SHOWN) ?? null;
  if (sent === null) return { field: 'Date', sent, problem: 'The header Date is missing' };
  if (parseHttpDate(value ?? '') !== undefined) return { field: 'Date', sent, problem: null };
  const problem = `The header Date must be like Tue, 01 Dec 2026 09:00:00 GMT (an IMF-fixdate), but is ${JSON.stringify(sent)}`;
  return { field: 'Date', sent, problem };
}

function nonceField(value: string | undefined, field: string, missing: string | null): AuthHeaderCheck {
  if (value === undefined) return { field, sent: null, problem: missing };
  const problem = nonceProblem(value);
  return problem === undefined
    ? { field, sent: shownNonce(value), problem: null }
    : { field, sent: null, problem: `${field} ${problem}` };
}

/** A nonce as long as a key is shortened, because it may be a key that was sent in the wrong header. */
const shownNonce = (nonce: string): string =>
  nonce.length < 32 ? nonce : `${nonce.slice(0, SHOWN_OF_SIGNATURE)}… (${nonce.length} characters)`;

/** The client most likely uses the header names of another deployment (wire, "Vendor names"). */
function hintForSimilarHeader(headers: WireRequest['headers'], lastWord: string): string {
  const other = Object.keys(headers).find((name) => name.endsWith(`-${lastWord.toLowerCase()}`));
  if (other === undefined) return '';
  return `; ${other.slice(0, MAX_SHOWN)} is present: svc sandbox start --naming FILE gives the sandbox the names of a deployment`;
}
