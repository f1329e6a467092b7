/** Adds the tasks that a profile has already scheduled to the ledger of its budget, when the budget is set. */

import { journalFolder } from '../../client/journal/file.ts';
import { findScheduledTasks } from '../../client/journal/scheduled-tasks.ts';
import type { Profile } from '../../client/profiles/profile.ts';
import { budgetAccount, countScheduledTasks } from '../../client/sends/budget.ts';
import { formatCountWithNoun, groupThousands } from '../../kit/text/words.ts';
import { parseBaseUrl } from '../../service/protocol/wire.ts';
import { budgetLedgerLocation, newLedgerId } from '../session/budget.ts';
import type { Invocation, Tell } from '../session/ports.ts';

const A_DAY = 86_400;

/** Counts the tasks of the journal that send today or later. svc reads unknown sizes when it needs them. */
export async function countTasksInNewBudget(session: Invocation & Tell, profile: Profile): Promise<void> {
  const { context } = session;
  const base = parseBaseUrl(profile.baseUrl);
  const folder = journalFolder(context);
  if (folder === undefined || 'problem' in base) return;
  const { origin } = base;
  const from = context.clock.now() / 1000 - A_DAY;
  const tasks = await findScheduledTasks(
    { folder, platform: context.platform },
    { profile: profile.name, origin },
    from,
  );
  if (tasks.length === 0) return;
  const added = await countScheduledTasks(
    budgetLedgerLocation(context),
    tasks.map(({ company, id, due, size, channel }) => ({
      id: newLedgerId(context),
      account: budgetAccount(profile.name, company, origin),
      due,
      recipients: size,
      // Each e-mail costs one credit. The parts of an SMS are in its message, which only the service has.
      credits: channel === 'email' ? size : null,
      tasks: 1,
      task: id,
      state: 'counted',
    })),
  );
  if (added.length === 0) return;
  const people = added.reduce((sum, { recipients }) => sum + (recipients ?? 0), 0);
  await session.info(
    `The budget also counts ${formatCountWithNoun(added.length, 'task')} that profile ${profile.name} has already scheduled, to ${groupThousands(people)} recipients.`,
  );
}
