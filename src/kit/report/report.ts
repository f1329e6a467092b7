/** The content of a page, without a form. It is written as text (`text-page.ts`), Markdown (`markdown-page.ts`) or HTML (`html-page.ts`). */

export interface Report {
  readonly title: string;
  /** The first sentence of a page in Markdown or HTML. Text pages have none, because the reader of a terminal sees the end first. */
  readonly verdict?: Verdict;
  /** Origin and time, for HTML pages: people read these pages later, and elsewhere. */
  readonly facts?: readonly TermWithText[] | undefined;
  /** Sections without blocks are left out. */
  readonly sections: readonly ReportSection[];
}

export type Severity = 'error' | 'warning' | 'good';

export interface Verdict {
  /** A page in HTML has a sign and a color for it. */
  readonly severity?: Severity;
  readonly strong?: string;
  readonly text: string;
}

export interface ReportSection {
  readonly title: string;
  readonly blocks: readonly ReportBlock[];
  /** The line that unfolds the section, which is folded in HTML. */
  readonly folded?: string;
}

export type ReportBlock =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'points'; readonly texts: readonly string[] }
  /** Terms beside their texts, or above them if the page is too narrow. An empty term continues the previous text. */
  | { readonly kind: 'terms'; readonly terms: readonly TermWithText[] }
  /** A heading line, such as a term with its summary, and a text under it. */
  | { readonly kind: 'entry'; readonly head: string; readonly text: string }
  /** Shell command. A wrapped line ends in a backslash, so that people can copy the command. */
  | { readonly kind: 'command'; readonly line: string }
  /** Lines that are printed unchanged, such as the text of a file. Only a line wider than the page is wrapped. */
  | { readonly kind: 'verbatim'; readonly lines: readonly string[] }
  /** Lines that other people wrote. `┆` begins each continuation of a line that is wider than the page. */
  | { readonly kind: 'unbroken'; readonly lines: readonly string[] }
  /** A unified diff, with the name of what differs. */
  | { readonly kind: 'diff'; readonly of: string; readonly part: string; readonly unified: string }
  | { readonly kind: 'findings'; readonly findings: readonly ReportFinding[] }
  | ReportTable
  | MessagePreview;

export interface TermWithText {
  readonly term: string;
  readonly text: string;
}

export interface ReportFinding {
  readonly severity: 'error' | 'warning';
  readonly text: string;
}

export interface ReportTable {
  readonly kind: 'table';
  readonly caption: string;
  readonly columns: readonly ReportColumn[];
  readonly rows: readonly (readonly ReportCell[])[];
  /** Names of the bars in a cell with several bars. */
  readonly legend?: readonly string[];
  /** Text pages have these sentences instead of the rows, because a terminal is too narrow for the table. */
  readonly sentences?: readonly TermWithText[];
}

export interface ReportColumn {
  readonly title: string;
  readonly isNumber?: boolean;
}

/** The bars are shares from 0 to 1, which only HTML pages draw. A larger share fills the bar. */
export type ReportCell = string | { readonly lines: readonly string[]; readonly bars?: readonly number[] };

export const linesOfCell = (cell: ReportCell): readonly string[] =>
  typeof cell === 'string' ? [cell] : cell.lines;

/** A message as people receive it. Only HTML pages show it. */
export interface MessagePreview {
  readonly kind: 'message';
  readonly title: string;
  readonly headers: readonly TermWithText[];
  /** HTML that is shown in a frame, or a text. The caller has made the HTML inert. */
  readonly content: { readonly html: string } | { readonly text: string };
}
