/** `--key` and two runs at once: both look, both find nothing, both make one. Then the lower id stays (acceptance, Y6). */
import type { JsonObject } from '../../../protocol/envelope.ts';
import { task } from '../../../resources/task.ts';
import { compareNumbers, idNumber } from '../../../schema/integer.ts';
import type { Input } from '../../command/command.ts';
import { CliError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { explainError } from '../../errors/explain-error.ts';
import { keyFlag } from '../../request/idempotency-key.ts';
import type { Session } from '../../session/session.ts';
import { cancelAndConfirm } from './cancel-and-confirm.ts';

/** Seconds ahead with which the run that came second is sure to see the first one in time. */
const LEAST_LEAD = 10 * 60;

/**
 * The task that stays: this run's own, or one that another run with the same name and key made first; the own one is
 * cancelled then.
 * @throws CliError exit 5 when there are two and it goes out too soon to choose
 */
export async function resolveDuplicateRun(
  session: Session,
  input: Input,
  own: JsonObject,
): Promise<JsonObject> {
  if (input.get(keyFlag) === undefined) return own;
  const id = idNumber(own);
  const first = await firstOf(session, own);
  if (first === undefined || idNumber(first) >= id) return own;
  const lead = Number(own['scheduledtime']) - (await session.latestNow());
  const both = `task ${String(first['id'])} was made with the same --key at the same time`;
  if (lead < LEAST_LEAD)
    throw new CliError(
      'made-twice',
      `${both}, and task ${id} goes out too soon to choose: BOTH WILL BE SENT`,
      {
        exit: EXIT.conflict,
        hint: `Cancel one of them now: svc task cancel ${id} --yes. With 10 minutes ahead this is done by itself.`,
      },
    );
  await cancelAndConfirm(session, own, both);
  await session.warn(`${both}, and before; task ${id} is cancelled`);
  return first;
}

/** The lowest of those that go by this name and are not cancelled. */
async function firstOf(session: Session, own: JsonObject): Promise<JsonObject | undefined> {
  try {
    const client = await session.client();
    const alike = await client.find(task, { name: String(own['name']) });
    const going = alike.filter((each) => each['cancelled'] !== true);
    return going.sort((a, b) => compareNumbers(idNumber(a), idNumber(b)))[0];
  } catch (error) {
    const reason = explainError(error).message;
    await session.warn(
      `whether another run with this --key made one at the same time is not known: ${reason}`,
    );
    return undefined;
  }
}
