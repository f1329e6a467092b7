import type { Session } from '../../session/session.ts';

/** A line of `svc doctor`. What only deserves a look is `ok`, with a word of care and what to do next. */
export interface Found {
  readonly ok: boolean;
  readonly found: string;
  /** The words of care by themselves: a narrow table cuts them. */
  readonly care?: string;
}

export interface Check {
  readonly name: string;
  /** Undefined where it does not apply. What it throws is a failure, with that exit code. */
  readonly examine: (session: Session) => Promise<Found | undefined>;
  /** Without it the checks that follow mean nothing. */
  readonly isNeeded?: true;
}

export const fine = (found: string): Found => ({ ok: true, found });

/** Worth a look, and no failure. @param next what to do about it, a command or an infinitive */
export const careful = (found: string, next: string): Found => ({
  ok: true,
  found: `careful: ${found}; ${next}`,
  care: `${found}; ${next}`,
});
