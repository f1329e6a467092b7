/** Whether to colour, and with what. */
import type { OutputStream } from '../outside/context.ts';

/**
 * Whether this stream gets colour. First that applies: `--no-color`, `NO_COLOR` (not empty), `FORCE_COLOR` (`0` and
 * `false` say no), `TERM=dumb`, not a terminal.
 */
export function colourWanted(
  env: Readonly<Record<string, string | undefined>>,
  stream: Pick<OutputStream, 'isTTY'>,
  flagNoColor: boolean,
): boolean {
  if (flagNoColor || (env['NO_COLOR'] ?? '') !== '') return false;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return env['TERM'] !== 'dumb' && stream.isTTY;
}

/** Takes text that is safe already; what it adds are colour sequences and nothing else. */
export interface Painter {
  readonly heading: (text: string) => string;
  readonly error: (text: string) => string;
  readonly faint: (text: string) => string;
}

/** Chalk is loaded only where it is wanted: it costs more than a whole list takes. */
export async function painterFor(colour: boolean): Promise<Painter> {
  if (!colour) return PLAIN;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  return { heading: chalk.bold, error: chalk.red.bold, faint: chalk.dim };
}

const asIs = (text: string): string => text;
const PLAIN: Painter = { heading: asIs, error: asIs, faint: asIs };
