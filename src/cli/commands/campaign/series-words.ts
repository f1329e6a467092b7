/** Describes series of a campaign file: on the page of a plan, in notes, and for programs. */

import type { Step } from '../../../features/campaign/model.ts';
import type { CampaignPlan } from '../../../features/campaign/plan/plan.ts';
import type { SeriesState } from '../../../features/campaign/plan/series.ts';
import type { Occurrence } from '../../../features/campaign/series.ts';
import { formatCountWithNoun } from '../../../kit/text/words.ts';

const LISTED_DAYS = 4;

/** Says what became of the times that have no step in the plan. */
export function describeSeriesState({ skipped, sent, later }: SeriesState): readonly string[] {
  return [
    ...(sent.length === 0
      ? []
      : [`sent ${formatCountWithNoun(sent.length, 'time')}, last ${sent.at(-1)?.day}`]),
    ...(skipped.length === 0 ? [] : [skippedWords(skipped)]),
    ...(later.length === 0
      ? []
      : [`${later.length} more until ${later.at(-1)?.day}, which a later run creates`]),
  ];
}

/** Returns a line for each series with skipped times, which `svc apply` prints even if it changes nothing. */
export const describeSkipped = ({ series }: Pick<CampaignPlan, 'series'>): readonly string[] =>
  series.flatMap(({ task, skipped }) =>
    skipped.length === 0 ? [] : [`series ${task.key}: ${skippedWords(skipped)}`],
  );

function skippedWords(skipped: readonly Occurrence[]): string {
  const days = skipped.slice(-LISTED_DAYS).map(({ day }) => day);
  const shown = `${skipped.length > days.length ? '…, ' : ''}${days.join(', ')}`;
  return `${formatCountWithNoun(skipped.length, 'time')} skipped, because svc created no task before: ${shown}`;
}

/** `action` is that of the step of the same time in `steps`. A time that is skipped or created by a later run has none. */
export function summarizeSeries(
  { task, occurrences, skipped, sent, later }: SeriesState,
  steps: readonly Step[],
) {
  const { key, name, message, list, search, repeat } = task;
  const { every, until, times, ahead } = repeat;
  const stateOf = (each: Occurrence): string | null => {
    if (skipped.includes(each)) return 'skipped';
    if (sent.includes(each)) return 'sent';
    return later.includes(each) ? 'later' : null;
  };
  return {
    ...{ key, name, message, list, search, every, until, times, ahead },
    occurrences: occurrences.map((each) => ({
      ...{ key: each.key, day: each.day, time: each.time },
      action: steps.find((step) => step.kind === 'task' && step.key === each.key)?.action ?? null,
      state: stateOf(each),
    })),
  };
}
