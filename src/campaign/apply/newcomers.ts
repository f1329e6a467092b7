/**
 * What came since the service was observed: what another run of the campaign makes meanwhile, from the same file or from another
 * version of it, under the same key and maybe another name.
 */
import type { Client } from '../../client/client.ts';
import type { JsonObject } from '../../protocol/envelope.ts';
import { compareNumbers, idNumber, integerOf } from '../../schema/integer.ts';
import type { Resource } from '../../schema/resource.ts';
import { campaignPart, keyPart, readMark } from '../marks.ts';
import type { Campaign, ItemKind } from '../model.ts';

export interface Newcomers {
  /** Reads what has a higher id than all that was seen: one GET for at most 200. @param by in place of the run's client */
  readonly look: (resource: Resource, by?: Pick<Client, 'list'>) => Promise<void>;
  /** Of those that were seen so far the item's own, by id, as they were when they were first seen. */
  readonly of: (resource: Resource, kind: ItemKind, key: string) => readonly JsonObject[];
  /** Those without a mark, which may be anybody's. */
  readonly unmarked: (resource: Resource) => readonly JsonObject[];
  /** The highest id that was seen. */
  readonly highest: (resource: Resource) => number | bigint;
}

/** @param observed all records that were there then */
export function createNewcomers(
  client: Pick<Client, 'list'>,
  { campaign }: Pick<Campaign, 'campaign'>,
  observed: (resource: Resource) => readonly JsonObject[],
): Newcomers {
  const own = campaignPart(campaign);
  const seen = new Map<string, { highest: number | bigint; readonly rows: Map<string, JsonObject[]> }>();
  const stateOf = (resource: Resource) => {
    const state = seen.get(resource.name) ?? {
      highest: observed(resource).reduce<number | bigint>((most, row) => higher(most, row), 0),
      rows: new Map<string, JsonObject[]>(),
    };
    seen.set(resource.name, state);
    return state;
  };
  return {
    look: async (resource, by = client) => {
      const state = stateOf(resource);
      const before = state.highest;
      for await (const row of by.list(resource, { sort: 'id', from: after(before) })) {
        if (compareNumbers(idNumber(row), before) <= 0) continue;
        state.highest = higher(state.highest, row);
        const mark = readMark(row['name'])?.mark;
        const key = mark === undefined ? UNMARKED : mark.key;
        if (mark === undefined || mark.campaign === own)
          state.rows.set(key, [...(state.rows.get(key) ?? []), row]);
      }
    },
    of: (resource, kind, key) => stateOf(resource).rows.get(keyPart(kind, key)) ?? [],
    unmarked: (resource) => stateOf(resource).rows.get(UNMARKED) ?? [],
    highest: (resource) => stateOf(resource).highest,
  };
}

/** No item's: a key has letters. */
const UNMARKED = '';

function higher(most: number | bigint, row: JsonObject): number | bigint {
  const id = idNumber(row);
  return compareNumbers(id, most) > 0 ? id : most;
}

const after = (id: number | bigint): number | bigint => integerOf(String(BigInt(id) + 1n));
