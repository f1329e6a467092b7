import type { Positional, Verb } from '../command.ts';
import { flagsOf } from '../companies-flags.ts';
import type { FlagShape } from '../flag.ts';
import { globalFlags } from '../globals.ts';
import { isClearlyNotSecret } from '../safe-to-repeat.ts';
import { type Argument, argumentKind, canTake, quoteWord } from './arguments.ts';
import type { Command } from './commands.ts';
import { flagForOperand, flagNamed, isCalled, NEVER_GUESSED } from './flags.ts';
import type { Guess } from './guess.ts';
import type { Line } from './line.ts';
import { ABSENT, type Recipe, VERB_ADVICE } from './vocabulary.ts';

export function sentence(
  guesses: readonly Guess[],
  line: Line,
  commands: readonly Command[],
): string | undefined {
  const [first] = guesses;
  if (first === undefined) return undefined;
  if (first.recipe !== undefined) return recipeSentence(first.recipe, line, commands);
  const texts = guesses.flatMap(({ command }) =>
    command === undefined ? [] : [`to ${purpose(command.declared)}, run ${commandLine(command, line)}`],
  );
  const absent = first.command && !line.words.includes('sandbox') ? absentOf(first.command) : undefined;
  const advice = first.command && adviceFor(first.command, line);
  return [absent, advice, ...texts].filter((text) => text !== undefined).join('; ');
}

function recipeSentence({ says, run }: Recipe, line: Line, commands: readonly Command[]): string {
  const method = line.words.find((word) => HTTP_METHODS.includes(word)) ?? 'get';
  const texts = run.map((text) => {
    const filled = text
      .replace('{method}', method.toUpperCase().replace('PATCH', 'PUT'))
      .replace(/\{(\w+)\}/g, (_, kind: string) => argumentOf(line, kind));
    const command = commands.find(({ path }) => `${filled} `.startsWith(`${shownPath(path)} `));
    const isHelp = command === undefined || filled.endsWith('--help');
    return `${isHelp ? 'see' : `to ${purpose(command.declared)}, run`} svc ${filled}`;
  });
  return [...(says === undefined ? [] : [says]), ...texts].join('; ');
}

const HTTP_METHODS: readonly string[] = ['get', 'post', 'put', 'delete', 'patch', 'head'];

function absentOf({ noun }: Command): string | undefined {
  const named = Object.hasOwn(ABSENT, noun) ? ABSENT[noun] : undefined;
  return named === undefined ? undefined : `the HTTP API has no ${named}`;
}

function adviceFor({ noun }: Command, { words }: Line): string | undefined {
  const row = Object.entries(VERB_ADVICE).find(([keys]) =>
    keys.split(', ').some((key) => words.some((word) => key === `${noun} ${word}`)),
  );
  return row?.[1];
}

function purpose({ summary }: Verb): string {
  const [text = ''] = summary.split(/[;:(]| by id\b/);
  return text.charAt(0).toLowerCase() + text.slice(1).trimEnd();
}

/** A text comes from the flag for it, from an operand, or from unknown words, and never from another flag: `--send-at "tomorrow 9am"`. */
const argumentOf = ({ args, flags, unknown }: Line, kind: string): string => {
  const ofKind = (some: readonly Argument[]): string | undefined =>
    some.find((arg) => arg.kind === kind)?.text;
  const values = flags.map(({ value = '' }) => ({ kind: argumentKind(value) ?? '', text: value }));
  const content = flags.find(({ name }) => ['text', 'body', 'message', 'm'].includes(name))?.value;
  const shown =
    kind === 'name'
      ? (content ?? ofKind(args) ?? (unknown.length > 0 ? unknown.join(' ') : undefined))
      : ofKind([...args, ...values]);
  if (shown === undefined || !isClearlyNotSecret(shown)) return kind === 'name' ? 'TEXT' : kind.toUpperCase();
  return quoteWord(shown);
};

export function commandLine({ path, declared }: Command, { words, unknown, args, flags }: Line): string {
  const names = unknown.map((text) => ({ kind: 'name', text }));
  const left = [...args, ...names].filter(({ text }) => isClearlyNotSecret(text));
  const operands: string[] = [];
  for (const positional of declared.positionals ?? []) {
    const isFit = (arg: Argument): boolean =>
      canTake(positional, arg, path) && !(positional.optional && names.includes(arg));
    const fitting = positional.variadic ? left.filter(isFit) : left.filter(isFit).slice(0, 1);
    for (const arg of fitting) operands.push(quoteWord(left.splice(left.indexOf(arg), 1)[0]?.text ?? ''));
    if (fitting.length === 0 && !positional.optional) operands.push(placeholder(positional));
  }
  const own = flagsOf(declared);
  const added = left
    .filter((arg) => !names.includes(arg))
    .flatMap(({ text }) => {
      const flag = flagForOperand(own, text);
      return flag === undefined ? [] : [`${spelling(flag)} ${quoteWord(text)}`];
    });
  const all = own.find(({ name, value }) => name === 'all' && value === undefined);
  const wantsAll =
    all !== undefined && args.length === 0 && words.some((word) => word === 'all' || word === 'everything');
  const kept = flags.flatMap(({ name, value }) => keptFlag(own, name, value));
  return [
    'svc',
    shownPath(path),
    ...operands,
    ...new Set([...added, ...kept, ...(wantsAll ? ['--all'] : [])]),
  ].join(' ');
}

const shownPath = (path: string): string =>
  path.replace(/^(plan make|log list)$/, (words) => words.split(' ')[0] ?? '');

/** Omits a flag that takes away a question, and a value of another kind. */
function keptFlag(own: readonly FlagShape[], name: string, value: string | undefined): readonly string[] {
  const flag = [...own, ...globalFlags].find((each) => isCalled(each, name)) ?? flagNamed(own, name);
  if (flag === undefined || NEVER_GUESSED.test(flag.name)) return [];
  if (flag.value === undefined) return [spelling(flag)];
  if (value === undefined || !isClearlyNotSecret(value)) return [];
  const kind = argumentKind(value);
  if (flag.value === 'id' && kind !== 'id' && kind !== undefined) return [];
  const ofFile = kind === 'html' ? own.find((each) => each.name === `${flag.name}-file`) : undefined;
  return [`${spelling(ofFile ?? flag)} ${quoteWord(value)}`];
}

const placeholder = ({ name }: Positional): string => name.toUpperCase().replace(/-OR-.*/, '');

const spelling = ({ name, friendly }: FlagShape): string => `--${friendly ?? name}`;
