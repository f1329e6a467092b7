/** The findings of `svc doctor`, from values alone. `test/cli/commands/doctor.test.ts` uses a service. */
import { describe, expect, it } from 'vitest';
import {
  checkClock,
  checkExtraCertificates,
  checkNodeVersion,
  scheduledTasksFinding,
} from '../../src/features/insight/doctor.ts';
import type { TaskRecord } from '../../src/service/resources/task.ts';

const NOW = 1_800_000_000;
const dateOf = (seconds: number): string => new Date(seconds * 1000).toUTCString();

describe('the clock', () => {
  it.each([
    [0, true, 'same as here'],
    [29, true, "the service's clock is 29 s ahead of this machine's"],
    [30, false, "the service's clock is 30 s ahead of this machine's"],
    [-45, false, "the service's clock is 45 s behind this machine's"],
  ])('of the service %s s apart', (skew, ok, found) => {
    expect(checkClock(dateOf(NOW + skew), Number.NaN, NOW)).toEqual({ ok, found });
  });

  it('only mentions a clock that was moved', () => {
    const { ok, found } = checkClock(dateOf(NOW), NOW + 86_400, NOW);
    expect(ok).toBe(true);
    expect(found).toMatch(/^same as here; the sandbox's own clock, by which tasks run, shows 2027-/);
  });

  it('does not fail if no response shows the time', () => {
    expect(checkClock(undefined, Number.NaN, NOW)).toEqual({
      ok: true,
      found: 'the responses contain no date',
    });
  });
});

// Acceptance, "Node before 20.20.2".
it.each([
  ['20.20.1', false],
  ['20.20.2', true],
  ['20.19.9', false],
  ['24.0.0', true],
])('Node %s', (version, ok) => {
  expect(checkNodeVersion(version).ok).toBe(ok);
});

it.each([
  ['no certificate', 'nothing', /^careful: Node\.js ignores x\.pem, because the file has no certificate/],
  ['two', '-----BEGIN CERTIFICATE-----\n'.repeat(2), /^x\.pem: 2 certificates$/],
])('a file with %s', (_, text, found) => {
  expect(checkExtraCertificates('x.pem', text).found).toMatch(found);
});

describe('the scheduled tasks', () => {
  const task = (id: number, ahead: number) =>
    ({ id, name: 'Sale', scheduledtime: NOW + ahead }) as TaskRecord;

  it.each([
    ['none', [], 'none'],
    ['one that is being sent', [task(1, -5)], '1, 1 of them being sent'],
    ['one in two hours', [task(1, 7200)], '1; next: task 1 (Sale), in 2 hours'],
    [
      'one within the hour',
      [task(1, -5), task(2, 600)],
      'careful: 2, 1 of them being sent; next: task 2 (Sale), in 10 minutes; to stop it, run svc task cancel 2',
    ],
  ])('%s', (_, open, found) => {
    expect(scheduledTasksFinding(open, NOW)).toEqual({
      ok: true,
      found,
      ...(found.startsWith('careful: ') ? { warns: true } : {}),
    });
  });
});
