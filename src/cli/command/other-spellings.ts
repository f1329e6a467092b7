/** Flags as other tools write them, put into ours before commander reads them. */
import { UsageError } from '../errors/errors.ts';
import { type Group, isGroup, type Verb } from './command.ts';
import { globalFlags } from './globals.ts';

/**
 * `-o=json`, `--csv`, gh's `--json id,name`, kubectl's `-o wide` and `--dry-run=client`. What stands after `--` stays as it is.
 * @param leads what the words of argv lead to, and where the last of them stands
 * @throws UsageError for a dry run that the service would have to make
 */
export function ownSpellings(
  argv: readonly string[],
  { node, last }: { readonly node: Verb | Group | undefined; readonly last: number },
): readonly string[] {
  const verb = node === undefined || isGroup(node) ? undefined : node;
  const own: string[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word === '--') return [...own, ...argv.slice(at)];
    const next = argv[at + 1];
    if (next !== undefined && takesValue(word, verb)) {
      if (next === 'wide' && (word === '-o' || word === '--output')) own.push(word, 'table', '--wide');
      else own.push(word, next);
      at += 1;
      continue;
    }
    const [, short, value] = /^-([a-zA-Z])=(.*)$/s.exec(word) ?? [];
    if (/^(-o=?|--output=)wide$/.test(word)) own.push('--output', 'table', '--wide');
    else if (word === '--csv') own.push('--output', 'csv');
    else if (short !== undefined && isValued(short, verb)) own.push(`-${short}`, value ?? '');
    else if (word.startsWith('--json=')) own.push('--json', `--fields=${word.slice('--json='.length)}`);
    else if (word === '--json' && next !== undefined && at > last && namesFields(next, verb)) {
      own.push('--json', `--fields=${next}`);
      at += 1;
    } else if (word.startsWith('--dry-run=')) own.push(dryRun(word.slice('--dry-run='.length)));
    else own.push(word);
  }
  return own;
}

/** Whether what follows is the value of this flag, whatever it looks like. */
const takesValue = (word: string, verb: Verb | undefined): boolean =>
  [...globalFlags, ...(verb?.flags ?? [])].some(
    ({ name, friendly, short, value, bool }) =>
      value !== undefined && !bool && [`--${name}`, `--${friendly}`, `-${short}`].includes(word),
  );

/** `-o=json` is `-o json` where the letter is one of ours that takes a value. */
const isValued = (short: string, verb: Verb | undefined): boolean =>
  [...globalFlags, ...(verb?.flags ?? [])].some((flag) => flag.short === short && flag.value !== undefined);

/** Attributes in a list; a word alone only where it can be nothing else, since a record may be called `name`. */
function namesFields(text: string, verb: Verb | undefined): boolean {
  if (!/^[a-z][a-z0-9_]*(,[a-z][a-z0-9_]*)*$/.test(text)) return false;
  return text.includes(',') || (verb !== undefined && (verb.positionals ?? []).length === 0);
}

function dryRun(how: string): string {
  if (how === 'client' || how === 'true') return '--dry-run';
  throw new UsageError('svc has one dry run, which sends nothing that changes anything', {
    hint: 'write --dry-run without a value',
  });
}
