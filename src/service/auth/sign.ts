/** Nonce and Date are new for every attempt. */
import { hash } from 'node:crypto';
import { DEFAULT_WIRE_NAMING, headerNames, type Naming } from '../protocol/naming.ts';
import type { WireHeaders } from '../protocol/wire.ts';
import type { Credentials } from './credentials.ts';

/** Returns the SHA-1 of the canonical string, as 40 lower-case hexadecimal characters. */
export function signatureOf(signed: SignedParts, key: string, naming: Naming = DEFAULT_WIRE_NAMING): string {
  return hash('sha1', canonicalString(signed, key, naming), 'hex');
}

type ToSign = Pick<SignedParts, 'method' | 'path'>;

export interface Attempt {
  readonly nonce: string;
  readonly date: string;
  readonly naming?: Naming | undefined;
}

export function signRequest(request: ToSign, credentials: Credentials, attempt: Attempt): WireHeaders {
  const { nonce, date, naming = DEFAULT_WIRE_NAMING } = attempt;
  if (
    credentials.kind === 'partner' &&
    credentials.userId !== undefined &&
    credentials.companyId === undefined
  )
    throw new RangeError('a user id is allowed only with a company id');
  const names = headerNames(naming);
  const signed = signedParts(request, credentials, attempt);
  const scheme = credentials.kind === 'partner' ? naming.partnerScheme : naming.companyScheme;
  const headers: Record<string, string> = { date, accept: 'application/json' };
  if (signed.partnerId !== undefined) headers[names.pid] = signed.partnerId;
  if (signed.companyId !== undefined) headers[names.cid] = signed.companyId;
  if (signed.userId !== undefined) headers[names.uid] = signed.userId;
  headers[names.nonce] = nonce;
  const authorization = `${scheme} signature="${signatureOf(signed, credentials.apiKey, naming)}"`;
  return { ...headers, authorization };
}

function signedParts(
  { method, path }: ToSign,
  credentials: Credentials,
  { nonce, date }: Attempt,
): SignedParts {
  const { companyId, userId } = credentials;
  return {
    method,
    path,
    date,
    nonce,
    partnerId: credentials.kind === 'partner' ? String(credentials.partnerId) : undefined,
    companyId: companyId === undefined ? undefined : String(companyId),
    userId: userId === undefined ? undefined : String(userId),
  };
}

export const API_KEY_PLACEHOLDERS: Readonly<Record<Credentials['kind'], string>> = {
  company: '<API_KEY>',
  partner: '<PARTNER_API_KEY>',
};

/** Returns the text that `signRequest` hashes, with a placeholder instead of the key, for display. */
export function maskedCanonicalString(request: ToSign, credentials: Credentials, attempt: Attempt): string {
  const placeholder = API_KEY_PLACEHOLDERS[credentials.kind];
  return canonicalString(signedParts(request, credentials, attempt), placeholder, attempt.naming);
}

/** The parts of a request that its signature covers. Ids are text, exactly as they are sent. */
export interface SignedParts {
  readonly method: string;
  readonly path: string;
  readonly date: string;
  readonly partnerId?: string | undefined;
  readonly companyId?: string | undefined;
  readonly userId?: string | undefined;
  readonly nonce: string;
}

/** The text holds the key, so the caller must only hash the text, and never show or store the text. */
export function canonicalString(
  signed: SignedParts,
  key: string,
  naming: Naming = DEFAULT_WIRE_NAMING,
): string {
  const prefix = naming.headerPrefix;
  const { method, path, date, partnerId, companyId, userId, nonce } = signed;
  let text = `${method} ${path}\r\nDate: ${date}\r\n`;
  if (partnerId !== undefined) text += `${prefix}PID: ${partnerId}\r\n`;
  if (companyId !== undefined) text += `${prefix}CID: ${companyId}\r\n`;
  if (userId !== undefined) text += `${prefix}UID: ${userId}\r\n`;
  return `${text}${prefix}Nonce: ${nonce}\r\n${key}`;
}

/** Interface, "Company hash": a random string of up to 40 characters. */
export const MAX_NONCE_LENGTH = 40;
/** An octet gives two characters of the nonce. */
export const NONCE_OCTETS = 20;

export function formatNonce(random: Uint8Array): string {
  if (random.length !== NONCE_OCTETS) throw new RangeError(`a nonce is made of ${NONCE_OCTETS} bytes`);
  return Buffer.from(random).toString('hex');
}
