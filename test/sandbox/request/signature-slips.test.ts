/**
 * Contract, "The sandbox, for people and teams": a client's author sees what is wrong with a signature. The signatures
 * are made here by hand, from the interface's "Signature".
 */
import { createHash, createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { readClaim } from '../../../src/auth/verify.ts';
import { NEUTRAL_NAMING } from '../../../src/protocol/naming.ts';
import { slipBehind } from '../../../src/sandbox/request/signature-slips.ts';

const KEY = '0123456789abcdef0123456789abcdef';
const DATE = 'Tue, 01 Dec 2026 09:00:00 GMT';
const QUERY = 'name=News';
const LINES = ['GET /v1/folder', `Date: ${DATE}`, 'X-Svc-CID: 1', 'X-Svc-UID: 2', 'X-Svc-Nonce: n1'] as const;
const [GET, DATED, CID, UID, NONCE] = LINES;
const RIGHT = [...LINES, KEY].join('\r\n');
const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex');

function slipOf(signature: string): string | undefined {
  const headers = {
    date: DATE,
    'x-svc-cid': '1',
    'x-svc-uid': '2',
    'x-svc-nonce': 'n1',
    authorization: `SvcHash signature="${signature}"`,
  };
  const claim = readClaim({ method: 'GET', path: '/v1/folder', query: QUERY, headers });
  if (!claim) throw new Error('no claim');
  return slipBehind(claim, QUERY, KEY, NEUTRAL_NAMING);
}

it.each<readonly [string, string]>([
  ['its lines end in LF, but must end in CR LF', [...LINES, KEY].join('\n')],
  ['a line end follows the key, but must not', `${RIGHT}\r\n`],
  ['a line feed follows the key, but must not', `${RIGHT}\n`],
  ['the line end before the key is missing', LINES.join('\r\n') + KEY],
  ['the key at the end is missing', `${LINES.join('\r\n')}\r\n`],
  ['its lines are joined without line ends', [...LINES, KEY].join('')],
  ['the query is signed with the path', RIGHT.replace('/v1/folder', '/v1/folder?name=News')],
  ['the path is signed without /v1', RIGHT.replace('/v1/folder', '/folder')],
  ['the path is signed with a trailing slash', RIGHT.replace('/v1/folder', '/v1/folder/')],
  ['the method is signed in lower case', RIGHT.replace('GET', 'get')],
  [
    'the names of the headers are signed in lower case',
    [GET, `date: ${DATE}`, 'x-svc-cid: 1', 'x-svc-uid: 2', 'x-svc-nonce: n1', KEY].join('\r\n'),
  ],
  ['the space after the colons is missing', RIGHT.replaceAll(': ', ':')],
  ['the values are signed without the names of their headers', [GET, DATE, '1', '2', 'n1', KEY].join('\r\n')],
  ['the nonce comes before the ids', [GET, DATED, NONCE, CID, UID, KEY].join('\r\n')],
  ['the user comes before the company', [GET, DATED, UID, CID, NONCE, KEY].join('\r\n')],
  ['the Date is missing', [GET, CID, UID, NONCE, KEY].join('\r\n')],
  ['the user is missing', [GET, DATED, CID, NONCE, KEY].join('\r\n')],
  ['the key is in upper case', [...LINES, KEY.toUpperCase()].join('\r\n')],
])('%s', (says, text) => {
  expect(slipOf(sha1(text))).toBe(says);
});

it('distinguishes an HMAC from a plain SHA-1', () => {
  const hmac = createHmac('sha1', KEY).update(LINES.join('\r\n')).digest('hex');
  expect(slipOf(hmac)).toBe('it is an HMAC, but must be the plain SHA-1 of the string');
});

it('says nothing of a signature that no slip explains', () => {
  expect(slipOf(sha1([...LINES, 'another key'].join('\r\n')))).toBeUndefined();
  expect(slipOf(sha1(RIGHT))).toBeUndefined();
});
