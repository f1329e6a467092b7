/**
 * Finds records that were created after svc first read the service's records. Another run of `svc apply` may create such a record for the
 * same item, possibly from another version of the campaign's file. svc finds the records of an item by the mark, a tag in the record's
 * name. The rest of the name may differ.
 */
import type { Client } from '../../client/client.ts';
import type { JsonObject } from '../../protocol/envelope.ts';
import { compareNumbers, idNumber, parseIntegerDigits } from '../../schema/integer.ts';
import type { Resource } from '../../schema/resource.ts';
import { computeCampaignNameHash, computeItemKeyHash, parseCampaignMark } from '../marks.ts';
import type { Campaign, ItemKind } from '../model.ts';

/** Finds and keeps the records that were created after svc first read the service's records. */
export interface NewRecordTracker {
  /**
   * Reads the records whose ids are higher than all ids seen so far. Sends one GET for each 200 records.
   * @param client client that sends the GETs; default: the client of this run
   */
  readonly refresh: (resource: Resource, client?: Pick<Client, 'list'>) => Promise<void>;
  /**
   * Returns the records of an item that `refresh` has found so far, in order of their ids. The records may be out of date, because
   * `refresh` reads each record only once.
   */
  readonly recordsOfItem: (resource: Resource, kind: ItemKind, key: string) => readonly JsonObject[];
  /** Returns the records that `refresh` has found so far and that do not belong to the item. */
  readonly recordsOfOtherItems: (resource: Resource, kind: ItemKind, key: string) => readonly JsonObject[];
  /** Reports whether the mark in the record's name says that the record belongs to the item. */
  readonly isRecordOfItem: (record: JsonObject, kind: ItemKind, key: string) => boolean;
  /** Returns the highest id seen so far among the records of the resource. */
  readonly highestId: (resource: Resource) => number | bigint;
}

/**
 * Creates a tracker for the records that are created after svc first read the service's records.
 * @param observed returns all records of a resource that svc read at first
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
    return mark?.campaignHash === own && mark.keyHash === computeItemKeyHash(kind, key);
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
    isRecordOfItem: isOf,
    recordsOfItem: (resource, kind, key) => stateOf(resource).rows.filter((row) => isOf(row, kind, key)),
    recordsOfOtherItems: (resource, kind, key) =>
      stateOf(resource).rows.filter((row) => !isOf(row, kind, key)),
    highestId: (resource) => stateOf(resource).highest,
  };
}

function higher(most: number | bigint, row: JsonObject): number | bigint {
  const id = idNumber(row);
  return compareNumbers(id, most) > 0 ? id : most;
}

const after = (id: number | bigint): number | bigint => parseIntegerDigits(String(BigInt(id) + 1n));
