/** Reads the attributes of a series: `repeat` and `occurrences` of a task. */

import { readIdText } from '../../../kit/schema/integer.ts';
import { readDay } from '../../../kit/text/calendar.ts';
import { compileTimePhrase, isRelativeTime } from '../../../kit/text/time-phrase.ts';
import { CONTENT_HASH_PATTERN } from '../../../service/resources/campaign-mark.ts';
import type { WantedTask } from '../model.ts';
import {
  AHEAD_RANGE,
  findSeriesFault,
  isSeries,
  MAX_OCCURRENCES,
  type Repeat,
  type SeriesFault,
} from '../series.ts';
import { addItemFault, type ItemReading, itemPositionKey, sayUnknownAttribute } from './attributes.ts';
import type { FilePosition, YamlMappingNode, YamlNode, YamlScalarNode } from './document.ts';

export const EVERY = ['day', 'weekday', 'week', 'month'] as const satisfies readonly Repeat['every'][];
export const REPEAT_ATTRIBUTES = ['every', 'until', 'times', 'ahead'] as const;
const RECORD_ATTRIBUTES: readonly string[] = ['day', 'id', 'hash'];

/** @returns undefined for a task that is no series, and null after reporting a fault */
export function readRepeat(reading: ItemReading): Repeat | null | undefined {
  const { item, given } = reading;
  const node = given.get('repeat')?.node;
  const listed = given.get('occurrences')?.node;
  const isNone = node === undefined || (node.kind === 'scalar' && node.value === null);
  if (isNone && listed !== undefined) reading.fault('occurrences', 'occurrences needs repeat');
  if (isNone) return undefined;
  const adopted = given.get('id');
  if (adopted !== undefined)
    reading.fault('id', 'id is for a single task; name the records of a series in occurrences');
  if (node.kind === 'faulty') return null;
  if (node.kind !== 'mapping' || node.entries.length === 0) {
    reading.fault('repeat', 'repeat must have attributes, such as {every: week, times: 10}, and no alias');
    return null;
  }
  const fault = (place: FilePosition, message: string): null => {
    addItemFault(reading, item, place, message);
    return null;
  };
  for (const { key, place } of node.entries)
    if (!REPEAT_ATTRIBUTES.some((name) => name === key))
      fault(place, `repeat: ${sayUnknownAttribute(key, REPEAT_ATTRIBUTES)}`);
  const readPart = <T>(name: string, parse: (source: string) => T | undefined, must: string): T | null => {
    const value = entryOf(node, name);
    if (value === undefined || value.kind === 'faulty') return null;
    reading.places.set(itemPositionKey('task', item.key, `repeat ${name}`), value.place);
    const found = value.kind === 'scalar' ? parse(value.source.trim()) : undefined;
    return found ?? fault(value.place, `${name} must be ${must}${shown(value)}`);
  };
  const every = readPart(
    'every',
    (text) => EVERY.find((each) => each === text),
    `${EVERY.slice(0, -1).join(', ')} or ${EVERY.at(-1)}`,
  );
  const until = readPart('until', (text) => readDay(text) && text, 'a day, such as 2026-12-31');
  const times = readPart('times', numberFrom(1), `a whole number from 1 to ${MAX_OCCURRENCES}`);
  const { least, most } = AHEAD_RANGE;
  const ahead = readPart('ahead', numberFrom(least, most), `a whole number from ${least} to ${most}`);
  const isGiven = (name: string): boolean => entryOf(node, name) !== undefined;
  if (!isGiven('every')) fault(node.place, `every is required: ${EVERY.join(', ')}`);
  if (isGiven('until') && isGiven('times'))
    fault(
      node.entries.find(({ key }) => key === 'times')?.place ?? node.place,
      'give until or times, not both',
    );
  if (!isGiven('until') && !isGiven('times'))
    fault(node.place, 'a series needs an end: until, such as 2026-12-31, or times, such as 10');
  if (times !== null && times > MAX_OCCURRENCES)
    fault(
      entryOf(node, 'times')?.place ?? node.place,
      `the series has more than ${MAX_OCCURRENCES} times; end it earlier, and write another series later`,
    );
  const records = readRecords(reading, listed);
  const isWhole = REPEAT_ATTRIBUTES.every(
    (name) => !isGiven(name) || { every, until, times, ahead }[name] !== null,
  );
  if (every === null || !isWhole || (until === null) === (times === null)) return null;
  if (times !== null && times > MAX_OCCURRENCES) return null;
  return { every, until, times, ahead: ahead ?? AHEAD_RANGE.default, records };
}

/** An attribute that is null counts as left out. */
function entryOf({ entries }: YamlMappingNode, name: string): YamlNode | undefined {
  const value = entries.find(({ key }) => key === name)?.value;
  return value?.kind === 'scalar' && value.value === null ? undefined : value;
}

const numberFrom =
  (least: number, most = 999_999) =>
  (text: string): number | undefined =>
    /^[0-9]{1,6}$/.test(text) && Number(text) >= least && Number(text) <= most ? Number(text) : undefined;

const shown = (node: YamlNode): string =>
  node.kind === 'scalar' && node.source.length <= 40 ? `, not ${JSON.stringify(node.source)}` : '';

function readRecords(reading: ItemReading, listed: YamlNode | undefined): Repeat['records'] {
  if (listed === undefined || listed.kind === 'faulty' || (listed.kind === 'scalar' && listed.value === null))
    return [];
  const { item, takenOver } = reading;
  const fault = (place: FilePosition, message: string): readonly never[] => {
    addItemFault(reading, item, place, message);
    return [];
  };
  if (listed.kind !== 'list')
    return fault(listed.place, 'occurrences must be a list; begin each occurrence with "- day:"');
  const days = new Set<string>();
  return listed.entries.flatMap((entry): Repeat['records'] => {
    if (entry.kind === 'faulty') return [];
    if (entry.kind !== 'mapping') return fault(entry.place, 'an occurrence must have day and id');
    for (const { key, place } of entry.entries)
      if (!RECORD_ATTRIBUTES.includes(key)) fault(place, sayUnknownAttribute(key, RECORD_ATTRIBUTES));
    const textOf = (name: string): string | undefined => scalarOf(entryOf(entry, name))?.source.trim();
    const placeOf = (name: string): FilePosition => entryOf(entry, name)?.place ?? entry.place;
    const [day = '', hash = null] = [textOf('day'), textOf('hash')];
    const id = readIdText(textOf('id') ?? '');
    if (readDay(day) === undefined) return fault(placeOf('day'), 'day must be a day, such as 2026-12-31');
    if (id === undefined) return fault(placeOf('id'), 'id must be the id of an existing record');
    if (hash !== null && !CONTENT_HASH_PATTERN.test(hash))
      return fault(placeOf('hash'), 'hash is not a hash written by svc export; remove it');
    if (days.has(day)) return fault(placeOf('day'), `another occurrence has the day ${day} too`);
    days.add(day);
    const other = takenOver.get(`task null ${id}`);
    if (other !== undefined) return fault(placeOf('id'), `id ${id} is also used by task ${other}`);
    takenOver.set(`task null ${id}`, item.key);
    return [{ day, id: String(id), hash }];
  });
}

const scalarOf = (node: YamlNode | undefined): YamlScalarNode | undefined =>
  node?.kind === 'scalar' ? node : undefined;

/** A series is filled again and again, so words such as "monday 09:00" would name another first day each time. */
export function checkFirstTime(reading: ItemReading, at: string): void {
  if (!isRelativeTime(at)) return;
  reading.fault(
    'scheduledtime',
    `${reading.given.get('scheduledtime')?.spelling ?? 'at'} of a series must be a date and a time, such as 2026-12-07 09:00, because "${at}" would be another first time in each run`,
  );
}

/** Finds the faults of a series that do not depend on the company's zone, which svc reads later. */
export function checkSeries(reading: ItemReading, task: WantedTask): void {
  if (!isSeries(task)) return;
  const read = compileTimePhrase(task.at, { now: 0, zone: 'UTC' });
  if (!read.ok) return;
  const zones = read.needs === 'zone' ? ['UTC'] : EXTREME_ZONES;
  const [first, ...others] = zones.map((zone) => findSeriesFault(task, zone));
  if (first === undefined || others.some((each) => each?.attribute !== first.attribute)) return;
  addItemFault(reading, reading.item, placeOfFault(reading, first), first.reason);
}

const EXTREME_ZONES: readonly string[] = ['Etc/GMT+12', 'Pacific/Kiritimati'];

const placeOfFault = ({ places, item }: ItemReading, { attribute }: SeriesFault): FilePosition =>
  places.get(itemPositionKey('task', item.key, attribute)) ?? item.place;
