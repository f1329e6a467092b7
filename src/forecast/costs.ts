/** Computes the cost of scheduled tasks. */
import { workAtOnce } from '../client/at-once.ts';
import type { Client } from '../client/client.ts';
import { ClientError } from '../client/errors.ts';
import type { JsonObject } from '../protocol/envelope.ts';
import { smsMessage } from '../resources/sms-message.ts';
import { type Id, isId } from '../schema/integer.ts';
import { channelOf, smsParts } from '../sends/cost.ts';

export interface Cost {
  /** Size, or null if unknown. */
  readonly size: number | null;
  /** Number of parts of an SMS; 1 for an e-mail. Null if unknown. */
  readonly parts: number | null;
  /** Credits that the task costs. Null if its size is unknown. If the number of parts is unknown, the minimum. */
  readonly credits: number | null;
}

/** Values with which the costs of a page of tasks are computed. */
export interface Prices {
  /** True if e-mails are free; undefined if that is unknown. */
  readonly isEmailFree: boolean | undefined;
  /** Number of parts of each SMS message, by the message's id. Null if the message can't be read. */
  readonly parts: ReadonlyMap<Id, number | null>;
}

/** Returns the cost of a task whose message is in `parts`. */
export function costOf(task: JsonObject, { isEmailFree, parts }: Prices): Cost {
  const size = sizeOf(task);
  if (channelOf(task) === 'email')
    return { size, parts: 1, credits: size === null ? null : isEmailFree ? 0 : size };
  const known = parts.get(task['message_id'] as Id) ?? null;
  return { size, parts: known, credits: size === null ? null : size * (known ?? 1) };
}

function sizeOf({ size }: JsonObject): number | null {
  const count = typeof size === 'bigint' ? Number(size) : size;
  return typeof count === 'number' ? count : null;
}

const AT_ONCE = 4;
/** Maximum number of messages whose parts are cached. */
const MOST_KEPT = 10_000;

/**
 * Returns a function that reads the prices for a page of tasks. It reads each message once, and a few messages at a time.
 * @param isEmailFree called at most once, if a task sends e-mail
 */
export function readPrices(
  client: Client,
  isEmailFree: () => Promise<boolean | undefined>,
  signal: AbortSignal,
): (tasks: readonly JsonObject[]) => Promise<Prices> {
  const parts = new Map<Id, number | null>();
  let isFree: Promise<boolean | undefined> | undefined;

  const read = async (id: Id): Promise<void> => {
    const message = await client.get(smsMessage, id).catch((error: unknown) => {
      // A message that this user may not read, or that was deleted, is unknown.
      if (error instanceof ClientError && error.status === 403) return undefined;
      throw error;
    });
    parts.set(id, (message && smsParts(message)) ?? null);
  };

  return async (tasks) => {
    if (tasks.some((each) => channelOf(each) === 'email')) isFree ??= isEmailFree();
    const free = await isFree;
    if (parts.size > MOST_KEPT) parts.clear();
    const wanted = tasks.flatMap((each) => {
      const id = each['message_id'];
      return channelOf(each) === 'sms' && isId(id) && !parts.has(id) ? [id] : [];
    });
    await workAtOnce([...new Set(wanted)], AT_ONCE, read, signal);
    signal.throwIfAborted();
    return { isEmailFree: free, parts };
  };
}
