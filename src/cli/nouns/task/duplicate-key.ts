/** Resolves a race of two runs with the same `--key`: both search, find nothing and create one. The lower id stays (acceptance, Y6). */
import type { Client } from '../../../client/client.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import { task } from '../../../resources/task.ts';
import { SendError } from '../../../sends/errors.ts';
import { earlierOf, type Rival } from '../../../sends/rival.ts';
import type { Input } from '../../command/command.ts';
import { explainError } from '../../errors/explain-error.ts';
import { keyFlag } from '../../request/idempotency-key.ts';
import type { Session } from '../../session/session.ts';

/** Seconds before the send time in which the second run is sure to see the first one. */
const LEAST_LEAD = 10 * 60;

/**
 * Returns the task that another run with the same name and key made first, if there is one.
 * @throws SendError `made-twice` when there are two and this run's is due too soon to cancel it
 */
export async function rivalWithKey(
  session: Session,
  input: Input,
  own: JsonObject,
  client: Client,
): Promise<Rival | undefined> {
  if (input.get(keyFlag) === undefined) return undefined;
  const record = await firstOf(session, own, client);
  if (record === undefined) return undefined;
  const lead = Number(own['scheduledtime']) - (await session.latestNow());
  const why = `a concurrent run created task ${String(record['id'])} with the same --key`;
  if (lead >= LEAST_LEAD) return { record, why: `${why}, before this run` };
  const id = String(own['id']);
  throw new SendError(
    'made-twice',
    `${why}, and task ${id} starts too soon to cancel one: BOTH WILL BE SENT`,
    {
      outcome: 'conflict',
      hint: `Cancel one of them now: svc task cancel ${id} --yes. With 10 minutes to spare, svc does this by itself.`,
    },
  );
}

async function firstOf(session: Session, own: JsonObject, client: Client): Promise<JsonObject | undefined> {
  try {
    return earlierOf(await client.find(task, { name: String(own['name']) }), own);
  } catch (error) {
    const reason = explainError(error).message;
    await session.warn(`cannot check whether a concurrent run with this --key created a task: ${reason}`);
    return undefined;
  }
}
