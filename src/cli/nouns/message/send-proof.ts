/** Copies the message, schedules the copy to the proof list, and deletes the copy. */

import { createHash } from 'node:crypto';
import type { Client } from '../../../client/requests/client.ts';
import { ClientError } from '../../../client/requests/errors.ts';
import { titleOf } from '../../../client/requests/record-title.ts';
import { createLimitsCheck, MAX_PROOF_RECIPIENTS } from '../../../client/sends/cost.ts';
import { SendError } from '../../../client/sends/errors.ts';
import { makeTask } from '../../../client/sends/make-task.ts';
import { byId, listEarlier } from '../../../client/sends/same-send.ts';
import { SEND_TIME_MARGINS_IF_CANCELLABLE } from '../../../client/sends/send-time.ts';
import { restoreLinksInHtmlAndText } from '../../../features/campaign/original-links.ts';
import type { Id } from '../../../kit/schema/integer.ts';
import type { Resource, Values } from '../../../kit/schema/resource.ts';
import { formatTime } from '../../../kit/text/timezone.ts';
import { emailMessage } from '../../../service/resources/email-message.ts';
import { emailMessageLink } from '../../../service/resources/email-message-link.ts';
import { smsMessage } from '../../../service/resources/sms-message.ts';
import {
  type MessageRecord,
  type MessageResource,
  type TaskRecord,
  task,
} from '../../../service/resources/task.ts';
import type { Input, Outcome } from '../../command/command.ts';
import { UsageError } from '../../errors/errors.ts';
import { confirm, requireYesFlagOrTerminal } from '../../request/guards.ts';
import { resolveListFlag } from '../../request/list-names.ts';
import { refuseLintErrorsOfContent } from '../../request/message-lint.ts';
import { readRecordId, resolveRecord } from '../../request/references.ts';
import { checkSendTimeAndCreateRecheck } from '../../request/send-time.ts';
import {
  createLineOrRecordOutcome,
  createOutcomeFromRecord,
  createTextLinesOutcome,
  printNoteAboutWrite,
  shouldSummarizeWriteInOneLine,
} from '../../request/write-outcome.ts';
import { PERMISSION_TO_SEND_PROOF_MESSAGE } from '../../session/approvals.ts';
import type { Notes, Ports, Profiles, ServiceAccess } from '../../session/ports.ts';
import { createSendDependencies, withSignalGuard } from '../../session/send-ports.ts';
import { warnIfBalanceIsTooLow } from '../task/credits.ts';

/** Begins the name and the subject of a proof. */
const PROOF_PREFIX = '[Proof] ';

/** Seconds. Meanwhile svc creates the copy and the task, reads the number of recipients, and may cancel the task. */
const SEND_DELAY_SECONDS = SEND_TIME_MARGINS_IF_CANCELLABLE.minSecondsAhead + 60;

/** If `list` is undefined, uses the proof list of the profile. */
export async function sendProof(
  session: Ports,
  resource: MessageResource,
  input: Input,
  list: string | undefined,
): Promise<Outcome> {
  const listId = list === undefined ? await proofListOf(session) : await resolveListFlag(session, list);
  requireYesFlagOrTerminal(session, 'send a proof');
  const { message, content, copied } = await readContent(session, resource, input.positionals[0] ?? '');
  const title = titleOf(resource, message);
  // Two runs find that they send the same proof by this hash of the content.
  const hash = createHash('sha256').update(JSON.stringify(copied), 'utf8').digest('hex').slice(0, 6);
  const name = `${PROOF_PREFIX}${String(message.name)} ${hash}`;
  const copy: Values = { name, ...copied };
  await refuseLintErrorsOfContent(session, input, resource, {
    message,
    content: { ...content, name: message.name },
  });
  const time = Math.ceil(await session.latestNow()) + SEND_DELAY_SECONDS;
  const proof = { name, listId, time };
  const [running] = await findSameProofs(await session.client(), proof);
  if (running) {
    const same = titleOf(task, running);
    await printNoteAboutWrite(session, `another run already sends this proof: ${same}`);
    return createLineOrRecordOutcome(
      session,
      `Another run already sends this proof: ${same}.`,
      task,
      running,
    );
  }
  const taskOf = (messageId: Id): Values => ({
    ...{ channel: resource.name === emailMessage.name ? 'email' : 'sms', message_id: messageId },
    ...{ name: proof.name, list_id: listId, search_id: null, scheduledtime: time },
  });
  if (session.dryRun.isOn)
    session.dryRun.end(
      { method: 'POST', path: `/v1/${resource.name}`, body: copy },
      { method: 'POST', path: '/v1/task', body: taskOf('the new id') },
      { method: 'DELETE', path: `/v1/${resource.name}/the new id` },
    );
  const recheckTime = await checkSendTimeAndCreateRecheck(
    session,
    'scheduledtime',
    time,
    SEND_TIME_MARGINS_IF_CANCELLABLE,
  );
  await confirm(session, `send ${title} as a proof to list ${String(listId)}`);
  const made = await withSignalGuard(session, async () => {
    const client = await session.client();
    const proofCopy = await client.create(resource, copy);
    return withoutCopy(session, resource, proofCopy, () =>
      makeTask(createSendDependencies(session, PERMISSION_TO_SEND_PROOF_MESSAGE), {
        body: taskOf(readRecordId(proofCopy)),
        recheckTime,
        checks: [
          createLimitsCheck(
            { expectSize: { from: 1, to: MAX_PROOF_RECIPIENTS }, maxCredits: null },
            ({ id }) => `task ${String(id)}`,
            `A proof goes to at most ${MAX_PROOF_RECIPIENTS} subscriptions. Create a small list for proofs.`,
          ),
          async (record) => {
            await warnIfBalanceIsTooLow(session, record);
            return undefined;
          },
        ],
        onMade: (record) => printNoteAboutWrite(session, `made ${titleOf(task, record)}`),
        findRival: async (record, looking) => {
          const [first] = listEarlier(await findSameProofs(looking, proof), record);
          return first && { record: first, why: `${titleOf(task, first)} already sends this proof` };
        },
      }),
    );
  });
  if (!(await shouldSummarizeWriteInOneLine(session))) return createOutcomeFromRecord(task, made);
  const { id, size, scheduledtime } = made;
  const people = typeof size === 'number' ? ` to ${size}` : '';
  const zone = await session.tableZone();
  const when = typeof scheduledtime === 'number' ? `, ${formatTime(scheduledtime, zone, 'weekday')}` : '';
  const line = `Sends the proof${people} on list ${String(listId)}${when}.`;
  return createTextLinesOutcome(session, line, `svc task watch ${String(id)}`);
}

/** Seconds between the send times of two proofs with the same content that svc takes for one. */
const SAME_PROOF_SECONDS = 60;

/** Ordered by id. Copies may be deleted, so svc compares the names, which contain a hash of the content. */
async function findSameProofs(
  client: Pick<Client, 'find'>,
  { name, listId, time }: { readonly name: string; readonly listId: Id; readonly time: number },
): Promise<readonly TaskRecord[]> {
  const found = await client.find(task, { name, cancelled: false });
  return byId(
    found.filter(
      ({ list_id, scheduledtime }) =>
        String(list_id) === String(listId) && Math.abs(Number(scheduledtime) - time) < SAME_PROOF_SECONDS,
    ),
  );
}

/** @throws UsageError if there is no proof list, or if that of a partner's profile belongs to another company */
async function proofListOf(session: Profiles): Promise<Id> {
  const { profile, credentials } = await session.resolved();
  const { proofList, kind, companyId } = profile ?? {};
  if (proofList === undefined)
    throw new UsageError('no proof list is set', {
      hint: `give --list ID, or svc profile set ${profile?.name ?? 'NAME'} proof-list ID; the list may have ${MAX_PROOF_RECIPIENTS} subscriptions`,
    });
  if (kind === 'partner' && String(credentials.companyId) !== String(companyId))
    throw new UsageError("the profile's proof-list belongs to another company", { hint: 'give --list ID' });
  return proofList;
}

/** Restores the original links. Lint must not see the prefix of the subject, which would hide an empty one. */
async function readContent(
  session: ServiceAccess,
  resource: MessageResource,
  idOrName: string,
): Promise<{ readonly message: MessageRecord; readonly content: Values; readonly copied: Values }> {
  if (resource.name === smsMessage.name) {
    const message = await resolveRecord(session, resource, idOrName);
    const { fromname, message: text, subinfo } = message;
    const content = { fromname, message: text, subinfo };
    return { message, content, copied: content };
  }
  const message = await resolveRecord(session, resource, idOrName);
  const { fromemail, fromname, replyemail, subject, galinkdata, friendlink } = message;
  const links = await (await session.client()).find(emailMessageLink, { message_id: message.id });
  const { html, text } = restoreLinksInHtmlAndText(message, links);
  const content = { fromemail, fromname, replyemail, galinkdata, friendlink, subject, html, text };
  return { message, content, copied: { ...content, subject: `${PROOF_PREFIX}${String(subject)}` } };
}

/**
 * Deletes the copy at once, because the task can still send a deleted message (interface, "States and
 * transitions"). If it is unknown whether the task exists, keeps the copy, because the user can find the task
 * by it.
 */
async function withoutCopy(
  session: ServiceAccess & Notes,
  resource: MessageResource,
  copied: MessageRecord,
  work: () => Promise<TaskRecord>,
): Promise<TaskRecord> {
  const remove = () => removeCopy(session, resource, copied);
  let made: TaskRecord;
  try {
    made = await work();
  } catch (error) {
    if (isUnknown(error))
      await session.warn(
        `${titleOf(resource, copied)}, the copy that svc made to send the proof, still exists; ${removeHint(session, resource, copied)}`,
      );
    else await remove();
    throw error;
  }
  await remove();
  return made;
}

const isUnknown = (error: unknown): boolean =>
  (error instanceof SendError && error.outcome === 'unknown') ||
  (error instanceof ClientError && error.kind === 'unknown');

/** Runs also after Ctrl-C. A refusal to delete the copy is a 423 (interface, "Errors", subcode 10). */
async function removeCopy(
  session: ServiceAccess & Notes,
  resource: MessageResource,
  copied: MessageRecord,
): Promise<void> {
  try {
    const client = await session.clientWith({ signal: new AbortController().signal });
    await client.remove(resource, { id: readRecordId(copied) });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const title = titleOf(resource, copied);
    const line = `cannot delete ${title}, the copy that svc made to send the proof: ${reason}; ${removeHint(session, resource, copied)}`;
    // The proof itself is scheduled, whether or not anybody can read this line.
    await session.warn(line).catch(() => undefined);
  }
}

const removeHint = (session: ServiceAccess, { noun }: Resource, copied: MessageRecord): string =>
  `to delete it, run svc ${noun} delete ${String(copied.id)}${session.accountFlags} --yes`;
