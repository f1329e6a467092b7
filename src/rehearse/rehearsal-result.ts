import type { Channel } from '../resources/task.ts';
/** Defines the result of a rehearsal, as `svc rehearse -o json` prints it (contract, "Rehearse"). */

/** Result of one task that was sent in the rehearsal: the time, the recipients and the credits. */
export interface RehearsedSend {
  /** Time of the send in Unix seconds. */
  readonly time: number;
  /** Time of the send in the company's zone. @example `2026-12-01 09:00` */
  readonly local: string;
  readonly task: number;
  readonly name: string;
  /** Key of the task in the campaign file. Null for a task that no file names. */
  readonly key: string | null;
  readonly channel: Channel;
  readonly list: number | null;
  readonly search: number | null;
  /** Number of subscriptions that the service found when the task was made. */
  readonly size: number;
  readonly sent: number;
  readonly leftOut: Readonly<Record<string, number>>;
  readonly credits: number;
  /** Credits that are left after the send. */
  readonly balance: number | null;
}

/** Returns the title of a task. @example `task 5 (Spring)` */
export const titleOf = ({ task, name }: Pick<RehearsedSend, 'task' | 'name'>): string =>
  `task ${task} (${name})`;

/** Numbers of actions that an automation rule performed in the rehearsal. */
export interface RehearsedRuleCounts {
  /** Kind and id of the rule. @example `click:3` */
  readonly rule: string;
  readonly name: string;
  /** Key of the rule in the campaign file. Null for a rule that no file names. */
  readonly key: string | null;
  /** Number of actions that were performed. */
  readonly ran: number;
  readonly sent: number;
  /** Number of actions that were not possible, such as the send of a message when no credits were left. */
  readonly skipped: number;
  /** Number of actions that are due after the end of the rehearsal. */
  readonly queued: number;
}

/** Kind of a finding, a problem that a rehearsal has found. */
export type RehearsalFindingKind =
  | 'blocked'
  | 'clock-change'
  | 'credits-short'
  | 'lint'
  | 'locked'
  | 'loop'
  | 'night'
  | 'too-close';

export interface RehearsalFinding {
  readonly rule: RehearsalFindingKind;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** Position in the campaign file, or local time at which the problem occurs. @example `spring.yaml:12:3`, `2026-12-01 22:00` */
  readonly at: string | null;
}

export interface RehearsalResult {
  readonly company: { readonly id: number; readonly name: string };
  /** Time at which the rehearsal begins, in Unix seconds. */
  readonly from: number;
  readonly until: number;
  readonly sends: readonly RehearsedSend[];
  readonly rules: readonly RehearsedRuleCounts[];
  readonly people: { readonly mostInADay: number; readonly mostInAWeek: number };
  readonly findings: readonly RehearsalFinding[];
  /** True if numbers of recipients are estimates, because some facts about people are unknown. */
  readonly estimated: boolean;
  readonly unknown: readonly string[];
}
