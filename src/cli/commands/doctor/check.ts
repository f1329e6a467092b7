import type { Session } from '../../session/session.ts';

/** Result of a check in `svc doctor`. A warning is also `ok`, with a note and advice. */
export interface CheckResult {
  readonly ok: boolean;
  readonly found: string;
}

export interface DoctorCheck {
  readonly name: string;
  /** Runs the check. Returns undefined if it does not apply. An error is a failure, with the error's exit code. */
  readonly examine: (session: Session) => Promise<CheckResult | undefined>;
  /** Set if the following checks make no sense after a failure. */
  readonly isNeeded?: true;
}

export const fine = (found: string): CheckResult => ({ ok: true, found });

/** Returns a warning, which is not a failure. @param next the advice: a command or an infinitive */
export const warning = (found: string, next: string): CheckResult => ({
  ok: true,
  found: `careful: ${found}; ${next}`,
});
