/** Writes a campaign's file so that `read.ts` reads the same values back. */
import {
  Document,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  Pair,
  parseDocument,
  Scalar,
  YAMLMap,
  YAMLSeq,
} from 'yaml';
import { escapeForTerminal, UNSAFE_CHARACTER_CLASS } from '../../../kit/text/terminal.ts';
import type { ItemKind } from '../model.ts';
import { CAMPAIGN_FILE_SECTIONS, CAMPAIGN_FILE_VERSION, SEQUENCES_SECTION } from './parts.ts';

export type CampaignFileValue = string | number | bigint | boolean | null;

export interface CampaignFileItem {
  readonly kind: ItemKind;
  readonly key: string;
  readonly comments: readonly string[];
  readonly attributes: Attributes;
  /** Set if the item is a step of this sequence, whose steps stand together. */
  readonly sequence?: { readonly key: string; readonly attributes: Attributes } | undefined;
}

type Attributes = readonly (readonly [string, CampaignFileValue | NestedValue])[];
type PlainAttributes = readonly (readonly [string, CampaignFileValue])[];

/** A mapping, or a list of mappings. Each is one line. */
export type NestedValue = { readonly map: PlainAttributes } | { readonly list: readonly PlainAttributes[] };

export interface CampaignFileContent {
  readonly campaign: string;
  readonly company: CampaignFileValue;
  readonly comments: { readonly first: readonly string[]; readonly last: readonly string[] };
  readonly items: readonly CampaignFileItem[];
}

export interface FormattedCampaignFile {
  readonly text: string;
  readonly itemAt: (line: number) => string | undefined;
}

export function formatCampaignFile({
  campaign,
  company,
  comments,
  items,
}: CampaignFileContent): FormattedCampaignFile {
  const root = new YAMLMap();
  const document = new Document(root);
  root.set('version', CAMPAIGN_FILE_VERSION);
  root.set('campaign', scalarOf(campaign));
  root.set('company', scalarOf(company));
  for (const { name, kind } of CAMPAIGN_FILE_SECTIONS) {
    const own = items.filter((item) => item.kind === kind && item.sequence === undefined);
    if (own.length > 0) addTo(root, name, sectionOf(own), []).spaceBefore = true;
  }
  const steps = items.filter(({ sequence }) => sequence !== undefined);
  if (steps.length > 0) addTo(root, SEQUENCES_SECTION, sequencesOf(steps), []).spaceBefore = true;
  if (comments.first.length > 0) document.commentBefore = commentOf(comments.first);
  if (comments.last.length > 0) document.comment = commentOf(comments.last);
  const text = document.toString({
    lineWidth: 0,
    minContentWidth: 0,
    blockQuote: false,
    doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
  });
  const escaped = text.replace(UNSAFE, escaped32);
  return { text: escaped, itemAt: itemsByLine(escaped) };
}

function sectionOf(items: readonly CampaignFileItem[]): YAMLMap {
  const section = new YAMLMap();
  for (const { key, comments, attributes } of items) addTo(section, key, mapOf(attributes), comments);
  return section;
}

function mapOf(attributes: Attributes): YAMLMap {
  const item = new YAMLMap();
  for (const [name, value] of attributes)
    addTo(item, name, isNested(value) ? nestedOf(value) : scalarOf(value), []);
  return item;
}

const isNested = (value: CampaignFileValue | NestedValue): value is NestedValue =>
  typeof value === 'object' && value !== null;

function nestedOf(value: NestedValue): YAMLMap | YAMLSeq {
  const lineOf = (attributes: PlainAttributes): YAMLMap => {
    const map = mapOf(attributes);
    map.flow = true;
    return map;
  };
  if ('map' in value) return lineOf(value.map);
  const list = new YAMLSeq();
  list.items.push(...value.list.map(lineOf));
  return list;
}

function sequencesOf(steps: readonly CampaignFileItem[]): YAMLMap {
  const section = new YAMLMap();
  for (const key of new Set(steps.map(({ sequence }) => sequence?.key ?? ''))) {
    const own = steps.filter(({ sequence }) => sequence?.key === key);
    const item = mapOf(own[0]?.sequence?.attributes ?? []);
    const list = new YAMLSeq();
    list.items.push(...own.map(({ attributes }) => mapOf(attributes)));
    addTo(item, 'steps', list, []);
    addTo(section, key, item, []);
  }
  return section;
}

function addTo(
  map: YAMLMap,
  name: string,
  value: Scalar | YAMLMap | YAMLSeq,
  comments: readonly string[],
): Scalar {
  const key = new Scalar(name);
  if (comments.length > 0) key.commentBefore = commentOf(comments);
  map.items.push(new Pair(key, value));
  return key;
}

function scalarOf(value: CampaignFileValue): Scalar {
  if (typeof value !== 'string') return new Scalar(value);
  const scalar = new Scalar(value.replaceAll('${{', () => '$${{'));
  if (UNSAFE.test(value)) scalar.type = Scalar.QUOTE_DOUBLE;
  UNSAFE.lastIndex = 0;
  return scalar;
}

const UNSAFE = new RegExp(`[${UNSAFE_CHARACTER_CLASS}]`, 'gv');

function escaped32(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  return code > 0xffff ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`;
}

/** Escapes characters that would end a line or are invisible. */
const commentOf = (lines: readonly string[]): string =>
  lines.map((line) => ` ${escapeForTerminal(line)}`).join('\n');

function itemsByLine(text: string): FormattedCampaignFile['itemAt'] {
  const lines = new LineCounter();
  const { contents } = parseDocument(text, { lineCounter: lines, uniqueKeys: false });
  const found: { readonly from: number; readonly to: number; readonly item: string }[] = [];
  for (const { name, kind } of [...CAMPAIGN_FILE_SECTIONS, { name: SEQUENCES_SECTION, kind: 'sequence' }]) {
    const section = isMap(contents) ? contents.get(name, true) : undefined;
    if (!isMap(section)) continue;
    for (const { key, value } of section.items) {
      if (!isScalar(key)) continue;
      const [from = 0] = key.range ?? [];
      const [, end = from] = (isNode(value) ? value.range : undefined) ?? [];
      found.push({
        from: lines.linePos(from).line,
        to: lines.linePos(end).line,
        item: `${kind} ${String(key.value)}`,
      });
    }
  }
  return (line) => found.find(({ from, to }) => from <= line && line <= to)?.item;
}
