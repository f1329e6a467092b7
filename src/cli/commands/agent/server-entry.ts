/** The entry of svc in a client's configuration, and what JSON and TOML files have in common. */

import { isDeepStrictEqual } from 'node:util';

/** Name of the entry in the table of servers. */
export const SERVER_NAME = 'svc';

export interface ServerEntry {
  readonly type?: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
}

export type StoredEntry = Readonly<Record<string, unknown>>;

/** Text of a configuration that svc can read. Its edits change nothing but the entry of svc. */
export interface Configuration {
  readonly entry: StoredEntry | undefined;
  /**
   * Keeps the members of an existing entry that `wanted` does not have.
   * @throws ConfigurationFault if svc cannot make the edit
   */
  readonly withEntry: (wanted: ServerEntry) => string;
  /** @throws ConfigurationFault if svc cannot make the edit */
  readonly withoutEntry: () => string;
}

/** Says why svc leaves a configuration as it is, as the rest of a sentence that begins with the file: `is not JSON (line 3)`. */
export class ConfigurationFault extends Error {
  override readonly name = 'ConfigurationFault';
}

export const isTable = (value: unknown): value is StoredEntry =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @throws ConfigurationFault if the table of servers, or the entry of svc in it, has another form */
export function readEntry(root: unknown, servers: string): StoredEntry | undefined {
  if (!isTable(root)) throw new ConfigurationFault('has no object at its top');
  const table = root[servers];
  if (table === undefined) return undefined;
  if (!isTable(table)) throw new ConfigurationFault(`has a value ${servers} that is not a table of servers`);
  const entry = table[SERVER_NAME];
  if (entry === undefined) return undefined;
  if (!isTable(entry)) throw new ConfigurationFault(`has a server ${SERVER_NAME} that is not a table`);
  return entry;
}

/** Names of the members that svc writes, in this order. */
export const MEMBERS = ['type', 'command', 'args'] as const;

export const changedMembers = (
  stored: StoredEntry,
  wanted: ServerEntry,
): readonly (typeof MEMBERS)[number][] =>
  MEMBERS.filter((name) => name in wanted && JSON.stringify(stored[name]) !== JSON.stringify(wanted[name]));

/** Reports whether an edit set the entry to `wanted`, and changed no other value. Parsed tables may lack a prototype. */
export function isOnlyEntryChanged(
  before: unknown,
  after: unknown,
  servers: string,
  wanted: StoredEntry | undefined,
): boolean {
  const { [SERVER_NAME]: entry, ...othersAfter } = tableOf(tableOf(after)[servers]);
  const { [SERVER_NAME]: _, ...othersBefore } = tableOf(tableOf(before)[servers]);
  return isDeepStrictEqual(
    [isTable(entry) ? { ...entry } : entry, othersAfter, { ...tableOf(after), [servers]: null }],
    [wanted && { ...wanted }, othersBefore, { ...tableOf(before), [servers]: null }],
  );
}

const tableOf = (value: unknown): StoredEntry => (isTable(value) ? value : {});

export const CANNOT_EDIT = 'is written in a way that svc cannot edit safely';

/** Returns the number of the line at an offset, from 1. */
export const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;

/** Returns the line end that the text uses first. */
export const lineEndOf = (text: string): string => (/\r?\n/.exec(text)?.[0] === '\r\n' ? '\r\n' : '\n');
