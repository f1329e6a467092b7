/** Rewrites flags that are written in the style of other tools, before commander parses them. */
import { UsageError } from '../errors/errors.ts';
import { type Group, isGroup, type Verb } from './command.ts';
import { takesValue } from './globals.ts';
import { tokenizeCommandLine } from './tokens.ts';

/**
 * Replaces spellings of other tools with svc's own: `-o=json`, `--csv`, gh's `--json id,name`, kubectl's `-o wide` and `--dry-run=client`.
 * Words after `--` stay unchanged.
 * @param command `node` is the command that argv names; `last` is the index of the last word of its name
 * @throws UsageError for `--dry-run=server`, and for terraform's `-out`
 */
export function translateOtherToolSpellings(
  argv: readonly string[],
  { node, last }: { readonly node?: Verb | Group | undefined; readonly last: number },
): readonly string[] {
  const verb = node === undefined || isGroup(node) ? undefined : node;
  const own: string[] = [];
  const all = [...tokenizeCommandLine(argv, (flag) => takesValue(flag, verb?.flags))];
  const operands = all.filter(({ kind, at }) => kind === 'operand' && at > last);
  for (const [index, { kind, text, value, words }] of all.entries()) {
    const next = all[index + 1];
    if (text === '--') return [...own, ...all.slice(index).flatMap((each) => each.words)];
    if (kind === 'operand') own.push(text);
    else if (/^-out(=|$)/.test(words[0] ?? '')) throw terraformOut(verb);
    else if (value === 'wide' && (text === '-o' || text === '--output'))
      own.push('--output', 'table', '--wide');
    else if (text === '--csv') own.push('--output', 'csv');
    else if (text === '--json' && value !== undefined) own.push('--json', `--fields=${value}`);
    else if (
      text === '--json' &&
      next?.kind === 'operand' &&
      next.at > last &&
      namesFields(next.text, verb, operands.length)
    ) {
      own.push('--json', `--fields=${next.text}`);
      all.splice(index + 1, 1);
    } else if (text === '--dry-run' && value !== undefined) own.push(dryRun(value));
    else if (value !== undefined && !text.startsWith('--')) own.push(text, value);
    else own.push(...words);
  }
  return own;
}

/**
 * Reports whether an operand after `--json` lists the attributes to show, as in `--json id,name`. A single word such as `name` is
 * ambiguous, because it may also be an operand of the verb, such as the name of a record. svc reads a single word as an attribute only if
 * the command line has more operands than the verb takes.
 * @param operands the number of operands on the command line, including `text`
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
      : 'to write to a file, redirect the output with > FILE; to choose a format, use -o',
  });

function dryRun(how: string): string {
  if (how === 'client' || how === 'true') return '--dry-run';
  throw new UsageError('--dry-run has no modes: it never changes anything', {
    hint: 'write --dry-run without a value',
  });
}
