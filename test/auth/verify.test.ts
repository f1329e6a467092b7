/** The service's side of a signature (interface, "Authentication"; wire, "Authentication, where open"). */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readSignatureHeaders, verifyRequestSignature } from '../../src/service/auth/verify.ts';
import { namingWithOverrides } from '../../src/service/protocol/naming.ts';
import type { WireRequest } from '../../src/service/protocol/wire.ts';

const KEY = '0123456789abcdef0123456789abcdef';
const DATE = 'Tue, 01 Dec 2026 09:00:00 GMT';
const NONCE = 'ab'.repeat(20);
const SIGNATURE = createHash('sha1')
  .update(
    `GET /v1/folder\r\nDate: ${DATE}\r\nX-Svc-CID: 1\r\nX-Svc-UID: 2\r\nX-Svc-Nonce: ${NONCE}\r\n${KEY}`,
  )
  .digest('hex');

const company = {
  date: DATE,
  'x-svc-cid': '1',
  'x-svc-uid': '2',
  'x-svc-nonce': NONCE,
  authorization: `SvcHash signature="${SIGNATURE}"`,
};
const partner = {
  date: DATE,
  'x-svc-pid': '5',
  'x-svc-nonce': NONCE,
  authorization: `SvcPartner signature="${SIGNATURE}"`,
};

type Headers = Readonly<Record<string, string | undefined>>;

function request(headers: Headers): WireRequest {
  const given = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { method: 'GET', path: '/v1/folder', query: '', headers: Object.fromEntries(given) };
}

describe('readSignatureHeaders', () => {
  it('reads a company claim', () => {
    expect(readSignatureHeaders(request(company))).toEqual({
      kind: 'company',
      signature: SIGNATURE,
      time: Date.UTC(2026, 11, 1, 9),
      signed: { method: 'GET', path: '/v1/folder', date: DATE, nonce: NONCE, companyId: '1', userId: '2' },
    });
  });

  it.each<readonly [string, Headers]>([
    ['alone', {}],
    ['with a company', { 'x-svc-cid': '1' }],
    ['with a company and a user', { 'x-svc-cid': '1', 'x-svc-uid': '2' }],
  ])('reads a partner claim %s', (_, ids) => {
    const claim = readSignatureHeaders(request({ ...partner, ...ids }));
    expect(claim?.kind).toBe('partner');
    expect(claim?.signed).toMatchObject({
      partnerId: '5',
      ...('x-svc-cid' in ids ? { companyId: '1' } : {}),
      ...('x-svc-uid' in ids ? { userId: '2' } : {}),
    });
  });

  it.each<readonly [string, Headers]>([
    ['a nonce of 1 character', { 'x-svc-nonce': 'n' }],
    ['a nonce of 40 characters', { 'x-svc-nonce': 'n'.repeat(40) }],
    ['a nonce with a space', { 'x-svc-nonce': 'a b' }],
    ['a nonce of 40 characters beyond ASCII', { 'x-svc-nonce': 'é'.repeat(40) }],
    ['an upper-case signature', { authorization: `SvcHash signature="${SIGNATURE.toUpperCase()}"` }],
  ])('takes %s', (_, headers) => {
    expect(readSignatureHeaders(request({ ...company, ...headers }))?.kind).toBe('company');
  });

  it.each<readonly [string, Headers]>([
    ['no headers at all', Object.fromEntries(Object.keys(company).map((name) => [name, undefined]))],
    ['no Authorization', { authorization: undefined }],
    ['an empty Authorization', { authorization: '' }],
    ['another scheme', { authorization: `Basic signature="${SIGNATURE}"` }],
    ['a scheme in another case', { authorization: `svchash signature="${SIGNATURE}"` }],
    ['a signature of 39 characters', { authorization: `SvcHash signature="${SIGNATURE.slice(1)}"` }],
    ['a signature of 41 characters', { authorization: `SvcHash signature="${SIGNATURE}0"` }],
    ['a signature that is not hexadecimal', { authorization: `SvcHash signature="${'g'.repeat(40)}"` }],
    ['a signature without quotes', { authorization: `SvcHash signature=${SIGNATURE}` }],
    ['more after the signature', { authorization: `SvcHash signature="${SIGNATURE}", x="y"` }],
    ['no Date', { date: undefined }],
    ['a Date that is no date', { date: 'yesterday' }],
    ['an ISO date', { date: '2026-12-01T09:00:00Z' }],
    ['a Date with the wrong weekday', { date: 'Mon, 01 Dec 2026 09:00:00 GMT' }],
    ['a Date that does not exist', { date: 'Tue, 31 Feb 2026 09:00:00 GMT' }],
    ['no nonce', { 'x-svc-nonce': undefined }],
    ['an empty nonce', { 'x-svc-nonce': '' }],
    ['a nonce of 41 characters', { 'x-svc-nonce': 'n'.repeat(41) }],
    ['a nonce with a control character', { 'x-svc-nonce': 'a\u0007' }],
    ['a nonce with half a character', { 'x-svc-nonce': 'a\ud83c' }],
    ['a company without CID', { 'x-svc-cid': undefined }],
    ['a company without UID: "required"', { 'x-svc-uid': undefined }],
    ['a company with a PID', { 'x-svc-pid': '5' }],
    ['a CID that is no number', { 'x-svc-cid': 'one' }],
    ['a negative UID', { 'x-svc-uid': '-2' }],
    ['an empty UID', { 'x-svc-uid': '' }],
    ['a CID of 400 digits', { 'x-svc-cid': '1'.repeat(400) }],
  ])('refuses %s', (_, headers) => {
    expect(readSignatureHeaders(request({ ...company, ...headers }))).toBeUndefined();
  });

  it.each<readonly [string, Headers]>([
    ['a partner without PID', { 'x-svc-pid': undefined }],
    ['a partner with a UID and no CID', { 'x-svc-uid': '2' }],
    ['a partner with a PID that is no number', { 'x-svc-pid': '5x' }],
  ])('refuses %s', (_, headers) => {
    expect(readSignatureHeaders(request({ ...partner, ...headers }))).toBeUndefined();
  });

  it('reads the headers and schemes of a deployment, and then rejects the neutral ones', () => {
    const naming = namingWithOverrides({ headerPrefix: 'X-Acme-', companyScheme: 'AcmeHash' });
    const own = {
      date: DATE,
      'x-acme-cid': '1',
      'x-acme-uid': '2',
      'x-acme-nonce': NONCE,
      authorization: `AcmeHash signature="${SIGNATURE}"`,
    };
    expect(readSignatureHeaders(request(own), naming)?.signed.companyId).toBe('1');
    expect(readSignatureHeaders(request(own))).toBeUndefined();
    expect(readSignatureHeaders(request(company), naming)).toBeUndefined();
  });
});

describe('verifyRequestSignature', () => {
  const holds = (headers: Headers, key = KEY, more: Partial<WireRequest> = {}): boolean => {
    const claim = readSignatureHeaders({ ...request({ ...company, ...headers }), ...more });
    if (!claim) throw new Error('no claim');
    return verifyRequestSignature(claim, key);
  };

  it("accepts every request that follows the interface's text", () => {
    expect(holds({})).toBe(true);
  });

  it('"Hexadecimal in a signature is compared without regard to case"', () => {
    expect(holds({ authorization: `SvcHash signature="${SIGNATURE.toUpperCase()}"` })).toBe(true);
  });

  it.each<readonly [string, Headers, string, Partial<WireRequest>]>([
    ['another key', {}, 'f'.repeat(32), {}],
    ['another nonce', { 'x-svc-nonce': 'other' }, KEY, {}],
    ['another user', { 'x-svc-uid': '3' }, KEY, {}],
    ['another company', { 'x-svc-cid': '3' }, KEY, {}],
    ['another Date', { date: 'Tue, 01 Dec 2026 09:00:01 GMT' }, KEY, {}],
    ['another path', {}, KEY, { path: '/v1/folder/1' }],
    ['a slash at the end', {}, KEY, { path: '/v1/folder/' }],
    ['another method', {}, KEY, { method: 'DELETE' }],
    ['another signature', { authorization: `SvcHash signature="${'0'.repeat(40)}"` }, KEY, {}],
  ])('fails with %s', (_, headers, key, more) => {
    expect(holds(headers, key, more)).toBe(false);
  });

  it('does not cover the query: "without query string"', () => {
    expect(holds({}, KEY, { query: 'name=x' })).toBe(true);
  });

  it('compares in constant time', () => {
    const source = readFileSync(new URL('../../src/service/auth/verify.ts', import.meta.url), 'utf8');
    const body = source.slice(source.indexOf('export function verifyRequestSignature'));
    expect(body.slice(0, body.indexOf('\n}'))).toMatch(/timingSafeEqual\(/);
    expect(body.slice(0, body.indexOf('\n}'))).not.toMatch(/===|!==|\.equals\(/);
  });
});
