/** Flags of `email pull --watch` and `email push --watch`. */
import type { Input } from '../../command/command.ts';
import { type Flag, switchFlag } from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import { ignoredLintRulesFlag } from './lint-flags.ts';

export const openFlag = switchFlag('open', { describe: 'Open the preview in the browser (with --watch)' });

/** Declares `--watch`. @param describe the help text: what happens to the files at each save */
export const createWatchFlag = (describe: string): Flag<boolean> => switchFlag('watch', { describe });

/** Reports whether `--watch` is given. @throws UsageError for another flag that needs `--watch`, if `--watch` is missing */
export function isWatchFlagGiven(input: Input, watchFlag: Flag<boolean>): boolean {
  if (input.get(watchFlag)) return true;
  const alone = [openFlag, ignoredLintRulesFlag].find((flag) => input.has(flag));
  if (alone !== undefined)
    throw new UsageError(`--${alone.name} needs --watch`, {
      hint: `add --watch, or leave out --${alone.name}`,
    });
  return false;
}
