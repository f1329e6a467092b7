/** Turns drafts of findings about an e-mail message into findings with a severity, a file and a place. */
import { EMAIL_LINT_RULE_TABLE, type EmailLintRuleName } from './email-rules.ts';
import type { ContentOrigin, LintFinding, MessageContent, Severity } from './finding.ts';

export interface FindingDraft {
  readonly rule: EmailLintRuleName;
  readonly part: string;
  readonly message: string;
  /** Offset into the attribute in UTF-16 units. */
  readonly at?: number;
  readonly instead?: string | undefined;
}

/**
 * Maximum number of findings of one rule, so that they do not hide the findings of other rules. One more finding says how many were
 * omitted.
 */
export const MAX_FINDINGS_PER_RULE = 50;

/** Within an attribute, findings without a place come first. */
export function toLintFindings(
  drafts: readonly FindingDraft[],
  content: MessageContent,
  { files }: ContentOrigin,
): readonly LintFinding[] {
  const parts = Object.keys(content);
  const counts = new Map<EmailLintRuleName, number>();
  for (const { rule } of drafts) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  const order = (draft: FindingDraft): readonly number[] => [
    SEVERITIES.indexOf(EMAIL_LINT_RULE_TABLE[draft.rule].severity),
    parts.indexOf(draft.part),
    draft.at ?? -1,
  ];
  const sorted = drafts
    .map((draft) => ({ draft, key: order(draft) }))
    .sort((a, b) => a.key.map((each, at) => each - (b.key[at] ?? 0)).find((each) => each !== 0) ?? 0)
    .map(({ draft }) => draft);
  const told = new Map<EmailLintRuleName, number>();
  const shown = sorted.filter(({ rule }) => {
    const count = (told.get(rule) ?? 0) + 1;
    told.set(rule, count);
    return count <= MAX_FINDINGS_PER_RULE;
  });
  const placeOf = placesOf(content);
  const found = shown.map((draft): LintFinding => {
    const { rule, message, part, instead = null } = draft;
    const { line, column } = placeOf(draft) ?? { line: null, column: null };
    const { severity } = EMAIL_LINT_RULE_TABLE[rule];
    return { rule, severity, message, file: files[part] ?? null, line, column, instead };
  });
  return [...found, ...leftOut(counts)];
}

const SEVERITIES: readonly Severity[] = ['error', 'warning', 'info'];

function placesOf(content: MessageContent): (draft: FindingDraft) => Place | undefined {
  const places = new Map<string, (at: number) => Place>();
  return ({ part, at }) => {
    const source = content[part];
    if (at === undefined || typeof source !== 'string') return undefined;
    const placeIn = places.get(part) ?? createLineColumnFinder(source);
    places.set(part, placeIn);
    return placeIn(at);
  };
}

function leftOut(counts: ReadonlyMap<EmailLintRuleName, number>): readonly LintFinding[] {
  return [...counts]
    .filter(([, count]) => count > MAX_FINDINGS_PER_RULE)
    .map(([rule, count]) => ({
      ...{ rule, severity: EMAIL_LINT_RULE_TABLE[rule].severity },
      message: `${count - MAX_FINDINGS_PER_RULE} more findings of this rule are not listed.`,
      ...{ file: null, line: null, column: null, instead: null },
    }));
}

interface Place {
  readonly line: number;
  readonly column: number;
}

/** Lines end at LF; each code point is a column. Both count from 1. */
function createLineColumnFinder(source: string): (at: number) => Place {
  const starts = [0];
  for (let at = source.indexOf('\n'); at !== -1; at = source.indexOf('\n', at + 1)) starts.push(at + 1);
  return (at) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    const column = [...source.slice(starts[low] ?? 0, at)].length + 1;
    return { line: low + 1, column };
  };
}

const MAX_QUOTED_CHARACTERS = 60;

export function quoted(text: string): string {
  const characters = [...text.replace(/\s+/g, ' ').trim()];
  return `“${characters.slice(0, MAX_QUOTED_CHARACTERS).join('')}${characters.length > MAX_QUOTED_CHARACTERS ? '…' : ''}”`;
}
