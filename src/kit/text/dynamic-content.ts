/**
 * Personalisation and dynamic content, in the syntax that src/service/protocol/README.md chooses: `{{ email }}`, `{{ field.City | there }}`, `{% if
 * field.City == "Paris" %}…{% elif … %}…{% else %}…{% endif %}`.
 */
type ContentNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly name: string; readonly otherwise: string }
  | { readonly kind: 'choice'; readonly branches: readonly Branch[] };

/** Branch whose content is used if its condition is true. A branch without a condition is always used. */
interface Branch {
  readonly condition?: Condition;
  readonly nodes: readonly ContentNode[];
}

/**
 * Condition `name == value`, or with `negated`, `name != value`. If `value` is omitted, the condition is that `name` is not empty, or with
 * `negated`, that `name` is empty.
 */
interface Condition {
  readonly name: string;
  readonly negated: boolean;
  readonly value?: string;
}

type ParsedContent =
  | { readonly ok: true; readonly nodes: readonly ContentNode[] }
  | { readonly ok: false; readonly problem: string; readonly line: number; readonly column: number };

/**
 * Returns a value of the recipient for a name in the content: `email`, `msisdn` or `field.NAME`. Returns undefined or an empty text if the
 * recipient has no such value.
 */
export type ContentValueLookup = (name: string) => string | undefined;

/** Maximum nesting of conditions. Deeper nesting is most likely a mistake, and could exhaust the stack. */
const MAX_NESTING = 32;

/**
 * Maximum number of characters of a tag in which `endOfTag` pays attention to quotes. This limit keeps the search for the end of a tag fast
 * for every text.
 */
const MAX_TAG_LENGTH = 1000;

/** Parses a text with tags. If a tag is faulty, returns its line and column, counted from 1. */
export function parseContent(text: string): ParsedContent {
  const root: ContentNode[] = [];
  const open: OpenChoice[] = [];
  let into = root;
  let at = 0;
  for (;;) {
    const start = nextTag(text, at);
    if (start === -1) break;
    if (start > at) into.push({ kind: 'text', text: text.slice(at, start) });
    const isValue = text[start + 1] === '{';
    const end = endOfTag(text, start + 2, isValue ? '}}' : '%}');
    if (end === -1) return failure(text, start, `${isValue ? '{{' : '{%'} is never closed`);
    const inner = text.slice(start + 2, end).trim();
    at = end + 2;
    const step = isValue ? readValue(inner) : readBlock(inner, open, start);
    if (typeof step === 'string') return failure(text, start, step);
    switch (step.kind) {
      case 'value':
        into.push(step);
        break;
      case 'branch':
        into = step.nodes;
        break;
      default:
        into = open.at(-1)?.nodes ?? root;
        into.push({ kind: 'choice', branches: step.branches });
    }
  }
  const left = open.at(-1);
  if (left) return failure(text, left.start, '{% if %} has no {% endif %}');
  if (at < text.length) into.push({ kind: 'text', text: text.slice(at) });
  return { ok: true, nodes: root };
}

/** Returns the text for one recipient. Calls `escaped` for each inserted value, but not for the text around the values. */
export function renderContent(
  nodes: readonly ContentNode[],
  lookup: ContentValueLookup,
  escaped: (value: string) => string = (value) => value,
): string {
  let rendered = '';
  for (const node of nodes) {
    if (node.kind === 'text') rendered += node.text;
    else if (node.kind === 'value') rendered += escaped(lookup(node.name) || node.otherwise);
    else {
      const taken = node.branches.find(({ condition }) => !condition || holds(condition, lookup));
      if (taken) rendered += renderContent(taken.nodes, lookup, escaped);
    }
  }
  return rendered;
}

/** Returns the positions of all tags, in order. `end` is the first offset after a tag. Ends at a tag that is never closed. */
export function findContentTags(text: string): readonly { readonly start: number; readonly end: number }[] {
  const found: { start: number; end: number }[] = [];
  for (let start = nextTag(text, 0); start !== -1; ) {
    const close = endOfTag(text, start + 2, text[start + 1] === '{' ? '}}' : '%}');
    if (close === -1) break;
    found.push({ start, end: close + 2 });
    start = nextTag(text, close + 2);
  }
  return found;
}

interface OpenChoice {
  readonly start: number;
  readonly branches: Branch[];
  nodes: ContentNode[];
  isLast: boolean;
}

type BlockStep =
  | { readonly kind: 'branch'; readonly nodes: ContentNode[] }
  | { readonly kind: 'end'; readonly branches: readonly Branch[] };

function nextTag(text: string, from: number): number {
  for (let at = text.indexOf('{', from); at !== -1; at = text.indexOf('{', at + 1)) {
    if (text[at + 1] === '{' || text[at + 1] === '%') return at;
  }
  return -1;
}

/**
 * Returns the end of a tag: the first `closing` outside quotes. If a quote is never closed, returns the first `closing`, even inside
 * quotes.
 */
function endOfTag(text: string, from: number, closing: string): number {
  const first = text.indexOf(closing, from);
  if (first === -1) return -1;
  const limit = Math.min(text.length, from + MAX_TAG_LENGTH);
  let quote = '';
  for (let at = from; at < limit && text[at] !== '\n'; at += 1) {
    const character = text[at] ?? '';
    if (quote === '' && text.startsWith(closing, at)) return at;
    if (quote === '' && (character === '"' || character === "'")) quote = character;
    else if (character === quote) quote = '';
  }
  return first;
}

function readValue(inner: string): Extract<ContentNode, { kind: 'value' }> | string {
  const bar = inner.indexOf('|');
  const name = readName((bar === -1 ? inner : inner.slice(0, bar)).trim());
  if (name === undefined) {
    const written = /^[A-Za-z_][\w-]{0,40}$/.test(inner) ? `, as in {{ field.${inner} }}` : '';
    return `{{ ${inner} }} names neither email, msisdn nor field.NAME${written}`;
  }
  const otherwise = bar === -1 ? '' : inner.slice(bar + 1).trim();
  return { kind: 'value', name, otherwise: unquoted(otherwise) ?? otherwise };
}

function readBlock(inner: string, open: OpenChoice[], start: number): BlockStep | string {
  const word = /^[a-z]*/.exec(inner)?.[0] ?? '';
  const rest = inner.slice(word.length).trim();
  const choice = open.at(-1);
  if (word === 'if') {
    const condition = readCondition(rest);
    if (!condition) return `{% if ${rest} %} has no valid condition`;
    if (open.length >= MAX_NESTING) return `{% if %} is nested more than ${MAX_NESTING} deep`;
    const nodes: ContentNode[] = [];
    open.push({ start, branches: [{ condition, nodes }], nodes, isLast: false });
    return { kind: 'branch', nodes };
  }
  if (word !== 'elif' && word !== 'else' && word !== 'endif') return `{% ${inner} %} is not known`;
  if (!choice) return `{% ${word} %} without {% if %}`;
  if (word === 'endif') {
    if (rest !== '') return `{% endif %} takes nothing`;
    open.pop();
    return { kind: 'end', branches: choice.branches };
  }
  if (choice.isLast) return `{% ${word} %} after {% else %}`;
  const condition = word === 'elif' ? readCondition(rest) : undefined;
  if (word === 'elif' && !condition) return `{% elif ${rest} %} has no valid condition`;
  if (word === 'else' && rest !== '') return `{% else %} takes no condition`;
  choice.isLast = word === 'else';
  choice.nodes = [];
  choice.branches.push({ ...(condition ? { condition } : {}), nodes: choice.nodes });
  return { kind: 'branch', nodes: choice.nodes };
}

function readCondition(text: string): Condition | undefined {
  const at = text.search(/[=!]=/);
  if (at >= 0) {
    const name = readName(text.slice(0, at).trimEnd());
    const value = unquoted(text.slice(at + 2).trimStart());
    if (name === undefined || value === undefined) return undefined;
    return { name, negated: text[at] === '!', value };
  }
  const negated = /^not\s/.test(text);
  const name = readName(negated ? text.slice(3).trim() : text);
  return name === undefined ? undefined : { name, negated };
}

/** Reads a name. `field["Post code"]` becomes `field.Post code`. */
function readName(text: string): string | undefined {
  if (text === 'email' || text === 'msisdn') return text;
  if (/^field\.[\p{L}\p{N}_-]+$/u.test(text)) return text;
  const quoted = /^field\[(.*)\]$/.exec(text);
  const name = quoted ? unquoted(quoted[1] ?? '') : undefined;
  return name ? `field.${name}` : undefined;
}

function unquoted(text: string): string | undefined {
  const match = /^(?:"([^"]*)"|'([^']*)')$/.exec(text.trim());
  return match ? (match[1] ?? match[2] ?? '') : undefined;
}

function holds({ name, negated, value }: Condition, lookup: ContentValueLookup): boolean {
  const found = lookup(name) ?? '';
  return (value === undefined ? found !== '' : found === value) !== negated;
}

function failure(text: string, at: number, problem: string): ParsedContent {
  const before = text.slice(0, at).split('\n');
  return { ok: false, problem, line: before.length, column: (before.at(-1) ?? '').length + 1 };
}
