/** Result of a verb. The verb prints nothing itself; `render` prints it once. */
import type { RowSource } from '../../client/requests/paging/page.ts';
import type { Id } from '../../kit/schema/integer.ts';
import type { OutputStream } from '../outside/context.ts';
import type { Tone } from './colour.ts';

/** Formats of stdout (contract, "Output"). */
export const FORMATS = ['table', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'id'] as const;
export type OutputFormat = (typeof FORMATS)[number];

/** Names of formats that a user may give: `jsonl` is `ndjson`. */
export const FORMAT_NAMES = ['table', 'json', 'ndjson', 'jsonl', 'csv', 'tsv', 'yaml', 'id'] as const;

export const formatNamed = (name: string): OutputFormat | undefined =>
  name === 'jsonl' ? 'ndjson' : FORMATS.find((format) => format === name);

/** Contract, "Flags for attributes". An assistant gets as many in every format. */
export const DEFAULT_ROWS_ON_TERMINAL = 50;

export type Row = Readonly<Record<string, unknown>>;

export interface Column {
  readonly name: string;
  /** If not set, the value decides. Formats other than table show values unchanged. */
  readonly kind?: 'timestamp' | 'bool' | 'number' | 'text';
  /** Defaults to the name in upper case. */
  readonly title?: string;
  /** Role on a narrow terminal. `name`: truncated only if truncating all other texts is not enough. `state`: never truncated. */
  readonly role?: 'name' | 'state';
  /** True if a narrow terminal omits other columns first. By default, that are names, and what the row is about, such as a subject. */
  readonly keep?: boolean;
  /** Long texts continue on the next line and are never truncated, such as a diagnosis. */
  readonly wraps?: true;
  /** Set for texts of several lines, such as the HTML of a message. A line break in another text is shown as `↵`. */
  readonly hasLines?: true;
  /** A terminal shows the name of the record next to the id. */
  readonly reference?: (row: Row) => Reference | undefined;
  /** A terminal shows `in 3 days` next to each time. */
  readonly showsRelativeTime?: true;
  /** svc computes the word of the column from these attributes. Tables show it instead, and other formats only if `--fields` names it. */
  readonly computed?: {
    readonly from: readonly string[];
    /** @param now Unix seconds by the service's clock @returns for example `scheduled`, with a tone that decides the color */
    readonly word: (row: Row, now: number) => { readonly text: string; readonly tone?: Tone };
  };
}

export const columnsNamed = (names: readonly string[]): readonly Column[] => names.map((name) => ({ name }));

export interface Reference {
  readonly resource: string;
  readonly id: Id;
}

/** Returns undefined for a record without a readable name. Never rejects. */
export type NameLookup = (
  references: readonly Reference[],
) => Promise<(reference: Reference) => string | undefined>;

/** The way on from a list that was cut for an assistant. */
export interface Continuation {
  readonly shown: number;
  /** The flag for the next rows, `--start 17`. `--all` shows all rows of the command, also those shown. */
  readonly flag: readonly [name: string, value?: string];
}

export interface Rows {
  readonly kind: 'rows';
  /** Called after all rows have been read. Returns undefined if there are no others. */
  readonly continuation?: (() => Continuation | undefined) | undefined;
  readonly rows: RowSource<object>;
  /** Most important first. */
  readonly columns: readonly Column[];
  /** Declared order: the columns of csv and tsv, and the valid names for `--fields`. */
  readonly attributes?: readonly Column[];
  /** All formats except JSON and YAML print each rule's kind before the id: `click:12`. */
  readonly ofRules?: true;
  /** Each row has a `company_id`. */
  readonly ofCompanies?: true;
  /** Defaults to the zone of the session's company. */
  readonly zone?: () => Promise<string>;
  /** Line on stderr if a table has no rows. */
  readonly empty: string;
  /** Called after all rows have been read. */
  readonly notes?: () => readonly string[];
}

/** Single item. A table shows all of its attributes, whatever `columns` says. */
export interface SingleItemResult {
  readonly kind: 'object';
  readonly value: object;
  readonly ofRules?: true;
  readonly columns: readonly Column[];
  readonly attributes?: readonly Column[];
}

export const createItemResult = (value: object): SingleItemResult => ({
  kind: 'object',
  value,
  columns: columnsNamed(Object.keys(value)),
});

export type Result =
  | Rows
  | SingleItemResult
  /** Text that svc itself wrote. It is printed unchanged, except that texts of others in it must not be commands of a job's log (`isExact`). */
  | { readonly kind: 'text'; readonly text: string; readonly isExact?: boolean }
  /** A long response arrives in parts, each of which ends between two rows (`svc api`). */
  | { readonly kind: 'raw'; readonly body: string | AsyncIterable<string> }
  | { readonly kind: 'nothing' };

export type PrintedResult = Exclude<Result, { readonly kind: 'nothing' }>;

/** A compiled program (`jq.ts`). */
export interface JqProgram {
  /** Prints each result on a line, texts without quotes, as `gh --jq`. @param input JSON @throws UsageError if the program fails */
  readonly print: (input: string, out: OutputStream, err: OutputStream) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface ResultOptions {
  readonly format: OutputFormat;
  readonly fields?: readonly string[] | undefined;
  /** JMESPath expression. `fields`, if set, selects from its result. */
  readonly query?: string | undefined;
  /** Program of jq, instead of `query`. */
  readonly jq?: JqProgram | undefined;
  readonly header: boolean;
  readonly colour: boolean;
  readonly csvRaw: boolean;
  readonly quiet?: boolean;
  /** Called only if a table shows a time. An unknown zone is replaced by UTC. */
  readonly zone: () => Promise<string>;
  /** Unix seconds. Called only if a state depends on it. */
  readonly now?: () => Promise<number>;
  /** Omitted if stdout is not a terminal. */
  readonly names?: NameLookup | undefined;
  /** Set only if stdout is a terminal. */
  readonly showsRelativeTimes?: boolean | undefined;
  /** If undefined, nothing is truncated, wrapped or omitted. */
  readonly width: number | undefined;
  /** Set by `--wide`: tables show the marks of campaigns in names as they are. */
  readonly hasWholeNames?: boolean | undefined;
  /** Each id includes its company: `12:41`. */
  readonly ofCompanies?: boolean;
  /** See `job-log.ts`. */
  readonly isJobLog?: boolean;
  /** Returns the command line with another flag. */
  readonly commandWith?: (flag: Continuation['flag']) => string;
  /** Writes tables as `name: value` lines, for screen readers. */
  readonly plain?: boolean;
}

/** Includes each name once, and no column that svc computes. */
export function declaredColumns(result: Rows | SingleItemResult): readonly Column[] {
  const byName = new Map<string, Column>();
  for (const column of [...(result.attributes ?? []), ...result.columns]) {
    if (column.computed) continue;
    byName.set(column.name, { ...byName.get(column.name), ...column });
  }
  return [...byName.values()];
}
