/** Edits the entry of svc in JSON, with or without comments. All other bytes stay. */
import {
  createScanner,
  findNodeAtLocation,
  type Node,
  type ParseError,
  parse,
  parseTree,
} from 'jsonc-parser';
import {
  CANNOT_EDIT,
  type Configuration,
  ConfigurationFault,
  changedMembers,
  isOnlyEntryChanged,
  lineAt,
  lineEndOf,
  readEntry,
  SERVER_NAME,
  type StoredEntry,
} from './server-entry.ts';

/** @throws ConfigurationFault */
export function readJsonConfiguration(
  original: string,
  servers: string,
  { allowsComments }: { readonly allowsComments: boolean },
): Configuration {
  const isEmpty = original.trim() === '';
  const text = isEmpty ? '{}' : original;
  const rules = { disallowComments: !allowsComments, allowTrailingComma: allowsComments };
  const errors: ParseError[] = [];
  const root: unknown = parse(text, errors, rules);
  const [first] = errors;
  if (first !== undefined)
    throw new ConfigurationFault(`is not valid JSON (line ${lineAt(text, first.offset)})`);
  const entry = readEntry(root, servers);
  const checked = (edited: string, wanted: StoredEntry | undefined): string => {
    const faults: ParseError[] = [];
    const after: unknown = parse(edited, faults, rules);
    // A member that the file has twice shows here.
    if (faults.length > 0 || !isOnlyEntryChanged(root, after, servers, wanted))
      throw new ConfigurationFault(CANNOT_EDIT);
    return edited;
  };
  return {
    entry,
    withEntry: (wanted) => {
      const values = { ...entry, ...wanted };
      if (entry === undefined) {
        const added = withMember(text, [servers], SERVER_NAME, values);
        return checked(isEmpty ? `${added}\n` : added, values);
      }
      let edited = text;
      for (const name of changedMembers(entry, wanted))
        edited = withMember(edited, [servers, SERVER_NAME], name, wanted[name]);
      return checked(edited, values);
    },
    withoutEntry: () => {
      if (entry === undefined) return original;
      const edited = withoutMember(text, [servers, SERVER_NAME]);
      return checked(withoutBlanks(edited, servers), undefined);
    },
  };
}

/** Sets a member of the object at a path, and makes the object if the file lacks it. */
function withMember(text: string, path: readonly string[], name: string, value: unknown): string {
  const parent = nodeAt(text, path);
  if (parent === undefined) return withMember(text, path.slice(0, -1), path.at(-1) ?? '', { [name]: value });
  const existing = findNodeAtLocation(parent, [name]);
  if (existing !== undefined) {
    const written = formatted(text, value, indentOfLine(text, existing.offset), !isOnLines(text, parent));
    return replaced(text, existing.offset, existing.length, written);
  }
  const last = parent.children?.at(-1);
  if (last === undefined) {
    const outer = indentOfLine(text, parent.offset);
    const [line, inner] = [lineEndOf(text), outer + indentUnit(text)];
    const member = `${JSON.stringify(name)}: ${formatted(text, value, inner)}`;
    const hasLineEnd = /^\s*\n/.test(text.slice(parent.offset + 1));
    const after = hasLineEnd ? '' : line + outer;
    return replaced(text, parent.offset + 1, 0, `${line}${inner}${member}${after}`);
  }
  const isLong = isOnLines(text, parent);
  const indent = isLong ? indentOfLine(text, last.offset) : '';
  const gap = isLong ? lineEndOf(text) + indent : ' ';
  const member = `${JSON.stringify(name)}: ${formatted(text, value, indent, !isLong)}`;
  const end = last.offset + last.length;
  const comma = commaAfter(text, end);
  const next = comma === undefined ? end : comma + 1;
  // A comment stays beside the member that it describes.
  const comment = isLong ? (/^[ \t]*\/\/[^\r\n]*/.exec(text.slice(next))?.[0] ?? '') : '';
  const added = replaced(text, next + comment.length, 0, gap + member + (comma === undefined ? '' : ','));
  return comma === undefined ? replaced(added, end, 0, ',') : added;
}

/** Takes out a member and one comma. Comments stay. */
function withoutMember(text: string, path: readonly string[]): string {
  const member = nodeAt(text, path)?.parent;
  const siblings = member?.parent?.children ?? [];
  if (member === undefined) throw new ConfigurationFault(CANNOT_EDIT);
  const end = member.offset + member.length;
  const previous = siblings[siblings.indexOf(member) - 1];
  const comma = commaAfter(text, end) ?? (previous && commaAfter(text, previous.offset + previous.length));
  // A member on lines of its own leaves no empty line.
  const start = member.offset - (/\r?\n[ \t]*$/.exec(text.slice(0, member.offset))?.[0].length ?? 0);
  const cuts = [{ start, end }, ...(comma === undefined ? [] : [{ start: comma, end: comma + 1 }])];
  // The last cut first, so that the offsets of the other one stay.
  return cuts
    .sort((a, b) => b.start - a.start)
    .reduce((left, cut) => replaced(left, cut.start, cut.end - cut.start, ''), text);
}

/** Returns the offset of the next token if it is a comma. */
function commaAfter(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  const next = scanner.getTokenOffset();
  return text[next] === ',' ? next : undefined;
}

const nodeAt = (text: string, path: readonly string[]): Node | undefined => {
  const root = parseTree(text, [], { allowTrailingComma: true });
  return root && findNodeAtLocation(root, [...path]);
};

/** Reports whether the members of the object are on lines of their own. */
const isOnLines = (text: string, { offset, children }: Node): boolean =>
  text.slice(offset, children?.[0]?.offset).includes('\n');

function formatted(text: string, value: unknown, indent: string, isShort = false): string {
  if (isShort) return JSON.stringify(value);
  return JSON.stringify(value, undefined, indentUnit(text)).replaceAll('\n', lineEndOf(text) + indent);
}

const indentOfLine = (text: string, offset: number): string =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1))?.[0] ?? '';

/** Returns the indentation of the first indented line, which is one level deep. */
const indentUnit = (text: string): string => /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';

const replaced = (text: string, offset: number, length: number, by: string): string =>
  text.slice(0, offset) + by + text.slice(offset + length);

/** Empties the table of servers if only blanks are left in it. */
function withoutBlanks(text: string, servers: string): string {
  const table = nodeAt(text, [servers]);
  if (table === undefined || text.slice(table.offset + 1, table.offset + table.length - 1).trim() !== '')
    return text;
  return replaced(text, table.offset, table.length, '{}');
}
