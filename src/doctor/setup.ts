/** Finds problems of this machine's setup for `svc doctor`. The command passes the values to check. */
import type { ShownCertificate } from '../client/transport/certificate.ts';
import { distanceOf } from '../text/distance.ts';
import { parseHttpDate } from '../text/http-date.ts';
import { formatTime } from '../text/timezone.ts';
import { counted } from '../text/words.ts';

/** Result of a check. A warning has `ok: true`, a note and advice. */
export interface CheckResult {
  readonly ok: boolean;
  readonly found: string;
}

export const fine = (found: string): CheckResult => ({ ok: true, found });

/** Returns a warning, which does not count as a failure. @param next the advice: a command or an infinitive */
export const warning = (found: string, next: string): CheckResult => ({
  ok: true,
  found: `careful: ${found}; ${next}`,
});

/**
 * Checks the version of Node. Older versions of this major version have a fault that a header can trigger (acceptance, "Node before
 * 20.20.2").
 */
export function nodeVersion(found: string): CheckResult {
  const [major = 0, minor = 0, patch = 0] = found.split('.').map(Number);
  const isOld = major < 20 || (major === 20 && (minor < 20 || (minor === 20 && patch < 2)));
  return { ok: !isOld, found: isOld ? `${found}; update to 20.20.2 or later` : found };
}

/** Clock difference in seconds above which the service may refuse requests. */
const SKEW_SECONDS = 30;

/**
 * Compares the service's `Date` header, whose clock authentication uses, with this machine's clock. Schedules use another clock (wire,
 * "Authentication, where open"). A sandbox's schedule clock may be moved on purpose, so a difference there is only mentioned.
 * @param date the `Date` header
 * @param time Unix seconds of the service's schedule clock; NaN if its responses don't show that clock
 * @param here Unix seconds of this machine
 */
export function clockFound(date: string | undefined, time: number, here: number): CheckResult {
  const moved = movedClock(time, here);
  // The header has whole seconds.
  const there = parseHttpDate(date ?? '');
  if (there === undefined) return fine(`the responses don't say${moved}`);
  const skew = there / 1000 - here;
  const side = skew > 0 ? 'ahead of' : 'behind';
  const found = skew === 0 ? 'same as here' : `the service's is ${Math.abs(skew)} s ${side} this machine's`;
  return { ok: Math.abs(skew) < SKEW_SECONDS, found: found + moved };
}

/** Describes the schedule clock if it was moved. */
function movedClock(time: number, here: number): string {
  if (Number.isNaN(time) || Math.abs(time - here) < SKEW_SECONDS) return '';
  return `; its own clock, which schedules run by, shows ${formatTime(time, 'UTC', 'table')} UTC`;
}

const DAY = 86_400;
/** Number of days of remaining validity below which a certificate gets a warning. */
const LEAST_DAYS = 14;

/** Returns the finding about a trusted certificate. @param now Unix seconds of this machine */
export function certificateFound(shown: ShownCertificate, now: number): CheckResult {
  const { validUntil, authority, isPrivate } = shown;
  const signed = isPrivate
    ? `signed by ${authority}, a private authority that this machine trusts`
    : `signed by ${authority}`;
  const until = `the certificate expires ${formatTime(validUntil, 'UTC', 'table')} UTC, ${distanceOf(validUntil, now)}`;
  return validUntil - now < LEAST_DAYS * DAY
    ? warning(`${until}, ${signed}`, 'ask the operators of the service to renew it')
    : fine(`${until}; ${signed}`);
}

/** Returns the finding about the certificates in NODE_EXTRA_CA_CERTS. Node ignores a bad file and prints only one warning. */
export function extraCertificatesFound(path: string, text: string): CheckResult {
  const count = text.split('-----BEGIN CERTIFICATE-----').length - 1;
  if (count === 0) return warning(`ignored: ${path} has no certificate`, 'use a file in PEM format');
  return fine(`${path}: ${counted(count, 'certificate')}`);
}
