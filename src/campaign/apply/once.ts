/** Makes a record once, whoever else runs the same file: what bears the very name is taken, and of two the first stays. */
import type { JsonObject } from '../../protocol/envelope.ts';
import { compareNumbers, idNumber } from '../../schema/integer.ts';
import type { Resource, Values } from '../../schema/resource.ts';
import type { ApplyContext } from './context.ts';

export interface Once {
  readonly resource: Resource;
  /** With the marked name, by which it is found. */
  readonly body: Values & { readonly name: string };
  /** Which of those that have the name count; all unless given. */
  readonly counts?: ((record: JsonObject) => Promise<boolean>) | undefined;
  /** Takes away what this run has made where another run was first. @param own as it is now */
  readonly giveWay: (own: JsonObject) => Promise<void>;
}

/** @returns the record, and whether this run has made it */
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
  // One that somebody has changed by hand since is theirs.
  const own = now.find((each) => idNumber(each) === idNumber(made));
  if (own) await giveWay(own);
  return { record: first, isMade: false };
}
