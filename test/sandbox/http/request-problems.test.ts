/** Contract, "The sandbox, for people and teams": `sandbox requests --explain` names the fault, even if the response does not. */
import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  describeRequestProblems,
  explainSignatureMistake,
} from '../../../src/sandbox/http/request-problems.ts';
import { NotAuthenticatedError } from '../../../src/sandbox/request/verify.ts';
import { readSignatureHeaders } from '../../../src/service/auth/verify.ts';
import { DEFAULT_WIRE_NAMING } from '../../../src/service/protocol/naming.ts';
import { createInvalidRequestError, ServiceError } from '../../../src/service/protocol/service-errors.ts';
import { NOW } from '../../support/sandbox.ts';
import { type Signing, signing } from '../../support/signing.ts';

const KEY = 'c0ffee00'.repeat(4);
const headersFailed = (): ServiceError =>
  new NotAuthenticatedError(NOW, { check: 'headers', why: 'no matter' });

describe('a key is never shown, wherever a client has put it', () => {
  it.each<readonly [string, ServiceError, Signing]>([
    ['the path', new ServiceError(404, `folder ${KEY} not found`), { target: `/v1/folder/${KEY}` }],
    ['a percent-encoded path', new ServiceError(404, ''), { target: `/v1/folder/%63${KEY.slice(1)}` }],
    [
      'the name of an attribute',
      createInvalidRequestError([{ attribute: KEY, reason: 'is not an attribute' }]),
      {},
    ],
    [
      'the value of an attribute',
      createInvalidRequestError([{ attribute: 'name', reason: `is not ${KEY}` }]),
      {},
    ],
    ['the content type', new ServiceError(415, 'Unsupported'), { headers: { 'content-type': KEY } }],
    ['Date', headersFailed(), { headers: { date: KEY } }],
    ['the nonce', headersFailed(), { nonce: KEY }],
    ['Authorization', headersFailed(), { headers: { authorization: `SvcHash ${KEY}` } }],
    ['the company id', headersFailed(), { cid: KEY }],
  ])('%s', (_, error, parts) => {
    const text = JSON.stringify(describeRequestProblems(error, signing(parts), DEFAULT_WIRE_NAMING));
    expect(text.toLowerCase()).not.toContain(KEY.slice(1));
  });
});

describe('the message of a refusal', () => {
  it.each<readonly [string, unknown, string]>([
    ['no details', undefined, 'Not Found'],
    ['null', null, 'Not Found'],
    ['a sentence', 'folder 7', 'Not Found: folder 7'],
    ['an id that a double cannot hold', { id: 9_007_199_254_740_993n }, 'Not Found: {"id":9007199254740993}'],
    ['a long text', 'x'.repeat(1000), `Not Found: ${'x'.repeat(289)}…`],
    [
      'a key at the place where it is cut',
      `${'x '.repeat(140)}${KEY}`,
      `Not Found: ${'x '.repeat(140)}[redacted…`,
    ],
  ])('has %s as details', (_, additionalInformation, message) => {
    const error = new ServiceError(404, 'Not Found', { additionalInformation });
    expect(describeRequestProblems(error, undefined, DEFAULT_WIRE_NAMING)).toEqual({ message, fields: [] });
  });

  it('of a HEAD, which has no body, has the known details', () => {
    const error = new ServiceError(404, '', { additionalInformation: 'folder 7' });
    const { message, fields } = describeRequestProblems(
      error,
      signing({ method: 'HEAD' }),
      DEFAULT_WIRE_NAMING,
    );
    expect(message).toBe('folder 7');
    expect(fields).toEqual([{ field: 'path', sent: '/v1/folder', problem: 'folder 7' }]);
  });
});

it.each([
  ['login', 'The password of tom is wrong', 'body'],
  ['token', 'The token is unknown or has expired', 'Authorization'],
] as const)('a refused %s names no missing header, because nothing is signed', (check, why, field) => {
  const error = new NotAuthenticatedError(NOW, { check, why });
  const { fields } = describeRequestProblems(
    error,
    signing({ headers: { date: undefined } }),
    DEFAULT_WIRE_NAMING,
  );
  expect(fields).toEqual([{ field, sent: null, problem: why }]);
});

// Contract, "The sandbox, for people and teams": the author of a client sees what is wrong with a signature. The test makes the
// signatures by hand, from the interface's "Signature".
describe('signature slips', () => {
  const KEY = '0123456789abcdef0123456789abcdef';
  const DATE = 'Tue, 01 Dec 2026 09:00:00 GMT';
  const QUERY = 'name=News';
  const LINES = [
    'GET /v1/folder',
    `Date: ${DATE}`,
    'X-Svc-CID: 1',
    'X-Svc-UID: 2',
    'X-Svc-Nonce: n1',
  ] as const;
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
    const claim = readSignatureHeaders({ method: 'GET', path: '/v1/folder', query: QUERY, headers });
    if (!claim) throw new Error('no claim');
    return explainSignatureMistake(claim, QUERY, KEY, DEFAULT_WIRE_NAMING);
  }

  it.each<readonly [string, string]>([
    ['the signed lines end in LF, but must end in CR LF', [...LINES, KEY].join('\n')],
    ['the signed string ends in CR LF, but must end with the key', `${RIGHT}\r\n`],
    ['the signed string ends in LF, but must end with the key', `${RIGHT}\n`],
    ['the line end before the key is missing', LINES.join('\r\n') + KEY],
    ['the key at the end is missing', `${LINES.join('\r\n')}\r\n`],
    ['the signed lines are joined without line ends', [...LINES, KEY].join('')],
    ['the query is signed with the path', RIGHT.replace('/v1/folder', '/v1/folder?name=News')],
    ['the path is signed without /v1', RIGHT.replace('/v1/folder', '/folder')],
    ['the path is signed with an additional slash at its end', RIGHT.replace('/v1/folder', '/v1/folder/')],
    ['the method is signed in lower case, but must be in upper case', RIGHT.replace('GET', 'get')],
    [
      'the header names are signed in lower case, but must be written like X-Svc-CID',
      [GET, `date: ${DATE}`, 'x-svc-cid: 1', 'x-svc-uid: 2', 'x-svc-nonce: n1', KEY].join('\r\n'),
    ],
    ['the space after the colons is missing', RIGHT.replaceAll(': ', ':')],
    [
      'the values are signed without the names of their headers',
      [GET, DATE, '1', '2', 'n1', KEY].join('\r\n'),
    ],
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
    expect(slipOf(hmac)).toBe('the signature is an HMAC, but must be the plain SHA-1 of the string to sign');
  });

  it('explains no signature without a known mistake', () => {
    expect(slipOf(sha1([...LINES, 'another key'].join('\r\n')))).toBeUndefined();
    expect(slipOf(sha1(RIGHT))).toBeUndefined();
  });
});
