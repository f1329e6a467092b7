/** A plan for people to read before they approve it, and after. */
import type { Action, Step, WantedItem } from '../../../campaign/model.ts';
import type { Plan } from '../../../campaign/plan-file/plan-file.ts';
import { bounded } from '../../../text/bounded.ts';
import { formatDuration } from '../../../text/duration.ts';
import { linesOfPage, type Page, type Section, type Term } from '../../../text/page.ts';
import { formatTime } from '../../../text/timezone.ts';
import { itemWords } from './item-words.ts';
import { ACTION_WORDS, ACTIONS, countsOf } from './step-words.ts';

/** `Harbour Coffee (company 1)` */
export const companyOf = ({ company }: Pick<Plan, 'company'>): string =>
  `${company.name} (company ${company.id})`;

const WITHOUT_TERMINAL = 100;
const NARROWEST = 20;

/** The page without colour, for stderr. @param columns of the terminal, where it is one */
export const planText = (
  plan: Plan,
  now: number,
  columns: number | undefined,
  more: readonly Section[] = [],
): string =>
  linesOfPage(planPage(plan, now, more), Math.max(NARROWEST, columns ?? WITHOUT_TERMINAL))
    .map(({ text }) => text)
    .join('\n');

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
    { term: 'steps', text: countsOf(steps) },
    { term: 'sha256', text: sha256 },
  ];
  return {
    title: `Plan of campaign ${campaign}`,
    sections: [
      { title: 'The plan', blocks: [{ kind: 'terms', terms }] },
      ...ACTIONS.filter((action) => action !== 'keep').map((action): Section => {
        const found = steps.filter((step) => step.action === action);
        const entries = found.flatMap((step) =>
          detailsOf(step, itemOf(plan, step), time).map((text, index) => ({
            term: index === 0 ? titleOf(step) : '',
            text,
          })),
        );
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
  `${ACTION_WORDS[action].charAt(0).toUpperCase()}${ACTION_WORDS[action].slice(1)}`;

/** `task send`; of what has no key its id. */
const titleOf = ({ kind, key, id }: Step): string => `${kind} ${key ?? id ?? ''}`;

const LONGEST_VALUE = 40;

const itemOf = ({ inputs }: Plan, step: Step): WantedItem | undefined =>
  inputs.wanted.items.find(({ kind, key }) => kind === step.kind && key === step.key);

function detailsOf(
  step: Step,
  item: WantedItem | undefined,
  time: (seconds: number) => string,
): readonly string[] {
  const { action, name, reason, until, changes = [], size, credits } = step;
  const isMade = action === 'create' || action === 'replace';
  const known = [
    ...(size == null ? [] : [`${size} subscriptions`]),
    ...(credits == null ? [] : [`${credits} credits`]),
  ];
  return [
    JSON.stringify(name),
    ...(reason === undefined ? [] : [`${reason}${until === undefined ? '' : ` until ${time(until)}`}`]),
    ...(item !== undefined && isMade ? itemWords(item) : []),
    ...changes.map(({ attribute, from, to }) => `${attribute}: ${shown(from)} → ${shown(to)}`),
    ...(step.time === undefined ? [] : [`at ${time(step.time)}`]),
    ...(known.length === 0 ? [] : [known.join(', ')]),
  ];
}

const shown = (value: unknown): string => bounded(JSON.stringify(value), LONGEST_VALUE);
