/** Diagnoses an invalid signature by trying common mistakes of clients. */
import { createHmac, hash } from 'node:crypto';
import { canonicalString } from '../../auth/canonical.ts';
import type { Claim } from '../../auth/verify.ts';
import type { Naming } from '../../protocol/naming.ts';

/**
 * Returns the client's mistake that explains the signature, as a clause such as "its lines end in LF alone". Returns undefined if no single
 * mistake explains it; then most often the key is wrong.
 */
export function slipBehind(
  { signed, signature }: Claim,
  query: string,
  key: string,
  naming: Naming,
): string | undefined {
  const right = canonicalString(signed, key, naming);
  const withPath = (path: string): string => canonicalString({ ...signed, path }, key, naming);
  const lines = right.split('\r\n');
  const [first = '', ...rest] = lines.slice(0, -1);
  const joined = (texts: readonly string[]): string => [...texts, key].join('\r\n');
  const slips: readonly (readonly [does: string, text: string])[] = [
    ['its lines end in LF, but must end in CR LF', right.replaceAll('\r\n', '\n')],
    ['its lines end in LF, and a line end follows the key', `${right.replaceAll('\r\n', '\n')}\n`],
    ['a line end follows the key, but must not', `${right}\r\n`],
    ['a line feed follows the key, but must not', `${right}\n`],
    ['the line end before the key is missing', right.slice(0, -key.length - 2) + key],
    ['the key at the end is missing', right.slice(0, -key.length)],
    ['its lines are joined without line ends', lines.join('')],
    ['the query is signed with the path', withPath(query === '' ? signed.path : `${signed.path}?${query}`)],
    ['the path is signed without /v1', withPath(signed.path.replace(/^\/v1(?=\/)/, ''))],
    ['the path is signed without its leading slash', withPath(signed.path.slice(1))],
    ['the path is signed after percent-decoding', withPath(decoded(signed.path))],
    ['the path is signed with a trailing slash', withPath(`${signed.path}/`)],
    ['the method is signed in lower case', right.replace(signed.method, signed.method.toLowerCase())],
    ['the names of the headers are signed in lower case', joined([first, ...rest.map(lowerName)])],
    ['the space after the colons is missing', right.replaceAll(/^([A-Za-z0-9-]+): /gm, '$1:')],
    ['the values are signed without the names of their headers', joined([first, ...rest.map(valueOnly)])],
    [
      'the nonce comes before the ids',
      joined([first, ...rest.slice(0, 1), ...rest.slice(-1), ...rest.slice(1, -1)]),
    ],
    ['the user comes before the company', joined([first, ...userFirst(rest, naming)])],
    ['the Date is missing', joined([first, ...rest.slice(1)])],
    ['the ids are missing', joined([first, ...rest.slice(0, 1), ...rest.slice(-1)])],
    [
      'the user is missing',
      joined([first, ...rest.filter((line) => !line.startsWith(`${naming.headerPrefix}UID`))]),
    ],
    ['the nonce is missing', joined([first, ...rest.slice(0, -1)])],
    ['the key comes first', `${key}\r\n${lines.slice(0, -1).join('\r\n')}`],
    ['the key is in upper case', right.slice(0, -key.length) + key.toUpperCase()],
  ];
  const [does] = slips.find(([, text]) => text !== right && hash('sha1', text, 'hex') === signature) ?? [];
  if (does !== undefined) return does;
  for (const text of [right, right.slice(0, -key.length), right.slice(0, -key.length - 2)])
    if (createHmac('sha1', key).update(text).digest('hex') === signature)
      return 'it is an HMAC, but must be the plain SHA-1 of the string';
  return undefined;
}

const lowerName = (line: string): string => line.replace(/^[^:]+/, (name) => name.toLowerCase());
const valueOnly = (line: string): string => line.replace(/^[^:]+: /, '');

function userFirst(lines: readonly string[], { headerPrefix }: Naming): readonly string[] {
  const isUser = (line: string): boolean => line.startsWith(`${headerPrefix}UID`);
  return [...lines.slice(0, 1), ...lines.filter(isUser), ...lines.slice(1).filter((line) => !isUser(line))];
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
