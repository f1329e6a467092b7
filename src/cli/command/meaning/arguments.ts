import { quoteShellWord } from '../../../kit/text/words.ts';
import type { Positional } from '../command.ts';
import { COMMANDS_BY_FILE, FILE_KINDS } from './vocabulary.ts';

export interface Argument {
  readonly kind: string;
  readonly text: string;
}

/** A text with a blank is a name. */
export function argumentKind(text: string): string | undefined {
  const [kind] = PATTERNS.find(([, pattern]) => pattern.test(text)) ?? [];
  if (kind !== undefined) return kind;
  const ending = /[^.]\.([A-Za-z]+)$/.exec(text)?.[1]?.toLowerCase() ?? '';
  if (Object.hasOwn(FILE_KINDS, ending)) return FILE_KINDS[ending];
  if (/^[\w-]+(?:\.[\w-]+)*\.[a-z]{2,4}$/i.test(text)) return 'domain';
  return /\s/.test(text) ? 'name' : undefined;
}

const PATTERNS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['phone', /^(?:\+[0-9]{7,15}|[0-9]{9,15})$/],
  ['id', /^#?[0-9]+$/],
  ['rule', /^[a-z]+:[0-9]+$/],
  ['address', /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/],
  ['path', /^(?:https?:\/\/|\/)\S*/],
  ['duration', /^\+?[0-9]+[smhdw]$/],
];

export function canTake({ name, completes }: Positional, { kind }: Argument, path: string): boolean {
  if (Object.values(FILE_KINDS).includes(kind))
    return completes === 'file' && (kind === 'file' || (COMMANDS_BY_FILE[kind] ?? []).includes(path));
  if (kind === 'rule') return path.startsWith('automation ') || path === 'why automation';
  if (['address', 'phone', 'domain'].includes(kind)) return /address|value|email/.test(name);
  if (kind === 'path') return name === 'path';
  if (kind === 'duration') return name === 'duration';
  if (name === 'n') return kind === 'id';
  if (name === 'page') return kind === 'name';
  return completes !== 'file' && !/address|value|path|duration|method|time|what/.test(name);
}

/** Double quotes suffice for plain words with blanks, and every shell has them. */
export const quoteWord = (word: string): string =>
  /^[\w@.,:/+-]+( +[\w@.,:/+-]+)+$/.test(word) ? `"${word}"` : quoteShellWord(word);
