/** Interface, "Signature". openssl made the expected values (vectors.sh), and src/service/auth made none of them. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Credentials, findApiKeyProblem } from '../../src/service/auth/credentials.ts';
import {
  canonicalString,
  formatNonce,
  MAX_NONCE_LENGTH,
  NONCE_OCTETS,
  type SignedParts,
  signatureOf,
  signRequest,
} from '../../src/service/auth/sign.ts';
import { namingWithOverrides } from '../../src/service/protocol/naming.ts';
import { depth, SEED, tried } from '../support/depth.ts';
import { type Vector, vectors } from '../support/signature-vectors.ts';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

describe.each(vectors)('$name', (vector) => {
  const naming = namingWithOverrides(vector.naming);

  it('has the canonical string of the document', () => {
    expect(canonicalString(signedOf(vector), vector.credentials.apiKey, naming)).toBe(vector.canonical);
  });

  it("sends the document's headers with openssl's signature", () => {
    const { credentials } = vector;
    const prefix = naming.headerPrefix.toLowerCase();
    const ids = {
      ...(credentials.kind === 'partner' ? { [`${prefix}pid`]: String(credentials.partnerId) } : {}),
      ...(credentials.companyId === undefined ? {} : { [`${prefix}cid`]: String(credentials.companyId) }),
      ...(credentials.userId === undefined ? {} : { [`${prefix}uid`]: String(credentials.userId) }),
    };
    expect(signRequest(vector, credentials, { nonce: vector.nonce, date: vector.date, naming })).toEqual({
      date: vector.date,
      accept: 'application/json',
      ...ids,
      [`${prefix}nonce`]: vector.nonce,
      authorization: vector.authorization,
    });
  });

  it('never sends the key', () => {
    const sent = signRequest(vector, vector.credentials, { nonce: vector.nonce, date: vector.date, naming });
    expect(JSON.stringify(sent)).not.toContain(vector.credentials.apiKey);
  });
});

describe('the vectors', () => {
  it('cover company, partner alone, with a company, with a user, percent-encoding and vendor names', () => {
    expect(vectors).toHaveLength(10);
  });

  it.skipIf(!hasOpenssl)('are what vectors.sh makes', () => {
    const made = execFileSync('sh', [new URL('./vectors.sh', import.meta.url).pathname], {
      encoding: 'utf8',
    });
    expect(JSON.parse(made)).toEqual(vectors);
  });
});

// Acceptance, A1: openssl reads one file for each request, and each process reads a thousand files.
const REQUESTS = depth('SVC_SIGNED_REQUESTS', { few: 100, full: 10_000 });
const BATCH = 1000;
it.skipIf(!hasOpenssl)(
  `${REQUESTS} random requests have the signatures that openssl gives (SVC_SEED=${SEED})`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-signatures-'));
    const shapes = new Set<string>();
    let checked = 0;
    try {
      for (let first = 0; first < REQUESTS; first += BATCH) {
        const requests = Array.from({ length: Math.min(BATCH, REQUESTS - first) }, (_, at) =>
          randomRequest(`${SEED}/${first + at}`),
        );
        const files = requests.map(({ signed, key }, at) => {
          const file = join(folder, String(at));
          writeFileSync(file, documentString(signed, key));
          return file;
        });
        const expected = execFileSync('openssl', ['dgst', '-sha1', '-r', ...files], { encoding: 'utf8' })
          .trim()
          .split('\n')
          .map((line) => line.slice(0, 40));
        expect(requests.map(({ signed, key }) => signatureOf(signed, key))).toEqual(expected);
        for (const { signed } of requests) shapes.add(shapeOf(signed));
        checked += expected.length;
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
    // Interface, "Signature": a company, and a partner alone, with a company, with a company and a user.
    expect([...shapes].sort()).toEqual(['cid uid', 'pid', 'pid cid', 'pid cid uid']);
    expect(checked).toBe(REQUESTS);
    tried('A1', checked);
  },
);

function shapeOf({ partnerId, companyId, userId }: SignedParts): string {
  const ids = Object.entries({ pid: partnerId, cid: companyId, uid: userId });
  return ids.flatMap(([name, id]) => (id === undefined ? [] : [name])).join(' ');
}

describe('rejects requests that cannot be signed', () => {
  it('a user id without a company id: "allowed only when X-Svc-CID is present"', () => {
    const credentials = { kind: 'partner', partnerId: 1, userId: 2, apiKey: 'k' } as const;
    expect(() =>
      signRequest({ method: 'GET', path: '/v1/user' }, credentials, { nonce: 'n', date: 'd' }),
    ).toThrow(RangeError);
  });
});

describe('nonce: "40 lower-case hexadecimal characters"', () => {
  it('is made of 20 random octets', () => {
    expect([NONCE_OCTETS, MAX_NONCE_LENGTH]).toEqual([20, 40]);
    expect(formatNonce(new Uint8Array(20).fill(0xab))).toBe('ab'.repeat(20));
    expect(formatNonce(randomBytes(20))).toMatch(/^[0-9a-f]{40}$/);
  });

  it.each([0, 19, 21])('refuses %i octets', (octets) => {
    expect(() => formatNonce(new Uint8Array(octets))).toThrow(RangeError);
  });
});

describe('keys', () => {
  it.each<readonly [Credentials['kind'], string, RegExp | undefined]>([
    ['company', '0123456789abcdef0123456789abcdef', undefined],
    ['company', '0123456789abcdef0123456789abcde', /32 characters, but this key has 31/],
    ['company', '0123456789abcdef0123456789abcdef0', /32 characters, but this key has 33/],
    ['company', '0123456789ABCDEF0123456789ABCDEF', /upper-case/],
    ['company', '0123456789abcdef0123456789abcdeg', /0-9a-f/],
    ['company', '', /32 characters, but this key has 0/],
    ['partner', 'any printable', undefined],
    ['partner', ' with spaces at its ends ', undefined],
    ['partner', 'two\nlines', /printable/],
    ['partner', 'any-printable-ASCII!~', undefined],
    ['partner', '', /empty/],
    ['partner', 'tab\tbed', /printable/],
    ['partner', 'café', /printable/],
  ])('%s key %j', (kind, key, problem) => {
    if (problem === undefined) expect(findApiKeyProblem(kind, key)).toBeUndefined();
    else {
      expect(findApiKeyProblem(kind, key)).toMatch(problem);
      if (key !== '') expect(findApiKeyProblem(kind, key)).not.toContain(key);
    }
  });
});

function signedOf({ credentials, method, path, date, nonce }: Vector): SignedParts {
  return {
    method,
    path,
    date,
    nonce,
    ...(credentials.kind === 'partner' ? { partnerId: String(credentials.partnerId) } : {}),
    ...(credentials.companyId === undefined ? {} : { companyId: String(credentials.companyId) }),
    ...(credentials.userId === undefined ? {} : { userId: String(credentials.userId) }),
  };
}

/** Builds the canonical string by steps 1 to 8 of the document, independently of src/service/auth. */
function documentString(signed: SignedParts, key: string): string {
  let text = `${signed.method} ${signed.path}\r\nDate: ${signed.date}\r\n`;
  if (signed.partnerId !== undefined) text += `X-Svc-PID: ${signed.partnerId}\r\n`;
  if (signed.companyId !== undefined) text += `X-Svc-CID: ${signed.companyId}\r\n`;
  if (signed.userId !== undefined) text += `X-Svc-UID: ${signed.userId}\r\n`;
  return `${text}X-Svc-Nonce: ${signed.nonce}\r\n${key}`;
}

function randomRequest(seed: string): { readonly signed: SignedParts; readonly key: string } {
  const random = createHash('sha512').update(seed).digest();
  const at = (index: number): number => random[index] ?? 0;
  const method = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'][at(0) % 5] ?? 'GET';
  const partner = at(1) % 2 === 0;
  const company = !partner || at(2) % 3 > 0;
  const user = !partner || (company && at(3) % 2 === 0);
  const hex = createHash('sha256').update(random).digest('hex');
  return {
    signed: {
      method,
      path: `/v1/${['folder', 'task', 'sms', 'doNotContact'][at(4) % 4]}${at(5) % 2 ? `/${at(6)}` : ''}`,
      date: new Date(at(7) * 9_000_000_000).toUTCString(),
      nonce: hex.slice(0, 1 + (at(8) % 40)),
      ...(partner ? { partnerId: String(at(9)) } : {}),
      ...(company ? { companyId: String(at(10) * 1000) } : {}),
      ...(user ? { userId: String(at(11)) } : {}),
    },
    key: partner ? `~!"#${hex.slice(40)}` : hex.slice(0, 32),
  };
}

it('the canonical string is its lines joined by CR LF, those of ids that are not sent left out', () => {
  const id = fc.option(fc.nat().map(String), { nil: undefined });
  const text = fc.string({ unit: 'grapheme' });
  fc.assert(
    fc.property(
      text,
      text,
      text,
      id,
      id,
      id,
      text,
      (path, date, nonce, partnerId, companyId, userId, key) => {
        const lines = [
          `POST ${path}`,
          `Date: ${date}`,
          ...(partnerId === undefined ? [] : [`X-Svc-PID: ${partnerId}`]),
          ...(companyId === undefined ? [] : [`X-Svc-CID: ${companyId}`]),
          ...(userId === undefined ? [] : [`X-Svc-UID: ${userId}`]),
          `X-Svc-Nonce: ${nonce}`,
          key,
        ];
        const signed = { method: 'POST', path, date, nonce, partnerId, companyId, userId };
        expect(canonicalString(signed, key)).toBe(lines.join('\r\n'));
        expect(signatureOf(signed, key)).toBe(
          createHash('sha1').update(lines.join('\r\n'), 'utf8').digest('hex'),
        );
      },
    ),
  );
});
