/** Formats the exit codes of a verb, and the sections of the interface document that describe it. */
import { catalogue } from '../../resources/catalogue.ts';
import type { ExitCode } from '../errors/exit-codes.ts';
import { EXIT_CODES_BY_VERB_ACTION_KIND, type Verb } from './command.ts';

type Declared = Pick<Verb, 'companies' | 'flags' | 'work' | 'exits'>;

/** Returns the exit codes of a verb in ascending order, with their meanings where the general ones are not enough. */
export function listVerbExitCodes({ companies, flags, work, exits = {} }: Declared) {
  const others = Object.keys(exits).map((code) => Number(code) as ExitCode);
  // The record is looked up by name, so it may not exist.
  const namesRecord = flags.some(({ value }) => value === 'id-or-name');
  const codes = new Set<ExitCode>([
    ...([0, 2] as const),
    ...EXIT_CODES_BY_VERB_ACTION_KIND[work],
    ...others,
    ...(namesRecord ? [4 as const] : []),
    ...(companies === undefined ? [] : [8 as const]),
  ]);
  return [...codes].sort((a, b) => a - b).map((code) => ({ code, meaning: exits[code] }));
}

/** Returns the exit codes as text: `0, 2, 4 (not found)`. */
export const formatExitCodesWithMeanings = (verb: Declared): string =>
  listVerbExitCodes(verb)
    .map(({ code, meaning }) => (meaning === undefined ? `${code}` : `${code} (${meaning})`))
    .join(', ');

/** Returns the exit codes as numbers, without their meanings: `0, 2, 4`. */
export const formatExitCodeNumbers = (verb: Declared): string =>
  listVerbExitCodes(verb)
    .map(({ code }) => code)
    .join(', ');

/** Returns the sections of the interface document that describe a command, such as `task (POST)`. @param noun the first word after `svc` */
export function formatApiDocSectionTitles(
  { section, methods }: Pick<Verb, 'section' | 'methods'>,
  noun: string,
): string | undefined {
  if (section !== undefined || methods === undefined) return section;
  return `${resourcesOf(noun)} (${methods.join(', ')})`;
}

/** Returns the resources of a noun: titles of sections in the interface document. SMS rules have one of their own. */
function resourcesOf(noun: string): string {
  const names = catalogue.filter((resource) => resource.noun === noun).map(({ name }) => name);
  return noun === 'automation' ? 'Automation rules, smsAutomation' : names.join(', ');
}
