/**
 * Contract, "Safety" and "Partners and many companies": a profile that replaces one of the same account keeps its limits and its roster.
 */
import { describe, expect, it } from 'vitest';
import {
  findLimitsLostByReplacement,
  keepLimitsOfReplacedProfile,
  type Profile,
} from '../../src/client/profiles/profile.ts';
import { withProfileCompanies } from '../../src/client/profiles/roster.ts';
import { COMPANY, PARTNER } from '../support/profiles.ts';

const ONE = { id: 12, name: 'Harbour Coffee', tags: ['uk'], note: null };
const LIMITS = {
  readOnly: true,
  requireApprovals: 2,
  approvalsFor: 'tasks',
  signers: '/etc/svc/signers',
  budget: { 'recipients-per-day': 50_000 },
  proofList: 9,
} as unknown as Partial<Profile>;

describe('a new profile of a partner keeps the roster', () => {
  const before = withProfileCompanies(PARTNER, [ONE]);

  it.each([
    ['of the same partner at the same origin', { ...PARTNER, baseUrl: `${PARTNER.baseUrl}/path` }, true],
    ['not of another partner', { ...PARTNER, partnerId: 12 }, false],
    ['not of another origin', { ...PARTNER, baseUrl: 'https://other.example.com' }, false],
    ['not of a company', COMPANY, false],
  ])('%s', (_, next, keeps) => {
    expect(keepLimitsOfReplacedProfile(next, before).roster !== undefined).toBe(keeps);
  });

  it('of the same sandbox at another port', () => {
    const sandbox = { dataDir: '/data', controlToken: 'token' };
    const old = { ...before, baseUrl: 'http://127.0.0.1:4010', sandbox };
    const next = { ...PARTNER, baseUrl: 'http://127.0.0.1:4011', sandbox };
    expect(keepLimitsOfReplacedProfile(next, old).roster).toEqual([ONE]);
  });
});

describe('a new key for a company', () => {
  const before: Profile = { ...COMPANY, ...LIMITS, output: 'json' };
  const next: Profile = { ...COMPANY, userId: 4, apiKey: 'another-key-0123456789abcdef' };

  it('keeps every limit, and no other setting', () => {
    expect(keepLimitsOfReplacedProfile(next, before)).toEqual({ ...next, ...LIMITS });
    expect(findLimitsLostByReplacement(next, before)).toEqual([]);
  });

  it('keeps a limit unless a new value is given', () => {
    expect(keepLimitsOfReplacedProfile({ ...next, proofList: 3 }, before).proofList).toBe(3);
  });

  it.each([
    ['of another company', { ...next, companyId: 8 }],
    ['at another address', { ...next, baseUrl: 'https://other.example.com' }],
    ['of a partner', PARTNER],
  ])('%s keeps none of them, and they can be listed', (_, other) => {
    expect(keepLimitsOfReplacedProfile(other, before)).toEqual(other);
    expect(findLimitsLostByReplacement(other, before)).toEqual([
      'read-only',
      'require-approvals',
      'approvals-for',
      'signers',
      'budget',
      'proof-list',
    ]);
  });
});
