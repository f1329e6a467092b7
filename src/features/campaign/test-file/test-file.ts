/** Reads a file of campaign tests (`spring.test.yaml`). All faults are reported at once, each with its position. */

import { isEmailAddress, normaliseMsisdn } from '../../../kit/text/address.ts';
import { parseDuration } from '../../../kit/text/duration.ts';
import { compileTimePhrase } from '../../../kit/text/time-phrase.ts';
import {
  parseRecipientReactionShares,
  REACTION_SHARE_PRESETS,
  type RecipientReactionShares,
} from '../../../service/protocol/control/audience.ts';
import { sayUnknownAttribute, type ValueOrFault } from '../file/attributes.ts';
import { decodeText } from '../file/content-files.ts';
import {
  type CampaignFault,
  createFaultCollector,
  type Faults,
  type FilePosition,
  type MappingEntry,
  readDocument,
  type YamlMappingNode,
  type YamlNode,
} from '../file/document.ts';
import { CAMPAIGN_FILE_SECTIONS, SEQUENCES_SECTION } from '../file/parts.ts';
import { isReadableVersion, textOfFile } from '../file/versioned-file.ts';
import type { Campaign } from '../model.ts';
import { PERSON_MEMBERS, TEST_FILE_MEMBERS } from './grammar.ts';
import {
  type GivenMember,
  readMeasure,
  readSentence,
  type Statement,
  type StatementContext,
} from './statement.ts';

const TEST_FILE_VERSION = 1;
const MAX_SEEDS = 1000;
const DAY = 86_400;

export interface TestPerson {
  readonly name: string;
  readonly place: FilePosition;
  readonly lists: readonly { readonly id: number; readonly place: FilePosition }[];
  readonly email: string | undefined;
  readonly msisdn: string | undefined;
  readonly fields: Readonly<Record<string, string>>;
}

export interface CampaignTest {
  readonly name: string;
  readonly place: FilePosition;
  readonly statements: readonly Statement[];
}

/** The members of a test file without its people and tests. */
export interface TestFileHead {
  readonly campaign: { readonly path: string; readonly place: FilePosition } | undefined;
  readonly account: 'demo' | 'profile' | { readonly snapshot: string; readonly place: FilePosition };
  readonly starts: { readonly text: string; readonly place: FilePosition } | undefined;
  /** Seconds. */
  readonly length: number;
  readonly shares: RecipientReactionShares;
  readonly seeds: number;
}

export interface CampaignTestFile extends TestFileHead {
  readonly path: string;
  readonly people: readonly TestPerson[];
  readonly tests: readonly CampaignTest[];
}

/** The campaign and the account, on which the statements depend. */
export interface TestSurroundings {
  /** Undefined if the campaign file has faults. */
  readonly campaign: Campaign | undefined;
  /** Unix seconds at which the tests begin. Undefined if the account can't be read. */
  readonly start: number | undefined;
  readonly zone: string;
  /** Lists that the account or the campaign has. Undefined if they are not known. */
  readonly lists: ReadonlySet<number> | undefined;
  readonly fault: (place: FilePosition, message: string) => void;
}

export const isTestFileName = (name: string): boolean => /\.test\.ya?ml$/.test(name);

/** @param surroundings reads the campaign and the account, which the head names */
export async function readTestFile(
  { path, octets }: { readonly path: string; readonly octets: Uint8Array },
  surroundings: (
    head: TestFileHead,
    fault: TestSurroundings['fault'],
  ) => Promise<Omit<TestSurroundings, 'fault'>>,
): Promise<{ readonly file: CampaignTestFile } | { readonly faults: readonly CampaignFault[] }> {
  const faults = createFaultCollector(path);
  const root = rootOf(octets, faults);
  if (!root) return { faults: faults.all() };
  const section = root.entries.find(({ key }) => CAMPAIGN_SECTIONS.includes(key));
  if (section && !entryOf(root, 'tests')) {
    const message =
      'this is a campaign file; write its tests into a file of their own, such as spring.test.yaml';
    return { faults: [{ file: path, ...section.place, message }] };
  }
  const head = readHead(root, faults);
  const found = await surroundings(head, faults.add);
  const people = peopleOf(root, found.lists, faults);
  const reading: StatementReading = {
    ...{ people: people.map(({ name }) => name), campaign: found.campaign, start: found.start },
    ...{ zone: found.zone, length: head.length, faults, lines: linesOf(octets) },
  };
  const tests = testsOf(root, reading);
  checkPeopleCanAct(people, tests, faults);
  if (faults.all().length > 0) return { faults: faults.all() };
  return { file: { ...head, path, people, tests } };
}

const CAMPAIGN_SECTIONS: readonly string[] = [
  ...CAMPAIGN_FILE_SECTIONS.map(({ name }) => name),
  SEQUENCES_SECTION,
];

const linesOf = (octets: Uint8Array): readonly string[] => (decodeText(octets) ?? '').split('\n');

function rootOf(octets: Uint8Array, faults: Faults): YamlMappingNode | undefined {
  const text = textOfFile(octets, faults);
  const root =
    text === undefined
      ? undefined
      : readDocument(text, faults, {
          unlessMapping: 'a test file must be a mapping that begins with "version: 1"',
          replace: (each) => ({ text: each, variables: 'none', names: [], faults: [] }),
        });
  return root && isReadableVersion(root, faults, TEST_FILE_VERSION) ? root : undefined;
}

const entryOf = ({ entries }: YamlMappingNode, name: string): MappingEntry | undefined =>
  entries.find(({ key }) => key === name);

/** Returns the text of a single value. Reports a list, a mapping or an empty value. */
function textOf(node: YamlNode, name: string, faults: Faults): string | undefined {
  if (node.kind === 'faulty') return undefined;
  if (node.kind === 'scalar' && node.value !== null && node.source !== '') return node.source;
  faults.add(
    node.place,
    `${name} must be ${node.kind === 'scalar' ? 'given; it is empty' : `a single value, not a ${node.kind}`}`,
  );
  return undefined;
}

function readHead(root: YamlMappingNode, faults: Faults): TestFileHead {
  const members = Object.keys(TEST_FILE_MEMBERS);
  for (const { key, place } of root.entries)
    if (!members.includes(key)) faults.add(place, sayUnknownAttribute(key, members, 'a test file has'));
  const read = <T>(name: string, parse: (text: string) => ValueOrFault<T>): T | undefined => {
    const node = entryOf(root, name)?.value;
    const text = node && textOf(node, name, faults);
    if (!node || text === undefined) return undefined;
    const found = parse(text);
    if ('value' in found) return found.value;
    faults.add(node.place, `${name}: ${found.fault}`);
    return undefined;
  };
  const placeOf = (name: string): FilePosition => entryOf(root, name)?.value.place ?? root.place;
  if (!entryOf(root, 'campaign'))
    faults.add(
      root.place,
      'campaign is required: the campaign file that is tested, such as campaign: spring.yaml',
    );
  const campaign = read('campaign', (path) => ({ value: { path, place: placeOf('campaign') } }));
  const account = read<TestFileHead['account']>('account', (text) => ({
    value: text === 'demo' || text === 'profile' ? text : { snapshot: text, place: placeOf('account') },
  }));
  const starts = read('starts', (text) => {
    const phrase = compileTimePhrase(text, { now: 0, zone: 'UTC' });
    return phrase.ok ? { value: { text, place: placeOf('starts') } } : { fault: phrase.reason };
  });
  const length = read('for', (text) => {
    const seconds = parseDuration(text) ?? 0;
    return seconds >= 60 && seconds <= 90 * DAY
      ? { value: Math.floor(seconds) }
      : { fault: `"${text}" must be a length of time from 1m to 90d` };
  });
  const shares = read('audience', (text) => {
    const parsed = parseRecipientReactionShares(text);
    return 'shares' in parsed ? { value: parsed.shares } : { fault: `${parsed.fault}; ${parsed.instead}` };
  });
  const seeds = read('seeds', (text) => {
    const count = /^[0-9]{1,6}$/.test(text) ? Number(text) : 0;
    return count >= 1 && count <= MAX_SEEDS
      ? { value: count }
      : { fault: `"${text}" must be a number from 1 to ${MAX_SEEDS}` };
  });
  return {
    ...{ campaign, account: account ?? 'profile', starts },
    ...{ length: length ?? 30 * DAY, shares: shares ?? REACTION_SHARE_PRESETS.none, seeds: seeds ?? 1 },
  };
}

const PERSON_NAME = /^[a-z][a-z0-9-]{0,39}$/;

function peopleOf(
  root: YamlMappingNode,
  lists: ReadonlySet<number> | undefined,
  faults: Faults,
): readonly TestPerson[] {
  const seen = new Map<string, string>();
  return mappingEntries(root, 'people', 'person', faults).flatMap(({ key: name, place, value }) => {
    if (!PERSON_NAME.test(name) || name === 'list') {
      faults.add(
        place,
        `person ${JSON.stringify(name)}: a name has lower-case letters, digits and hyphens, begins with a letter, and is not "list"`,
      );
      return [];
    }
    if (value.kind !== 'mapping') {
      if (value.kind !== 'faulty')
        faults.add(value.place, `person ${name}: write attributes: {list: 1, email: ${name}@example.com}`);
      return [{ name, place, lists: [], email: undefined, msisdn: undefined, fields: {} }];
    }
    const fault = (at: FilePosition, message: string): void => faults.add(at, `person ${name}: ${message}`);
    for (const { key, place: at } of value.entries)
      if (!Object.hasOwn(PERSON_MEMBERS, key))
        fault(at, sayUnknownAttribute(key, Object.keys(PERSON_MEMBERS), 'a person has'));
    const address = (member: 'email' | 'msisdn'): string | undefined => {
      const node = entryOf(value, member)?.value;
      const text = node && textOf(node, member, faults);
      if (!node || text === undefined) return undefined;
      const normal =
        member === 'email' ? (isEmailAddress(text) ? text.toLowerCase() : undefined) : normaliseMsisdn(text);
      if (normal === undefined)
        fault(
          node.place,
          `${member}: "${text}" is not ${member === 'email' ? 'an e-mail address' : 'a phone number with its country code'}`,
        );
      const other = normal === undefined ? undefined : seen.get(normal);
      if (other !== undefined) fault(node.place, `${other} has the same ${member}`);
      if (normal !== undefined) seen.set(normal, name);
      return normal;
    };
    const [email, msisdn] = [address('email'), address('msisdn')];
    if (!entryOf(value, 'email') && !entryOf(value, 'msisdn'))
      fault(place, `give an email or an msisdn, such as email: ${name}@example.com`);
    return [
      { name, place, lists: listsOf(value, lists, fault), email, msisdn, fields: fieldsOf(value, fault) },
    ];
  });
}

function listsOf(
  person: YamlMappingNode,
  known: ReadonlySet<number> | undefined,
  fault: (place: FilePosition, message: string) => void,
): TestPerson['lists'] {
  const node = entryOf(person, 'list')?.value;
  if (!node || node.kind === 'faulty') return [];
  const all = node.kind === 'list' ? node.entries : [node];
  return all.flatMap((each) => {
    const text = each.kind === 'scalar' ? each.source : '';
    const id = Number(text);
    if (!/^[1-9][0-9]{0,14}$/.test(text))
      fault(each.place, 'list must be the id of a list, or ids in brackets');
    else {
      if (known && !known.has(id)) fault(each.place, unknownList(id, known));
      return [{ id, place: each.place }];
    }
    return [];
  });
}

function unknownList(id: number, known: ReadonlySet<number>): string {
  const lists = [...known].sort((a, b) => a - b).join(', ');
  return `list ${id} is neither in the account nor in the campaign; ${known.size === 0 ? 'there is no list' : `there are ${lists}`}`;
}

function fieldsOf(
  person: YamlMappingNode,
  fault: (place: FilePosition, message: string) => void,
): TestPerson['fields'] {
  const node = entryOf(person, 'fields')?.value;
  if (!node || node.kind === 'faulty') return {};
  if (node.kind !== 'mapping') {
    fault(node.place, 'fields must be values by name: {City: Oslo}');
    return {};
  }
  return Object.fromEntries(
    node.entries.flatMap(({ key, value }) => {
      if (value.kind === 'scalar') return [[key, value.source] as const];
      if (value.kind !== 'faulty') fault(value.place, `field ${key} must be a single value`);
      return [];
    }),
  );
}

/** Reports a member that is no mapping. An empty one has no entries. */
function mappingEntries(
  root: YamlMappingNode,
  name: string,
  noun: string,
  faults: Faults,
): readonly MappingEntry[] {
  const node = entryOf(root, name)?.value;
  if (!node || node.kind === 'faulty' || (node.kind === 'scalar' && node.value === null)) return [];
  if (node.kind === 'mapping') return node.entries;
  faults.add(node.place, `${name} must have one entry for each ${noun}, under its name`);
  return [];
}

interface StatementReading extends StatementContext {
  readonly faults: Faults;
  readonly lines: readonly string[];
}

function testsOf(root: YamlMappingNode, reading: StatementReading): readonly CampaignTest[] {
  const { faults } = reading;
  const entries = mappingEntries(root, 'tests', 'test', faults);
  const node = entryOf(root, 'tests');
  if (entries.length === 0 && (!node || node.value.kind === 'scalar' || node.value.kind === 'mapping'))
    faults.add(node?.place ?? root.place, 'tests is required: lists of statements, each under a name');
  return entries.map(({ key: name, place, value }) => {
    if (value.kind !== 'list') {
      if (value.kind !== 'faulty') faults.add(value.place, `test "${name}" must be a list of statements`);
      return { name, place, statements: [] };
    }
    if (value.entries.length === 0) faults.add(value.place, `test "${name}" has no statement`);
    return { name, place, statements: value.entries.flatMap((each) => statementOf(each, reading)) };
  });
}

function statementOf(node: YamlNode, reading: StatementReading): readonly Statement[] {
  const { faults } = reading;
  const { place } = node;
  if (node.kind === 'faulty') return [];
  if (node.kind === 'scalar' && typeof node.value === 'string') {
    const text = node.value.trim().replace(/\s+/g, ' ');
    const found = readSentence(text, reading);
    if (!('faults' in found)) return [{ kind: 'sentence', place, text, ...found }];
    for (const { at, message } of found.faults) faults.add(placeWithin(place, text, at, reading), message);
    return [];
  }
  if (node.kind !== 'mapping' || node.entries.length !== 1) {
    faults.add(
      place,
      'a statement is one sentence, or one measure such as messages-per-person: {week: at most 2}',
    );
    return [];
  }
  const [{ key, place: at, value } = { key: '', place, value: node }] = node.entries;
  if (value.kind === 'faulty') return [];
  const members: readonly GivenMember[] =
    value.kind === 'mapping'
      ? value.entries.map((entry) => memberOf(entry.key, entry.place, entry.value))
      : [memberOf('', at, value)];
  if (members.length === 0) faults.add(value.place, `${key} has no limit`);
  const before = faults.all().length;
  const found =
    members.length === 0 ? undefined : readMeasure(key, { place: at, members }, reading, faults.add);
  if (!found || faults.all().length > before) return [];
  return [{ kind: 'measure', place: at, text: textOfMeasure(key, members), ...found }];
}

const memberOf = (member: string, place: FilePosition, value: YamlNode): GivenMember => ({
  ...{ member, place, valuePlace: value.place },
  text: value.kind === 'scalar' ? value.source : undefined,
});

function textOfMeasure(key: string, members: readonly GivenMember[]): string {
  const [only] = members;
  if (only?.member === '') return `${key}: ${only.text ?? ''}`;
  return `${key}: {${members.map(({ member, text }) => `${member}: ${text ?? ''}`).join(', ')}}`;
}

/** Returns the place of the statement if the file writes it in another way, for example over two lines. */
function placeWithin(
  place: FilePosition,
  text: string,
  at: number,
  { lines }: StatementReading,
): FilePosition {
  const line = lines[place.line - 1]?.slice(place.column - 1) ?? '';
  const offset = line.indexOf(text);
  return offset < 0 || offset > 1 ? place : { ...place, column: place.column + offset + at };
}

function checkPeopleCanAct(
  people: readonly TestPerson[],
  tests: readonly CampaignTest[],
  faults: Faults,
): void {
  for (const { name, place, lists } of people) {
    if (lists.length > 0) continue;
    const arrives = tests.some(({ statements }) =>
      statements.some(
        (each) =>
          each.kind === 'sentence' &&
          each.slots.person === name &&
          (each.name === 'subscribe' || each.name === 'write'),
      ),
    );
    if (!arrives)
      faults.add(
        place,
        `person ${name} is on no list, so nothing reaches ${name}; add "list: ID", or write "${name} subscribes to list ID" in a test`,
      );
  }
}
