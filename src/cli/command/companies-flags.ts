/** Flags of a verb that can work on many companies of a partner (contract, "Partners and many companies"). */
import { companiesConflictError, UsageError } from '../errors/errors.ts';
import type { Verb } from './command.ts';
import {
  type Flag,
  type FlagShape,
  parsedFlag,
  switchFlag,
  wholeNumberFlag,
  writtenFileFlag,
} from './flag.ts';

export const companiesFlag: Flag<string | undefined> = {
  ...parsedFlag(
    'companies',
    {
      describe: 'Run for several companies: 12,15 or tag:uk or all or @FILE; !12 excludes company 12',
      value: 'selector',
    },
    (text) =>
      text.trim() === ''
        ? {
            fault: {
              reason: 'names no company',
              instead: 'write company ids (12,15), a tag (tag:uk), or all',
            },
          }
        : { value: text },
  ),
  completes: 'companies',
};
export const companiesAtOnceFlag = wholeNumberFlag('concurrency', {
  describe: 'Maximum number of companies at once, 1 to 64',
  min: 1,
  max: 64,
  default: 8,
});
export const writeFlag = switchFlag('write', {
  describe: 'With --companies: allow the command to change data',
});
export const companiesCheckpointFlag = writtenFileFlag('checkpoint', {
  writes: 'file',
  describe: 'With --companies --write: file that records progress, to resume the command',
});

export const companiesFlags: readonly FlagShape[] = [
  ...[companiesFlag, companiesAtOnceFlag, writeFlag, companiesCheckpointFlag],
];

/** If two have the same name, the verb's own flag is used. */
export function flagsOf({ flags, companies }: Pick<Verb, 'flags' | 'companies'>): readonly FlagShape[] {
  if (companies === undefined) return flags;
  const own = new Set(flags.map(({ name }) => name));
  return [...flags, ...companiesFlags.filter(({ name }) => !own.has(name))];
}

export const companiesFlagRefusal = (command: string, flag: string): string | undefined =>
  companiesFlags.some(({ name }) => name === flag && name !== 'concurrency')
    ? `${command} can run for only one company; choose it with --company`
    : undefined;

/** Flags that cannot be combined with `--companies`: all companies would use the same file, or wait for the countdowns of the others. */
const ONE_COMPANY_FLAGS: readonly string[] = ['out', 'file', 'hold', 'record'];

/** @throws UsageError when flags contradict each other */
export function checkCompaniesFlags(given: {
  readonly has: (flag: Pick<FlagShape, 'name'>) => boolean;
  readonly company: boolean;
  readonly user: boolean;
  readonly own: readonly string[];
  /** The verb writes the files of all companies itself. */
  readonly isOneRun: boolean;
}): void {
  const { has } = given;
  if (!has(companiesFlag)) {
    const others = [writeFlag, companiesCheckpointFlag, companiesAtOnceFlag];
    const lonely = others.find((flag) => has(flag) && !given.own.includes(flag.name));
    if (lonely)
      throw new UsageError(`--${lonely.name} needs --companies`, {
        hint: 'to see how to choose companies, run svc help companies',
      });
    return;
  }
  if (given.company)
    throw new UsageError('cannot combine --companies with a single company', {
      hint: 'leave out --company, or the id after the verb',
    });
  if (given.user)
    throw new UsageError('cannot combine --companies with --user: a user belongs to one company', {
      hint: 'leave out --user; svc uses the admin of each company',
    });
  const conflicting = given.isOneRun ? undefined : ONE_COMPANY_FLAGS.find((name) => has({ name }));
  if (conflicting !== undefined) throw companiesConflictError(conflicting);
}
