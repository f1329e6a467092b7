/** Measures source code: its size by room, what the compiler learns nothing from, and how much one file needs. */
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseSync } from 'rolldown/utils';

/** The numbers of src/size.json. Each may only fall. */
export interface Sizes {
  /** Lines and bytes of TypeScript, by room. A room is a folder of a floor. */
  readonly rooms: Readonly<Record<string, { readonly lines: number; readonly bytes: number }>>;
  readonly lines: number;
  readonly bytes: number;
  /** Percent of all bytes that are comments, rounded up to a tenth. */
  readonly commentPercent: number;
  /** Words `JsonObject` outside comments. */
  readonly jsonObject: number;
  /** Members that are read or written by a name in quotes, such as `record['name']`. */
  readonly quotedMembers: number;
  /** Uses of `as` without `as const`, and of `<Type>value`. */
  readonly casts: number;
  /** Uses of `import()` in the files of commands. */
  readonly dynamicImportsOfCommands: number;
  /** Exports that exactly one other file imports. */
  readonly exportsWithOneUser: number;
  /** Files and lines that the static imports of one file need, without types; the file itself counts. */
  readonly reach: Readonly<Record<string, { readonly files: number; readonly lines: number }>>;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

interface Import {
  readonly file: string;
  /** Names of the exports, or `undefined` for all of them. */
  readonly names: readonly string[] | undefined;
  readonly kind: 'static' | 'type' | 'dynamic';
}

interface Source {
  readonly lines: number;
  readonly bytes: number;
  readonly commentBytes: number;
  readonly jsonObject: number;
  readonly quotedMembers: number;
  readonly casts: number;
  readonly dynamicImports: number;
  readonly exports: readonly string[];
  readonly imports: readonly Import[];
}

/**
 * Measures files.
 * @param folder the folder of `files`
 * @param files paths of TypeScript files, with `/`
 * @param starts the files whose reach is measured
 */
export function measureSizes(folder: string, files: readonly string[], starts: readonly string[]): Sizes {
  const sources = new Map(
    files.map((file) => [file, readSource(file, readFileSync(join(folder, file), 'utf8'))]),
  );
  const all = [...sources.values()];
  const sum = (of: (source: Source) => number, some: readonly Source[] = all): number =>
    some.reduce((total, source) => total + of(source), 0);
  const rooms = groupBy(sources, ([file]) => roomOf(file));
  return {
    lines: sum(({ lines }) => lines),
    bytes: sum(({ bytes }) => bytes),
    commentPercent:
      Math.ceil((sum(({ commentBytes }) => commentBytes) / sum(({ bytes }) => bytes)) * 1000) / 10,
    jsonObject: sum(({ jsonObject }) => jsonObject),
    quotedMembers: sum(({ quotedMembers }) => quotedMembers),
    casts: sum(({ casts }) => casts),
    dynamicImportsOfCommands: [...sources]
      .filter(([file]) => /^cli\/(commands|nouns)\//.test(file))
      .reduce((total, [, { dynamicImports }]) => total + dynamicImports, 0),
    exportsWithOneUser: countExportsWithOneUser(sources),
    reach: Object.fromEntries(
      starts.map((start) => {
        const needed = reachOf(start, sources);
        return [start, { files: needed.length, lines: sum(({ lines }) => lines, needed) }];
      }),
    ),
    rooms: Object.fromEntries(
      [...rooms].map(([room, found]) => {
        const own = found.map(([, source]) => source);
        return [room, { lines: sum(({ lines }) => lines, own), bytes: sum(({ bytes }) => bytes, own) }];
      }),
    ),
  };
}

/** Returns the numbers as rows of a name and a number, for a table and for comparison. */
export function rowsOfSizes({ rooms, reach, ...totals }: Sizes): readonly (readonly [string, number])[] {
  const parts = (name: string, of: object): readonly (readonly [string, number])[] =>
    Object.entries(of).flatMap(([each, values]) =>
      Object.entries(values as object).map(([unit, value]) => [`${name} ${each} ${unit}`, value] as const),
    );
  return [...Object.entries(totals), ...parts('reach', reach), ...parts('room', rooms)];
}

/** Returns the rooms and totals in which `now` is above `before`, and those in which it is below. */
export function compareSizes(
  before: Sizes,
  now: Sizes,
): { readonly grown: readonly string[]; readonly shrunk: readonly string[] } {
  const old = new Map(rowsOfSizes(before));
  const changes = rowsOfSizes(now).map(([name, value]) => ({ name, value, from: old.get(name) ?? 0 }));
  const gone = [...old].filter(([name]) => !changes.some((change) => change.name === name));
  const words = (some: typeof changes): readonly string[] =>
    some.map(({ name, value, from }) => `${name}: ${from} → ${value}`);
  return {
    grown: words(changes.filter(({ value, from }) => value > from)),
    shrunk: [
      ...words(changes.filter(({ value, from }) => value < from)),
      ...gone.map(([name, value]) => `${name}: ${value} → gone`),
    ],
  };
}

function roomOf(file: string): string {
  const folders = file.split('/').slice(0, -1);
  return folders.slice(0, 2).join('/') || '.';
}

function readSource(file: string, text: string): Source {
  const { program, comments, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const counts = { jsonObject: 0, quotedMembers: 0, casts: 0, dynamicImports: 0 };
  const exports: string[] = [];
  const imports: Import[] = [];
  const add = (source: unknown, names: Import['names'], kind: Import['kind']): void => {
    const specifier = (source as { readonly value: string }).value;
    if (!specifier.startsWith('.') || !specifier.endsWith('.ts')) return;
    imports.push({ file: posix.join(posix.dirname(file), specifier), names, kind });
  };
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const each of node) visit(each);
    if (typeof node !== 'object' || node === null || typeof (node as Node).type !== 'string') return;
    const each = node as Node;
    switch (each.type) {
      case 'Identifier':
        if (each['name'] === 'JsonObject') counts.jsonObject++;
        break;
      case 'MemberExpression':
        if (each['computed'] === true && isText(each['property'])) counts.quotedMembers++;
        break;
      case 'TSAsExpression':
      case 'TSTypeAssertion':
        if (!/^const$/.test(textOf(text, each['typeAnnotation']))) counts.casts++;
        break;
      case 'ImportExpression':
        counts.dynamicImports++;
        if (isText(each['source'])) add(each['source'], undefined, 'dynamic');
        break;
      case 'ImportDeclaration': {
        const specifiers = each['specifiers'] as readonly Node[];
        const isType = each['importKind'] === 'type';
        const kinds = groupBy(specifiers, (one) => kindOf(isType || one['importKind'] === 'type'));
        for (const [kind, some] of kinds) add(each['source'], namesOf(some), kind);
        if (specifiers.length === 0) add(each['source'], [], kindOf(isType));
        // An import names JsonObject twice in the tree, as the imported and as the local name.
        counts.jsonObject += specifiers.filter((one) => nameOf(one['imported']) === 'JsonObject').length;
        return;
      }
      case 'ExportAllDeclaration':
        add(each['source'], undefined, kindOf(each['exportKind'] === 'type'));
        break;
      case 'ExportNamedDeclaration':
        exports.push(...exportedNames(each));
        if (each['source'] !== null && each['source'] !== undefined)
          add(each['source'], exportedNames(each), kindOf(each['exportKind'] === 'type'));
        break;
    }
    for (const member of Object.values(each)) visit(member);
  };
  visit(program.body);
  return {
    ...counts,
    lines: text.split('\n').length - 1,
    bytes: Buffer.byteLength(text),
    commentBytes: comments.reduce(
      (sum, { start, end }) => sum + Buffer.byteLength(text.slice(start, end)),
      0,
    ),
    exports,
    imports,
  };
}

function groupBy<T, K>(values: Iterable<T>, keyOf: (value: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const value of values) {
    const key = keyOf(value);
    groups.set(key, [...(groups.get(key) ?? []), value]);
  }
  return groups;
}

const kindOf = (isType: boolean): Import['kind'] => (isType ? 'type' : 'static');

const isText = (node: unknown): boolean =>
  (node as Node).type === 'Literal' && typeof (node as Node)['value'] === 'string';

const textOf = (text: string, node: unknown): string => {
  const { start, end } = node as Node;
  return text.slice(start, end);
};

const nameOf = (node: unknown): string | undefined =>
  (node as Node | undefined)?.['name'] as string | undefined;

/** Returns the imported names, or `undefined` where the whole module is imported. */
const namesOf = (specifiers: readonly Node[]): readonly string[] | undefined => {
  const names = specifiers.map((one) => nameOf(one['imported']));
  return names.every((name) => name !== undefined) ? names : undefined;
};

function exportedNames(node: Node): readonly string[] {
  const declaration = node['declaration'] as Node | null;
  if (declaration === null)
    return (node['specifiers'] as readonly Node[]).flatMap((one) => nameOf(one['exported']) ?? []);
  const declared = (declaration['declarations'] as readonly Node[] | undefined) ?? [declaration];
  return declared.flatMap((one) => nameOf(one['id']) ?? []);
}

function countExportsWithOneUser(sources: ReadonlyMap<string, Source>): number {
  const users = new Map<string, Set<string>>();
  for (const [user, { imports }] of sources)
    for (const { file, names } of imports)
      for (const name of names ?? sources.get(file)?.exports ?? []) {
        const key = `${file} ${name}`;
        users.set(key, (users.get(key) ?? new Set()).add(user));
      }
  return [...users.values()].filter(({ size }) => size === 1).length;
}

function reachOf(start: string, sources: ReadonlyMap<string, Source>): readonly Source[] {
  const found = new Set([start]);
  for (const file of found)
    for (const next of sources.get(file)?.imports ?? []) if (next.kind === 'static') found.add(next.file);
  return [...found].flatMap((file) => sources.get(file) ?? []);
}
