import type { Environment, OutputStream } from '../outside/context.ts';

/**
 * Reports whether this stream gets color. The first of these settings that applies decides:
 * - `--no-color`, or `NO_COLOR` with any text: no color
 * - `FORCE_COLOR`: no color for `0` and `false`, color for any other text
 * - `CLICOLOR_FORCE` with any text other than `0`: color
 * - `CLICOLOR=0`, `TERM=dumb`, or a stream that is not a terminal: no color
 *
 * A terminal gets color if none of these settings applies.
 */
export function isColourWanted(
  env: Environment,
  stream: Pick<OutputStream, 'isTTY'>,
  flagNoColor: boolean,
): boolean {
  if (flagNoColor || (env.NO_COLOR ?? '') !== '') return false;
  const forced = env.FORCE_COLOR;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  const always = env.CLICOLOR_FORCE ?? '';
  if (always !== '' && always !== '0') return true;
  return env.CLICOLOR !== '0' && env.TERM !== 'dumb' && stream.isTTY;
}

export type Tone = 'info' | 'warning' | 'good' | 'bad' | 'faint';

/** Adds color codes. The caller must pass sanitized text. */
export interface ColourPainter extends Readonly<Record<Tone, (text: string) => string>> {
  readonly heading: (text: string) => string;
  readonly error: (text: string) => string;
}

/** Loads chalk only if color is wanted, because loading it takes longer than printing a whole list. */
export async function loadColourPainter(colour: boolean): Promise<ColourPainter> {
  if (!colour) return PLAIN;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  return {
    heading: chalk.bold,
    error: chalk.red.bold,
    info: chalk.cyan,
    warning: chalk.yellow,
    good: chalk.green,
    bad: chalk.red,
    faint: chalk.dim,
  };
}

const asIs = (text: string): string => text;
const PLAIN: ColourPainter = {
  heading: asIs,
  error: asIs,
  info: asIs,
  warning: asIs,
  good: asIs,
  bad: asIs,
  faint: asIs,
};
