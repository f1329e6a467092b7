import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { readIdText } from '../../../kit/schema/integer.ts';
import { type ContentMarkupNames, DEFAULT_CONTENT_MARKUP_NAMES } from '../../../kit/schema/resource.ts';
import { unstorableTextReason } from '../../../kit/text/words.ts';
import type { AccountId } from '../../../service/auth/credentials.ts';
import { computeItemKeyHash } from '../marks.ts';
import type { Campaign, ItemKind, WantedItem } from '../model.ts';
import { keyInFile } from '../series.ts';
import {
  type ItemEntry,
  type ItemReadContext,
  itemPositionKey,
  readAttributeValue,
  sayUnknownAttribute,
  type ValueOrFault,
} from './attributes.ts';
import {
  type ContentFileLimits,
  type ContentFileResult,
  createContentFileReader,
  describeReadError,
  readContentFile,
  refuseSecrets,
} from './content-files.ts';
import {
  type CampaignFault,
  createFaultCollector,
  type Faults,
  type FilePosition,
  readDocument,
  type YamlMappingNode,
  type YamlScalarNode,
} from './document.ts';
import { readChannel, readFolderItem, readMessageItem, readRuleItem, readTaskItem } from './items.ts';
import {
  CAMPAIGN_FILE_SECTIONS,
  CAMPAIGN_FILE_VERSION,
  ITEM_KEY_PATTERN,
  RENAMED_FROM,
  SEQUENCES_SECTION,
} from './parts.ts';
import { checkEarlierKeys, readEarlierNames } from './renames.ts';
import { checkStepOrder, listStepEntries, readStepItem } from './sequences.ts';
import { readNamedValues, refuseVariables, VALUES_SECTION } from './values.ts';
import { replaceVariables, type Variables } from './variables.ts';
import { isReadableVersion, MAX_CAMPAIGN_FILE_OCTETS, textOfFile } from './versioned-file.ts';

export type { CampaignFault, FilePosition } from './document.ts';

export interface CampaignReadOptions extends Variables {
  readonly words?: ContentMarkupNames | undefined;
}

export interface CampaignInputFile {
  readonly file: string;
  readonly sha256: string;
}

export interface ParsedCampaign {
  readonly campaign: Campaign;
  readonly inputs: readonly CampaignInputFile[];
  readonly places: ReadonlyMap<string, FilePosition>;
  readonly variables: ReadonlyMap<string, readonly string[]>;
  /** Also without a value. */
  readonly usedVariables: ReadonlySet<string>;
}

/** A file with faults has as `readable` the items without faults, so that svc can look for further faults. */
export type CampaignReadResult =
  | ParsedCampaign
  | { readonly faults: readonly CampaignFault[]; readonly readable?: ParsedCampaign };

/** Returns undefined for an unknown item. */
export function positionOf(
  { places }: Pick<ParsedCampaign, 'places'>,
  kind: ItemKind,
  key: string,
  attribute?: string,
): FilePosition | undefined {
  const own = keyInFile(key);
  return places.get(itemPositionKey(kind, own, attribute)) ?? places.get(itemPositionKey(kind, own));
}

/** @param path as the user typed it, because the faults name the file in this way */
export async function readCampaignFile(
  path: string,
  {
    cwd,
    limits,
    ...options
  }: CampaignReadOptions & { readonly cwd: string; readonly limits: ContentFileLimits },
): Promise<CampaignReadResult> {
  const full = resolve(cwd, path);
  const failed = (fault: string): CampaignReadResult => ({
    faults: [{ file: path, line: 1, column: 1, message: `the file ${fault}` }],
  });
  try {
    const found = refuseSecrets(
      await readContentFile(await realpath(full), MAX_CAMPAIGN_FILE_OCTETS),
      limits,
    );
    if ('fault' in found) return failed(found.fault);
    return await readCampaign(
      { path, octets: found.octets },
      { ...options, readContent: createContentFileReader(dirname(full), limits) },
    );
  } catch (error) {
    return failed(describeReadError(error));
  }
}

/** @param options `readContent` reads a content file by its shortest path in the folder of the campaign file, never outside that folder */
export async function readCampaign(
  source: { readonly path: string; readonly octets: Uint8Array },
  options: CampaignReadOptions & { readonly readContent: (path: string) => Promise<ContentFileResult> },
): Promise<CampaignReadResult> {
  const faults = createFaultCollector(source.path);
  const usedVariables = new Set<string>();
  const failed = (): CampaignReadResult => ({ faults: faults.all() });
  const text = textOfFile(source.octets, faults);
  if (text === undefined) return failed();
  const set = new Map(options.set);
  const root = readDocument(text, faults, {
    unlessMapping: 'a campaign file must be a mapping that begins with "version: 1"',
    replace: (each) => replaceVariables(each, { ...options, set }, usedVariables),
    first: {
      key: VALUES_SECTION,
      replace: refuseVariables,
      read: (node) => {
        for (const [name, value] of readNamedValues(node, faults, VALUES_SECTION))
          if (!options.set.has(name)) set.set(name, value.text);
      },
    },
  });
  if (!root || !isReadable(root, faults)) return failed();
  const contents = new Map<string, Promise<ContentFileResult>>();
  const inputs: CampaignInputFile[] = [inputOf(basename(source.path), source.octets)];
  const readContent = (path: string): Promise<ContentFileResult> => {
    const found = contents.get(path) ?? options.readContent(path);
    contents.set(path, found);
    return found;
  };
  const head = readHead(root, faults);
  const entries = CAMPAIGN_FILE_SECTIONS.flatMap(({ name, kind }) => itemsOf(root, { name, kind }, faults));
  const sections = [...entries, ...stepsOf(root, entries, faults)];
  const reading: ItemReadContext = {
    faults,
    words: options.words ?? DEFAULT_CONTENT_MARKUP_NAMES,
    messages: new Map(
      sections.flatMap((item) => (item.kind === 'message' ? [[item.key, readChannel(item)]] : [])),
    ),
    places: new Map(),
    variables: new Map(),
    takenOver: new Map(),
    earlierKeys: [],
    readContent,
    valueNames: new Set(set.keys()),
  };
  const items: WantedItem[] = [];
  for (const entry of sections) {
    const item = await readItem(reading, entry);
    if (item) items.push(item);
  }
  checkStepOrder(reading, items);
  const earlierNames = root.entries.find(({ key }) => key === RENAMED_FROM)?.value;
  if (earlierNames) reading.places.set(RENAMED_FROM, earlierNames.place);
  checkEarlierKeys(reading, sections);
  const { places, variables } = reading;
  const read = { campaign: { ...head, items }, inputs, places, variables, usedVariables };
  if (faults.all().length > 0) return { faults: faults.all(), readable: read };
  for (const [file, found] of contents) {
    const content = await found;
    if ('octets' in content) inputs.push(inputOf(file, content.octets));
  }
  return read;
}

const inputOf = (file: string, octets: Uint8Array): CampaignInputFile => ({
  file,
  sha256: createHash('sha256').update(octets).digest('hex'),
});

const TOP: readonly string[] = [
  'version',
  'campaign',
  RENAMED_FROM,
  'company',
  VALUES_SECTION,
  ...CAMPAIGN_FILE_SECTIONS.map(({ name }) => name),
  SEQUENCES_SECTION,
];

/** Returns false for a file in which svc checks nothing else. */
function isReadable(root: YamlMappingNode, faults: Faults): boolean {
  const other = root.entries.find(({ key }) => Object.hasOwn(OTHER_FILES, key));
  if (!other) return isReadableVersion(root, faults, CAMPAIGN_FILE_VERSION);
  faults.add(other.place, OTHER_FILES[other.key] ?? '');
  return false;
}

/** Other files of svc, by a key that only they have. */
const OTHER_FILES: Readonly<Record<string, string>> = {
  tests: 'this file has tests of a campaign, and is no campaign file; svc test runs it',
  sha256: 'this file is a saved plan, and no campaign file; svc plan show and svc apply take it',
};

function readHead(
  root: YamlMappingNode,
  faults: Faults,
): Pick<Campaign, 'campaign' | 'company' | 'renamedFrom'> {
  for (const { key, place } of root.entries) {
    if (TOP.includes(key)) continue;
    faults.add(place, sayUnknownAttribute(key, TOP, 'a campaign has'));
  }
  const campaign = headValue(root, 'campaign', faults, nameOf);
  const company = headValue(root, 'company', faults, companyOf);
  if (campaign === null && !root.entries.some(({ key }) => key === 'campaign'))
    faults.add(
      root.place,
      'the name of the campaign is missing (campaign: NAME); svc finds the records of this file by that name',
    );
  return { campaign: campaign ?? '', company, ...earlierNamesIn(root, campaign, faults) };
}

function earlierNamesIn(
  root: YamlMappingNode,
  campaign: string | null,
  faults: Faults,
): Pick<Campaign, 'renamedFrom'> {
  const node = root.entries.find(({ key }) => key === RENAMED_FROM)?.value;
  const names = readEarlierNames(node, nameOf, faults.add);
  for (const [index, { name, place }] of names.entries())
    if (name === campaign)
      faults.add(place, `${RENAMED_FROM}: this is the name of the campaign itself; write an earlier name`);
    else if (names.findIndex((each) => each.name === name) < index)
      faults.add(place, `${RENAMED_FROM}: ${JSON.stringify(name)} is given twice`);
  return names.length === 0 ? {} : { renamedFrom: names.map(({ name }) => name) };
}

function headValue<T>(
  root: YamlMappingNode,
  name: string,
  faults: Faults,
  read: (node: YamlScalarNode) => ValueOrFault<T>,
): T | null {
  const node = root.entries.find(({ key }) => key === name)?.value;
  if (!node || node.kind === 'faulty') return null;
  const found: ValueOrFault<T> =
    node.kind === 'scalar' ? read(node) : { fault: `must be a single value, not a ${node.kind}` };
  if ('value' in found) return found.value;
  faults.add(node.place, `${name} ${found.fault}`);
  return null;
}

function nameOf(node: YamlScalarNode): ValueOrFault<string> {
  const found = readAttributeValue({ kind: 'string', describe: '' }, node);
  if ('fault' in found) return found;
  const { value } = found;
  if (typeof value !== 'string' || value.trim() === '')
    return { fault: 'is empty; give the campaign a name' };
  if (/[\r\n]/.test(value)) return { fault: 'must be one line' };
  const broken = unstorableTextReason(value);
  return broken === undefined ? { value } : { fault: broken };
}

function companyOf({ value, source }: YamlScalarNode): ValueOrFault<AccountId | null> {
  if (value === null) return { value: null };
  const id = typeof value === 'boolean' ? undefined : readIdText(source.trim());
  return id !== undefined && id > 0
    ? { value: id }
    : { fault: `must be the id of a company, not ${JSON.stringify(source)}` };
}

function itemsOf(
  root: YamlMappingNode,
  {
    name: section,
    kind,
    noun = kind,
  }: { readonly name: string; readonly kind: ItemKind; readonly noun?: string },
  faults: Faults,
): readonly ItemEntry[] {
  const node = root.entries.find(({ key }) => key === section)?.value;
  if (!node || node.kind === 'faulty' || (node.kind === 'scalar' && node.value === null)) return [];
  if (node.kind !== 'mapping') {
    faults.add(
      node.place,
      `${section} must contain one entry for each ${noun}: write a key that you choose, and the attributes of the ${noun} below that key`,
    );
    return [];
  }
  const seen = new Map<string, string>();
  return node.entries.flatMap(({ key, place, value }) => {
    if (!ITEM_KEY_PATTERN.test(key)) {
      faults.add(place, `${noun} ${JSON.stringify(key)}: ${keyFault(key)}`);
      return [];
    }
    const other = seen.get(computeItemKeyHash(kind, key));
    if (other !== undefined)
      faults.addInItem(
        place,
        `${noun} ${key}`,
        `svc cannot distinguish this key from ${noun} ${other}; choose another key`,
      );
    seen.set(computeItemKeyHash(kind, key), key);
    if (value.kind === 'mapping') return [{ kind, key, place, mapping: value }];
    if (value.kind === 'faulty') return [];
    faults.addInItem(value.place, `${noun} ${key}`, 'must contain its attributes (a YAML mapping)');
    return [];
  });
}

/** The marks of steps and of other rules must differ. */
function stepsOf(root: YamlMappingNode, others: readonly ItemEntry[], faults: Faults): readonly ItemEntry[] {
  const section = { name: SEQUENCES_SECTION, kind: 'automation', noun: 'sequence' } as const;
  const sequences = itemsOf(root, section, faults);
  const taken = new Map(
    others.flatMap(({ kind, key }) => (kind === 'automation' ? [[computeItemKeyHash(kind, key), key]] : [])),
  );
  return sequences.flatMap((sequence) => {
    const steps = listStepEntries(faults, sequence);
    for (const { key, place, partOf = '' } of steps) {
      const other = taken.get(computeItemKeyHash('automation', key));
      if (other !== undefined && other !== key)
        faults.addInItem(
          place,
          partOf,
          `svc cannot distinguish the step ${key} from automation ${other}; choose another key`,
        );
      taken.set(computeItemKeyHash('automation', key), key);
    }
    return steps;
  });
}

const keyFault = (key: string): string =>
  /^[0-9]+$/.test(key)
    ? 'a key must not look like an id; begin the key with a letter'
    : 'a key has 1 to 40 lower-case letters, digits and hyphens, and begins with a letter or digit';

async function readItem(reading: ItemReadContext, item: ItemEntry): Promise<WantedItem | undefined> {
  switch (item.kind) {
    case 'folder':
      return readFolderItem(reading, item);
    case 'message':
      return readMessageItem(reading, item);
    case 'task':
      return readTaskItem(reading, item);
    case 'automation':
      return item.partOf === undefined ? readRuleItem(reading, item) : readStepItem(reading, item);
  }
}
