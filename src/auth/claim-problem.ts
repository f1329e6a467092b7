/** Why the headers of a request claim nothing that could be proved, for who writes a client. */
import { headerNames, type Naming } from '../protocol/naming.ts';
import type { WireRequest } from '../protocol/wire.ts';
import { parseHttpDate } from '../text/http-date.ts';
import { MAX_NONCE_LENGTH } from './nonce.ts';

/**
 * Which header is missing, malformed or out of place, of a request that `readClaim` finds no claim in. Values that may
 * be secret are not repeated.
 */
export function claimProblem({ headers }: Pick<WireRequest, 'headers'>, naming: Naming): string {
  const { companyScheme, partnerScheme, headerPrefix } = naming;
  const names = headerNames(naming);
  const authorization = headers['authorization'];
  const schemes = `${companyScheme} or ${partnerScheme}`;
  const form = `signature="…" with 40 hexadecimal characters between the quotes`;
  if (!authorization) return 'The header Authorization is missing';
  // One word alone may be a key.
  const [, scheme] = /^([A-Za-z][A-Za-z0-9-]*) /.exec(authorization) ?? [];
  if (scheme !== companyScheme && scheme !== partnerScheme)
    return `Authorization has to begin with ${schemes}${scheme === undefined ? '' : `, and begins with ${scheme.slice(0, MOST_SHOWN)}`}`;
  if (!/^[^ ]+ +signature="[0-9A-Fa-f]{40}"$/.test(authorization.slice(0, 200)))
    return `Authorization has to be ${scheme} ${form}, and nothing else`;
  const { date } = headers;
  if (date === undefined) return 'The header Date is missing';
  if (parseHttpDate(date) === undefined)
    return `Date has to be like Tue, 01 Dec 2026 09:00:00 GMT (an IMF-fixdate), and is ${JSON.stringify(date.slice(0, MOST_SHOWN))}`;
  const has = (end: keyof typeof ENDS): boolean => headers[names[end]] !== undefined;
  const missing = (end: keyof typeof ENDS): string =>
    `The header ${headerPrefix}${ENDS[end]} is missing${likeIt(headers, ENDS[end])}`;
  if (!has('nonce')) return missing('nonce');
  const nonce = headers[names.nonce] ?? '';
  if (!/^[\x21-\x7e]+$/.test(nonce) || nonce.length > MAX_NONCE_LENGTH)
    return `${headerPrefix}Nonce has to be 1 to ${MAX_NONCE_LENGTH} printable ASCII characters without blanks, and has ${nonce.length}`;
  for (const end of ['pid', 'cid', 'uid'] as const)
    if (has(end) && !/^[0-9]{1,15}$/.test(headers[names[end]] ?? ''))
      return `${headerPrefix}${ENDS[end]} has to be an id, up to 15 digits`;
  if (scheme === companyScheme) {
    if (has('pid'))
      return `${headerPrefix}PID goes with the scheme ${partnerScheme}, not with ${companyScheme}`;
    if (!has('cid')) return missing('cid');
    return missing('uid');
  }
  if (!has('pid')) return missing('pid');
  return `${headerPrefix}UID goes with ${headerPrefix}CID, which is missing`;
}

const ENDS = { cid: 'CID', uid: 'UID', pid: 'PID', nonce: 'Nonce' } as const;
const MOST_SHOWN = 60;

/** A client that was written for a deployment sends that deployment's names (wire, "Vendor names"). */
function likeIt(headers: WireRequest['headers'], end: string): string {
  const other = Object.keys(headers).find((name) => name.endsWith(`-${end.toLowerCase()}`));
  if (other === undefined) return '';
  return `; ${other.slice(0, MOST_SHOWN)} is there: svc sandbox start --naming FILE gives the sandbox the names of a deployment`;
}
