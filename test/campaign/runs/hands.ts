/** Makes changes by hand, through the interface, to records of a campaign, and records the expected outcome. */
import type { SqlRow } from '../../../src/sandbox/store/rows.ts';
import type { Chance } from '../../client/simulation-world.ts';
import { isSetAside, keyOf, rowsOf, type StoredItem } from './stored.ts';
import type { World } from './world.ts';

/** A change by hand that is still in effect. */
export interface Hand {
  readonly item: StoredItem;
  /** The path of the record, such as `/v1/task/3`. */
  readonly path: string;
  /** The changed columns with their new values; empty for a deleted record. */
  readonly set: Readonly<Record<string, unknown>>;
  /** The number of requests that had arrived before. */
  readonly at: number;
}

export interface Hands {
  /** Changes that must not be overwritten without --overwrite. */
  readonly standing: Set<Hand>;
  /** Steps that a change by hand may block, such as `task t1`. */
  readonly touched: Set<string>;
  /** Paths of all records that were changed or deleted by hand, such as `/v1/emailMessage/5`. */
  readonly touchedPaths: Set<string>;
  /** Keys of tasks that were cancelled by hand, with the highest task id at that time. */
  readonly cancelled: Map<string, number>;
  /** Keys of rules that someone resumed after a run had withdrawn them. */
  readonly unpaused: Set<string>;
  /** Keys of tasks and rules that lost their mark. */
  readonly lost: Set<string>;
  /** Paths of tasks that lost their mark and were sent, and that `--overwrite` then sent once more. */
  readonly sentAnyway: Set<string>;
  hasDeletedMessage: boolean;
}

export const createHands = (): Hands => ({
  standing: new Set(),
  touched: new Set(),
  touchedPaths: new Set(),
  cancelled: new Map(),
  unpaused: new Set(),
  lost: new Set(),
  sentAnyway: new Set(),
  hasDeletedMessage: false,
});

const isLive = (row: SqlRow): boolean => row['cancelled'] === 0 && row['completed'] === 0;

/** Makes one change, or none if chance picks a record that cannot be changed. */
export async function changeByHand(world: World, chance: Chance, hands: Hands): Promise<void> {
  const all = (await rowsOf(world.sandbox)).filter(({ row }) => String(row['name']).includes('[svc-'));
  if (all.length === 0) return;
  const item = chance.pick(all);
  const { row, kind, path } = item;
  const name = String(row['name']);
  const put = async (body: Readonly<Record<string, unknown>>, set = body): Promise<void> => {
    const at = world.sent.length;
    const status = await world.byHand('PUT', path, body);
    if (status !== 200) return;
    hands.touched.add(keyOf(item));
    hands.touchedPaths.add(path);
    const earlier = [...hands.standing].find((each) => each.path === path);
    if (earlier) hands.standing.delete(earlier);
    // The value was changed back, which counts as no change.
    const isBack =
      earlier && Object.entries(stored(set)).every(([column, value]) => earlier.item.row[column] === value);
    if (!isBack) hands.standing.add({ item, path, set: stored(set), at });
  };
  const remove = async (): Promise<void> => {
    if ((await world.byHand('DELETE', path)) !== 200) return;
    if (kind === 'message') hands.hasDeletedMessage = true;
    hands.touched.add(keyOf(item));
    hands.touchedPaths.add(path);
    for (const earlier of hands.standing) if (earlier.path === path) hands.standing.delete(earlier);
  };
  const renamed = { name: name.replace(/^(.*) \[/, '$1 by hand [') };
  switch (kind) {
    case 'folder':
      return chance.is(0.7) ? put(renamed) : remove();
    case 'message': {
      if (chance.is(0.2)) return remove();
      if (row['editable'] !== 1) return;
      if (chance.is(0.15)) return put({ name: name.replace(/ \[svc.*$/, '') });
      if (item.table === 'sms_message') return put({ message: 'By hand' });
      return chance.is(0.3) ? put(renamed) : put({ subject: 'By hand' });
    }
    case 'task': {
      if (!isLive(row)) return;
      const key = keyOf(item);
      const others = all.filter((each) => keyOf(each) === key && each !== item && isLive(each.row));
      if (chance.is(0.4)) {
        if (others.length > 0) return;
        const highest = Math.max(
          ...all.filter((each) => each.kind === 'task').map((each) => Number(each.row['id'])),
        );
        await put({ cancelled: true });
        const [after] = (await rowsOf(world.sandbox)).filter((each) => each.path === path);
        if (after?.row['cancelled'] === 1 && !isSetAside(after.row)) hands.cancelled.set(key, highest);
        return;
      }
      if (chance.is(0.3)) return put(renamed);
      if (chance.is(0.3)) {
        hands.lost.add(key);
        return put({ name: name.replace(/ \[svc.*$/, '') });
      }
      return put({ scheduledtime: Number(row['scheduledtime']) + 900 });
    }
    case 'automation': {
      if (chance.is(0.2)) return remove();
      if (chance.is(0.25)) {
        hands.lost.add(keyOf(item));
        return put({ name: name.replace(/ \[svc.*$/, '') });
      }
      if (chance.is(0.5)) {
        if (row['paused'] === 1 && isSetAside(row)) hands.unpaused.add(keyOf(item));
        return put({ paused: row['paused'] !== 1 });
      }
      return isSetAside(row) ? undefined : put({ summary: 'By hand' });
    }
  }
}

const stored = (set: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(set).map(([name, value]) => [name, typeof value === 'boolean' ? Number(value) : value]),
  );
