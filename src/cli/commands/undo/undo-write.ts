/** Undoes one change of the journal, after a check that the record has not changed since that change. */
import { titleOf } from '../../../client/record-title.ts';
import type { UndoPlan } from '../../../journal/undo-plan.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import { formatJson } from '../../../protocol/json.ts';
import { doNotContact } from '../../../resources/do-not-contact.ts';
import { task } from '../../../resources/task.ts';
import { assertNever, type Resource } from '../../../schema/resource.ts';
import { cancelTask } from '../../../sends/cancel.ts';
import { normaliseContactdata } from '../../../text/address.ts';
import type { Input, Outcome } from '../../command/command.ts';
import { CliError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { allowAddingWholeDomainsFlag } from '../../nouns/dnc/flags.ts';
import { formatTaskCancelQuestion } from '../../nouns/task/task-words.ts';
import { confirmActionWithAccountShown, confirmByTypingWithAccountShown } from '../../request/guards.ts';
import { type Id, readRecordById } from '../../request/references.ts';
import { checkSendTimeAndCreateRecheck } from '../../request/send-time.ts';
import { createOutcomeFromRecord } from '../../request/write-outcome.ts';
import type { ServiceAccess } from '../../session/access.ts';
import { toPlannedChange } from '../../session/dry-run-client.ts';
import type { Session } from '../../session/session.ts';

/** Journal entry of the write that svc undoes. */
export interface JournalEntryToUndo {
  /** Action, for prompts and error messages: `undo 17 (folder update: folder 1)`. */
  readonly action: string;
  /** Number of the write in the journal. */
  readonly n: number;
}

/**
 * Undoes the write as the plan says. The kind of the plan must not be `refused`.
 * @throws CliError if the record has changed since that write
 */
export async function undoWrite(
  session: Session,
  input: Input,
  plan: UndoPlan,
  target: JournalEntryToUndo,
): Promise<Outcome> {
  switch (plan.kind) {
    case 'restore':
      return restoreValues(session, plan, target);
    case 'cancel':
      return cancel(session, plan.id, target);
    case 'remove-entry':
      return removeEntry(session, plan, target);
    case 'add-entries':
      return addEntries(session, input, plan.contacts, target);
    case 'refused':
      throw new Error('cannot undo this change');
    default:
      return assertNever(plan);
  }
}

async function restoreValues(
  session: Session,
  { resource, id, body, expected }: Extract<UndoPlan, { kind: 'restore' }>,
  { action, n }: JournalEntryToUndo,
): Promise<Outcome> {
  const client = await session.clientWith({ undoes: n });
  const current = await currentOf(session, resource, id);
  const changed = Object.keys(body).filter(
    (name) => Object.hasOwn(expected, name) && formatJson(current[name]) !== formatJson(expected[name]),
  );
  if (changed.length > 0)
    throw new CliError('changed-since', `cannot ${action}: the record has changed since`, {
      exit: EXIT.conflict,
      details: changed.map((name) => ({
        attribute: name,
        reason: `was ${words(expected[name])} after that change, and is ${words(current[name])} now`,
      })),
      hint: `to change it now, run svc ${resource.noun} update`,
    });
  const time = body['scheduledtime'];
  const beforeAttempt =
    resource.name === task.name && (typeof time === 'number' || typeof time === 'bigint')
      ? await checkSendTimeAndCreateRecheck(session, 'scheduledtime', Number(time))
      : undefined;
  for (const [name, value] of Object.entries(body))
    await session.info(`${name}: ${words(current[name])} → ${words(value)}`);
  await confirmActionWithAccountShown(session, action);
  const record = await client.update(resource, id, body, beforeAttempt ? { beforeAttempt } : {});
  await session.info(`restored ${titleOf(resource, record)}`);
  return createOutcomeFromRecord(resource, record);
}

async function cancel(session: Session, id: Id, { action, n }: JournalEntryToUndo): Promise<Outcome> {
  const client = await session.clientWith({ undoes: n });
  const record = await currentOf(session, task, id);
  const title = titleOf(task, record);
  const state = ['completed', 'cancelled'].find((each) => record[each] === true);
  if (state !== undefined)
    throw new CliError('too-late', `cannot ${action}: ${title} is ${state}`, { exit: EXIT.conflict });
  await confirmActionWithAccountShown(session, `${action}: ${formatTaskCancelQuestion(record)}`);
  const cancelled = await cancelTask(client, id);
  await session.info(`cancelled ${title}`);
  return createOutcomeFromRecord(task, cancelled);
}

async function removeEntry(
  session: Session,
  { id, contactdata }: Extract<UndoPlan, { kind: 'remove-entry' }>,
  { action, n }: JournalEntryToUndo,
): Promise<Outcome> {
  const client = await session.clientWith({ undoes: n });
  const current = await currentOf(session, doNotContact, id);
  if (current['contactdata'] !== contactdata)
    throw new CliError('changed-since', `cannot ${action}: entry ${id} has since been replaced`, {
      exit: EXIT.conflict,
    });
  await session.warn('subscribers that the service deleted are not restored');
  await confirmActionWithAccountShown(session, `${action}: remove ${contactdata} from Do Not Contact`);
  await client.remove(doNotContact, { id });
  await session.info(`removed ${contactdata} from Do Not Contact`);
  return createOutcomeFromRecord({ ...doNotContact, columns: ['id', 'contactdata'] }, { id, contactdata });
}

/** Adds the entries to Do Not Contact again, with the confirmations of `dnc add`. The service deletes the matching subscribers. */
async function addEntries(
  session: Session,
  input: Input,
  contacts: readonly string[],
  { action, n }: JournalEntryToUndo,
): Promise<Outcome> {
  const client = await session.clientWith({ undoes: n });
  const domains = contacts.filter((each) => normaliseContactdata(each)?.kind === 'domain');
  for (const domain of domains)
    await confirmByTypingWithAccountShown(
      session,
      `${action}: add all of ${domain} to Do Not Contact and delete its subscribers`,
      domain,
      {
        flag: '--domain-ok',
        given: input.get(allowAddingWholeDomainsFlag),
      },
    );
  if (domains.length < contacts.length)
    await confirmActionWithAccountShown(
      session,
      `${action}: add ${named(contacts)} to Do Not Contact, and delete matching subscribers`,
    );
  // The first addition would end a dry run before the others are shown.
  if (session.dryRun.isOn)
    session.dryRun.end(
      ...contacts.map((contactdata) =>
        toPlannedChange({ method: 'POST', resource: doNotContact, body: { contactdata } }),
      ),
    );
  const rows: JsonObject[] = [];
  for (const contactdata of contacts) rows.push(await client.create(doNotContact, { contactdata }));
  await session.info(`added ${named(contacts)} to Do Not Contact again`);
  const [only] = rows;
  if (rows.length === 1 && only) return createOutcomeFromRecord(doNotContact, only);
  const columns = doNotContact.columns.map((name) => ({ name }));
  return { result: { kind: 'rows', rows, columns, empty: 'nothing was added' } };
}

async function currentOf(session: ServiceAccess, resource: Resource, id: Id): Promise<JsonObject> {
  if (resource.single) return (await session.client()).single(resource);
  return readRecordById(session, resource, id);
}

const NAMED = 3;

function named(contacts: readonly string[]): string {
  const more = contacts.length - NAMED;
  return `${contacts.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const words = (value: unknown): string => (value === undefined ? 'missing' : formatJson(value));
