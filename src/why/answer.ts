/** Answers of `svc why`: the locks for programs (contract, "Insight"), and a page for people. */
import type { JsonObject } from '../protocol/envelope.ts';
import type { Block, TextPage } from '../report/text-page.ts';
import { type Id, isId } from '../schema/integer.ts';
import { escapeForTerminal } from '../text/terminal.ts';

/** Record that locks another one, or that is locked by its own state. */
export interface Lock {
  /** Noun of the record (`task`, `list`, `automation` …), or `editor`. */
  readonly kind: string;
  /** Id. For a rule `click:3`. */
  readonly id: Id;
  readonly name: string | null;
  /** Earliest Unix seconds at which the lock ends. Null if it is permanent or unknown. */
  readonly until: number | null;
}

export interface Explanation {
  /** True if the record is locked. Null if the interface does not show it. */
  readonly locked: boolean | null;
  /** Records that lock this one. If it is unknown whether this one is locked, the records that may lock it. */
  readonly by: readonly Lock[];
  /** Unix seconds from which nothing in `by` locks it. Null for never, unknown, and now. */
  readonly free: number | null;
  readonly words: (moment: FormatMoment) => ExplanationText;
}

/** Formats Unix seconds for people, with their distance from now. */
export type FormatMoment = (unixSeconds: number) => string;

export interface ExplanationText {
  /** Sentence that says whether it is locked, against which actions, and until when. */
  readonly title: string;
  /** Sentences about each of `by`, and about unknown facts. */
  readonly reasons: readonly string[];
  /** Advice, each with a command without `svc`. */
  readonly next?: readonly Advice[];
}

export interface Advice {
  readonly text: string;
  readonly command?: string;
}

/** Returns the time at which all locks have ended, or null if one is permanent. */
export function freeAfter(by: readonly Lock[]): number | null {
  const times = by.flatMap(({ until }) => until ?? []);
  return times.length === by.length && times.length > 0 ? Math.max(...times) : null;
}

/** Returns the answer for an unlocked record. @param title a sentence */
export const unlocked = (
  title: string,
  reasons: readonly string[] = [],
  next: readonly Advice[] = [],
): Explanation => ({ locked: false, by: [], free: null, words: () => ({ title, reasons, next }) });

/** Returns a lock of this record. @param kind its noun */
export function lockOf(kind: string, { id, name }: JsonObject, until: number | null = null): Lock {
  return { kind, id: isId(id) ? id : String(id), name: typeof name === 'string' ? name : null, until };
}

/** Returns the answer for programs. */
export const answerValue = ({ locked, by, free }: Explanation): JsonObject => ({
  locked,
  by: by.map((lock) => ({ ...lock })),
  free,
});

/** Returns the answer for people. Names come from the service, so they are escaped. */
export function answerPage({ words }: Explanation, moment: FormatMoment): TextPage {
  const { title, reasons, next = [] } = words(moment);
  const advice = next.flatMap(({ text, command }): readonly Block[] => [
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
