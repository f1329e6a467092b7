/** Result of a verb. The verb prints nothing itself; `render` prints it once. */
import type { RowSource } from '../../client/paging/page.ts';
import type { Id } from '../../schema/integer.ts';
import type { Tone } from './colour.ts';

/** Formats of stdout (contract, "Output"). */
export const FORMATS = ['table', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'id'] as const;
export type OutputFormat = (typeof FORMATS)[number];

/** Default number of rows that a list shows on a terminal (contract, "Flags for attributes"). */
export const DEFAULT_ROWS_ON_TERMINAL = 50;

/** Row as each format reads it: its attributes by name. */
export type Row = Readonly<Record<string, unknown>>;

export interface Column {
  readonly name: string;
  /** Kind of value, for tables. If not set, the kind is derived from the value. Formats other than table show values unchanged. */
  readonly kind?: 'timestamp' | 'bool' | 'number' | 'text';
  /** Heading in a table. Defaults to the name in upper case. */
  readonly title?: string;
  /** Role on a narrow terminal. `name`: truncated only if truncating all other texts is not enough. `state`: never truncated. */
  readonly role?: 'name' | 'state';
  /** True if a narrow terminal omits other columns first. By default, that are names, and what the row is about, such as a subject. */
  readonly keep?: boolean;
  /** Marks a column whose long texts continue on the next line and are never truncated, such as a diagnosis. */
  readonly wraps?: true;
  /** Marks an attribute with texts of several lines, such as the HTML of a message. A line break in another text is shown as `↵`. */
  readonly hasLines?: true;
  /** Returns the record that this attribute refers to. A terminal shows the name of the record next to the id. */
  readonly reference?: (row: Row) => Reference | undefined;
  /** True if a terminal shows each time together with a relative time, such as `in 3 days`. */
  readonly showsRelativeTime?: true;
  /**
   * Set if svc computes the word of the column from the attributes in `from`, such as the state of a task. Tables show it instead of them,
   * and other formats only if `--fields` names it.
   */
  readonly computed?: {
    readonly from: readonly string[];
    /** @param now Unix seconds by the service's clock @returns for example `scheduled`, with a tone that decides the color */
    readonly word: (row: Row, now: number) => { readonly text: string; readonly tone?: Tone };
  };
}

/** Returns columns of plain values. */
export const columnsNamed = (names: readonly string[]): readonly Column[] => names.map((name) => ({ name }));

/** Record that an attribute of another record refers to. */
export interface Reference {
  /** Name of the resource in the catalogue. */
  readonly resource: string;
  readonly id: Id;
}

/** Requests the names of records and returns a lookup, which returns undefined for a record without a readable name. Never rejects. */
export type NameLookup = (
  references: readonly Reference[],
) => Promise<(reference: Reference) => string | undefined>;

export interface Rows {
  readonly kind: 'rows';
  readonly rows: RowSource<object>;
  /** Columns of the table, most important first. */
  readonly columns: readonly Column[];
  /** All attributes in the order of their declaration: the columns of csv and tsv, and the valid names for `--fields`. */
  readonly attributes?: readonly Column[];
  /** True if the rows are rules. All formats except JSON and YAML then print each rule's kind before the id: `click:12`. */
  readonly ofRules?: true;
  /** Marks rows of several companies. Each row has a `company_id`. */
  readonly ofCompanies?: true;
  /** Returns the zone of the times in a table. Defaults to the zone of the session's company. */
  readonly zone?: () => Promise<string>;
  /** Line on stderr if a table has no rows. */
  readonly empty: string;
  /** Returns the notes for stderr after all rows have been read, such as the number of omitted rows. */
  readonly notes?: () => readonly string[];
}

/** Single item. A table shows all of its attributes, whatever `columns` says. */
export interface SingleItemResult {
  readonly kind: 'object';
  readonly value: object;
  /** True if the item is a rule. All formats except JSON and YAML then print the rule's kind before the id: `click:12`. */
  readonly ofRules?: true;
  readonly columns: readonly Column[];
  readonly attributes?: readonly Column[];
}

/** Returns a single item with a column for each of its keys. */
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
  /** Response of the service, unchanged (`svc api`). A long response arrives in parts, each of which ends between two rows. */
  | { readonly kind: 'raw'; readonly body: string | AsyncIterable<string> }
  | { readonly kind: 'nothing' };

/** Settings with which a result is printed. */
export interface ResultOptions {
  readonly format: OutputFormat;
  readonly fields?: readonly string[] | undefined;
  /** JMESPath expression to apply to the output. `fields`, if set, selects from the result of this expression. */
  readonly query?: string | undefined;
  /** Path in jq's syntax, instead of `query`. */
  readonly jq?: string | undefined;
  readonly header: boolean;
  readonly colour: boolean;
  /** True if cells that a spreadsheet would run as formulas are not escaped. */
  readonly csvRaw: boolean;
  /** Suppresses the notes on stderr. */
  readonly quiet?: boolean;
  /** Returns the company's timezone. Called only if a table shows a time. An unknown zone is replaced by UTC. */
  readonly zone: () => Promise<string>;
  /** Returns the service's time in Unix seconds. Called only if a state depends on it. */
  readonly now?: () => Promise<number>;
  /** Looks up names to show next to ids. Omitted if stdout is not a terminal. */
  readonly names?: NameLookup | undefined;
  /** True to show next to each time how far the time is from now: `in 3 days`. Set only if stdout is a terminal. */
  readonly showsRelativeTimes?: boolean | undefined;
  /** Width of stdout in columns, if stdout is a terminal. If undefined, nothing is truncated, wrapped or omitted. */
  readonly width: number | undefined;
  /** True if the rows belong to several companies. Each id then includes its company: `12:41`. */
  readonly ofCompanies?: boolean;
  /** True if stdout is the log of a job that obeys some lines, see `job-log.ts`. */
  readonly isJobLog?: boolean;
  /** Writes tables as `name: value` lines, for screen readers. */
  readonly plain?: boolean;
}

/** Returns the columns in `attributes` and then those in `columns`. Includes each name once, and no column that svc computes. */
export function declaredColumns(result: Rows | SingleItemResult): readonly Column[] {
  const byName = new Map<string, Column>();
  for (const column of [...(result.attributes ?? []), ...result.columns]) {
    if (column.computed) continue;
    byName.set(column.name, { ...byName.get(column.name), ...column });
  }
  return [...byName.values()];
}
