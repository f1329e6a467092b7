/** What stands in the outbox, and in which order. */
import type { RuleKind } from '../../resources/automation.ts';

/** One delivered message. Of a task's, the content stands in the message; of the others in `subject` and `body`. */
export interface Delivered {
  readonly time: number;
  /** 0 of a task, 1 a single delivery. */
  readonly rank: 0 | 1;
  /** The task, or the delivery. */
  readonly a: number;
  /** The subscriber of a task's. */
  readonly b: number;
  readonly channel: string;
  readonly recipient: string;
  readonly sender: string | null;
  readonly subject: string | null;
  readonly body: string | null;
  readonly message_id: number | null;
  readonly subscriber_id: number | null;
  readonly cause: string;
  readonly cause_id: number | null;
  readonly rule_kind: string | null;
  /** Of a task's: when it bounced, Unix seconds. */
  readonly bounced: number | null;
}

/** What an entry must be; what is left out may be anything. */
export interface OutboxFilter {
  /** The recipient's address, number or URL, in any case. */
  readonly to?: string | undefined;
  readonly channel?: string | undefined;
  readonly taskId?: number | undefined;
  readonly rule?: { readonly kind: RuleKind; readonly id: number } | undefined;
  /**
   * What stands in the name of a task or a rule, in the name, the subject or the text of a message, in any case; or what
   * an address or a number begins with.
   */
  readonly search?: string | undefined;
}

export type Position = Pick<Delivered, 'rank' | 'a' | 'b'>;
/** Where an entry stands: by time, then by rank, then by its numbers. */
export type Place = Position & { readonly time: number };

/** Below 0 where `x` comes before `y`. */
export const compareEntries = (x: Place, y: Place): number =>
  x.time - y.time || x.rank - y.rank || x.a - y.a || x.b - y.b;
