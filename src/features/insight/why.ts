/** Builds the answer of `svc why`: JSON for programs (contract, "Insight"), and a page for people. */
import type { Report, ReportBlock } from '../../kit/report/report.ts';
import { type Id, isId } from '../../kit/schema/integer.ts';

/** Record that causes a lock: of another record, as a task locks its message, or by its own state, as a completed task. */
export interface RecordLock {
  /** Noun of the record, or `editor` if the editor that created a message locks it. */
  readonly kind: string;
  /** `click:3` for a rule. */
  readonly id: Id;
  readonly name: string | null;
  /** Unix seconds. Null if the lock is permanent, or if its end is unknown. */
  readonly until: number | null;
}

export interface LockExplanation {
  /** Null if the service does not show whether the record is locked. */
  readonly locked: boolean | null;
  /** If it is unknown whether the record is locked, the possible causes. */
  readonly by: readonly RecordLock[];
  /** Unix seconds at which the last lock ends. Null if a lock is permanent or its end is unknown, or without locks. */
  readonly free: number | null;
  readonly words: (moment: FormatMoment) => ExplanationText;
}

/** Adds how far the time is from now. */
export type FormatMoment = (unixSeconds: number) => string;

export interface ExplanationText {
  /** Says whether the record is locked, what the lock prevents, and until when. */
  readonly title: string;
  /** Also say which facts the service does not show. */
  readonly reasons: readonly string[];
  /** Commands are without the leading `svc`. */
  readonly next?: readonly Advice[];
}

export interface Advice {
  readonly text: string;
  readonly command?: string;
}

/** Null if a lock is permanent or its end is unknown, or without locks. */
export function lastLockEnd(locks: readonly RecordLock[]): number | null {
  const times = locks.flatMap(({ until }) => until ?? []);
  return times.length === locks.length && times.length > 0 ? Math.max(...times) : null;
}

export const explainPermanentLock = (
  by: readonly RecordLock[],
  words: LockExplanation['words'],
): LockExplanation => ({ locked: true, by, free: null, words });

/** @param title a sentence */
export const explainThatRecordIsUnlocked = (
  title: string,
  reasons: readonly string[] = [],
  next: readonly Advice[] = [],
): LockExplanation => ({ locked: false, by: [], free: null, words: () => ({ title, reasons, next }) });

/** Adds sentences to the reasons, for example about the campaign of the record. */
export const withReasons = (
  explanation: LockExplanation,
  reasons: (moment: FormatMoment) => readonly string[],
): LockExplanation => ({
  ...explanation,
  words: (moment) => {
    const text = explanation.words(moment);
    return { ...text, reasons: [...text.reasons, ...reasons(moment)] };
  },
});

/** @param until earliest end of the lock in Unix seconds; null if it is permanent or unknown */
export function describeRecordLock(
  kind: string,
  { id, name }: { readonly id?: unknown; readonly name?: unknown },
  until: number | null = null,
): RecordLock {
  return { kind, id: isId(id) ? id : String(id), name: typeof name === 'string' ? name : null, until };
}

export function explanationPage({ words }: LockExplanation, moment: FormatMoment): Report {
  const { title, reasons, next = [] } = words(moment);
  const advice = next.flatMap(({ text, command }): readonly ReportBlock[] => [
    { kind: 'paragraph', text },
    ...(command === undefined ? [] : [{ kind: 'command', line: `svc ${command}` } as const]),
  ]);
  return {
    title,
    sections: [
      { title: 'Why', blocks: reasons.length === 0 ? [] : [{ kind: 'points', texts: reasons }] },
      { title: 'What to do', blocks: advice },
    ],
  };
}
