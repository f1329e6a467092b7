/** What `svc why` answers: an object for programs (contract, "Insight"), words for people. */
import type { JsonObject } from '../../../protocol/envelope.ts';
import type { Id } from '../../../schema/integer.ts';
import { distanceOf } from '../../../text/distance.ts';
import type { Block, Page } from '../../../text/page.ts';
import { escapeForTerminal } from '../../../text/terminal.ts';
import { formatTime } from '../../../text/timezone.ts';
import type { Outcome } from '../../command/command.ts';
import type { Column } from '../../output/result.ts';
import { isForPeople, pageOutcome } from '../../request/page.ts';
import type { Session } from '../../session/session.ts';

/** A record that locks another one, or that is locked by its own state. */
export interface Lock {
  /** Its noun (`task`, `list`, `automation` …), or `editor`. */
  readonly kind: string;
  /** Of a rule `click:3`. */
  readonly id: Id;
  readonly name: string | null;
  /** Unix seconds until which it locks, at the earliest; null for good, or where it can't be known. */
  readonly until: number | null;
}

export interface Answer {
  /** Null where the interface does not show it. */
  readonly locked: boolean | null;
  /** What locks it; where that is not known, what would if it is concerned. */
  readonly by: readonly Lock[];
  /** Unix seconds from which nothing of `by` locks it; null for never, not known, and now. */
  readonly free: number | null;
  readonly words: (moment: Moment) => Words;
}

/** Unix seconds as people read them, and how far off they are. */
export type Moment = (unixSeconds: number) => string;

export interface Words {
  /** A sentence: whether it is locked, against what, and until when. */
  readonly title: string;
  /** A sentence or two for each of `by`, and for what isn't known. */
  readonly reasons: readonly string[];
  /** What can be done about it, commands without `svc` after their sentence. */
  readonly next?: readonly Advice[];
}

export interface Advice {
  readonly text: string;
  readonly command?: string;
}

/** When nothing of it locks any more; null where something does for good. */
export function freeAfter(by: readonly Lock[]): number | null {
  const times = by.flatMap(({ until }) => until ?? []);
  return times.length === by.length && times.length > 0 ? Math.max(...times) : null;
}

/** @param title a sentence */
export const unlocked = (
  title: string,
  reasons: readonly string[] = [],
  next: readonly Advice[] = [],
): Answer => ({ locked: false, by: [], free: null, words: () => ({ title, reasons, next }) });

const COLUMNS: readonly Column[] = [
  { name: 'locked', kind: 'bool' },
  { name: 'by' },
  { name: 'free', kind: 'timestamp' },
];

/** Exit 0, locked or not. */
export async function answerOutcome(session: Session, answer: Answer): Promise<Outcome> {
  if (await isForPeople(session)) return pageOutcome(session, await pageOf(session, answer));
  const { locked, by, free } = answer;
  const value: JsonObject = { locked, by: by.map((lock) => ({ ...lock })), free };
  return { result: { kind: 'object', value, columns: COLUMNS } };
}

async function pageOf(session: Session, { words }: Answer): Promise<Page> {
  const zone = await session.tableZone();
  const now = await session.serviceNow();
  const {
    title,
    reasons,
    next = [],
  } = words((time) => `${formatTime(time, zone, 'long')}, ${distanceOf(time, now)}`);
  // Names come from the service.
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
