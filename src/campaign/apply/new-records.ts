/**
 * Finds records that were created after the service was observed. Another run may create them from any version of the campaign's file,
 * under the same key and possibly with another name.
 */
import type { Client } from '../../client/client.ts';
import type { JsonObject } from '../../protocol/envelope.ts';
import { compareNumbers, idNumber, parseIntegerDigits } from '../../schema/integer.ts';
import type { Resource } from '../../schema/resource.ts';
import { computeCampaignNameHash, computeItemKeyHash, parseCampaignMark } from '../marks.ts';
import type { Campaign, ItemKind } from '../model.ts';

/** Records that were created after the service was observed. */
export interface NewRecordTracker {
  /**
   * Reads the records whose ids are higher than all ids seen so far. Sends one GET for each 200 records.
   * @param by the client to use; default: the client of this run
   */
  readonly refresh: (resource: Resource, by?: Pick<Client, 'list'>) => Promise<void>;
  /**
   * Returns those of the records read by `refresh` that belong to the item, in order of their ids. A record is as `refresh` read it, even
   * if it has changed since.
   */
  readonly ownRecords: (resource: Resource, kind: ItemKind, key: string) => readonly JsonObject[];
  /** Returns those of the records read by `refresh` that don't belong to the item. */
  readonly otherRecords: (resource: Resource, kind: ItemKind, key: string) => readonly JsonObject[];
  /** Returns the highest id seen so far among the records of the resource. */
  readonly highestId: (resource: Resource) => number | bigint;
}

/**
 * Tracks the records that are created after the service was observed.
 * @param observed returns all records of a resource that existed when the service was observed
 */
export function createNewRecordTracker(
  client: Pick<Client, 'list'>,
  { campaign }: Pick<Campaign, 'campaign'>,
  observed: (resource: Resource) => readonly JsonObject[],
): NewRecordTracker {
  const own = computeCampaignNameHash(campaign);
  const seen = new Map<string, { highest: number | bigint; readonly rows: JsonObject[] }>();
  const stateOf = (resource: Resource) => {
    const state = seen.get(resource.name) ?? {
      highest: observed(resource).reduce<number | bigint>((most, row) => higher(most, row), 0),
      rows: [] as JsonObject[],
    };
    seen.set(resource.name, state);
    return state;
  };
  const isOf = (row: JsonObject, kind: ItemKind, key: string): boolean => {
    const mark = parseCampaignMark(row['name'])?.mark;
    return mark?.campaign === own && mark.key === computeItemKeyHash(kind, key);
  };
  return {
    refresh: async (resource, by = client) => {
      const state = stateOf(resource);
      const before = state.highest;
      for await (const row of by.list(resource, { sort: 'id', from: after(before) })) {
        if (compareNumbers(idNumber(row), before) <= 0) continue;
        state.highest = higher(state.highest, row);
        state.rows.push(row);
      }
    },
    ownRecords: (resource, kind, key) => stateOf(resource).rows.filter((row) => isOf(row, kind, key)),
    otherRecords: (resource, kind, key) => stateOf(resource).rows.filter((row) => !isOf(row, kind, key)),
    highestId: (resource) => stateOf(resource).highest,
  };
}

function higher(most: number | bigint, row: JsonObject): number | bigint {
  const id = idNumber(row);
  return compareNumbers(id, most) > 0 ? id : most;
}

const after = (id: number | bigint): number | bigint => parseIntegerDigits(String(BigInt(id) + 1n));
