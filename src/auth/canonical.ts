/** Builds the text whose SHA-1 is the signature of a request (interface, "Signature"). */
import { type Naming, NEUTRAL_NAMING } from '../protocol/naming.ts';

/** The parts of a request that its signature covers. Ids are text, exactly as they are sent. */
export interface Signed {
  readonly method: string;
  /** Path as on the request line: percent-encoded, without the query. */
  readonly path: string;
  /** The `Date` header. */
  readonly date: string;
  readonly partnerId?: string | undefined;
  readonly companyId?: string | undefined;
  readonly userId?: string | undefined;
  readonly nonce: string;
}

/**
 * Returns the canonical text: its lines joined by CR LF, with the key as the last line and no line break after the key. An id that is not
 * sent has no line. The text holds the key, so the caller hashes the text and does nothing else with it.
 */
export function canonicalString(signed: Signed, key: string, naming: Naming = NEUTRAL_NAMING): string {
  const prefix = naming.headerPrefix;
  const { method, path, date, partnerId, companyId, userId, nonce } = signed;
  let text = `${method} ${path}\r\nDate: ${date}\r\n`;
  if (partnerId !== undefined) text += `${prefix}PID: ${partnerId}\r\n`;
  if (companyId !== undefined) text += `${prefix}CID: ${companyId}\r\n`;
  if (userId !== undefined) text += `${prefix}UID: ${userId}\r\n`;
  return `${text}${prefix}Nonce: ${nonce}\r\n${key}`;
}
