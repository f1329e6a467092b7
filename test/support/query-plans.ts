/** Reads SQLite's plans of the statements that a store ran, and not of copies of them. */
import Database from 'libsql';
import type { QueryListener } from '../../src/sandbox/store/driver/sqlite-statements.ts';
import { openStore, type Store } from '../../src/sandbox/store/open.ts';
import { sqliteDdl } from '../../src/sandbox/store/schema/ddl.ts';
import { tables as declared } from '../../src/sandbox/store/schema/tables.ts';

export interface Plan {
  readonly sql: string;
  /** The lines of `explain query plan`. */
  readonly lines: readonly string[];
}

type Query = Parameters<QueryListener>[0];

export interface WatchedStore {
  readonly store: Store;
  /** Runs `work`, and returns the plan of each statement that looks up rows. */
  readonly plansOf: (work: () => Promise<unknown>) => Promise<readonly Plan[]>;
}

export async function openWatchedStore(): Promise<WatchedStore> {
  let seen: Query[] = [];
  const store = await openStore(':memory:', { onQuery: (query) => seen.push(query) });
  // A plan depends only on the tables. Using the store itself would disturb its transactions.
  const tables = new Database(':memory:');
  for (const statement of sqliteDdl(declared)) tables.exec(statement);
  const known = new Map<string, Plan>();
  const planOf = ({ sql, parameters }: Query): Plan => {
    const plan = known.get(sql) ?? {
      sql: sql.replace(/\s+/g, ' ').trim(),
      lines: explain(tables, sql, parameters),
    };
    known.set(sql, plan);
    return plan;
  };
  return {
    store,
    plansOf: async (work) => {
      seen = [];
      await work();
      return seen.filter(({ sql }) => /^\s*(?:select|insert|update|delete|with)\b/i.test(sql)).map(planOf);
    },
  };
}

function explain(tables: Database.Database, sql: string, parameters: readonly unknown[]): readonly string[] {
  const rows: unknown = tables.prepare(`explain query plan ${sql}`).all(...parameters);
  return (rows as readonly { readonly detail: string }[]).map(({ detail }) => detail);
}

/**
 * Returns the faults of a plan: a whole table read, a sort, or an index made for that statement. `following` is the
 * result of a statement, and not a table. Values in JSON are read once, not for each row of a table.
 */
export const faultsOf = ({ sql, lines }: Plan): readonly string[] =>
  lines
    .filter(
      (line, at) =>
        /^SCAN (?!CONSTANT ROW|\(subquery|\(join|following$)|USE TEMP B-TREE|AUTOMATIC/.test(line) &&
        !(line.startsWith('SCAN json_each') && (at === 0 || lines[at - 1]?.startsWith('LIST SUBQUERY'))),
    )
    .map((line) => `${line}: ${sql}`);
