/** The flags of a verb that can work on many companies of a partner (contract, "Partners and many companies"). */
import { UsageError } from '../errors/errors.ts';
import type { Verb } from './command.ts';
import { countFlag, type Flag, type FlagShape, fileFlag, parsedFlag, switchFlag } from './flag.ts';

const group = 'Global flags';

export const companiesFlag: Flag<string | undefined> = {
  ...parsedFlag(
    'companies',
    {
      describe: 'Work on these companies: 12,15 or tag:uk or all or @FILE; !12 takes out',
      value: 'selector',
      group,
    },
    (text) =>
      text.trim() === ''
        ? { fault: { reason: 'names no company', instead: 'write 12,15 or tag:uk or all' } }
        : { value: text },
  ),
  completes: 'companies',
};
export const companiesAtOnceFlag = countFlag('concurrency', {
  describe: 'Maximum number of companies at once, 1 to 64',
  min: 1,
  max: 64,
  default: 8,
  group,
});
export const writeFlag = switchFlag('write', {
  describe: 'With --companies: change something in each',
  group,
});
export const companiesCheckpointFlag = fileFlag('checkpoint', {
  describe: 'With --companies --write: file by which the same command goes on',
  group,
});

export const companiesFlags: readonly FlagShape[] = [
  ...[companiesFlag, companiesAtOnceFlag, writeFlag, companiesCheckpointFlag],
];

/** All flags of the verb but the global ones. Its own wins over one of the same name. */
export function flagsOf({ flags, companies }: Pick<Verb, 'flags' | 'companies'>): readonly FlagShape[] {
  if (companies === undefined) return flags;
  const own = new Set(flags.map(({ name }) => name));
  return [...flags, ...companiesFlags.filter(({ name }) => !own.has(name))];
}

/** Why a verb has no such flag; undefined where the flag is none of these. */
export const oneCompanyAlone = (line: string, flag: string): string | undefined =>
  companiesFlags.some(({ name }) => name === flag && name !== 'concurrency')
    ? `${line} works on one company, which --company names`
    : undefined;

/** Flags that make no sense for many companies at once: a file that all would write, a person who waits. */
const ALONE: readonly string[] = ['out', 'file', 'hold', 'record'];

/** @throws UsageError for flags that don't go together */
export function checkCompaniesFlags(given: {
  readonly has: (flag: Pick<FlagShape, 'name'>) => boolean;
  readonly company: boolean;
  readonly user: boolean;
  /** Names of the verb's own flags: one of the same name as a flag for many companies means something else. */
  readonly own: readonly string[];
}): void {
  const { has } = given;
  if (!has(companiesFlag)) {
    const others = [writeFlag, companiesCheckpointFlag, companiesAtOnceFlag];
    const lonely = others.find((flag) => has(flag) && !given.own.includes(flag.name));
    if (lonely) throw new UsageError(`--${lonely.name} needs --companies`, { hint: 'svc help companies' });
    return;
  }
  if (given.company)
    throw new UsageError('--companies and a company by itself exclude each other', {
      hint: 'leave out --company, or the id after the verb',
    });
  if (given.user)
    throw new UsageError('--companies and --user exclude each other: a user belongs to one company', {
      hint: 'leave out --user: the admin of each company is used',
    });
  const alone = ALONE.find((name) => has({ name }));
  if (alone !== undefined) throw oneCompanyAtATime(alone);
}

/** @param flag one that a verb can't take beside `--companies` */
export const oneCompanyAtATime = (flag: string): UsageError =>
  new UsageError(`--${flag} works on one company, and not with --companies`, {
    hint: 'name the company with --company',
  });
