/** Defines the rules of `lint` and its findings, with their severity and their text for people (contract, "Insight"). */
import type { ContentMarkupNames } from '../schema/resource.ts';
import { escapeForTerminal } from '../text/terminal.ts';
import { capitalizeFirstLetter, formatCountWithNoun } from '../text/words.ts';

export type Severity = 'error' | 'warning' | 'info';

export interface LintFinding {
  /** Name of the rule in kebab-case. `svc help lint` explains each rule. */
  readonly rule: string;
  readonly severity: Severity;
  /** Description of the finding: a complete sentence. */
  readonly message: string;
  /** Path of the file that holds the content, as the user wrote it. Null if the content came from the service or from a flag. */
  readonly file: string | null;
  /** Line number, counted from 1. Null if the finding does not concern a place in a text. */
  readonly line: number | null;
  /** Column number in the line, in characters, counted from 1. Null if `line` is null. */
  readonly column: number | null;
  /** Suggested replacement. Null if none is known. */
  readonly instead: string | null;
}

export interface LintRule {
  /** Name of the rule in kebab-case. */
  readonly rule: string;
  readonly severity: Severity;
  /** Phrase that names the fault that the rule finds, without a full stop. */
  readonly finds: string;
  /** Advice on what to write instead, without a full stop. */
  readonly instead: string;
}

/** Rules by name, in the order in which help lists them. */
export type RuleTable<N extends string = string> = Readonly<Record<N, Omit<LintRule, 'rule'>>>;

export const rulesOfTable = (table: RuleTable): readonly LintRule[] =>
  Object.entries(table).map(([rule, more]) => ({ rule, ...more }));

/** Returns a phrase of a rule table as a sentence: `an empty subject` -> `An empty subject.` */
export const asSentence = (text: string): string => `${capitalizeFirstLetter(text)}.`;

/** Attributes of a message by the interface's names. Attributes that were not given are left out. */
export type MessageContent = Readonly<Record<string, unknown>>;

export interface ContentOrigin {
  /** Files from which attributes were read, by attribute: `html` -> `sale.html`. A path is as the user wrote it. */
  readonly files: Readonly<Record<string, string>>;
  /**
   * Names of the attributes that were read from the service. Links in these attributes are tracking addresses (interface, "emailMessage").
   */
  readonly stored: ReadonlySet<string>;
  /**
   * Names that the deployment uses for opt-in elements, such as `svc_link`. An opt-in element shows where a message contains the link that
   * confirms an opt-in.
   */
  readonly words: ContentMarkupNames;
  /** Postal address of the account, if the account was read. */
  readonly postalAddress?: string;
  /** Original targets of the tracked links of a stored message. */
  readonly targets?: readonly LinkTarget[];
}

export interface LinkTarget {
  readonly part: 'html' | 'text';
  readonly target: string;
}

export interface FindingDraft<R extends string = string> {
  readonly rule: R;
  /** Attribute in which the check found something. */
  readonly part: string;
  readonly message: string;
  /** Offset into the attribute in UTF-16 units. Omitted if the finding has no place in the attribute. */
  readonly at?: number;
  readonly instead?: string | undefined;
}

/**
 * Maximum number of findings of one rule, so that they do not hide the findings of other rules. One more finding says how many were
 * omitted.
 */
export const MAX_FINDINGS_PER_RULE = 50;

/** Returns the findings, errors first, then in the order of the content. Within an attribute, findings without a place come first. */
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

/** Returns a function that converts an offset to line and column. Lines end at LF; each code point is a column. Both count from 1. */
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

/** Returns an excerpt of the content in quotes, on one line, for a message. */
export function quoted(text: string, maxLength = 60): string {
  const characters = [...text.replace(/\s+/g, ' ').trim()];
  return `“${characters.length <= maxLength ? characters.join('') : `${characters.slice(0, maxLength).join('')}…`}”`;
}

/** Returns the text in the colour of the severity. The caller must first escape terminal control characters in the text. */
type PaintSeverity = (severity: Severity, text: string) => string;

/**
 * Returns `sale.html:12:5: warning: The image … has no alt. [image-without-alt]`, with the advice on the next line. A finding without a
 * file begins with its line and column, or with its severity. Terminal control characters are escaped.
 */
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

/** Returns `2 errors, 1 warning, 3 infos`, or `no problems` without findings. */
export function formatFindingCounts(findings: readonly LintFinding[]): string {
  const counts = (['error', 'warning', 'info'] as const).flatMap((severity) => {
    const count = findings.filter((finding) => finding.severity === severity).length;
    return count === 0 ? [] : [formatCountWithNoun(count, severity)];
  });
  return counts.length === 0 ? 'no problems' : counts.join(', ');
}
