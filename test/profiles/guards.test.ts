/**
 * Contract, "Settings of a profile": lowering a guard is a question on a terminal and needs `--yes` elsewhere. The guards are `read-only`,
 * `require-company`, `require-approvals`, `approvals-for`, `signers` and `budget.…`. Raising one asks nothing.
 */
import { describe, expect, it } from 'vitest';
import { findLoweredGuards } from '../../src/client/profiles/guards.ts';
import type { Profile } from '../../src/client/profiles/profile.ts';

const profileWith = (more: Partial<Profile>): Profile => ({
  ...{ name: 'prod', kind: 'company', baseUrl: 'https://api.example.com', companyId: 1, userId: 1 },
  ...more,
});
const approved = { requireApprovals: 2, signers: '/a' };

describe('findLoweredGuards', () => {
  it.each<[Partial<Profile>, Partial<Profile>, string]>([
    [{ readOnly: true }, {}, 'read-only true → false'],
    [{ requireCompany: true }, {}, 'require-company true → false'],
    [{ requireApprovals: 2 }, { requireApprovals: 1 }, 'require-approvals 2 → 1'],
    [{ requireApprovals: 2 }, {}, 'require-approvals 2 → 0'],
    [{ requireApprovals: 1 }, { requireApprovals: 1, approvalsFor: 'tasks' }, 'approvals-for all → tasks'],
    [approved, { ...approved, signers: '/b' }, 'signers /a → /b'],
    [approved, { requireApprovals: 2 }, 'signers /a → none'],
    // Without signers, nothing can be sent. Whoever names them decides who may send.
    [{ requireApprovals: 2 }, approved, 'signers none → /a'],
    [{ budget: { 'tasks-per-day': 1 } }, { budget: { 'tasks-per-day': 2 } }, 'budget.tasks-per-day 1 → 2'],
    [{ budget: { 'tasks-per-day': 0 } }, {}, 'budget.tasks-per-day 0 → none'],
    [
      { budget: { hours: '08:00-20:00' } },
      { budget: { hours: '08:00-20:01' } },
      'budget.hours 08:00-20:00 → 08:00-20:01',
    ],
    [
      { budget: { hours: '22:00-02:00' } },
      { budget: { hours: '01:00-03:00' } },
      'budget.hours 22:00-02:00 → 01:00-03:00',
    ],
    [{ budget: { hours: '08:00-20:00' } }, {}, 'budget.hours 08:00-20:00 → none'],
    [{ budget: { days: 'mon-fri' } }, { budget: { days: 'fri,sat' } }, 'budget.days mon-fri → fri,sat'],
  ])('%j to %j lowers a guard', (before, after, text) => {
    expect(findLoweredGuards(profileWith(before), profileWith(after))).toEqual([text]);
  });

  it.each<[Partial<Profile>, Partial<Profile>]>([
    [{}, { readOnly: true }],
    [{}, { requireCompany: true }],
    [{}, { requireApprovals: 1 }],
    [{ requireApprovals: 1 }, { requireApprovals: 2 }],
    [{ requireApprovals: 1, approvalsFor: 'tasks' }, { requireApprovals: 1 }],
    [{}, { approvalsFor: 'tasks' }],
    [{ signers: '/a' }, { signers: '/b' }],
    [{}, { budget: { 'tasks-per-day': 1 } }],
    [{ budget: { 'tasks-per-day': 2 } }, { budget: { 'tasks-per-day': 1 } }],
    [{ budget: { hours: '08:00-20:00' } }, { budget: { hours: '09:00-20:00' } }],
    [{ budget: { hours: '22:00-02:00' } }, { budget: { hours: '23:00-01:00' } }],
    [{ budget: { days: 'mon-fri' } }, { budget: { days: 'mon,wed' } }],
    [{}, { budget: { days: 'mon', hours: '08:00-09:00' } }],
    [{ output: 'json' }, { tz: 'UTC' }],
  ])('%j to %j lowers none', (before, after) => {
    expect(findLoweredGuards(profileWith(before), profileWith(after))).toEqual([]);
  });
});
