/** Edits the table of svc in TOML. All other bytes stay. */
import { parse, TomlError } from 'smol-toml';
import {
  CANNOT_EDIT,
  type Configuration,
  ConfigurationFault,
  changedMembers,
  isOnlyEntryChanged,
  lineEndOf,
  readEntry,
  SERVER_NAME,
  type StoredEntry,
} from './server-entry.ts';

/** @throws ConfigurationFault */
export function readTomlConfiguration(text: string, servers: string): Configuration {
  const root = parsed(text);
  const entry = readEntry(root, servers);
  const checked = (edited: string, wanted: StoredEntry | undefined): string => {
    // Lines of a text of several lines may look like a table. The comparison finds such an edit.
    if (!isOnlyEntryChanged(root, parsedOrUndefined(edited), servers, wanted))
      throw new ConfigurationFault(CANNOT_EDIT);
    return edited;
  };
  return {
    entry,
    withEntry: (wanted) => {
      const line = lineEndOf(text);
      if (entry === undefined) {
        const before = text === '' || text.endsWith('\n') ? text : text + line;
        const members = Object.entries(wanted).map(([name, value]) => memberLine(name, value));
        const table = [`[${servers}.${SERVER_NAME}]`, ...members, ''].join(line);
        return checked(before + (before === '' ? '' : line) + table, { ...wanted });
      }
      const lines = text.split('\n');
      for (const name of changedMembers(entry, wanted)) {
        const { start, end } = tableLines(lines, servers, isHeaderOfEntry);
        const member = memberLines(lines, start + 1, end, name);
        const written = memberLine(name, wanted[name]) + (line === '\r\n' ? '\r' : '');
        lines.splice(member.start, member.end - member.start, written);
      }
      return checked(lines.join('\n'), { ...entry, ...wanted });
    },
    withoutEntry: () => {
      if (entry === undefined) return text;
      const lines = text.split('\n');
      for (;;) {
        const at = lines.findIndex((each) => isHeaderOfEntryOrPart(each, servers));
        if (at < 0) break;
        const { start, end } = tableLines(lines, servers, isHeaderOfEntryOrPart);
        const isLast = end === lines.length;
        // Comments and blank lines above the next table belong to it.
        let stop = end;
        while (!isLast && stop > start + 1 && /^\s*(#.*)?\r?$/.test(lines[stop - 1] ?? '')) stop -= 1;
        // The blank line above the table goes with it.
        const first = isLast && lines[start - 1]?.trim() === '' ? start - 1 : start;
        lines.splice(first, stop - first, ...(isLast && first > 0 ? [''] : []));
      }
      return checked(lines.join('\n'), undefined);
    },
  };
}

function parsed(text: string): Record<string, unknown> {
  try {
    return parse(text, { integersAsBigInt: 'asNeeded' });
  } catch (error) {
    if (error instanceof TomlError) throw new ConfigurationFault(`is not valid TOML (line ${error.line})`);
    throw error;
  }
}

function parsedOrUndefined(text: string): Record<string, unknown> | undefined {
  try {
    return parsed(text);
  } catch (error) {
    if (error instanceof ConfigurationFault) return undefined;
    throw error;
  }
}

/** A JSON string is a basic string of TOML, except for the character U+007F. */
const tomlString = (text: string): string => JSON.stringify(text).replaceAll('\u007f', '\\u007f');

const memberLine = (name: string, value: ServerValue): string =>
  `${name} = ${typeof value === 'string' ? tomlString(value) : `[${(value ?? []).map(tomlString).join(', ')}]`}`;

type ServerValue = string | readonly string[] | undefined;

type IsHeader = (line: string, servers: string) => boolean;

const isHeaderOfEntry: IsHeader = (line, servers) =>
  headerKeys(line).length === 2 && isHeaderOfEntryOrPart(line, servers);

/** Also matches tables of the entry, such as `[mcp_servers.svc.env]`. */
const isHeaderOfEntryOrPart: IsHeader = (line, servers) => {
  const [first, second] = headerKeys(line);
  return first === servers && second === SERVER_NAME;
};

/** Returns the keys of `[mcp_servers . "svc"]`, and none for a line of another kind. */
const headerKeys = (line: string): readonly string[] =>
  /^\s*\[([^[\]]*)\]/.exec(line)?.[1]?.split('.').map(unquoted) ?? [];

const unquoted = (key: string): string => key.trim().replace(/^["']|["']$/g, '');

/** Returns the lines of the table from its header to the next header. */
function tableLines(
  lines: readonly string[],
  servers: string,
  isHeader: IsHeader,
): { readonly start: number; readonly end: number } {
  const start = lines.findIndex((line) => isHeader(line, servers));
  // The table may be a member of another one, or an inline table.
  if (start < 0) throw new ConfigurationFault(CANNOT_EDIT);
  const length = lines.slice(start + 1).findIndex((line) => /^\s*\[/.test(line));
  return { start, end: length < 0 ? lines.length : start + 1 + length };
}

/** Returns the lines of a member, or an empty range below the header. The value may have several lines. */
function memberLines(
  lines: readonly string[],
  from: number,
  to: number,
  name: string,
): { readonly start: number; readonly end: number } {
  const start = lines.findIndex(
    (line, index) => index >= from && index < to && unquoted(line.split('=')[0] ?? '') === name,
  );
  if (start < 0) return { start: from, end: from };
  for (let end = start + 1; end <= to; end += 1)
    if (parsedOrUndefined(`${lines.slice(start, end).join('\n')}\n`) !== undefined) return { start, end };
  throw new ConfigurationFault(CANNOT_EDIT);
}
