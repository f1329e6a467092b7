/** Output of `svc why`: an object for programs (contract, "Insight"), text for people. */
import type { JsonObject } from '../../../protocol/envelope.ts';
import type { Block, TextPage } from '../../../report/text-page.ts';
import type { Id } from '../../../schema/integer.ts';
import { distanceOf } from '../../../text/distance.ts';
import { escapeForTerminal } from '../../../text/terminal.ts';
import { formatTime } from '../../../text/timezone.ts';
import type { Outcome } from '../../command/command.ts';
import type { Column } from '../../output/result.ts';
import { pageOutcome } from '../../request/page.ts';
import { isForPeople } from '../../session/for-people.ts';
import type { Session } from '../../session/session.ts';

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
  /** Records that lock it. If that is unknown, those that would if it is affected. */
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

const COLUMNS: readonly Column[] = [
  { name: 'locked', kind: 'bool' },
  { name: 'by' },
  { name: 'free', kind: 'timestamp' },
];

/** Returns the outcome: exit 0, locked or not. */
export async function answerOutcome(session: Session, answer: Explanation): Promise<Outcome> {
  if (await isForPeople(session)) return pageOutcome(session, await pageOf(session, answer));
  const { locked, by, free } = answer;
  const value: JsonObject = { locked, by: by.map((lock) => ({ ...lock })), free };
  return { result: { kind: 'object', value, columns: COLUMNS } };
}

async function pageOf(session: Session, { words }: Explanation): Promise<TextPage> {
  const zone = await session.tableZone();
  const now = await session.serviceNow();
  const {
    title,
    reasons,
    next = [],
  } = words((time) => `${formatTime(time, zone, 'long')}, ${distanceOf(time, now)}`);
  // Names come from the service, so they are escaped.
  const safe = (text: string): string => escapeForTerminal(text);
  const advice = next.flatMap(({ text, command }): readonly Block[] => [
    { kind: 'paragraph', text: safe(text) },
    ...(command === undefined ? [] : [{ kind: 'command', line: `svc ${safe(command)}` } as const]),
  ]);
  return {
    title: safe(title),
    sections: [
      { title: 'Why', blocks: reasons.length === 0 ? [] : [{ kind: 'points', texts: reasons.map(safe) }] },
      { title: 'What to do', blocks: advice },
    ],
  };
}
