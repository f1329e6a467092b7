import { quoteShellWord } from '../../kit/text/words.ts';
import type { Invocation, ServiceAccess } from './ports.ts';

/**
 * Returns the flags that chose the account, each with a space before it, for a command that the user can paste. Without them, the command
 * would act on the records of the default account that have the same ids.
 */
export function formatAccountFlags({
  globals,
  actsFor,
}: Pick<Invocation & ServiceAccess, 'globals' | 'actsFor'>): string {
  const { profile, user, baseUrl } = globals;
  const company = actsFor ?? globals.company;
  return Object.entries({ profile, company, user, 'base-url': baseUrl })
    .flatMap(([name, value]) => (value === undefined ? [] : [` --${name} ${quoteShellWord(String(value))}`]))
    .join('');
}
