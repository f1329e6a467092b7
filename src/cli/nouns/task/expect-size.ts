/** `--expect-size`: the size is known only once the task exists (contract, "Safety"). */
import type { JsonObject } from '../../../protocol/envelope.ts';
import { task } from '../../../resources/task.ts';
import { type Flag, type Input, textOf } from '../../command/command.ts';
import { CliError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { validationError } from '../../request/body.ts';
import { idIn } from '../../request/references.ts';
import type { Margins } from '../../request/send-time.ts';
import type { Session } from '../../session/session.ts';
import { cancelAndConfirm } from './cancel-and-confirm.ts';

export const expectFlag: Flag = {
  name: 'expect-size',
  value: 'from..to',
  describe: 'Cancel the task if its size is outside this range, such as 9000..11000',
  group: 'Options',
};

/** Between the check of the size and the send there must be time to cancel, after a late retry too. */
export const TIME_TO_CANCEL: Margins = { leastAhead: 5 * 60, leastLeft: 3 * 60 };

export interface Range {
  readonly from: number;
  readonly to: number;
}

export function rangeIn(input: Input): Range | undefined {
  const text = textOf(input, expectFlag.name);
  if (text === undefined) return undefined;
  const match = /^([0-9]{1,12})\.\.([0-9]{1,12})$/.exec(text);
  const range = { from: Number(match?.[1]), to: Number(match?.[2]) };
  if (match && range.from <= range.to) return range;
  throw validationError([
    { attribute: 'expect-size', value: text, reason: 'must be two numbers', instead: 'write 9000..11000' },
  ]);
}

/** Exit 2 when it was cancelled, 5 or 10 when it could not be. */
export async function cancelUnlessExpected(
  session: Session,
  input: Input,
  record: JsonObject,
): Promise<void> {
  const range = rangeIn(input);
  if (!range || record['completed'] === true) return;
  const size = await sizeOf(session, record);
  if (size !== undefined && size >= range.from && size <= range.to) return;
  const found = `task ${String(record['id'])} found ${size ?? 'an unknown number of'} subscriptions`;
  const why = `${found} and ${range.from} to ${range.to} were expected`;
  await cancelAndConfirm(session, record, why);
  throw new CliError('unexpected-size', `${why}; it is cancelled`, {
    exit: EXIT.usage,
    hint: 'Check the list, or the range of --expect-size.',
  });
}

/** What can't be read is not as expected. */
async function sizeOf(session: Session, record: JsonObject): Promise<number | undefined> {
  if (typeof record['size'] === 'number') return record['size'];
  try {
    const read = (await (await session.client()).get(task, idIn(record)))?.['size'];
    return typeof read === 'number' ? read : undefined;
  } catch {
    return undefined;
  }
}
