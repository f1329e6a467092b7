/** `svc undo`: takes back what can be taken back, and says why the rest can't. */

import { titleOf } from '../../client/record-title.ts';
import { type Entry, whatOf } from '../../journal/entry.ts';
import { type UndoPlan, undoneBy, undoPlanOf } from '../../journal/undo-plan.ts';
import type { JsonObject } from '../../protocol/envelope.ts';
import { formatJson } from '../../protocol/json.ts';
import { doNotContact } from '../../resources/do-not-contact.ts';
import { task } from '../../resources/task.ts';
import { assertNever, type Resource } from '../../schema/resource.ts';
import { cancelTask } from '../../sends/cancel.ts';
import { normaliseContactdata } from '../../text/address.ts';
import { bounded } from '../../text/bounded.ts';
import type { Input, Outcome, Verb } from '../command/command.ts';
import { CliError, UsageError } from '../errors/errors.ts';
import { EXIT } from '../errors/exit-codes.ts';
import { domainFlag } from '../nouns/dnc/flags.ts';
import { cancellationOf } from '../nouns/task/task-words.ts';
import { confirmByTypingOnAccount, confirmOnAccount } from '../request/account-questions.ts';
import { mustBeConfirmable } from '../request/guards.ts';
import { type Id, recordWithId } from '../request/references.ts';
import { guardTime } from '../request/send-time.ts';
import { recordResult } from '../request/submit.ts';
import { postOf } from '../session/dry-run-client.ts';
import { ownEntriesOf } from '../session/own-entries.ts';
import type { Session } from '../session/session.ts';
import { entryNumbered } from './log.ts';

export const undo: Verb = {
  name: 'undo',
  summary: 'Take back the last change, or the one with a number of svc log list',
  about:
    'A pause, an update, an entry on Do Not Contact, a task that is not completed. Refuses what has changed since, ' +
    'and what cannot be taken back, with the reason',
  example: 'undo 17 --dry-run',
  positionals: [
    {
      name: 'n',
      describe: 'Number, from svc log list (default: the last change of the profile)',
      optional: true,
    },
  ],
  flags: [domainFlag],
  run: async (session, input) => {
    const entries = await ownEntriesOf(session);
    const entry = await entryToUndo(session, input, entries);
    const plan = undoPlanOf(entry, entries);
    const action = `undo ${entry.n} (${entry.command}: ${bounded(whatOf(entry), LONGEST)})`;
    if (plan.kind === 'refused') {
      const { why, hint } = plan;
      throw new UsageError(`cannot ${action}: ${why}`, hint === undefined ? {} : { hint });
    }
    mustBeConfirmable(session, action);
    return carryOut(session, input, plan, { action, n: entry.n });
  },
};

interface Target {
  readonly action: string;
  readonly n: number;
}

/** Without a number the last write that took effect, or may have, and is neither an undo nor undone. */
async function entryToUndo(session: Session, input: Input, entries: readonly Entry[]): Promise<Entry> {
  const [text] = input.positionals;
  if (text !== undefined) {
    const entry = await entryNumbered(session, text);
    if (entries.some(({ n }) => n === entry.n)) return entry;
    const { profile, company } = entry;
    throw new UsageError(`number ${text} was written by another profile, or for another company`, {
      hint: `profile ${profile ?? 'none'}, company ${company ?? 'none'}`,
    });
  }
  const last = entries.findLast(
    (entry) =>
      entry.state !== 'failed' && entry.undoes === undefined && undoneBy(entry, entries) === undefined,
  );
  if (last) return last;
  throw new CliError('not-found', 'the journal knows nothing that this profile changed and could undo', {
    exit: EXIT.notFound,
    hint: 'svc log list shows what there is',
  });
}

async function carryOut(session: Session, input: Input, plan: UndoPlan, target: Target): Promise<Outcome> {
  switch (plan.kind) {
    case 'put-back':
      return putBack(session, plan, target);
    case 'cancel':
      return cancel(session, plan.id, target);
    case 'remove-entry':
      return removeEntry(session, plan, target);
    case 'add-entries':
      return addEntries(session, input, plan.contacts, target);
    case 'refused':
      throw new Error('a refused undo was carried out');
    default:
      return assertNever(plan);
  }
}

async function putBack(
  session: Session,
  { resource, id, body, left }: Extract<UndoPlan, { kind: 'put-back' }>,
  { action, n }: Target,
): Promise<Outcome> {
  const client = await session.clientWith({ undoes: n });
  const current = await currentOf(session, resource, id);
  const changed = Object.keys(body).filter(
    (name) => Object.hasOwn(left, name) && formatJson(current[name]) !== formatJson(left[name]),
  );
  if (changed.length > 0)
    throw new CliError('changed-since', `cannot ${action}: it has been changed since`, {
      exit: EXIT.conflict,
      details: changed.map((name) => ({
        attribute: name,
        reason: `was left ${words(left[name])} and is ${words(current[name])}`,
      })),
      hint: `svc ${resource.noun} update changes it as it is now`,
    });
  const time = body['scheduledtime'];
  const beforeAttempt =
    resource.name === task.name && (typeof time === 'number' || typeof time === 'bigint')
      ? await guardTime(session, 'scheduledtime', Number(time))
      : undefined;
  for (const [name, value] of Object.entries(body))
    await session.info(`${name}: ${words(current[name])} → ${words(value)}`);
  await confirmOnAccount(session, action);
  const record = await client.update(resource, id, body, beforeAttempt ? { beforeAttempt } : {});
  await session.info(`put back ${titleOf(resource, record)}`);
  return recordResult(resource, record);
}

async function cancel(session: Session, id: Id, { action, n }: Target): Promise<Outcome> {
  const client = await session.clientWith({ undoes: n });
  const record = await currentOf(session, task, id);
  const title = titleOf(task, record);
  const state = ['completed', 'cancelled'].find((each) => record[each] === true);
  if (state !== undefined)
    throw new CliError('too-late', `cannot ${action}: ${title} is ${state}`, { exit: EXIT.conflict });
  await confirmOnAccount(session, `${action}: ${cancellationOf(record)}`);
  const cancelled = await cancelTask(client, id);
  await session.info(`cancelled ${title}`);
  return recordResult(task, cancelled);
}

async function removeEntry(
  session: Session,
  { id, contactdata }: Extract<UndoPlan, { kind: 'remove-entry' }>,
  { action, n }: Target,
): Promise<Outcome> {
  const client = await session.clientWith({ undoes: n });
  const current = await currentOf(session, doNotContact, id);
  if (current['contactdata'] !== contactdata)
    throw new CliError('changed-since', `cannot ${action}: entry ${id} is another one now`, {
      exit: EXIT.conflict,
    });
  await session.warn('subscribers that the service deleted when it was added do not come back');
  await confirmOnAccount(session, `${action}: remove ${contactdata} from Do Not Contact`);
  await client.remove(doNotContact, { id });
  await session.info(`removed ${contactdata} from Do Not Contact`);
  return recordResult({ ...doNotContact, columns: ['id', 'contactdata'] }, { id, contactdata });
}

/** What adding asks for is asked here too: the service deletes the subscribers that match. */
async function addEntries(
  session: Session,
  input: Input,
  contacts: readonly string[],
  { action, n }: Target,
): Promise<Outcome> {
  const client = await session.clientWith({ undoes: n });
  const domains = contacts.filter((each) => normaliseContactdata(each)?.kind === 'domain');
  for (const domain of domains)
    await confirmByTypingOnAccount(
      session,
      `${action}: add all of ${domain} to Do Not Contact and delete its subscribers`,
      domain,
      {
        flag: '--domain-ok',
        given: input.get(domainFlag),
      },
    );
  if (domains.length < contacts.length)
    await confirmOnAccount(
      session,
      `${action}: add ${named(contacts)} to Do Not Contact, and delete who matches`,
    );
  // The first addition would end a dry run, and there are more to show.
  if (session.dryRun.isOn)
    session.dryRun.end(...contacts.map((contactdata) => postOf(doNotContact, { contactdata })));
  const rows: JsonObject[] = [];
  for (const contactdata of contacts) rows.push(await client.create(doNotContact, { contactdata }));
  await session.info(`added ${named(contacts)} to Do Not Contact again`);
  const [only] = rows;
  if (rows.length === 1 && only) return recordResult(doNotContact, only);
  const columns = doNotContact.columns.map((name) => ({ name }));
  return { result: { kind: 'rows', rows, columns, empty: 'nothing was added' } };
}

async function currentOf(session: Session, resource: Resource, id: Id): Promise<JsonObject> {
  if (resource.single) return (await session.client()).single(resource);
  return recordWithId(session, resource, id);
}

const LONGEST = 80;
const NAMED = 3;

function named(contacts: readonly string[]): string {
  const more = contacts.length - NAMED;
  return `${contacts.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const words = (value: unknown): string => (value === undefined ? 'not there' : formatJson(value));
