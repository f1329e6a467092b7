/**
 * Declares the settings of a table. These include functions that return the time zone, the current time, and the names of the records to
 * which ids refer.
 */
import type { NameLookup } from './names.ts';

export interface TableOptions {
  readonly header: boolean;
  readonly colour: boolean;
  /** Suppresses the notes on stderr. */
  readonly quiet?: boolean;
  /** Width of the terminal in columns. If undefined, nothing is truncated, wrapped or omitted. */
  readonly width: number | undefined;
  /** Returns the company's timezone. Called only if there is a time to show. */
  readonly zone: () => Promise<string>;
  /** Returns the service's time in Unix seconds. */
  readonly now?: (() => Promise<number>) | undefined;
  readonly names?: NameLookup | undefined;
  /** True to show next to each time how far the time is from now: `in 3 days`. Set only if stdout is a terminal. */
  readonly showsRelativeTimes?: boolean | undefined;
  /** Writes the table as `name: value` lines. */
  readonly plain?: boolean;
}

export type WriteText = (text: string) => Promise<void>;
