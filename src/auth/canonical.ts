/** The string that is hashed (interface, "Signature"). */
import { type Naming, NEUTRAL_NAMING } from '../protocol/naming.ts';

/** The parts of a request that its signature covers. Ids are text, exactly as they travel. */
export interface Signed {
  readonly method: string;
  /** As sent on the request line, percent-encoded, without the query. */
  readonly path: string;
  /** The `Date` header. */
  readonly date: string;
  readonly partnerId?: string | undefined;
  readonly companyId?: string | undefined;
  readonly userId?: string | undefined;
  readonly nonce: string;
}

/**
 * Lines joined by CR LF, the key last and without a line break. Ids that are not sent have no line.
 * The result holds the key: it goes into the digest and nowhere else.
 */
export function canonicalString(signed: Signed, key: string, naming: Naming = NEUTRAL_NAMING): string {
  const prefix = naming.headerPrefix;
  const lines = [`${signed.method} ${signed.path}`, `Date: ${signed.date}`];
  if (signed.partnerId !== undefined) lines.push(`${prefix}PID: ${signed.partnerId}`);
  if (signed.companyId !== undefined) lines.push(`${prefix}CID: ${signed.companyId}`);
  if (signed.userId !== undefined) lines.push(`${prefix}UID: ${signed.userId}`);
  lines.push(`${prefix}Nonce: ${signed.nonce}`, key);
  return lines.join('\r\n');
}
