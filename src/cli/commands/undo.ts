/** Declares `svc undo`, which undoes the changes of the last command. If a change can't be undone, svc explains why. */

import { describeWrittenRecord, type Entry } from '../../journal/entry.ts';
import { findUndoEntryNumber, type UndoPlan, undoPlanOf } from '../../journal/undo-plan.ts';
import type { JsonObject } from '../../protocol/envelope.ts';
import { formatCountWithNoun, truncateText } from '../../text/words.ts';
import type { Input, Outcome, Verb } from '../command/command.ts';
import { CliError, UsageError } from '../errors/errors.ts';
import { EXIT, type ExitCode } from '../errors/exit-codes.ts';
import { allowAddingWholeDomainsFlag } from '../nouns/dnc/flags.ts';
import { confirmActionWithAccountShown, requireYesFlagOrTerminal } from '../request/guards.ts';
import { readJournalEntriesOfSessionUser } from '../session/own-entries.ts';
import type { Session } from '../session/session.ts';
import { findJournalEntry } from './log.ts';
import { undoWrite } from './undo/undo-write.ts';

export const undo: Verb = {
  name: 'undo',
  summary: 'Undo the last command, or one change by number',
  about:
    'Undoes pauses, updates and changes to Do Not Contact entries. To undo the creation of a task, svc cancels the task, unless it is completed. Undoes the newest change first. Refuses if the record has changed since that change, or if the change cannot be undone. --dry-run shows what svc would do',
  work: 'changes',
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
    if (possible.length === 0) throw refusal(newest);
    requireYesFlagOrTerminal(
      session,
      possible.length === 1 ? (possible[0] ?? newest).action : wholeAction(steps),
    );
    return steps.length === 1
      ? undoWrite(session, input, newest.plan, newest)
      : undoAll(session, input, steps);
  },
};

interface Step {
  readonly n: number;
  readonly plan: UndoPlan;
  readonly what: string;
  readonly action: string;
}

function stepOf(entry: Entry, entries: readonly Entry[]): Step {
  const what = truncateText(describeWrittenRecord(entry), MAX_TITLE_LENGTH);
  const action = `undo ${entry.n} (${entry.command}: ${what})`;
  return { n: entry.n, plan: undoPlanOf(entry, entries), what, action };
}

/**
 * Returns the journal entry with the given number. Without a number, returns all entries of the last command that may have changed
 * something, newest first.
 */
async function entriesToUndo(
  session: Session,
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

/** Undoes several changes after one confirmation. If a change can't be undone, continues with the next one. */
async function undoAll(session: Session, input: Input, steps: readonly Step[]): Promise<Outcome> {
  for (const { n, what, plan } of steps)
    await session.warn(
      plan.kind === 'refused'
        ? `change ${n} will not be undone: ${what}: ${plan.why}`
        : `change ${n} will be undone: ${what}`,
    );
  await confirmActionWithAccountShown(session, wholeAction(steps));
  // To add a domain to Do Not Contact, the user must also type its name, whatever the answer to the question above.
  const agreed = { ...session, globals: { ...session.globals, yes: true } };
  const rows: JsonObject[] = [];
  let failed: ExitCode | undefined;
  for (const step of steps) {
    const { n, what, plan } = step;
    const isUndone = plan.kind !== 'refused' && (await succeeds(step));
    if (!isUndone) failed = EXIT.partial;
    rows.push({ n, what, undone: isUndone });
  }
  const columns = ['n', 'undone', 'what'].map((name) => ({ name }));
  return {
    result: { kind: 'rows', rows, columns, empty: 'nothing was undone' },
    ...(failed === undefined ? {} : { exit: failed }),
  };

  async function succeeds(step: Step): Promise<boolean> {
    const planned = session.dryRun.planned.length;
    try {
      await undoWrite(step.plan.kind === 'add-entries' ? session : agreed, input, step.plan, step);
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

function refusal({ action, plan }: Step): UsageError {
  const { why, hint } = plan as Extract<UndoPlan, { kind: 'refused' }>;
  return new UsageError(`cannot ${action}: ${why}`, { hint });
}

const MAX_TITLE_LENGTH = 80;
