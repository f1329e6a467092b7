/** Builds the answer of `svc why`: the locks for programs (contract, "Insight"), and a page for people. */
import type { JsonObject } from '../protocol/envelope.ts';
import type { PageBlock, TextPage } from '../report/text-page.ts';
import { type Id, isId } from '../schema/integer.ts';
import { escapeForTerminal } from '../text/terminal.ts';

/** Record that locks another one, or that is locked by its own state. */
export interface Lock {
  /** Noun of the record that locks (`task`, `list`, `automation` …), or `editor` if the editor that made a message locks it. */
  readonly kind: string;
  /** Id of the record; `click:3` for a rule. */
  readonly id: Id;
  readonly name: string | null;
  /** Earliest Unix seconds at which the lock ends. Null if it is permanent or unknown. */
  readonly until: number | null;
}

export interface LockExplanation {
  /** True if the record is locked. Null if the interface does not show it. */
  readonly locked: boolean | null;
  /** Records that lock the record. If it is unknown whether the record is locked, the records that may lock it. */
  readonly by: readonly Lock[];
  /** Unix seconds at which the last lock in `by` ends. Null if a lock is permanent, if the end is unknown, or if there is no lock. */
  readonly free: number | null;
  readonly words: (moment: FormatMoment) => ExplanationText;
}

/** Formats Unix seconds for people, with their distance from now. */
export type FormatMoment = (unixSeconds: number) => string;

export interface ExplanationText {
  /** Sentence that says whether the record is locked, against which actions, and until when. */
  readonly title: string;
  /** Sentences about each lock in `by`, and about unknown facts. */
  readonly reasons: readonly string[];
  /** Advice on how to change the record anyway, each with a command if one helps. The command does not begin with `svc`. */
  readonly next?: readonly Advice[];
}

export interface Advice {
  readonly text: string;
  readonly command?: string;
}

/** Returns the time at which all locks have ended. Returns null if a lock is permanent, if its end is unknown, or if there is no lock. */
export function lastLockEnd(by: readonly Lock[]): number | null {
  const times = by.flatMap(({ until }) => until ?? []);
  return times.length === by.length && times.length > 0 ? Math.max(...times) : null;
}

/** Returns the answer for an unlocked record. @param title a sentence */
export const unlockedExplanation = (
  title: string,
  reasons: readonly string[] = [],
  next: readonly Advice[] = [],
): LockExplanation => ({ locked: false, by: [], free: null, words: () => ({ title, reasons, next }) });

/** Returns the record in the form in which an answer lists it as a lock. @param kind noun of the record */
export function createLock(kind: string, { id, name }: JsonObject, until: number | null = null): Lock {
  return { kind, id: isId(id) ? id : String(id), name: typeof name === 'string' ? name : null, until };
}

/** Returns the answer of `svc why` for programs. */
export const answerValue = ({ locked, by, free }: LockExplanation): JsonObject => ({
  locked,
  by: by.map((lock) => ({ ...lock })),
  free,
});

/** Returns the answer of `svc why` for people. Names come from the service, so they are escaped. */
export function answerPage({ words }: LockExplanation, moment: FormatMoment): TextPage {
  const { title, reasons, next = [] } = words(moment);
  const advice = next.flatMap(({ text, command }): readonly PageBlock[] => [
    { kind: 'paragraph', text: escapeForTerminal(text) },
    ...(command === undefined
      ? []
      : [{ kind: 'command', line: `svc ${escapeForTerminal(command)}` } as const]),
  ]);
  const texts = reasons.map((reason) => escapeForTerminal(reason));
  return {
    title: escapeForTerminal(title),
    sections: [
      { title: 'Why', blocks: texts.length === 0 ? [] : [{ kind: 'points', texts }] },
      { title: 'What to do', blocks: advice },
    ],
  };
}
