/** Formats the exit codes of a verb, and the sections of the interface document that describe it. */
import { catalogue } from '../../service/resources/catalogue.ts';
import { EXIT, type ExitCode } from '../errors/exit-codes.ts';
import { EXIT_CODES_BY_VERB_ACTION_KIND, type Verb } from './command.ts';

type Declared = Pick<Verb, 'companies' | 'flags' | 'work' | 'exits'>;

export function listVerbExitCodes({ companies, flags, work, exits = {} }: Declared) {
  const others = Object.values(EXIT).filter((code) => Object.hasOwn(exits, code));
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

export const formatExitCodesWithMeanings = (verb: Declared): string =>
  listVerbExitCodes(verb)
    .map(({ code, meaning }) => (meaning === undefined ? `${code}` : `${code} (${meaning})`))
    .join(', ');

export const formatExitCodeNumbers = (verb: Declared): string =>
  listVerbExitCodes(verb)
    .map(({ code }) => code)
    .join(', ');

/** @param noun the first word after `svc` */
export function formatApiDocSectionTitles(
  { section, methods }: Pick<Verb, 'section' | 'methods'>,
  noun: string,
): string | undefined {
  if (section !== undefined || methods === undefined) return section;
  return `${resourcesOf(noun)} (${methods.join(', ')})`;
}

/** SMS rules have one of their own. */
function resourcesOf(noun: string): string {
  const names = catalogue.filter((resource) => resource.noun === noun).map(({ name }) => name);
  return noun === 'automation' ? 'Automation rules, smsAutomation' : names.join(', ');
}
