/**
 * The texts of the product, found in its sources and in the registry of commands: what users read, what developers read, and names. The
 * language test checks all of them; `npm run readers` draws a sample for people to judge.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { isGroup, type Verb } from '../../src/cli/command/command.ts';
import { topLevelCommandEntries } from '../../src/cli/registry/entries.ts';

export interface Text {
  /** A file with its line, or the command and flag whose help has the text. */
  readonly where: string;
  readonly text: string;
}

export interface Declared extends Text {
  readonly signature: string;
}

interface Source {
  readonly file: string;
  readonly source: string;
}

/** Reads every source file below a folder. */
export const readSources = (folder: string): readonly Source[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .sort()
    .map((file) => ({ file, source: readFileSync(join(folder, file), 'utf8') }));

const placeOf = ({ file, source }: Source, index: number): string =>
  `${file}:${source.slice(0, index).split('\n').length}`;

type Node = Record<string, unknown> & { readonly type: string; readonly start: number };

/** Returns the string and template literals that read as text: two words or more, and no SQL, HTML or code. Joins those added with `+`. */
export function literals(sources: readonly Source[]): readonly Text[] {
  return sources.flatMap((each) => {
    const found: Text[] = [];
    const visit = (node: unknown): void => {
      if (Array.isArray(node)) for (const member of node) visit(member);
      if (!isNode(node) || /^(Import|ExportAll|TSLiteralType)/.test(node.type)) return;
      const text = textOf(node);
      if (text === undefined) {
        for (const member of Object.values(node)) visit(member);
        return;
      }
      const isStatement = each.file.startsWith('sandbox/') && STATEMENT.test(text);
      if (/[a-z]{2,} +\w/i.test(text) && !CODE.test(text) && !isStatement) {
        found.push({ where: placeOf(each, node.start), text });
      }
    };
    visit(parseAst(each.source, { lang: 'ts' }, each.file).body);
    return found;
  });
}

const CODE = /[<{]\w|=>/;
/** Matches statements for the database, and parts of them. */
const STATEMENT =
  /^(select|insert into|delete from|update|create|drop|with|from|where|union|attach|vacuum)\b|\b(select|where|order by|case) .*\b(from|and|when|limit|id|is|end)\b/is;
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

/** Returns the text of a literal, a template or a sum of both, with `[name]` for what is filled in; undefined for any other node. */
function textOf(node: Node): string | undefined {
  const { type, value, left, right, quasis, expressions } = node;
  if (type === 'Literal') return typeof value === 'string' ? value : undefined;
  if (type === 'BinaryExpression' && node['operator'] === '+' && isNode(left) && isNode(right)) {
    const [first, second] = [textOf(left), textOf(right)];
    return first === undefined || second === undefined ? undefined : first + second;
  }
  if (type !== 'TemplateLiteral') return undefined;
  const values = (expressions as readonly Node[]).map((each) => `[${lastName(each)}]`);
  return (quasis as readonly { readonly value: { readonly raw: string } }[])
    .map((each, index) => `${each.value.raw}${values[index] ?? ''}`)
    .join('');
}

/** Returns the last name in an expression: `status` for `answer.status`, `shown` for `shown(name)`. */
function lastName(node: Node): string {
  const inner = node['property'] ?? node['callee'] ?? node['name'] ?? node['expression'];
  if (typeof inner === 'string') return inner;
  return isNode(inner) ? lastName(inner) : '…';
}

/**
 * Returns the doc comments, without stars, each with the beginning of the declaration below it. A member is shown with its type, as an
 * editor does.
 */
export const docComments = (sources: readonly Source[]): readonly Declared[] =>
  sources.flatMap((each) => {
    const owners = [...each.source.matchAll(TOP_LEVEL)];
    return [...each.source.matchAll(/\/\*\*([\s\S]*?)\*\//g)].map(({ 0: whole, 1: body = '', index }) => ({
      where: placeOf(each, index),
      text: body
        .replace(/^\s*\*? ?/gm, '')
        .replaceAll('\n', ' ')
        .trim(),
      signature: signatureAt(each.source, index + whole.length) + ownerAt(each.source, index, owners),
    }));
  });

const TOP_LEVEL = /^(?:export )?(?:async )?(?:interface|type|class|const|function\*?) \w+/gm;

/** Returns ` (in interface Owner)` for the comment of a member, and nothing for a comment that is not indented. */
function ownerAt(source: string, index: number, owners: readonly RegExpExecArray[]): string {
  if (source[index - 1] !== ' ') return '';
  const owner = owners.findLast((each) => each.index < index);
  return owner === undefined ? '' : ` (in ${owner[0].replace('export ', '')})`;
}

/** Returns the exported declarations that have a name, each with its signature. */
export const exportedNames = (sources: readonly Source[]): readonly Declared[] =>
  sources.flatMap((each) =>
    [...each.source.matchAll(/^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm)].map(
      ({ 1: text = '', index }) => ({
        where: placeOf(each, index),
        text,
        signature: signatureAt(each.source, index),
      }),
    ),
  );

/**
 * Returns a declaration up to its body: a function with its parameters and its result, a type with its first members. A comment on the
 * whole file precedes imports.
 */
function signatureAt(source: string, index: number): string {
  const rest = source.slice(index, index + 4000).trimStart();
  if (rest.startsWith('import ')) return '(about the whole file)';
  const isType = /^(export )?(interface|type) /.test(rest);
  const signature = rest
    .slice(0, isType ? /\n\}|;\n\n/.exec(rest)?.index : endOfSignature(rest))
    .replace(/\/\*\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return signature.length > LONGEST_SIGNATURE ? `${signature.slice(0, LONGEST_SIGNATURE)}…` : signature;
}

const LONGEST_SIGNATURE = 480;

/** Returns the position after the parameters and the result of a function, or after the name and type of a constant or a member. */
function endOfSignature(declaration: string): number | undefined {
  const end = /^(export )?const \w+:/.test(declaration)
    ? /^( =\s|;\n|\n\n)/
    : /^(export |async |const |function )/.test(declaration)
      ? /^( \{\n| =>|;\n|\n\n)/
      : declaration.startsWith('readonly ')
        ? /^([;,]\n|\n\n)/
        : /^( \{\n| =>|[;,]\n|\n\n)/;
  let depth = 0;
  for (let at = 0; at < declaration.length; at += 1) {
    if (depth === 0 && end.test(declaration.slice(at, at + 3))) return at;
    if ('([{<'.includes(declaration[at] ?? '')) depth += 1;
    if (')]}'.includes(declaration[at] ?? '') || /[^=]>/.test(declaration.slice(at - 1, at + 1))) depth -= 1;
    if (depth < 0) return at;
  }
  return undefined;
}

/** Returns every summary, description and flag text of every command. */
export async function helpTexts(): Promise<readonly Text[]> {
  const texts: Text[] = [];
  const add = (where: string, text: string | undefined): void => {
    if (text !== undefined && text !== '') texts.push({ where, text });
  };
  const verb = (path: string, each: Verb): void => {
    add(path, each.summary);
    add(path, each.about);
    for (const { name, describe } of each.flags) add(`${path} --${name}`, describe);
    for (const { name, describe } of each.positionals ?? []) add(`${path} <${name}>`, describe);
  };
  for (const entry of topLevelCommandEntries) {
    add(entry.name, entry.summary);
    const tree = await entry.load();
    const walk = (path: string, node: typeof tree): void => {
      if (!isGroup(node)) verb(path, node);
      else for (const each of node.commands) walk(`${path} ${each.name}`, each);
    };
    walk(entry.name, tree);
  }
  return texts;
}
