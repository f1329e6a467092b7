/** Rewrites flags that are written in the style of other tools, before commander parses them. */
import { UsageError } from '../errors/errors.ts';
import { type Group, isGroup, type Verb } from './command.ts';
import { globalFlags } from './globals.ts';

/**
 * Rewrites `-o=json`, `--csv`, gh's `--json id,name`, kubectl's `-o wide` and `--dry-run=client`. Words after `--` stay unchanged.
 * @param leads the command that the words of argv name, and the position of its last word
 * @throws UsageError for a dry run by the service, and for terraform's `-out`
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
    if (/^-out(=|$)/.test(word)) throw terraformOut(verb);
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
    else if (
      word === '--json' &&
      next !== undefined &&
      at > last &&
      namesFields(next, verb, operandsIn(argv.slice(last + 1), verb))
    ) {
      own.push('--json', `--fields=${next}`);
      at += 1;
    } else if (word.startsWith('--dry-run=')) own.push(dryRun(word.slice('--dry-run='.length)));
    else own.push(word);
  }
  return own;
}

/** Reports whether the next word is the value of this flag, whatever it looks like. */
const takesValue = (word: string, verb: Verb | undefined): boolean =>
  [...globalFlags, ...(verb?.flags ?? [])].some(
    ({ name, friendly, short, value, bool }) =>
      value !== undefined && !bool && [`--${name}`, `--${friendly}`, `-${short}`].includes(word),
  );

/** Reports whether `-o=json` means `-o json`: the letter is one of svc's flags and takes a value. */
const isValued = (short: string, verb: Verb | undefined): boolean =>
  [...globalFlags, ...(verb?.flags ?? [])].some((flag) => flag.short === short && flag.value !== undefined);

/** Counts the words that are neither flags nor the values of flags. */
function operandsIn(words: readonly string[], verb: Verb | undefined): number {
  const end = words.indexOf('--');
  return (end < 0 ? words : words.slice(0, end)).filter(
    (word, at, all) => !word.startsWith('-') && !(at > 0 && takesValue(all[at - 1] ?? '', verb)),
  ).length;
}

/**
 * Reports whether the text is a list of attributes. A single word counts only if the verb has all its operands without it, because a record
 * may be called `name`.
 * @param operands the number of operands, with the text
 */
function namesFields(text: string, verb: Verb | undefined, operands: number): boolean {
  if (!/^[a-z][a-z0-9_]*(,[a-z][a-z0-9_]*)*$/.test(text)) return false;
  if (text.includes(',') || verb === undefined) return text.includes(',');
  const { positionals = [] } = verb;
  return !positionals.some(({ variadic }) => variadic) && operands > positionals.length;
}

const terraformOut = (verb: Verb | undefined): UsageError =>
  new UsageError('unknown flag -out', {
    hint: verb?.flags.some(({ name }) => name === 'out')
      ? 'write --out FILE'
      : 'redirect the output: > FILE; -o chooses its format',
  });

function dryRun(how: string): string {
  if (how === 'client' || how === 'true') return '--dry-run';
  throw new UsageError('--dry-run has no modes: it never changes anything', {
    hint: 'write --dry-run without a value',
  });
}
