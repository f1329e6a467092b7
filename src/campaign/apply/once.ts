/** Creates a record once, even if other runs apply the same file. A record with exactly this name is reused; of two, the first is kept. */
import type { JsonObject } from '../../protocol/envelope.ts';
import { compareNumbers, idNumber } from '../../schema/integer.ts';
import type { Resource, Values } from '../../schema/resource.ts';
import type { ApplyContext } from './context.ts';

export interface Once {
  readonly resource: Resource;
  /** Attributes of the record. The name includes the mark, by which the record is found. */
  readonly body: Values & { readonly name: string };
  /** Returns whether a record with that name counts. All count if this is omitted. */
  readonly counts?: ((record: JsonObject) => Promise<boolean>) | undefined;
  /**
   * Deletes the record that this run created, if another run was first.
   * @param own the record as it is now
   */
  readonly giveWay: (own: JsonObject) => Promise<void>;
}

/** @returns the record, and whether this run created it */
export async function makeOnce(
  { client }: ApplyContext,
  { resource, body, counts = async () => true, giveWay }: Once,
): Promise<{ readonly record: JsonObject; readonly isMade: boolean }> {
  const alike = async (): Promise<readonly JsonObject[]> => {
    const found: JsonObject[] = [];
    for (const each of await client.find(resource, { name: body.name }))
      if (await counts(each)) found.push(each);
    return found.sort((a, b) => compareNumbers(idNumber(a), idNumber(b)));
  };
  const [there] = await alike();
  if (there) return { record: there, isMade: false };
  const made = await client.create(resource, body);
  const now = await alike();
  const [first = made] = now;
  if (idNumber(first) === idNumber(made)) return { record: made, isMade: true };
  // A record that was changed by hand since then is left alone.
  const own = now.find((each) => idNumber(each) === idNumber(made));
  if (own) await giveWay(own);
  return { record: first, isMade: false };
}
