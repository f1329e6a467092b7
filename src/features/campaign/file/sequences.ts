/** Reads the sequences of a campaign file. Each step becomes the entry of an automation rule. */

import { oneOf, orNull } from '../../../kit/schema/field.ts';
import { formatDuration } from '../../../kit/text/duration.ts';
import { ruleResource } from '../../../service/resources/rule-kinds.ts';
import { formatStepName, SEQUENCE_RULE_KIND } from '../../../service/resources/step-names.ts';
import { CHANNELS, type Channel } from '../../../service/resources/task.ts';
import type { WantedItem, WantedRule } from '../model.ts';
import { formatStepItemKey, listSequences } from '../sequences.ts';
import {
  type ItemEntry,
  type ItemReadContext,
  type ItemReading,
  itemPositionKey,
  sayUnknownAttribute,
  startReadingItem,
} from './attributes.ts';
import type { Faults, FilePosition, MappingEntry, YamlMappingNode, YamlNode } from './document.ts';
import { finishRule, readDurations } from './items.ts';
import {
  type AttributeSpec,
  ITEM_KEY_PATTERN,
  RENAMED_FROM,
  renamedFromSpec,
  ruleAttributeSpecs,
} from './parts.ts';
import { type EarlierName, readEarlierKey, readEarlierNames } from './renames.ts';

/** A step has `renamed-from`, too. */
const SHARED_ATTRIBUTES: readonly string[] = ['name', 'list', 'steps', 'paused'];
const SEQUENCE_ATTRIBUTES: readonly string[] = [...SHARED_ATTRIBUTES, RENAMED_FROM];
const REQUIRED_SEQUENCE_ATTRIBUTES: readonly string[] = ['name', 'list', 'steps'];

/** The rule's attributes that a step gives under names of its own. */
const SPELLINGS: Readonly<Record<string, string>> = {
  actiontarget: 'message',
  actiontimediff: 'after',
  actionhour: 'at-hour',
  actiononweekend: 'weekends',
  id: 'id',
  hash: 'hash',
  [RENAMED_FROM]: RENAMED_FROM,
  // The sequence gives these for all of its steps.
  name: 'name',
  list_id: 'list',
  paused: 'paused',
};

/** Descriptions of attributes of rules, as a sequence uses them. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  name: 'Name of the sequence, from which svc makes the names of its rules',
  list_id: 'List whose new subscribers get the messages',
  paused: 'The rules of all steps are paused (a subscription does not trigger them)',
  actiontarget: 'Message of the step',
  actionhour: "Hour at which the message is sent (company's time zone)",
  actiononweekend: 'The message is also sent at weekends',
};

const CHANNEL_SPEC: AttributeSpec = {
  name: 'channel',
  spellings: ['channel'],
  takes: 'value',
  field: orNull(
    oneOf(CHANNELS, 'Channel of the message (default: email), if the message is not in this file'),
  ),
  isRequired: false,
};

const RULE_SPECS: readonly AttributeSpec[] = [
  ...ruleAttributeSpecs(SEQUENCE_RULE_KIND).flatMap((spec): readonly AttributeSpec[] => {
    const spelling = SPELLINGS[spec.name];
    if (spelling === undefined || (spec.name === 'actiontimediff' && spec.takes !== 'after')) return [];
    const isRequired = spec.isRequired || spec.takes === 'after';
    const takes = spec.takes === 'keys' ? 'step-keys' : spec.takes;
    const field = { ...spec.field, describe: DESCRIPTIONS[spec.name] ?? spec.field.describe };
    return [{ ...spec, field, spellings: [spelling], takes, isRequired }];
  }),
  CHANNEL_SPEC,
];

const isOfSequence = ({ spellings: [spelling = ''] }: AttributeSpec): boolean =>
  SHARED_ATTRIBUTES.includes(spelling);

export const sequenceAttributeSpecs: readonly AttributeSpec[] = [
  ...RULE_SPECS.filter(isOfSequence),
  renamedFromSpec,
];
export const stepAttributeSpecs: readonly AttributeSpec[] = RULE_SPECS.filter((spec) => !isOfSequence(spec));

const STEP_ATTRIBUTES: readonly string[] = [
  ...stepAttributeSpecs.flatMap(({ spellings }) => spellings),
  'key',
];

/** Returns an entry for each step, and reports faults of the sequence itself. */
export function listStepEntries(faults: Faults, sequence: ItemEntry): readonly ItemEntry[] {
  const partOf = `sequence ${sequence.key}`;
  const fault = (place: FilePosition, message: string): void => faults.addInItem(place, partOf, message);
  const given = new Map(sequence.mapping.entries.map((entry) => [entry.key, entry]));
  for (const { key, place } of given.values())
    if (!SEQUENCE_ATTRIBUTES.includes(key)) fault(place, sayUnknownAttribute(key, SEQUENCE_ATTRIBUTES));
  for (const name of REQUIRED_SEQUENCE_ATTRIBUTES)
    if (isMissing(given.get(name)?.value)) fault(sequence.place, `${name} is required`);
  const earlierSequences = readEarlierNames(given.get(RENAMED_FROM)?.value, readEarlierKey, fault);
  const steps = given.get('steps')?.value;
  if (!steps || isMissing(steps) || steps.kind === 'faulty') return [];
  if (steps.kind !== 'list' || steps.entries.length === 0) {
    fault(
      steps.place,
      'steps must be a list with at least one step, and not an alias: begin each step with "- message:"',
    );
    return [];
  }
  const keys = new Map<string, number>();
  return steps.entries.flatMap((step, index): readonly ItemEntry[] => {
    if (step.kind === 'faulty') return [];
    if (step.kind !== 'mapping') {
      fault(step.place, `step ${index + 1} must have attributes, such as message and after`);
      return [];
    }
    const wanted = keyOfStep(step, index + 1, fault);
    const other = keys.get(wanted);
    if (other !== undefined) fault(placeOfKey(step), `step ${other} has the key ${wanted} too`);
    const key = other === undefined ? wanted : String(index + 1);
    keys.set(key, index + 1);
    for (const entry of step.entries)
      if (!STEP_ATTRIBUTES.includes(entry.key))
        fault(entry.place, sayUnknownAttribute(entry.key, STEP_ATTRIBUTES));
    return [stepEntry(sequence, step, { key, partOf, earlierSequences })];
  });
}

function stepEntry(
  sequence: ItemEntry,
  step: YamlMappingNode,
  {
    key,
    ...about
  }: {
    readonly key: string;
    readonly partOf: string;
    readonly earlierSequences: readonly EarlierName[];
  },
): ItemEntry {
  const shared = sequence.mapping.entries.flatMap((entry): readonly MappingEntry[] => {
    if (entry.key === 'name') return [{ ...entry, value: nameOfStep(entry.value, key) }];
    return entry.key === 'list' || entry.key === 'paused' ? [entry] : [];
  });
  const own = step.entries.filter(({ key: name }) => name !== 'key' && STEP_ATTRIBUTES.includes(name));
  return {
    kind: 'automation',
    key: formatStepItemKey(sequence.key, key),
    place: step.place,
    mapping: { kind: 'mapping', place: step.place, entries: [...shared, ...own] },
    ...about,
  };
}

/** Leaves a name as it is that the checks of a rule refuse. */
function nameOfStep(node: YamlNode, key: string): YamlNode {
  if (node.kind !== 'scalar' || typeof node.value === 'boolean' || node.source.trim() === '') return node;
  const name = formatStepName(node.source, key);
  return node.value === null ? node : { ...node, value: name, source: name };
}

function keyOfStep(
  step: YamlMappingNode,
  number: number,
  fault: (place: FilePosition, message: string) => void,
): string {
  const value = step.entries.find(({ key }) => key === 'key')?.value;
  if (value === undefined || value.kind === 'faulty') return String(number);
  if (value.kind === 'scalar' && value.variables === 'none' && ITEM_KEY_PATTERN.test(value.source))
    return value.source;
  fault(
    value.place,
    'key must have 1 to 40 lower-case letters, digits and hyphens, and must not be a number or a variable',
  );
  return String(number);
}

const placeOfKey = ({ entries, place }: YamlMappingNode): FilePosition =>
  entries.find(({ key }) => key === 'key')?.value.place ?? place;

const isMissing = (node: YamlNode | undefined): boolean =>
  node === undefined || (node.kind === 'scalar' && node.value === null);

export function readStepItem(context: ItemReadContext, item: ItemEntry): WantedRule {
  const reading = startReadingItem(context, item, ruleResource(SEQUENCE_RULE_KIND), RULE_SPECS);
  const { body, given, faulty, fault } = reading;
  for (const { name, spellings, isRequired } of RULE_SPECS) {
    if (!isRequired || !isMissing(given.get(name)?.node)) continue;
    // The sequence reports what it lacks itself, once for all of its steps.
    if (stepAttributeSpecs.some((spec) => spec.name === name)) fault(name, `${spellings[0]} is required`);
    faulty.add(name);
  }
  readDurations(reading);
  body.actiontype = `${channelOfStep(reading)}_autoresponder`;
  delete body.channel;
  const isTimed = (body['actionhour'] ?? null) !== null || body['actiontimediff'] !== 0;
  if (isTimed && !given.has('actiononweekend')) body['actiononweekend'] = true;
  return finishRule(reading, SEQUENCE_RULE_KIND);
}

/** The interface has an action of its own for each channel. */
function channelOfStep({ given, body, messages, fault }: ItemReading): Channel {
  const node = given.get('actiontarget')?.node;
  const key = node?.kind === 'scalar' ? node.source : '';
  const { channel = null } = body;
  const named = CHANNELS.find((each) => each === channel);
  if (messages.has(key)) {
    if (given.has('channel'))
      fault(
        'channel',
        `channel is allowed only if the message is not in this file; the message ${key} has its own channel`,
      );
    return messages.get(key) ?? 'email';
  }
  if (channel !== null && named === undefined) fault('channel', `channel must be ${CHANNELS.join(' or ')}`);
  return named ?? 'email';
}

/** Reports each step that people would get before the step above it. */
export function checkStepOrder({ faults, places }: ItemReadContext, items: readonly WantedItem[]): void {
  for (const { key, steps } of listSequences(items))
    for (const [index, { rule }] of steps.entries()) {
      const before = steps[index - 1]?.rule;
      const attribute = before && attributeOfEarlierStep(before, rule);
      const place = attribute && places.get(itemPositionKey('automation', rule.key, attribute));
      if (!place) continue;
      faults.addInItem(
        place,
        `sequence ${key}`,
        attribute === 'actionhour'
          ? 'at-hour is before that of the step above, on the same day; write the steps in the order in which people get them'
          : `after is shorter than that of the step above (${formatDuration(minutesOf(before) * 60)}); write the steps in the order in which people get them`,
      );
    }
}

const minutesOf = ({ values }: WantedRule): number => Number(values['actiontimediff'] ?? 0);

function attributeOfEarlierStep(before: WantedRule, rule: WantedRule): string | undefined {
  if (minutesOf(rule) !== minutesOf(before))
    return minutesOf(rule) < minutesOf(before) ? 'actiontimediff' : undefined;
  const [earlier, later] = [before, rule].map(({ values }) => values['actionhour']);
  if (typeof earlier !== 'string' || typeof later !== 'string') return undefined;
  return later < earlier ? 'actionhour' : undefined;
}
