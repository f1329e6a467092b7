/** Syntax of a command, for help, the reference and the manual pages. */
import type { Positional } from './command.ts';
import type { FlagShape } from './flag.ts';

/** Returns the operand as help shows it: `<id>`, `[id]`, `<file...>`. */
export function formatPositionalUsage({ name, optional, variadic }: Positional): string {
  const inner = `${name}${variadic ? '...' : ''}`;
  return optional ? `[${inner}]` : `<${inner}>`;
}

/** Returns the usage line of a command. @param path the words after `svc` */
export const formatUsageLine = (
  path: readonly string[],
  positionals: readonly Positional[],
  flags: readonly FlagShape[],
): string =>
  ['svc', ...path, ...positionals.map(formatPositionalUsage), ...(flags.length > 0 ? ['[flags]'] : [])].join(
    ' ',
  );

/**
 * Returns all spellings of a flag in one text: `--list, --list-id <id>`. The one-letter form (`short`) is first. The shorter name for
 * everyday use (`friendly`) comes before the full name.
 */
export function formatFlagSpellings({ name, friendly, short, value, bool }: FlagShape): string {
  const ways = [short && `-${short}`, friendly && `--${friendly}`, `--${name}`, bool && `--no-${name}`];
  return `${ways.filter(Boolean).join(', ')}${bool ? ' [true|false]' : value === undefined ? '' : ` <${value}>`}`;
}
