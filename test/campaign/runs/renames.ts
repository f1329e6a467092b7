/**
 * Keys and names that people change while their records exist. The oracle knows an item by its first key, which its name has, too. A run
 * applies the file with the present keys, which have an `x` for each rename: `t1` becomes `t1x` and then `t1xx`.
 */
import type { Campaign, MessageReference, Step, WantedItem } from '../../../src/features/campaign/model.ts';
import { formatStepItemKey, parseStepItemKey } from '../../../src/features/campaign/sequences.ts';
import type { Chance } from '../../client/simulation-world.ts';
import { CAMPAIGN, type File } from './file.ts';

/** How often each item, sequence and the campaign were renamed, such as `task t1` → 2. */
export type Renames = ReadonlyMap<string, number>;

const CAMPAIGN_NAME = 'campaign';

/** Renames a few things, or none. */
export function renamedMore(chance: Chance, renames: Renames, items: File): Renames {
  if (!chance.is(0.4)) return renames;
  const names = [CAMPAIGN_NAME, ...items.flatMap(namesOf)];
  const after = new Map(renames);
  for (let count = Math.ceil(chance.between(0, 4)); count > 0; count -= 1) {
    const name = chance.pick(names);
    after.set(name, (after.get(name) ?? 0) + 1);
  }
  return after;
}

/** Returns the edited file, unless it lacks the line of a renamed message: contract, "`renamed-from`". */
export const keepingRenames = (renames: Renames, before: File, after: File): File =>
  before.some(
    (item) =>
      item.kind === 'message' &&
      renames.has(`message ${item.key}`) &&
      !after.some(({ kind, key }) => kind === 'message' && key === item.key),
  )
    ? before
    : after;

function namesOf({ kind, key }: WantedItem): readonly string[] {
  const sequence = parseStepItemKey(key)?.sequence;
  return [`${kind} ${key}`, ...(sequence === undefined ? [] : [`sequence ${sequence}`])];
}

/** Returns the present name, and the earlier ones, the oldest first. */
function lifeOf(renames: Renames, name: string, first: string): { now: string; earlier: readonly string[] } {
  const count = renames.get(name) ?? 0;
  const all = Array.from({ length: count + 1 }, (_, each) => `${first}${'x'.repeat(each)}`);
  return { now: all.at(-1) ?? first, earlier: all.slice(0, -1) };
}

function keysOf(renames: Renames, kind: string, key: string): { now: string; earlier: readonly string[] } {
  const parsed = parseStepItemKey(key);
  if (!parsed) return lifeOf(renames, `${kind} ${key}`, key);
  const sequence = lifeOf(renames, `sequence ${parsed.sequence}`, parsed.sequence);
  const step = lifeOf(renames, `${kind} ${key}`, parsed.step);
  const all = [...sequence.earlier, sequence.now].flatMap((one) =>
    [...step.earlier, step.now].map((other) => formatStepItemKey(one, other)),
  );
  return { now: all.at(-1) ?? key, earlier: all.slice(0, -1) };
}

/** Returns the campaign with the present keys and `renamed-from`. */
export function campaignWith(renames: Renames, items: File): Campaign {
  const point = <R extends MessageReference>(reference: R): R =>
    'key' in reference ? { ...reference, key: keysOf(renames, 'message', reference.key).now } : reference;
  const { now, earlier } = lifeOf(renames, CAMPAIGN_NAME, CAMPAIGN);
  return {
    campaign: now,
    ...(earlier.length === 0 ? {} : { renamedFrom: earlier }),
    company: null,
    items: items.map((item): WantedItem => {
      const keys = keysOf(renames, item.kind, item.key);
      const renamed = { key: keys.now, ...(keys.earlier.length === 0 ? {} : { renamedFrom: keys.earlier }) };
      if (item.kind === 'task') return { ...item, ...renamed, message: point(item.message) };
      if (item.kind !== 'automation') return { ...item, ...renamed };
      const references = Object.entries(item.references).map(([name, each]) => [name, point(each)]);
      return { ...item, ...renamed, references: Object.fromEntries(references) };
    }),
  };
}

/** Returns the options with the present keys. */
export const adoptWith = (
  renames: Renames,
  adopt: Readonly<Record<string, string>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(adopt).map(([name, id]) => {
      const [kind = '', key = ''] = name.split(' ');
      const [own = '', day] = key.split('@');
      const { now } = keysOf(renames, kind, own);
      return [`${kind} ${now}${day === undefined ? '' : `@${day}`}`, id];
    }),
  );

export const firstKey = (key: string): string => key.replace(/x+(?=[/@]|$)/g, '');

/** Returns the step with the key by which the oracle knows the item. */
export const withFirstKey = (step: Step): Step =>
  step.key === undefined ? step : { ...step, key: firstKey(step.key) };
