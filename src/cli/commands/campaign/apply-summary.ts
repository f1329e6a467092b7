/** Formats the summary that `svc apply` prints on a terminal. The summary is short because the user has seen the plan before. */
import type { PerformedStep } from '../../../campaign/apply/apply.ts';
import type { Campaign, StepAction, WantedTask } from '../../../campaign/model.ts';
import { formatTime } from '../../../text/timezone.ts';
import { groupThousands } from '../../../text/words.ts';
import type { Outcome } from '../../command/command.ts';
import { formatTaskTarget } from '../../nouns/task/task-words.ts';
import { createTextLinesOutcome } from '../../request/write-outcome.ts';
import type { Session } from '../../session/session.ts';
import { formatStepCounts, STEP_ACTION_WORDS, STEP_ACTIONS } from './step-words.ts';

/** Maximum number of sends that the summary lists. */
const LISTED_SENDS = 5;

const DONE_WORDS: Readonly<Partial<Record<StepAction, string>>> = {
  create: 'created',
  change: 'changed',
  replace: 'replaced',
  cancel: 'deleted',
};

/** Returns the summary: counts by action, sends with recipients and times, and the next command. */
export async function summarizeApply(
  session: Session,
  campaign: Campaign,
  applied: readonly PerformedStep[],
): Promise<Outcome> {
  const done = applied.filter((each) => each.result !== undefined);
  if (done.length === 0) {
    const counts = formatStepCounts(applied.map(({ step }) => step));
    return createTextLinesOutcome(session, `Nothing was changed: ${counts}.`);
  }
  const sends = done.filter(
    ({ step, result: done }) => step.kind === 'task' && step.action !== 'cancel' && done?.id,
  );
  const zone = await session.tableZone();
  const lines = sends.slice(0, LISTED_SENDS).map((each) => sendWords(each, campaign, zone));
  const more = sends.length > LISTED_SENDS ? [`and ${sends.length - LISTED_SENDS} more sends`] : [];
  const [first] = sends;
  return createTextLinesOutcome(
    session,
    `Applied "${campaign.campaign}": ${doneWords(applied)}.`,
    first === undefined ? undefined : `svc task watch ${first.result?.id}`,
    [...lines, ...more],
  );
}

/** Returns `3 created, 1 deleted, 1 blocked`. Items that are up to date are not counted. */
function doneWords(applied: readonly PerformedStep[]): string {
  return STEP_ACTIONS.flatMap((action) => {
    const { length } = applied.filter(({ step }) => step.action === action);
    const words = DONE_WORDS[action] ?? (action === 'blocked' ? STEP_ACTION_WORDS[action] : undefined);
    return length === 0 || words === undefined ? [] : [`${length} ${words}`];
  }).join(', ');
}

/** Returns `task 5 "Spring": to 447 on list 1, Mon 2026-12-07 09:00 Europe/London`. */
function sendWords({ step, result: done }: PerformedStep, campaign: Campaign, zone: string): string {
  const item = campaign.items.find(
    (each): each is WantedTask => each.kind === 'task' && each.key === step.key,
  );
  const size = done?.size ?? step.size;
  const target = item === undefined ? [] : [formatTaskTarget({ list_id: item.list, search_id: item.search })];
  const who =
    typeof size === 'number' ? [`to ${groupThousands(size)}`, ...target].join(' on ') : `to ${target.join()}`;
  const when = step.time === undefined ? '' : `, ${formatTime(step.time, zone, 'weekday')}`;
  return `task ${done?.id} "${step.name}": ${who}${when}`;
}
