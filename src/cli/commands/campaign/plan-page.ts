/** A plan for people to read before they approve it, and after. */
import type { Action, Step } from '../../../campaign/model.ts';
import type { Plan } from '../../../campaign/plan-file/plan-file.ts';
import { bounded } from '../../../text/bounded.ts';
import { formatDuration } from '../../../text/duration.ts';
import type { Page, Section, Term } from '../../../text/page.ts';
import { formatTime } from '../../../text/timezone.ts';

const DONE: Readonly<Record<Action, string>> = {
  create: 'to create',
  change: 'to change',
  replace: 'to replace',
  cancel: 'to take away',
  blocked: 'blocked',
  keep: 'as the file says',
  orphaned: 'orphaned, and left',
};
const ACTIONS = Object.keys(DONE) as readonly Action[];

/** `2 to create, 1 blocked`; each action that there is, once. */
export function countsOf({ steps }: Pick<Plan, 'steps'>): string {
  const counts = ACTIONS.map(
    (action) => [action, steps.filter((step) => step.action === action).length] as const,
  );
  const shown = counts.filter(([, count]) => count > 0).map(([action, count]) => `${count} ${DONE[action]}`);
  return shown.length === 0 ? 'none' : shown.join(', ');
}

/** `Harbour Coffee (company 1)` */
export const companyOf = ({ company }: Pick<Plan, 'company'>): string =>
  `${company.name} (company ${company.id})`;

/**
 * What it is, and what would be done. Times are in the zone that its local times were read in.
 * @param now Unix seconds by the service's clock
 */
export function planPage(plan: Plan, now: number, more: readonly Section[] = []): Page {
  const { campaign, made, validUntil, inputs, sha256, steps } = plan;
  const time = (seconds: number): string => formatTime(seconds, inputs.options.zone, 'long');
  const left = validUntil - now;
  const holds =
    left > 0 ? `${formatDuration(left)} left` : `expired ${formatDuration(Math.max(1, -left))} ago`;
  const contents = inputs.files.length > 1 ? ` and ${inputs.files.length - 1} more` : '';
  const set = Object.entries(inputs.set).map(([name, value]) => `${name}=${value}`);
  const options = [
    ...(inputs.options.overwrite ? ['changes by hand are written over'] : []),
    ...(inputs.options.prune ? ['what the file no longer names is taken away'] : []),
  ];
  const terms: readonly Term[] = [
    { term: 'company', text: companyOf(plan) },
    { term: 'made', text: time(made) },
    { term: 'holds until', text: `${time(validUntil)} (${holds})` },
    { term: 'files', text: `${inputs.file}${contents}` },
    ...(set.length > 0 ? [{ term: 'variables', text: set.join(', ') }] : []),
    ...(options.length > 0 ? [{ term: 'options', text: options.join('; ') }] : []),
    { term: 'steps', text: countsOf(plan) },
    { term: 'sha256', text: sha256 },
  ];
  return {
    title: `Plan of campaign ${campaign}`,
    sections: [
      { title: 'The plan', blocks: [{ kind: 'terms', terms }] },
      ...ACTIONS.filter((action) => action !== 'keep').map((action): Section => {
        const found = steps.filter((step) => step.action === action);
        const entries = found.map((step) => ({ term: titleOf(step), text: detailsOf(step, time) }));
        return {
          title: headingOf(action),
          blocks: entries.length === 0 ? [] : [{ kind: 'terms', terms: entries }],
        };
      }),
      ...more,
    ],
  };
}

const headingOf = (action: Action): string =>
  `${DONE[action].charAt(0).toUpperCase()}${DONE[action].slice(1)}`;

/** `task send`; of what has no key its id. */
const titleOf = ({ kind, key, id }: Step): string => `${kind} ${key ?? id ?? ''}`;

const LONGEST_VALUE = 40;

function detailsOf(step: Step, time: (seconds: number) => string): string {
  const { name, reason, until, changes = [], size, credits } = step;
  const parts = [
    `"${name}"`,
    ...(step.time === undefined ? [] : [`at ${time(step.time)}`]),
    ...(size == null ? [] : [`to ${size} subscriptions`]),
    ...(credits == null ? [] : [`${credits} credits`]),
    ...(reason === undefined ? [] : [reason]),
    ...(until === undefined ? [] : [`until ${time(until)}`]),
    ...changes.map(({ attribute, from, to }) => `${attribute}: ${shown(from)} → ${shown(to)}`),
  ];
  return parts.join('; ');
}

const shown = (value: unknown): string => bounded(JSON.stringify(value), LONGEST_VALUE);
