/** Findings of `svc doctor` about the setup of this machine, from values that the command reads. */
import type { ShownCertificate } from '../client/transport/certificate.ts';
import { distanceOf } from '../text/distance.ts';
import { parseHttpDate } from '../text/http-date.ts';
import { formatTime } from '../text/timezone.ts';
import { counted } from '../text/words.ts';

/** Result of a check. A warning is also `ok`, with a note and advice. */
export interface CheckResult {
  readonly ok: boolean;
  readonly found: string;
}

export const fine = (found: string): CheckResult => ({ ok: true, found });

/** Returns a warning, which is not a failure. @param next the advice: a command or an infinitive */
export const warning = (found: string, next: string): CheckResult => ({
  ok: true,
  found: `careful: ${found}; ${next}`,
});

/** Checks Node's version. Older ones of this major have a fault that a header can trigger (acceptance, "Node before 20.20.2"). */
export function nodeVersion(found: string): CheckResult {
  const [major = 0, minor = 0, patch = 0] = found.split('.').map(Number);
  const isOld = major < 20 || (major === 20 && (minor < 20 || (minor === 20 && patch < 2)));
  return { ok: !isOld, found: isOld ? `${found}; update to 20.20.2 or later` : found };
}

/** Clock difference in seconds above which requests are refused sooner or later. */
const SKEW_SECONDS = 30;

/**
 * Compares the clock of the service's `Date` header, which authentication uses, with this machine's. Schedules use another clock (wire,
 * "Authentication, where open"). A sandbox's may be moved on purpose, so it is only mentioned.
 * @param date the `Date` header @param time Unix seconds of the service's own clock; NaN if its responses don't show it
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

/** Describes a moved clock. */
function movedClock(time: number, here: number): string {
  if (Number.isNaN(time) || Math.abs(time - here) < SKEW_SECONDS) return '';
  return `; its own clock, which schedules run by, shows ${formatTime(time, 'UTC', 'table')} UTC`;
}

const DAY = 86_400;
/** Days of validity below which a certificate gets a warning. */
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

/** Returns the finding about the certificates of NODE_EXTRA_CA_CERTS, which Node ignores with a single warning if they are bad. */
export function extraCertificatesFound(path: string, text: string): CheckResult {
  const count = text.split('-----BEGIN CERTIFICATE-----').length - 1;
  if (count === 0) return warning(`ignored: ${path} has no certificate`, 'use a file in PEM format');
  return fine(`${path}: ${counted(count, 'certificate')}`);
}
