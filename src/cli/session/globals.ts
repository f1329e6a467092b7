/** What the global flags and their variables say (contract, "Global flags"); `command/globals.ts` reads them. */
import type { Format } from '../output/format.ts';

export interface Globals {
  readonly profile?: string;
  readonly baseUrl?: string;
  readonly company?: string;
  readonly user?: string;
  /** Which companies of a partner, in place of one: `12,15`, `tag:uk`, `all`, `@file`. */
  readonly companies?: string;
  /** Undefined: the profile says, else a table. */
  readonly output?: Format;
  readonly fields?: readonly string[];
  readonly query?: string;
  /** A path of jq, checked. */
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
  readonly debug: boolean;
  /** Shows the string that is signed, of every attempt. */
  readonly explainSignature: boolean;
  readonly color: boolean;
  /** Tables with all of their columns, and nothing cut. */
  readonly wide: boolean;
  /** For screen readers: no colour, nothing drawn over, no pager, tables as lines. */
  readonly plain: boolean;
  readonly pager: boolean;
}
