/** What a verb returns. It prints nothing itself: `render` does, once. */
import type { RowSource } from '../../client/paging/paged-rows.ts';
import type { JsonObject } from '../../protocol/envelope.ts';
import type { Id } from '../../schema/integer.ts';
import type { Tone } from './colour.ts';

export interface Column {
  readonly name: string;
  /** How a table shows it; taken from the value where it isn't said. The other formats show values as they came. */
  readonly kind?: 'timestamp' | 'bool' | 'number' | 'text';
  /** The heading of a table, where the name in upper case is not it. */
  readonly title?: string;
  /** On a narrow terminal a name is cut last, and what says a state never. */
  readonly role?: 'name' | 'state';
  /** The record that this attribute of a row names; where a person looks its name stands beside the id. */
  readonly reference?: (row: JsonObject) => Reference | undefined;
  /** Of a time: where a person looks it also says how far off that is, `in 3 days`. */
  readonly distance?: true;
  /** Of what is no attribute, but a word that tables alone show in place of these attributes. */
  readonly workedOut?: {
    readonly from: readonly string[];
    /** @param now Unix seconds by the service's clock */
    readonly word: (row: JsonObject, now: number) => { readonly text: string; readonly tone?: Tone };
  };
}

export interface Reference {
  /** Of the catalogue. */
  readonly resource: string;
  readonly id: Id;
}

export interface Rows {
  readonly kind: 'rows';
  readonly rows: RowSource;
  /** Columns of the table, most telling first. */
  readonly columns: readonly Column[];
  /** All attributes in the order of their declaration: columns of csv and tsv, and what `--fields` may name. */
  readonly attributes?: readonly Column[];
  /** Each has its `kind`, which stands before its id wherever that isn't JSON or YAML. */
  readonly ofRules?: true;
  /** The rows are of several companies, each with its `company_id`. */
  readonly ofCompanies?: true;
  /** The zone of the times in a table, where it is not that of the company the session acts for. */
  readonly zone?: () => Promise<string>;
  /** The line on stderr where a table would have no rows. */
  readonly empty: string;
  /** What is to be said on stderr after the rows, once all of them are read: what was left out. */
  readonly notes?: () => readonly string[];
}

/** One item. A table shows all of its attributes, whatever `columns` says. */
export interface One {
  readonly kind: 'object';
  readonly value: JsonObject;
  /** As of `Rows`. */
  readonly ofRules?: true;
  readonly columns: readonly Column[];
  readonly attributes?: readonly Column[];
}

export type Result =
  | Rows
  | One
  /** Printed as it is: our own text, such as a completion script. */
  | { readonly kind: 'text'; readonly text: string }
  /** An answer of the service, as it came (`svc api`). */
  | { readonly kind: 'raw'; readonly body: string }
  | { readonly kind: 'nothing' };

/** Everything that its rows are known to have, each name once, attributes first. */
export function declaredColumns(result: Rows | One): readonly Column[] {
  const byName = new Map<string, Column>();
  for (const column of [...(result.attributes ?? []), ...result.columns]) {
    if (column.workedOut) continue;
    byName.set(column.name, { ...byName.get(column.name), ...column });
  }
  return [...byName.values()];
}
