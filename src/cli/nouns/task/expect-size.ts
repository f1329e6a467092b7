/** `--expect-size`: the size is known only once the task exists (contract, "Safety"). */
import type { JsonObject } from '../../../protocol/envelope.ts';
import { task } from '../../../resources/task.ts';
import { NO_RANGE, type NumberRange, parseNumberRange } from '../../../text/number-range.ts';
import type { Input } from '../../command/command.ts';
import { type Parsed, parsedFlag } from '../../command/flag.ts';
import { CliError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { idIn } from '../../request/references.ts';
import type { Margins } from '../../request/send-time.ts';
import type { Session } from '../../session/session.ts';
import { cancelAndConfirm } from './cancel-and-confirm.ts';

export const expectFlag = parsedFlag(
  'expect-size',
  {
    describe: 'Cancel unless the size fits: 447 or 9000..11000',
    value: 'from..to',
  },
  rangeIn,
);

/** Between the check of the size and the send there must be time to cancel, after a late retry too. */
export const TIME_TO_CANCEL: Margins = { leastAhead: 5 * 60, leastLeft: 3 * 60 };

/** Exit 2 when it was cancelled, 5 or 10 when it could not be. */
export async function cancelUnlessExpected(
  session: Session,
  input: Input,
  record: JsonObject,
): Promise<void> {
  const range = input.get(expectFlag);
  if (!range || record['completed'] === true) return;
  const size = await sizeOf(session, record);
  if (size !== undefined && size >= range.from && size <= range.to) return;
  const found = `task ${String(record['id'])} found ${size ?? 'an unknown number of'} subscriptions`;
  const why = `${found} and ${rangeInWords(range)} expected`;
  await cancelAndConfirm(session, record, why);
  throw new CliError('unexpected-size', `${why}; it is cancelled`, {
    exit: EXIT.usage,
    hint: 'Check the list, or the range of --expect-size.',
  });
}

function rangeIn(text: string): Parsed<NumberRange> {
  const value = parseNumberRange(text);
  return value === undefined ? { fault: NO_RANGE } : { value };
}

function rangeInWords({ from, to }: NumberRange): string {
  if (from !== to) return `${from} to ${to} were`;
  return from === 1 ? '1 was' : `${from} were`;
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
