/** Declares `svc undo`, which undoes the changes of the last command, if no record has changed since. */

import { describeWrittenRecord, type Entry } from '../../client/journal/entry.ts';
import { findUndoEntryNumber, type UndoPlan, undoPlanOf } from '../../client/journal/undo-plan.ts';
import { titleOf } from '../../client/requests/record-title.ts';
import { cancelTask } from '../../client/sends/cancel.ts';
import { assertNever, type BodyOf, type RecordOf, type Resource } from '../../kit/schema/resource.ts';
import { normaliseContactdata } from '../../kit/text/address.ts';
import { formatCountWithNoun, joinFirst, truncateText } from '../../kit/text/words.ts';
import { formatJson } from '../../service/protocol/json.ts';
import { doNotContact } from '../../service/resources/do-not-contact.ts';
import { task } from '../../service/resources/task.ts';
import type { Input, Outcome, Verb } from '../command/command.ts';
import { CliError, UsageError } from '../errors/errors.ts';
import { EXIT, type ExitCode } from '../errors/exit-codes.ts';
import { allowAddingWholeDomainsFlag } from '../nouns/dnc/entries.ts';
import { formatTaskCancelQuestion } from '../nouns/task/task-words.ts';
import { columnsNamed } from '../output/result.ts';
import {
  confirmActionWithAccountShown,
  confirmByTypingWithAccountShown,
  requireYesFlagOrTerminal,
} from '../request/guards.ts';
import { type Id, readRecordById } from '../request/references.ts';
import { checkSendTimeAndCreateRecheck } from '../request/send-time.ts';
import {
  createLineOrRecordOutcome,
  createWriteOutcome,
  printNoteAboutWrite,
} from '../request/write-outcome.ts';
import { readJournalEntriesOfSessionUser } from '../session/own-entries.ts';
import { toPlannedChange } from '../session/planned-change.ts';
import type { Changes, Clocks, Invocation, Ports, ServiceAccess, Tell } from '../session/ports.ts';
import { findJournalEntry } from './log.ts';

export const undo: Verb = {
  name: 'undo',
  summary: 'Undo the last command, or one change by number',
  about:
    'Undoes pauses, updates and changes to Do Not Contact entries, also those of svc dnc import. To undo the creation of a task, svc cancels the task, unless it is completed. Undoes the newest change first. Refuses if the record has changed since that change, or if the change cannot be undone. --dry-run shows what svc would do',
  work: 'changes',
  does: 'sends',
  asks: true,
  exits: { 5: 'a record has changed since' },
  section: 'Endpoints',
  example: 'undo 17 --dry-run',
  positionals: [
    {
      name: 'n',
      describe: 'Number of the change, from svc log list (default: all changes of the last command)',
      optional: true,
    },
  ],
  flags: [allowAddingWholeDomainsFlag],
  run: async (session, input) => {
    const entries = await readJournalEntriesOfSessionUser(session);
    const steps = (await entriesToUndo(session, input, entries)).map((entry) => stepOf(entry, entries));
    const [newest] = steps;
    if (newest === undefined) throw new Error('there is no change to undo');
    const possible = steps.filter(({ plan }) => plan.kind !== 'refused');
    if (newest.plan.kind === 'refused' && possible.length === 0)
      throw await refusal(session, newest.action, newest.plan, steps);
    requireYesFlagOrTerminal(
      session,
      possible.length === 1 ? (possible[0] ?? newest).action : wholeAction(steps),
    );
    return steps.length === 1 ? undoWrite(session, input, newest) : undoAll(session, input, steps);
  },
};

interface Step {
  readonly n: number;
  readonly plan: UndoPlan;
  readonly what: string;
  /** For prompts and error messages: `undo 17 (folder update: folder 1)`. */
  readonly action: string;
}

function stepOf(entry: Entry, entries: readonly Entry[]): Step {
  const what = truncateText(describeWrittenRecord(entry), MAX_TITLE_LENGTH);
  const action = `undo ${entry.n} (${entry.command}: ${what})`;
  return { n: entry.n, plan: undoPlanOf(entry, entries), what, action };
}

/** Returns the entry with the given number, or else all entries of the last command that may have changed something, newest first. */
async function entriesToUndo(
  session: Invocation,
  input: Input,
  entries: readonly Entry[],
): Promise<readonly Entry[]> {
  const [text] = input.positionals;
  if (text !== undefined) {
    const entry = await findJournalEntry(session, text);
    if (entries.some(({ n }) => n === entry.n)) return [entry];
    const { profile, company } = entry;
    throw new UsageError(`change ${text} belongs to another profile or company`, {
      hint: `the change belongs to profile ${profile ?? 'none'}, company ${company ?? 'none'}`,
    });
  }
  const isOpen = (entry: Entry): boolean =>
    entry.state !== 'failed' &&
    entry.undoes === undefined &&
    findUndoEntryNumber(entry, entries) === undefined;
  const last = entries.findLast(isOpen);
  if (last === undefined)
    throw new CliError('not-found', 'the journal has no change of this profile that can be undone', {
      exit: EXIT.notFound,
      hint: 'run svc log list to see the changes',
    });
  if (last.run === undefined) return [last];
  return entries.filter((entry) => entry.run === last.run && isOpen(entry)).reverse();
}

/** If a change can't be undone, continues with the next one. */
async function undoAll(session: Ports, input: Input, steps: readonly Step[]): Promise<Outcome> {
  for (const { n, what, plan } of steps)
    await session.warn(
      plan.kind === 'refused'
        ? `change ${n} will not be undone: ${what}: ${plan.why}`
        : `change ${n} will be undone: ${what}`,
    );
  await confirmActionWithAccountShown(session, wholeAction(steps));
  // To add a domain to Do Not Contact, the user must also type its name, whatever the answer to the question above.
  const agreed = { ...session, globals: { ...session.globals, yes: true } };
  const rows = [];
  let failed: ExitCode | undefined;
  for (const step of steps) {
    const undone = step.plan.kind !== 'refused' && (await succeeds(step));
    if (!undone) failed = EXIT.partial;
    rows.push({ n: step.n, what: step.what, undone });
  }
  const columns = columnsNamed(['n', 'undone', 'what']);
  return {
    result: { kind: 'rows', rows, columns, empty: 'nothing was undone' },
    ...(failed === undefined ? {} : { exit: failed }),
  };

  async function succeeds(step: Step): Promise<boolean> {
    const planned = session.dryRun.planned.length;
    try {
      await undoWrite(step.plan.kind === 'add-entries' ? session : agreed, input, step);
      return true;
    } catch (error) {
      // A dry run ends each step at its request.
      if (session.dryRun.planned.length > planned) return true;
      session.context.signal.throwIfAborted();
      await session.report(error);
      return false;
    }
  }
}

const wholeAction = (steps: readonly Step[]): string => {
  const possible = steps.filter(({ plan }) => plan.kind !== 'refused').length;
  return `undo ${formatCountWithNoun(possible, 'change')} of the last command`;
};

/** For cancelled tasks, the hint has the commands that create them again. */
async function refusal(
  session: Invocation & ServiceAccess & Clocks,
  action: string,
  { why, hint }: Extract<UndoPlan, { kind: 'refused' }>,
  steps: readonly Step[],
): Promise<UsageError> {
  const commands = await commandsToCreateAgain(session, steps);
  const again = commands.map((command) => `to create the task again: ${command}`).join('\n');
  return new UsageError(`cannot ${action}: ${why}`, { hint: again === '' ? hint : again });
}

/** The oldest task comes first. Omits tasks that svc cannot read. */
async function commandsToCreateAgain(
  session: Invocation & ServiceAccess & Clocks,
  steps: readonly Step[],
): Promise<readonly string[]> {
  const ids = steps.flatMap(({ plan }) =>
    plan.kind === 'refused' && plan.cancelled !== undefined ? [plan.cancelled] : [],
  );
  if (ids.length === 0) return [];
  const { commandToCreateTask } = await import('../nouns/task/create-command.ts');
  const client = await session.client();
  const commands: string[] = [];
  for (const id of ids.reverse()) {
    const record = await client.get(task, id).catch(() => undefined);
    session.context.signal.throwIfAborted();
    if (record !== undefined)
      commands.push(`${commandToCreateTask(record, await session.latestNow())}${session.accountFlags}`);
  }
  return commands;
}

const MAX_TITLE_LENGTH = 80;

/** @throws CliError if the record has changed since that write */
async function undoWrite(session: Ports, input: Input, step: Step): Promise<Outcome> {
  const { plan } = step;
  switch (plan.kind) {
    case 'restore':
      return restoreValues(session, plan, step);
    case 'cancel':
      return cancel(session, plan.id, step);
    case 'remove-entry':
      return removeEntry(session, plan, step);
    case 'add-entries':
      return addEntries(session, input, plan.contacts, step);
    case 'remove-imported': {
      const { removeContacts } = await import('../nouns/dnc/remove-contacts.ts');
      return removeContacts(session, input, plan.file, {
        column: plan.column,
        imported: { n: step.n, sha256: plan.sha256, since: plan.since, until: plan.until },
      });
    }
    case 'refused':
      throw new Error('cannot undo this change');
    default:
      return assertNever(plan);
  }
}

async function restoreValues(
  session: Invocation & Tell & ServiceAccess & Clocks,
  { resource, id, body, expected }: Extract<UndoPlan, { kind: 'restore' }>,
  { action, n }: Step,
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
  const { scheduledtime: time }: BodyOf<typeof task> = body;
  const beforeAttempt =
    resource.name === task.name && (typeof time === 'number' || typeof time === 'bigint')
      ? await checkSendTimeAndCreateRecheck(session, 'scheduledtime', Number(time))
      : undefined;
  for (const [name, value] of Object.entries(body))
    await session.info(`${name}: ${words(current[name])} → ${words(value)}`);
  await confirmActionWithAccountShown(session, action);
  const record = await client.update(resource, id, body, beforeAttempt ? { beforeAttempt } : {});
  await printNoteAboutWrite(session, `restored ${titleOf(resource, record)}`);
  return createWriteOutcome(session, resource, record, 'Restored');
}

async function cancel(
  session: Invocation & Tell & ServiceAccess & Clocks,
  id: Id,
  { action, n }: Step,
): Promise<Outcome> {
  const client = await session.clientWith({ undoes: n });
  const record = await currentOf(session, task, id);
  const title = titleOf(task, record);
  const state = (['completed', 'cancelled'] as const).find((each) => record[each]);
  if (state !== undefined)
    throw new CliError('too-late', `cannot ${action}: ${title} is ${state}`, { exit: EXIT.conflict });
  await confirmActionWithAccountShown(session, `${action}: ${formatTaskCancelQuestion(record)}`);
  const cancelled = await cancelTask(client, id);
  await printNoteAboutWrite(session, `cancelled ${title}`);
  return createWriteOutcome(session, task, cancelled, 'Cancelled');
}

async function removeEntry(
  session: Invocation & Tell & ServiceAccess,
  { id, contactdata }: Extract<UndoPlan, { kind: 'remove-entry' }>,
  { action, n }: Step,
): Promise<Outcome> {
  const client = await session.clientWith({ undoes: n });
  const current = await currentOf(session, doNotContact, id);
  if (current.contactdata !== contactdata)
    throw new CliError('changed-since', `cannot ${action}: entry ${id} has since been replaced`, {
      exit: EXIT.conflict,
    });
  await session.warn('subscribers that the service deleted are not restored');
  await confirmActionWithAccountShown(session, `${action}: remove ${contactdata} from Do Not Contact`);
  await client.remove(doNotContact, { id });
  await printNoteAboutWrite(session, `removed ${contactdata} from Do Not Contact`);
  const line = `Removed ${contactdata} from Do Not Contact.`;
  const entry = { ...doNotContact, columns: ['id', 'contactdata'] };
  return createLineOrRecordOutcome(session, line, entry, { id, contactdata });
}

/** Asks for the confirmations of `dnc add`. The service deletes the matching subscribers. */
async function addEntries(
  session: Invocation & Tell & ServiceAccess & Changes,
  input: Input,
  contacts: readonly string[],
  { action, n }: Step,
): Promise<Outcome> {
  const client = await session.clientWith({ undoes: n });
  const domains = contacts.filter((each) => normaliseContactdata(each)?.kind === 'domain');
  for (const domain of domains)
    await confirmByTypingWithAccountShown(
      session,
      `${action}: add all of ${domain} to Do Not Contact and delete its subscribers`,
      domain,
      { flag: '--domain-ok', given: input.get(allowAddingWholeDomainsFlag) },
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
  const rows = [];
  for (const contactdata of contacts) rows.push(await client.create(doNotContact, { contactdata }));
  const [only] = rows;
  if (rows.length === 1 && only) {
    await printNoteAboutWrite(session, `added ${named(contacts)} to Do Not Contact again`);
    const line = `Added ${named(contacts)} to Do Not Contact again.`;
    return createLineOrRecordOutcome(session, line, doNotContact, only);
  }
  await session.info(`added ${named(contacts)} to Do Not Contact again`);
  const columns = columnsNamed(doNotContact.columns);
  return { result: { kind: 'rows', rows, columns, empty: 'nothing was added' } };
}

async function currentOf<R extends Resource>(
  session: ServiceAccess,
  resource: R,
  id: Id,
): Promise<RecordOf<R>> {
  if (resource.single) return (await session.client()).single(resource);
  return readRecordById(session, resource, id);
}

const named = (contacts: readonly string[]): string => joinFirst(contacts, 3);

const words = (value: unknown): string => (value === undefined ? 'missing' : formatJson(value));
