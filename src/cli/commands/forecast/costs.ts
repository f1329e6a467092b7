/** Calculates the cost of a forecast's tasks. Each message is requested once, a few in parallel. */

import { workAtOnce } from '../../../client/at-once.ts';
import { ClientError } from '../../../client/errors.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import { smsMessage } from '../../../resources/sms-message.ts';
import { type Id, isId } from '../../../schema/integer.ts';
import { channelOf, smsParts } from '../../../sends/cost.ts';
import { knownEmailFree } from '../../request/credits.ts';
import type { Session } from '../../session/session.ts';
import type { Remarks } from './remarks.ts';

export interface Cost {
  /** Size, or null if unknown. */
  readonly size: number | null;
  /** Parts of an SMS; 1 for an e-mail. Null if unknown. */
  readonly parts: number | null;
  /** Credits. Null if the size is unknown; the minimum if the parts are. */
  readonly credits: number | null;
}

export interface Costs {
  /** Requests the messages of these tasks. */
  readonly prepare: (tasks: readonly JsonObject[]) => Promise<void>;
  /** Returns the cost of a prepared task. Adds a remark for unknown values. */
  readonly of: (task: JsonObject) => Cost;
}

const AT_ONCE = 4;
/** Maximum number of messages whose parts are cached. */
const MOST_KEPT = 10_000;

export function createCosts(session: Session, remarks: Remarks): Costs {
  const parts = new Map<Id, number | null>();
  let isEmailFree: boolean | undefined;
  let isEmailKnown = false;

  const ask = async (id: Id): Promise<void> => {
    const client = await session.client();
    const message = await client.get(smsMessage, id).catch((error: unknown) => {
      // A message that this user may not read, or that was deleted, is unknown.
      if (error instanceof ClientError && error.status === 403) return undefined;
      throw error;
    });
    parts.set(id, (message && smsParts(message)) ?? null);
  };

  return {
    prepare: async (tasks) => {
      if (!isEmailKnown && tasks.some((each) => channelOf(each) === 'email')) {
        isEmailFree = await knownEmailFree(session);
        isEmailKnown = true;
        if (isEmailFree === undefined) remarks.emailMayBeFree();
      }
      if (parts.size > MOST_KEPT) parts.clear();
      const wanted = tasks.flatMap((each) => {
        const id = each['message_id'];
        return channelOf(each) === 'sms' && isId(id) && !parts.has(id) ? [id] : [];
      });
      await workAtOnce([...new Set(wanted)], AT_ONCE, ask, session.context.signal);
      session.context.signal.throwIfAborted();
    },
    of: (task) => {
      const id = String(task['id']);
      const size = sizeOf(task);
      if (size === null) remarks.add('no-size', id);
      if (channelOf(task) === 'email')
        return { size, parts: 1, credits: size === null ? null : isEmailFree ? 0 : size };
      const known = parts.get(task['message_id'] as Id) ?? null;
      if (known === null) remarks.add('no-parts', id);
      return { size, parts: known, credits: size === null ? null : size * (known ?? 1) };
    },
  };
}

function sizeOf({ size }: JsonObject): number | null {
  const count = typeof size === 'bigint' ? Number(size) : size;
  return typeof count === 'number' ? count : null;
}
