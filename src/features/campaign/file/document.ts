import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type ParsedNode,
  Parser,
  visit,
  type YAMLError,
} from 'yaml';
import { parseIntegerDigits } from '../../../kit/schema/integer.ts';
import { CONFLICT_MARKER } from '../errors.ts';
import type { TextWithReplacedVariables } from './variables.ts';

/** Columns are in UTF-16 units, as editors count them. */
export interface FilePosition {
  readonly line: number;
  readonly column: number;
}

export interface CampaignFault extends FilePosition {
  readonly file: string;
  readonly message: string;
  /** Set if the fault is in an item such as `task june`. The message is then this name and the reason. */
  readonly inItem?: { readonly item: string; readonly reason: string };
}

export interface Faults {
  readonly add: (place: FilePosition, message: string) => void;
  readonly addInItem: (place: FilePosition, item: string, reason: string) => void;
  readonly all: () => readonly CampaignFault[];
}

/** More faults would not help the user, and a file full of faults must not exhaust the memory. */
const MAX_FAULTS = 1000;

export function createFaultCollector(file: string): Faults {
  const found = new Map<string, CampaignFault>();
  const keep = (fault: CampaignFault): void => {
    if (found.size < MAX_FAULTS) found.set(`${fault.line}:${fault.column} ${fault.message}`, fault);
  };
  return {
    add: ({ line, column }, message) => keep({ file, line, column, message }),
    addInItem: ({ line, column }, item, reason) =>
      keep({ file, line, column, message: `${item}: ${reason}`, inItem: { item, reason } }),
    all: () => [...found.values()].sort((a, b) => a.line - b.line || a.column - b.column),
  };
}

export type YamlNode = YamlScalarNode | YamlMappingNode | YamlListNode | FaultyYamlNode;

export interface YamlScalarNode {
  readonly kind: 'scalar';
  readonly place: FilePosition;
  /** A bigint if a number would lose digits. */
  readonly value: string | number | bigint | boolean | null;
  /** Source text, which can differ from `value`: `007` has the value 7. */
  readonly source: string;
  readonly variables: 'none' | 'some' | 'whole';
  /** Names of the variables in it. */
  readonly names?: readonly string[];
}

export interface YamlMappingNode {
  readonly kind: 'mapping';
  readonly place: FilePosition;
  readonly entries: readonly MappingEntry[];
}

export interface YamlListNode {
  readonly kind: 'list';
  readonly place: FilePosition;
  /** Empty for an alias. */
  readonly entries: readonly YamlNode[];
}

export interface FaultyYamlNode {
  readonly kind: 'faulty';
  readonly place: FilePosition;
}

export interface MappingEntry {
  readonly key: string;
  readonly place: FilePosition;
  readonly value: YamlNode;
}

const LEVELS = 4;

/** Attributes of an item: the file, a section, an item, its attributes. */
const ATTRIBUTE_LEVEL = 3;

/** The YAML library calls itself for each level, and deeper nesting would overflow the stack. */
const MAX_NESTING = 50;

/** An alias is expanded to everything that its anchor holds, so a short file could become huge. */
const MAX_ALIASES = 100;

/** An item with aliases can have an alias itself, so a hundred aliases could still repeat millions of nodes. */
const MAX_ALIASED_NODES = 10_000;

type Replace = (text: string) => TextWithReplacedVariables;

interface Reading {
  readonly document: Document.Parsed;
  readonly placeAt: (offset: number) => FilePosition;
  readonly faults: Faults;
  readonly replace: Replace;
  readonly text: string;
  readonly hasNumberKeys: boolean;
}

interface DocumentOptions {
  /** Fault of a file that is no mapping. */
  readonly unlessMapping: string;
  readonly replace: Replace;
  /** Section that is read first, because the others use its values. */
  readonly first?: {
    readonly key: string;
    readonly replace: Replace;
    readonly read: (node: YamlNode) => void;
  };
  /** A company's id is a key. */
  readonly hasNumberKeys?: boolean;
}

/** Returns undefined if the file is unreadable, and adds every error to the faults. */
export function readDocument(
  text: string,
  faults: Faults,
  { unlessMapping, replace, first, hasNumberKeys = false }: DocumentOptions,
): YamlMappingNode | undefined {
  const lines = new LineCounter();
  const placeAt = (offset: number): FilePosition => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const document = compose(text, lines, placeAt, faults);
  if (!document) return undefined;
  const root = document.contents;
  if (!isMap<ParsedNode, ParsedNode | null>(root)) {
    faults.add(placeAt(root?.range[0] ?? 0), unlessMapping);
    return undefined;
  }
  const aliases = countAliases(document);
  if (aliases > MAX_ALIASES) {
    faults.add(placeAt(root.range[0]), `the file has ${aliases} aliases; the maximum is ${MAX_ALIASES}`);
    return undefined;
  }
  const aliased = aliases === 0 ? 0 : countNodes(document, true) - countNodes(document, false);
  if (aliased > MAX_ALIASED_NODES) {
    faults.add(
      placeAt(root.range[0]),
      `the aliases of the file repeat ${aliased} values; the maximum is ${MAX_ALIASED_NODES}`,
    );
    return undefined;
  }
  const reading = { document, placeAt, faults, replace, text, hasNumberKeys };
  const found = root.items.find(({ key }) => isScalar(key) && key.value === first?.key)?.value;
  if (first === undefined || !found) return mappingOf(root, reading, 0);
  const node = nodeOf(found, { ...reading, replace: first.replace }, 1);
  first.read(node);
  return mappingOf(root, reading, 0, { key: first.key, node });
}

/** `mappingOf` finds duplicate keys, because the library's own check is slow. */
function compose(
  text: string,
  lines: LineCounter,
  placeAt: (offset: number) => FilePosition,
  faults: Faults,
): Document.Parsed | undefined {
  const parser = new Parser(lines.addNewLine);
  const tokens = [];
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length <= MAX_NESTING) continue;
    faults.add(placeAt(parser.offset), `the file is nested more than ${MAX_NESTING} levels deep`);
    return undefined;
  }
  for (const token of parser.end()) tokens.push(token);
  const composer = new Composer({ version: '1.2', schema: 'core', merge: false, uniqueKeys: false });
  const [document, another] = composer.compose(tokens, true, text.length);
  if (!document) return undefined;
  const { errors, warnings, directives } = document;
  if (another)
    faults.add(placeAt(another.range[0]), 'a second YAML document begins here; a file can hold only one');
  const conflict = errors.length > 0 ? CONFLICT_MARKER.exec(text) : null;
  if (conflict) {
    faults.add(placeAt(conflict.index), 'an unresolved merge conflict begins here');
    return undefined;
  }
  const quote = errors.length > 0 ? findOpenQuote(document) : undefined;
  if (quote !== undefined)
    faults.add(placeAt(quote), 'invalid YAML: the quote that begins here is never closed; close it');
  else addErrors([...errors, ...warnings], placeAt, faults);
  if (directives.yaml.explicit && directives.yaml.version !== '1.2')
    faults.add(placeAt(0), `the file must be YAML 1.2, not ${directives.yaml.version}; remove this line`);
  return faults.all().length > 0 ? undefined : document;
}

/** Returns the offset of a quote without an end. The library reports only where the file ends, and what follows from it. */
function findOpenQuote(document: Document.Parsed): number | undefined {
  const ends = new Set(document.errors.flatMap(({ code, pos }) => (code === 'MISSING_CHAR' ? [pos[0]] : [])));
  let found: number | undefined;
  visit(document, {
    Scalar: (_, { type = '', range }) => {
      if (range && type.startsWith('QUOTE') && ends.has(range[1])) found ??= range[0];
    },
  });
  return found;
}

/** Adds one error for each line, because most others are only consequences of the first one. */
function addErrors(
  errors: readonly YAMLError[],
  placeAt: (offset: number) => FilePosition,
  faults: Faults,
): void {
  const seen = new Set<number>();
  for (const { code, pos, message } of errors) {
    const place = placeAt(pos[0]);
    if (seen.has(place.line)) continue;
    seen.add(place.line);
    const hint = HINTS[code] ?? '';
    faults.add(place, `invalid YAML: ${lowerFirst(message)}${hint}`);
  }
}

const HINTS: Readonly<Partial<Record<string, string>>> = {
  BAD_SCALAR_START: '; put the text in quotes',
  BLOCK_AS_IMPLICIT_KEY: '; put text that contains ": " in quotes',
  TAB_AS_INDENT: '; indent with spaces',
  UNEXPECTED_TOKEN: `; put text with brackets, or \${{ … }} between brackets, in quotes`,
};

const lowerFirst = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1);

function countAliases({ contents }: Document.Parsed): number {
  let count = 0;
  const queue: unknown[] = [contents];
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    if (isAlias(node)) count += 1;
    else if (isMap(node)) for (const { key, value } of node.items) queue.push(key ?? 0, value ?? 0);
    else if (isSeq(node)) queue.push(...node.items);
  }
  return count;
}

/** @param expands counts an alias as everything that its anchor holds */
function countNodes(document: Document.Parsed, expands: boolean): number {
  const counts = new Map<unknown, number>();
  const count = (node: unknown): number => {
    const known = counts.get(node);
    if (known !== undefined) return known;
    // An alias inside its own anchor counts as one.
    counts.set(node, 1);
    const inside: readonly unknown[] = isAlias(node)
      ? [expands ? node.resolve(document) : undefined]
      : isMap(node)
        ? node.items.flatMap(({ key, value }) => [key, value])
        : isSeq(node)
          ? node.items
          : [];
    const all = inside.reduce<number>((sum, each) => sum + (each == null ? 0 : count(each)), 1);
    counts.set(node, all);
    return all;
  };
  return count(document.contents);
}

/** @param known an entry that has been read before */
function mappingOf(
  map: ParsedNode,
  reading: Reading,
  level: number,
  known?: { readonly key: string; readonly node: YamlNode },
): YamlMappingNode {
  const place = reading.placeAt(map.range[0]);
  const entries: MappingEntry[] = [];
  if (!isMap<ParsedNode, ParsedNode | null>(map) || level >= LEVELS)
    return { kind: 'mapping', place, entries };
  const seen = new Map<string, FilePosition>();
  for (const { key: keyNode, value } of map.items) {
    const key = keyOf(keyNode, place, reading);
    if (!key) continue;
    const before = seen.get(key.text);
    if (before) {
      reading.faults.add(key.place, `${key.text} appears twice: also in line ${before.line}`);
      continue;
    }
    seen.set(key.text, key.place);
    const node =
      key.text === known?.key
        ? known.node
        : value === null
          ? emptyAt(key.place)
          : nodeOf(value, reading, level + 1);
    entries.push({ key: key.text, place: key.place, value: node });
  }
  return { kind: 'mapping', place, entries };
}

function keyOf(
  node: ParsedNode | null,
  around: FilePosition,
  { placeAt, faults, hasNumberKeys }: Reading,
): { readonly text: string; readonly place: FilePosition } | undefined {
  const place = node ? placeAt(node.range[0]) : around;
  if (!isScalar(node) || node.tag !== undefined) {
    faults.add(place, 'a key must be a plain word');
    return undefined;
  }
  const text = typeof node.value === 'string' ? node.value : (node.source ?? '');
  if (text === '<<') {
    faults.add(place, 'merge keys (<<) are not supported; write the values out');
    return undefined;
  }
  if (typeof node.value === 'string' || (hasNumberKeys && typeof node.value === 'number'))
    return { text, place };
  const notText =
    text === ''
      ? 'a key cannot be empty'
      : `YAML reads the key ${text} as a value of another type, not as text`;
  faults.add(
    place,
    typeof node.value === 'number'
      ? `a key cannot be the number ${text}, because a number looks like an id`
      : `${notText}; put the key in quotes`,
  );
  return undefined;
}

function nodeOf(found: ParsedNode, reading: Reading, level: number): YamlNode {
  const { document, placeAt, faults } = reading;
  const place = placeAt(found.range[0]);
  const target = isAlias(found) ? found.resolve(document) : found;
  if (!target) {
    faults.add(place, `the anchor &${isAlias(found) ? found.source : ''} is not defined`);
    return { kind: 'faulty', place };
  }
  const node = target as ParsedNode;
  if (node.tag !== undefined) {
    faults.add(
      place,
      `YAML tags (${node.tag.replace('tag:yaml.org,2002:', '!!')}) are not supported; remove the tag`,
    );
    return { kind: 'faulty', place };
  }
  if (isScalar(node)) return scalarOf(node, place, reading);
  // Aliases of aliases would make a short file huge, so only single values can be aliases at this level.
  const isRead = !isAlias(found) || level < ATTRIBUTE_LEVEL;
  if (isMap(node)) return isRead ? mappingOf(node, reading, level) : { kind: 'mapping', place, entries: [] };
  const entries = isSeq<ParsedNode>(node) && !isAlias(found) ? node.items : [];
  return { kind: 'list', place, entries: entries.map((each) => nodeOf(each, reading, level)) };
}

function scalarOf(
  node: { readonly value: unknown; readonly source?: string | undefined; readonly range: readonly number[] },
  place: FilePosition,
  reading: Reading,
): YamlScalarNode | FaultyYamlNode {
  const { value, source = '' } = node;
  const plain = { kind: 'scalar', place, variables: 'none' } as const;
  if (typeof value === 'string') {
    const { text, variables, names, faults } = reading.replace(value);
    for (const { offset, message } of faults)
      reading.faults.add(placeWithin(node, value, offset, place, reading), message);
    return faults.length > 0
      ? { kind: 'faulty', place }
      : { ...plain, value: text, source: text, variables, names };
  }
  if (typeof value === 'number' && /^[-+]?[0-9]+$/.test(source))
    return { ...plain, value: parseIntegerDigits(source), source };
  if (typeof value === 'number' || typeof value === 'boolean') return { ...plain, value, source };
  return { ...plain, value: null, source };
}

/**
 * Returns `place`, its beginning, if escapes hide the text in the file.
 * @param offset index of the character in `value`
 */
function placeWithin(
  { range }: { readonly range: readonly number[] },
  value: string,
  offset: number,
  place: FilePosition,
  { text, placeAt }: Reading,
): FilePosition {
  const [start = 0, end = start] = range;
  const at = text.slice(start, end).indexOf(value);
  return at < 0 ? place : placeAt(start + at + offset);
}

const emptyAt = (place: FilePosition): YamlScalarNode => ({
  kind: 'scalar',
  place,
  value: null,
  source: '',
  variables: 'none',
});
