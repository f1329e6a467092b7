/**
 * Contract, "The sandbox, for people and teams": `sandbox requests` says which check of a 401 failed. Interface, "Authentication"; wire,
 * "Authentication, where open" and "Vendor names".
 */
import { describe, expect, it } from 'vitest';
import { firstAuthHeaderProblem, readSignatureHeaders } from '../../src/service/auth/verify.ts';
import { DEFAULT_WIRE_NAMING, namingWithOverrides } from '../../src/service/protocol/naming.ts';
import type { WireRequest } from '../../src/service/protocol/wire.ts';

const SIGNATURE = '0123456789abcdef0123456789abcdef01234567';
const company = {
  date: 'Tue, 01 Dec 2026 09:00:00 GMT',
  'x-svc-cid': '1',
  'x-svc-uid': '2',
  'x-svc-nonce': 'n1',
  authorization: `SvcHash signature="${SIGNATURE}"`,
};
const partner = {
  date: company.date,
  'x-svc-pid': '5',
  'x-svc-nonce': 'n1',
  authorization: `SvcPartner signature="${SIGNATURE}"`,
};
type Headers = Readonly<Record<string, string | undefined>>;

function problemOf(headers: Headers, naming = DEFAULT_WIRE_NAMING): string {
  const given = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const request: WireRequest = {
    method: 'GET',
    path: '/v1/folder',
    query: '',
    headers: Object.fromEntries(given),
  };
  expect(readSignatureHeaders(request, naming)).toBeUndefined();
  return firstAuthHeaderProblem(request, naming);
}

describe('names the header that is missing or malformed', () => {
  it.each<readonly [string, Headers]>([
    ['The header Authorization is missing', { ...company, authorization: undefined }],
    [
      'The header Authorization must begin with SvcHash or SvcPartner, and begins with Basic',
      { ...company, authorization: `Basic ${SIGNATURE}` },
    ],
    [
      'The header Authorization must begin with SvcHash or SvcPartner, and begins with svchash',
      { ...company, authorization: `svchash signature="${SIGNATURE}"` },
    ],
    [
      'The header Authorization must be SvcHash signature="…" with 40 hexadecimal characters between the quotes, and nothing else',
      { ...company, authorization: `SvcHash signature=${SIGNATURE}` },
    ],
    ['The header Date is missing', { ...company, date: undefined }],
    [
      'The header Date must be like Tue, 01 Dec 2026 09:00:00 GMT (an IMF-fixdate), but is "2026-12-01T09:00:00Z"',
      { ...company, date: '2026-12-01T09:00:00Z' },
    ],
    ['The header X-Svc-Nonce is missing', { ...company, 'x-svc-nonce': undefined }],
    [
      'X-Svc-Nonce must have 1 to 40 characters, but the sent value has 41',
      { ...company, 'x-svc-nonce': 'n'.repeat(41) },
    ],
    [
      'X-Svc-Nonce must have 1 to 40 characters, but the sent value has 42',
      { ...company, 'x-svc-nonce': 'é'.repeat(42) },
    ],
    ['X-Svc-Nonce must have 1 to 40 characters, but the sent value has 0', { ...company, 'x-svc-nonce': '' }],
    ['X-Svc-Nonce must not have control characters', { ...company, 'x-svc-nonce': 'a\u0007' }],
    ['The header X-Svc-CID is missing', { ...company, 'x-svc-cid': undefined }],
    ['The header X-Svc-UID is missing', { ...company, 'x-svc-uid': undefined }],
    ['X-Svc-CID must be an id with at most 15 digits', { ...company, 'x-svc-cid': 'one' }],
    [
      'The header X-Svc-PID is allowed only with the scheme SvcPartner, not with SvcHash',
      { ...company, 'x-svc-pid': '5' },
    ],
    ['The header X-Svc-PID is missing', { ...partner, 'x-svc-pid': undefined }],
    [
      'The header X-Svc-UID also needs the header X-Svc-CID, which is missing',
      { ...partner, 'x-svc-uid': '2' },
    ],
  ])('%s', (says, headers) => {
    expect(problemOf(headers)).toBe(says);
  });

  it('mentions naming where a client sends the names of a deployment', () => {
    expect(problemOf({ ...company, 'x-svc-nonce': undefined, 'x-acme-nonce': 'n1' })).toBe(
      'The header X-Svc-Nonce is missing; x-acme-nonce is present: svc sandbox start --naming FILE gives the sandbox the names of a deployment',
    );
  });

  it("speaks a deployment's names", () => {
    const naming = namingWithOverrides({ headerPrefix: 'X-Acme-', companyScheme: 'AcmeHash' });
    expect(problemOf({ ...company, authorization: `AcmeHash signature="${SIGNATURE}"` }, naming)).toContain(
      'The header X-Acme-Nonce is missing',
    );
  });

  it('never repeats what may be a key or a signature', () => {
    for (const authorization of [
      's3cret-key',
      'SvcHash s3cret-key',
      'SvcHash signature="s3cret-key"',
      `Bearer s3cret-key`,
    ])
      expect(problemOf({ ...company, authorization })).not.toContain('s3cret-key');
  });
});
