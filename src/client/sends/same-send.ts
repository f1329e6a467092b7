/**
 * Decides which tasks are the same send: people would get the same message twice. All code that creates a task compares sends here (see
 * README.md of this folder).
 */

import { compareIds } from '../../kit/schema/integer.ts';
import type { AnyRecord } from '../../kit/schema/resource.ts';

export interface Send {
  /** Identity of the message: its channel and id, or the key of a campaign item, which all versions of the message share. */
  readonly message: string;
  /** Hash of what recipients see (`visibleContentHash`). Undefined if the service does not show the message. */
  readonly content: string | undefined;
  readonly to: string;
  readonly time: number;
}

export const isSameMessage = (
  a: Pick<Send, 'message' | 'content'>,
  b: Pick<Send, 'message' | 'content'>,
): boolean => a.message === b.message || (a.content !== undefined && a.content === b.content);

/** Reports whether two sends have the same message, recipients and time, to the minute (contract, "Sends and campaigns, once more"). */
export const isSameSend = (a: Send, b: Send): boolean =>
  a.to === b.to && toMinute(a.time) === toMinute(b.time) && mayBeSameMessage(a, b);

/** Reports whether two messages may be the same. A deleted message is hidden but still sent (interface, "States"), so it may equal any. */
export const mayBeSameMessage = (
  a: Pick<Send, 'message' | 'content'>,
  b: Pick<Send, 'message' | 'content'>,
): boolean => isSameMessage(a, b) || a.content === undefined || b.content === undefined;

/** Converts Unix seconds to whole minutes since 1970. Two sends in the same minute have the same send time. */
export const toMinute = (time: number): number => Math.floor(time / 60);

export const recipientsOf = ({ list_id, search_id }: Readonly<Record<string, unknown>>): string =>
  list_id == null ? `search ${String(search_id)}` : `list ${String(list_id)}`;

/** Returns the identity of a message by its id. E-mail and SMS messages have separate ids. */
export const messageIdentity = (channel: unknown, id: unknown): string => `${String(channel)} ${String(id)}`;

/** Reports whether the service will send the task, or is sending it. */
export const isActiveTask = ({ cancelled, completed }: Readonly<Record<string, unknown>>): boolean =>
  cancelled !== true && completed !== true;

/** Returns the records with a lower id than `own`, in the order of their ids. Includes cancelled tasks. `alike` may contain `own`. */
export const listEarlier = <T extends AnyRecord>(alike: readonly T[], own: AnyRecord): readonly T[] =>
  byId(alike).filter((each) => compareIds(each, own) < 0);

export const byId = <T extends AnyRecord>(records: readonly T[]): readonly T[] =>
  records.toSorted(compareIds);
