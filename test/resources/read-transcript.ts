/** Reads the transcript of the interface's tables: rows of fields, and the attributes of each method. */
import { automationKinds, automationRules, departures, type Transcript, transcript } from './transcript.ts';

export const TIMED = Object.keys(automationKinds) as (keyof typeof automationKinds)[];

export interface Row {
  readonly type: string;
  readonly F: string;
  readonly S: string;
  readonly words: string;
}

/** The table of each resource, by its name. */
export const documented: ReadonlyMap<string, Transcript> = new Map([
  ...Object.entries(transcript),
  ...TIMED.map((kind) => [kind, timed(kind)] as const),
]);

export function enumValues(name: string, attribute: string): readonly (string | number)[] | undefined {
  const lists: Readonly<Record<string, Readonly<Record<string, readonly (string | number)[]>>>>[] = [
    departures.enums,
    departures.values,
  ];
  for (const list of lists) if (list[name]?.[attribute]) return list[name][attribute];
  const kind = TIMED.find((each) => each === name);
  if (kind && attribute === 'actiontype') return words(automationKinds[kind].actiontype);
  return undefined;
}

/** Returns the attributes of a method, with "all other" spelled out, but without the `id` of a PUT. */
export function presenceOf(
  name: string,
  table: Transcript,
  method: 'POST' | 'PUT',
): { readonly required: string[]; readonly optional: string[]; readonly partner: string[] } {
  if (name === 'account' && method === 'POST')
    return {
      required: [...departures.accountPost.required],
      optional: [...departures.accountPost.optional],
      partner: [],
    };
  const stated = table[method] ?? {};
  const required = attributes(stated.required ?? '').filter((each) => each !== 'id');
  const readOnly = (departures.readOnly as Readonly<Record<string, readonly string[]>>)[name] ?? [];
  const optional = /^(all|every) other/.test(stated.optional ?? '')
    ? [...rowsOf(table.fields).keys()].filter(
        (each) => each !== 'id' && !required.includes(each) && !readOnly.includes(each),
      )
    : attributes(stated.optional ?? '').filter((each) => each !== 'id');
  return { required, optional, partner: attributes(stated.partner ?? '') };
}

function timed(kind: keyof typeof automationKinds): Transcript {
  const own = automationKinds[kind];
  return {
    ...automationRules,
    fields: `${automationRules.fields}\n${own.fields}`,
    POST: { ...automationRules.POST, required: `${own.required}, ${automationRules.POST?.required}` },
  };
}

export function rowsOf(table: string): ReadonlyMap<string, Row> {
  return new Map(
    words(table, '\n').map((line) => {
      const [name = '', type = '', F = '', S = '', text = ''] = line.split('|').map((cell) => cell.trim());
      return [name, { type, F, S, words: text }];
    }),
  );
}

const attributes = (list: string): string[] =>
  words(list).map((attribute) => attribute.replace(/ \(.*\)$/, ''));

export function words(list: string, separator = ','): string[] {
  return list
    .split(separator)
    .map((word) => word.trim())
    .filter((word) => word !== '');
}
