/** Values of the global flags and of their environment variables (contract, "Global flags"), which `command/globals.ts` reads. */
import { canRedrawLines } from '../output/redraw.ts';
import type { OutputFormat } from '../output/result.ts';
import type { Context } from '../outside/context.ts';

export interface GlobalFlagValues {
  readonly profile?: string;
  readonly baseUrl?: string;
  readonly company?: string;
  readonly user?: string;
  /** Selector of several companies of a partner, instead of one: `12,15`, `tag:uk`, `all`, `@file`. */
  readonly companies?: string;
  /** If undefined, svc uses the format of the profile, or a table if the profile has none. */
  readonly output?: OutputFormat;
  readonly fields?: readonly string[];
  readonly query?: string;
  readonly jq?: string;
  readonly header: boolean;
  readonly csvRaw: boolean;
  readonly yes: boolean;
  readonly input: boolean;
  readonly dryRun: boolean;
  readonly validate: boolean;
  readonly journal: boolean;
  /** Time limit of a call in milliseconds, from `--timeout`. */
  readonly timeout?: number;
  /** Milliseconds for which svc at most searches for the record of a POST that got no response. */
  readonly settle?: number;
  readonly retries?: number;
  readonly tz?: string;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly debug: boolean;
  readonly explainSignature: boolean;
  readonly color: boolean;
  readonly wide: boolean;
  /** True if the output is for screen readers: no color, no redrawing, no pager, tables as lines. */
  readonly plain: boolean;
  readonly pager: boolean;
}

/** A run that counts companies prints no line about each account and each write, because its rows have both. */
export const countsCompaniesOnTerminal = (
  { stderr, env }: Pick<Context, 'stderr' | 'env'>,
  { companies, plain }: Pick<GlobalFlagValues, 'companies' | 'plain'>,
): boolean => companies !== undefined && canRedrawLines(stderr, env, plain);
