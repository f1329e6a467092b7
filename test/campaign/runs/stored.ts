/** Reads the records of a campaign from the store by the first words of their names: `Task t1 …`. */
import type { SqlRow } from '../../../src/sandbox/store/rows.ts';
import type { TestSandbox } from '../../support/sandbox.ts';
import { dayOf, isSeriesKey } from './series.ts';
import { RULE_TABLES } from './world.ts';

export interface StoredItem {
  readonly kind: 'folder' | 'message' | 'task' | 'automation';
  readonly key: string;
  readonly table: string;
  readonly path: string;
  readonly row: SqlRow;
}

/** A step of a sequence is a rule: `Rule w1 …, step a`. */
const NAMED = /^(Folder|Message|Task|Rule) ([a-z][0-9])(?:[^,]*, step ([a-z]))?/;

const WORDS = { Folder: 'folder', Message: 'message', Task: 'task', Rule: 'automation' } as const;

/** Returns whether svc has replaced (`x`) or withdrawn (`w`) the record. Earlier names of the campaign may follow in the mark. */
export const isSetAside = (row: SqlRow): boolean => /-[xw](-[0-9a-z]{6})*\]$/.test(String(row['name']));

export const keyOf = ({ kind, key }: Pick<StoredItem, 'kind' | 'key'>): string => `${kind} ${key}`;

/** Returns all records that are not deleted. */
export async function rowsOf(
  sandbox: TestSandbox,
  tables: readonly string[] = TABLES,
): Promise<readonly StoredItem[]> {
  const all: StoredItem[] = [];
  for (const table of tables)
    for (const row of await sandbox.rows(table as 'task')) {
      const [, word, item, step] = NAMED.exec(String(row['name'])) ?? [];
      if (word === undefined || item === undefined || row['deleted'] === 1) continue;
      const kind = WORDS[word as keyof typeof WORDS];
      const isOfSeries = kind === 'task' && isSeriesKey(item);
      const ofSeries = isOfSeries ? `${item}@${dayOf(row['scheduledtime'])}` : item;
      const key = step === undefined ? ofSeries : `${item}/${step}`;
      all.push({ kind, key, table, path: `/v1/${camel(table)}/${String(row['id'])}`, row });
    }
  return all;
}

const TABLES = ['folder', 'email_message', 'sms_message', 'task', ...Object.values(RULE_TABLES)];
const camel = (table: string): string => table.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
