/** Defines the rules of `lint` and its findings, with their severity and their text for people (contract, "Insight"). */
import type { ContentMarkupNames } from '../schema/resource.ts';
import { escapeForTerminal } from '../text/terminal.ts';
import { capitalizeFirstLetter, formatCountWithNoun } from '../text/words.ts';

export type Severity = 'error' | 'warning' | 'info';

export interface LintFinding {
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  /** Null if the content came from the service or from a flag. */
  readonly file: string | null;
  /** Null if the finding does not concern a place in a text. */
  readonly line: number | null;
  /** Null if `line` is null. */
  readonly column: number | null;
  readonly instead: string | null;
}

export interface LintRule {
  readonly rule: string;
  readonly severity: Severity;
  readonly finds: string;
  readonly instead: string;
}

export type RuleTable<N extends string = string> = Readonly<Record<N, Omit<LintRule, 'rule'>>>;

export const rulesOfTable = (table: RuleTable): readonly LintRule[] =>
  Object.entries(table).map(([rule, more]) => ({ rule, ...more }));

export const asSentence = (text: string): string => `${capitalizeFirstLetter(text)}.`;

/** Attributes that were not given are left out. */
export type MessageContent = Readonly<Record<string, unknown>>;

export interface ContentOrigin {
  readonly files: Readonly<Record<string, string>>;
  /** Links in these attributes are tracking addresses (interface, "emailMessage"). */
  readonly stored: ReadonlySet<string>;
  /**
   * Names that the deployment uses for opt-in elements, such as `svc_link`. An opt-in element shows where a message contains the link that
   * confirms an opt-in.
   */
  readonly words: ContentMarkupNames;
  readonly postalAddress?: string;
  readonly targets?: readonly LinkTarget[];
}

export interface LinkTarget {
  readonly part: 'html' | 'text';
  readonly target: string;
}

export interface FindingDraft<R extends string = string> {
  readonly rule: R;
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
export function toLintFindings<R extends string>(
  rules: RuleTable<R>,
  drafts: readonly FindingDraft<R>[],
  content: MessageContent,
  { files }: ContentOrigin,
): readonly LintFinding[] {
  const parts = Object.keys(content);
  const counts = new Map<R, number>();
  for (const { rule } of drafts) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  const order = (draft: FindingDraft<R>): readonly number[] => [
    SEVERITIES.indexOf(rules[draft.rule].severity),
    parts.indexOf(draft.part),
    draft.at ?? -1,
  ];
  const sorted = drafts
    .map((draft) => ({ draft, key: order(draft) }))
    .sort((a, b) => a.key.map((each, at) => each - (b.key[at] ?? 0)).find((each) => each !== 0) ?? 0)
    .map(({ draft }) => draft);
  const told = new Map<R, number>();
  const shown = sorted.filter(({ rule }) => {
    const count = (told.get(rule) ?? 0) + 1;
    told.set(rule, count);
    return count <= MAX_FINDINGS_PER_RULE;
  });
  const placeOf = placesOf(content);
  const found = shown.map((draft): LintFinding => {
    const { rule, message, part, instead = null } = draft;
    const { line, column } = placeOf(draft) ?? { line: null, column: null };
    const { severity } = rules[rule];
    return { rule, severity, message, file: files[part] ?? null, line, column, instead };
  });
  return [...found, ...leftOut(rules, counts)];
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

function leftOut<R extends string>(
  rules: RuleTable<R>,
  counts: ReadonlyMap<R, number>,
): readonly LintFinding[] {
  return [...counts]
    .filter(([, count]) => count > MAX_FINDINGS_PER_RULE)
    .map(([rule, count]) => ({
      ...{ rule, severity: rules[rule].severity },
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

export function quoted(text: string, maxLength = 60): string {
  const characters = [...text.replace(/\s+/g, ' ').trim()];
  return `“${characters.length <= maxLength ? characters.join('') : `${characters.slice(0, maxLength).join('')}…`}”`;
}

/** Callers must escape terminal control characters first. */
type PaintSeverity = (severity: Severity, text: string) => string;

/** A finding without a file begins with its line and column, or with its severity. */
export function formatFindingsAsText(findings: readonly LintFinding[], paint: PaintSeverity): string {
  return findings.flatMap((finding) => linesOf(finding, paint)).join('');
}

function linesOf(finding: LintFinding, paint: PaintSeverity): readonly string[] {
  const { rule, severity, message, file, line, column, instead } = finding;
  const place = [file, line, column].filter((each) => each !== null).join(':');
  const start = place === '' ? '' : `${escapeForTerminal(place)}: `;
  return [
    `${start}${paint(severity, severity)}: ${escapeForTerminal(message)} [${rule}]\n`,
    ...(instead === null ? [] : [`    ${escapeForTerminal(instead)}\n`]),
  ];
}

export function formatFindingCounts(findings: readonly LintFinding[]): string {
  const counts = (['error', 'warning', 'info'] as const).flatMap((severity) => {
    const count = findings.filter((finding) => finding.severity === severity).length;
    return count === 0 ? [] : [formatCountWithNoun(count, severity)];
  });
  return counts.length === 0 ? 'no problems' : counts.join(', ');
}
