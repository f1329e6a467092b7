/** Finds problems in the setup of this machine for `svc doctor`. The command reads the values, and passes them to these checks. */
import type { ServerCertificate } from '../client/transport/certificate.ts';
import { parseHttpDate } from '../protocol/wire.ts';
import { relativeTime } from '../text/duration.ts';
import { formatTime } from '../text/timezone.ts';
import { formatCountWithNoun } from '../text/words.ts';

/** Result of one check of `svc doctor`. A warning has `ok: true`, a note and advice. */
export interface CheckResult {
  readonly ok: boolean;
  readonly found: string;
}

/** Returns the result of a check that found no problem. */
export const passedCheck = (finding: string): CheckResult => ({ ok: true, found: finding });

/** Returns a warning, which does not count as a failure. @param advice what to do, such as `to stop it, run svc task cancel 1` */
export const warningResult = (finding: string, advice: string): CheckResult => ({
  ok: true,
  found: `careful: ${finding}; ${advice}`,
});

/**
 * Checks the version of Node that runs svc. The check fails for versions before 20.20.2. Earlier versions of Node 20 have a fault
 * that a request header can trigger (acceptance, "Node before 20.20.2").
 */
export function checkNodeVersion(version: string): CheckResult {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  const isOld = major < 20 || (major === 20 && (minor < 20 || (minor === 20 && patch < 2)));
  return { ok: !isOld, found: isOld ? `${version}; update Node.js to 20.20.2 or later` : version };
}

/** Clock difference in seconds above which the service may refuse requests. */
const SKEW_SECONDS = 30;

/**
 * Compares this machine's clock with the service's authentication clock, which the `Date` header of a response shows. The service uses a
 * second clock, the schedule clock, to decide when tasks run (wire, "Authentication, where open"). Users of a sandbox move the schedule
 * clock on purpose, so a wrong schedule clock causes no warning.
 * @param date the `Date` header
 * @param scheduleTime Unix seconds of the schedule clock; NaN if the responses don't show that clock
 * @param machineTime Unix seconds of this machine
 */
export function checkClock(date: string | undefined, scheduleTime: number, machineTime: number): CheckResult {
  const moved = movedClock(scheduleTime, machineTime);
  // The header has whole seconds.
  const there = parseHttpDate(date ?? '');
  if (there === undefined) return passedCheck(`the responses contain no date${moved}`);
  const skew = there / 1000 - machineTime;
  const side = skew > 0 ? 'ahead of' : 'behind';
  const found =
    skew === 0 ? 'same as here' : `the service's clock is ${Math.abs(skew)} s ${side} this machine's`;
  return { ok: Math.abs(skew) < SKEW_SECONDS, found: found + moved };
}

/**
 * Returns the end of a sentence that says which time the schedule clock of a sandbox shows. A sandbox runs tasks by this clock, and users
 * can move the clock. Returns an empty text if the clock was not moved, or if the time of the clock is unknown.
 * @param scheduleTime Unix seconds of the schedule clock; NaN if unknown
 * @param machineTime Unix seconds of this machine's clock
 */
function movedClock(scheduleTime: number, machineTime: number): string {
  if (Number.isNaN(scheduleTime) || Math.abs(scheduleTime - machineTime) < SKEW_SECONDS) return '';
  return `; the sandbox's own clock, by which tasks run, shows ${formatTime(scheduleTime, 'UTC', 'table')} UTC`;
}

const DAY = 86_400;
/** Number of days of remaining validity below which a certificate gets a warning. */
const MIN_DAYS = 14;

/** Returns the finding about the service's certificate, which this machine trusts. @param now Unix seconds of this machine */
export function checkCertificate(certificate: ServerCertificate, now: number): CheckResult {
  const { validUntil, authority, isPrivate } = certificate;
  const signed = isPrivate
    ? `signed by ${authority}, a private authority that this machine trusts`
    : `signed by ${authority}`;
  const until = `the certificate expires ${formatTime(validUntil, 'UTC', 'table')} UTC, ${relativeTime(validUntil, now)}`;
  return validUntil - now < MIN_DAYS * DAY
    ? warningResult(`${until}, ${signed}`, 'ask the operators of the service to renew the certificate')
    : passedCheck(`${until}; ${signed}`);
}

/** Returns the finding about the certificates in NODE_EXTRA_CA_CERTS. Node ignores a bad file and prints only one warning. */
export function checkExtraCertificates(path: string, text: string): CheckResult {
  const count = text.split('-----BEGIN CERTIFICATE-----').length - 1;
  if (count === 0)
    return warningResult(
      `Node.js ignores ${path}, because the file has no certificate`,
      'use a file in PEM format',
    );
  return passedCheck(`${path}: ${formatCountWithNoun(count, 'certificate')}`);
}
