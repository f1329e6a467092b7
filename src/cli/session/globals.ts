/** Values of the global flags and their variables (contract, "Global flags"), which `command/globals.ts` reads. */
import type { Format } from '../output/format.ts';

export interface Globals {
  readonly profile?: string;
  readonly baseUrl?: string;
  readonly company?: string;
  readonly user?: string;
  /** Selector of several companies of a partner, instead of one: `12,15`, `tag:uk`, `all`, `@file`. */
  readonly companies?: string;
  /** Format of the output. If undefined, the profile decides, else it is a table. */
  readonly output?: Format;
  readonly fields?: readonly string[];
  readonly query?: string;
  /** Valid path in jq's syntax. */
  readonly jq?: string;
  readonly header: boolean;
  readonly csvRaw: boolean;
  readonly yes: boolean;
  readonly input: boolean;
  readonly dryRun: boolean;
  readonly validate: boolean;
  readonly journal: boolean;
  /** Milliseconds. */
  readonly timeout?: number;
  /** Milliseconds. */
  readonly settle?: number;
  readonly retries?: number;
  readonly tz?: string;
  readonly quiet: boolean;
  /** Shows the record after a write on a terminal, where a line would do. */
  readonly verbose: boolean;
  readonly debug: boolean;
  /** Shows the signed string of every attempt. */
  readonly explainSignature: boolean;
  readonly color: boolean;
  /** Shows tables with all of their columns, without truncation. */
  readonly wide: boolean;
  /** Output for screen readers: no color, no redrawing, no pager, tables as lines. */
  readonly plain: boolean;
  readonly pager: boolean;
}
