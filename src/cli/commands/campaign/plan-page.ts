/**
 * Builds the page of a plan, for `svc plan show`, `svc approve` and `svc apply`. svc describes each item from its values, and prints no
 * ready-made descriptions from the plan file. Text that svc did not write is quoted on a separate line, so that it can't imitate svc's.
 */

import { computePossibleHashesOfMessage } from '../../../features/campaign/content.ts';
import type {
  ObservedCompanyRecords,
  Step,
  WantedItem,
  WantedMessage,
} from '../../../features/campaign/model.ts';
import type { Plan } from '../../../features/campaign/plan-file/plan-file.ts';
import { timingOfStep } from '../../../features/campaign/sequences.ts';
import { describeRepeat, parseOccurrenceKey } from '../../../features/campaign/series.ts';
import type { Report, ReportSection } from '../../../kit/report/report.ts';
import { formatTextPageLines, type TextPageLine } from '../../../kit/report/text-page.ts';
import { parseIntegerDigits } from '../../../kit/schema/integer.ts';
import type { ContentMarkupNames } from '../../../kit/schema/resource.ts';
import { formatDuration } from '../../../kit/text/duration.ts';
import { formatTime } from '../../../kit/text/timezone.ts';
import { capitalizeFirstLetter } from '../../../kit/text/words.ts';
import { namingWithOverrides } from '../../../service/protocol/naming.ts';
import { account } from '../../../service/resources/account.ts';
import { emailMessage } from '../../../service/resources/email-message.ts';
import { smsMessage } from '../../../service/resources/sms-message.ts';
import { CHANNELS, type Channel, type MessageRecord } from '../../../service/resources/task.ts';
import type { Invocation, Profiles, ServiceAccess, Tell } from '../../session/ports.ts';
import {
  describeAttributeChange,
  describeCampaignItem,
  describeRename,
  describeSequenceStep,
  findItemOfStep,
  formatStepCounts,
  formatTimeInZoneAndUtc,
  groupSteps,
  STEP_ACTION_WORDS,
  STEP_ACTIONS,
  type StepGroup,
} from './item-words.ts';
import { describeMessage } from './message-words.ts';
import { quoteOnOneLine, quoteUnlessSingleWord } from './quoting.ts';

export interface PlanPageInput {
  readonly plan: Plan;
  /** Unix seconds by the service's clock. */
  readonly now: number;
  readonly facts: ServiceFactsForPlan;
  /** True if the plan was not compared with the service because of `--offline`. */
  readonly isOffline?: boolean;
  readonly extraSections?: readonly ReportSection[];
}

/** @param columns the width of the terminal; if undefined, no line is wrapped */
export function formatPlanPageText(plan: PlanPageInput, columns: number | undefined): string {
  return formatPlanPageLines(plan, columns)
    .map(({ text }) => text)
    .join('\n');
}

function formatPlanPageLines(plan: PlanPageInput, columns: number | undefined): readonly TextPageLine[] {
  const width = Math.max(20, columns ?? Number.POSITIVE_INFINITY);
  return formatTextPageLines(buildPlanPage(plan), width);
}

export function buildPlanPage(input: PlanPageInput): Report {
  const { plan, extraSections = [] } = input;
  const words = namingWithOverrides(plan.naming);
  const sections: ReportSection[] = [];
  for (const action of STEP_ACTIONS.filter((each) => each !== 'keep')) {
    const steps = plan.steps.filter((each) => each.action === action);
    const lines = groupSteps(steps, plan.inputs.wanted.items).flatMap((group) => linesOf(plan, group, words));
    sections.push(sectionOf(capitalizeFirstLetter(STEP_ACTION_WORDS[action]), lines));
  }
  return {
    title: 'Plan of a campaign',
    sections: [
      sectionOf('The plan', rowsOf(headOf(input))),
      ...sections,
      sectionOf('Messages that the plan sends but does not change', describeUnchangedMessages(input, words)),
      ...extraSections,
    ],
  };
}

const sectionOf = (title: string, lines: readonly string[]): ReportSection => ({
  title,
  blocks: lines.length === 0 ? [] : [{ kind: 'unbroken', lines }],
});

type Row = readonly [term: string, text: string];

const rowIf = (isShown: boolean, ...row: Row): readonly Row[] => (isShown ? [row] : []);

function rowsOf(rows: readonly Row[]): readonly string[] {
  const width = Math.max(...rows.map(([term]) => term.length)) + 2;
  return rows.map(([term, text]) => `${term.padEnd(width)}${text}`);
}

function headOf({ plan, now, facts, isOffline = false }: PlanPageInput): readonly Row[] {
  const { campaign, company, origin, naming, made, validUntil, inputs, sha256, steps } = plan;
  const time = (seconds: number): string => formatTime(seconds, inputs.options.zone, 'long');
  const left = validUntil - now;
  const holds =
    left > 0 ? `${formatDuration(left)} left` : `expired ${formatDuration(Math.max(1, -left))} ago`;
  const contents = inputs.files.length > 1 ? ` and ${inputs.files.length - 1} more` : '';
  const { overwrite, prune, both = false, adopt = {} } = inputs.options;
  return [
    ['campaign', quoteOnOneLine(campaign)],
    ...(inputs.wanted.renamedFrom ?? []).map((name): Row => ['renamed from', quoteOnOneLine(name)]),
    [
      'company',
      facts.company === undefined
        ? `company ${company.id}, called ${quoteOnOneLine(company.name)} in the plan (not checked with the service)`
        : `${quoteOnOneLine(facts.company)} (company ${company.id})`,
    ],
    ['service', origin],
    ...rowIf(Object.keys(naming).length > 0, 'naming', quoteOnOneLine(naming)),
    ['made', time(made)],
    ['valid until', `${time(validUntil)} (${holds})`],
    ['file', `${quoteOnOneLine(inputs.file)}${contents}`],
    ...Object.entries(inputs.set).map(
      ([name, value]): Row => ['variable', `${quoteUnlessSingleWord(name)} = ${quoteOnOneLine(value)}`],
    ),
    ...Object.entries(inputs.env).map(
      ([name, value]): Row => ['environment', `${quoteUnlessSingleWord(name)} = ${quoteOnOneLine(value)}`],
    ),
    ...Object.entries(inputs.ids ?? {}).map(
      ([name, { from, to }]): Row => ['id', `${quoteUnlessSingleWord(name)}: ${to} instead of ${from}`],
    ),
    ...rowIf(overwrite, '--overwrite', 'overwrites changes that someone made by hand'),
    ...rowIf(prune, '--prune', 'cancels or deletes records that are no longer in the file'),
    ...rowIf(both, '--both', 'allows tasks and rules that do the same as existing ones'),
    ...Object.entries(adopt).map(
      ([name, id]): Row => [
        '--adopt',
        `${quoteUnlessSingleWord(name)} adopts the record ${quoteUnlessSingleWord(id)}`,
      ],
    ),
    ['steps', formatStepCounts(steps)],
    ...rowIf(isOffline, '--offline', 'compares the plan with the files only, not with the service'),
    ['sha256', sha256],
  ];
}

/**
 * A sequence or series is one item of the page. Each of its steps or times has all the lines of its rule or task, because people sign
 * them.
 */
function linesOf(
  plan: Plan,
  { sequence, series, steps }: StepGroup,
  words: ContentMarkupNames,
): readonly string[] {
  if (series !== undefined)
    return [
      `series ${quoteUnlessSingleWord(series.key)}`,
      `  name: ${quoteOnOneLine(series.name)}`,
      `  ${describeRepeat(series.repeat)}`,
      ...steps.flatMap((step) => [
        `  time ${parseOccurrenceKey(step.key)?.day}`,
        ...detailsOf(plan, step, words).map((line) => indented(indented(line))),
      ]),
    ];
  if (sequence === undefined)
    return steps.flatMap((step) => [titleOf(step), ...detailsOf(plan, step, words).map(indented)]);
  const { key, name, list } = sequence;
  return [
    `sequence ${quoteUnlessSingleWord(key)}`,
    `  name: ${quoteOnOneLine(name)}`,
    `  list ${list}`,
    ...steps.flatMap((step) => {
      const own = sequence.steps.find(({ rule }) => rule.key === step.key);
      const title = own === undefined ? '' : `, ${describeSequenceStep(timingOfStep(own.rule))}`;
      return [
        `  step ${quoteUnlessSingleWord(own?.key ?? '')}${title}`,
        ...detailsOf(plan, step, words).map((line) => indented(indented(line))),
      ];
    }),
  ];
}

/** Returns `task spring`, or the record's id if the item has no key. */
const titleOf = ({ kind, key, id }: Step): string => `${kind} ${quoteUnlessSingleWord(key ?? id ?? '')}`;

const indented = (line: string): string => `  ${line}`;

const isWritten = ({ action }: Step): boolean =>
  action === 'create' || action === 'change' || action === 'replace';

const itemOf = ({ inputs }: Plan, step: Step): WantedItem | undefined =>
  findItemOfStep(inputs.wanted.items, step, inputs.options.zone);

function detailsOf(plan: Plan, step: Step, words: ContentMarkupNames): readonly string[] {
  const { zone } = plan.inputs.options;
  const { reason, until, changes = [], time } = step;
  const item = itemOf(plan, step);
  const isRenamed = step.action === 'rename' && item?.kind !== 'message';
  const isShown = item !== undefined && (isWritten(step) || isRenamed);
  return [
    `name: ${quoteOnOneLine(item?.name ?? step.name)}`,
    ...describeRename(step.renamedFrom),
    ...(reason === undefined
      ? []
      : [
          `reason: ${quoteOnOneLine(reason)}${until === undefined ? '' : ` until ${formatTime(until, zone, 'long')}`}`,
        ]),
    ...(isShown
      ? item.kind === 'message'
        ? describeMessage(item.channel, item.values, words)
        : describeCampaignItem(item)
      : []),
    ...(time === undefined ? [] : formatTimeInZoneAndUtc(time, zone)),
    ...(isShown && item.kind === 'task' ? [sizeWords(step)] : []),
    ...changes.map((change) => describeAttributeChange(change, zone, item)),
  ];
}

function sizeWords({ size, credits }: Step): string {
  if (size === null || size === undefined)
    return 'recipients and credits: known only after the task is created';
  return `${size} subscriptions, ${credits ?? 'an unknown number of'} credits`;
}

function describeUnchangedMessages(
  { plan, facts }: PlanPageInput,
  words: ContentMarkupNames,
): readonly string[] {
  const messages: (readonly string[])[] = [];
  const shown = new Set<string>();
  for (const step of plan.steps.filter(isWritten)) {
    const item = itemOf(plan, step);
    if (item?.kind !== 'task' && item?.kind !== 'automation') continue;
    const references =
      item.kind === 'task' ? [['message', item.message] as const] : Object.entries(item.references);
    for (const [attribute, reference] of references) {
      const own = 'key' in reference ? messageIn(plan, reference.key) : undefined;
      const name = own ? `message ${own.key}` : `${item.kind} ${item.key} ${attribute}`;
      if (shown.has(name)) continue;
      shown.add(name);
      if (own) {
        const isKept = plan.steps.some(
          (each) => each.kind === 'message' && each.key === own.key && !isWritten(each),
        );
        if (isKept) messages.push([name, ...describeMessage(own.channel, own.values, words).map(indented)]);
        continue;
      }
      const observed = plan.observed.references[name];
      if (observed === undefined) continue;
      const found = facts.messages.get(name);
      messages.push([
        `message ${observed.id} of ${name}`,
        ...(found === undefined
          ? ['content not shown, because svc did not request this message from the service']
          : [
              `name: ${quoteOnOneLine(found.record.name)}`,
              ...describeMessage(found.channel, found.record, words),
            ]
        ).map(indented),
      ]);
    }
  }
  return messages.flat();
}

const messageIn = ({ inputs }: Plan, key: string): WantedMessage | undefined =>
  inputs.wanted.items.find((item): item is WantedMessage => item.kind === 'message' && item.key === key);

export interface ServiceFactsForPlan {
  readonly company: string | undefined;
  /** Messages that the campaign refers to but did not create, by the reference in the plan, such as `task KEY message`. */
  readonly messages: ReadonlyMap<string, ReferencedMessage>;
}

interface ReferencedMessage {
  readonly channel: Channel;
  readonly record: MessageRecord;
}

export const EMPTY_SERVICE_FACTS_FOR_PLAN: ServiceFactsForPlan = { company: undefined, messages: new Map() };

/** Takes the facts from records that svc has read. Omits messages that were changed since the plan was made. */
export function collectCompanyAndMessagesForPlan(
  plan: Plan,
  { account, messages }: Pick<ObservedCompanyRecords, 'account' | 'messages'>,
): ServiceFactsForPlan {
  return {
    company: String(account.name),
    messages: new Map(
      referencesIn(plan).flatMap(([name, reference]) => {
        const found = CHANNELS.flatMap((channel) =>
          messages[channel]
            .filter(({ id }) => String(id) === reference.id)
            .map((record) => ({ channel, record })),
        ).find((each) => isUnchangedMessage(each, reference.content));
        return found ? [[name, found] as const] : [];
      }),
    ),
  };
}

/** Sends one request for each fact. Without credentials for the plan's service and company, or if a request fails, there are no facts. */
export async function requestServiceFactsForPlan(
  session: Invocation & Tell & ServiceAccess & Profiles,
  plan: Plan,
): Promise<ServiceFactsForPlan> {
  try {
    const { origin, credentials } = await session.resolved();
    if (origin !== plan.origin || String(credentials.companyId) !== plan.company.id)
      return EMPTY_SERVICE_FACTS_FOR_PLAN;
    const client = await session.client();
    const { name } = await client.single(account);
    const messages = new Map<string, ReferencedMessage>();
    for (const [reference, { id, content }] of referencesIn(plan))
      for (const channel of CHANNELS) {
        const record = await client.get(
          channel === 'email' ? emailMessage : smsMessage,
          parseIntegerDigits(id),
        );
        if (record && isUnchangedMessage({ channel, record }, content))
          messages.set(reference, { channel, record });
      }
    return { company: String(name), messages };
  } catch (error) {
    session.context.signal.throwIfAborted();
    await session.info(
      `cannot check the plan against the service: ${error instanceof Error ? error.message : ''}`,
    );
    return EMPTY_SERVICE_FACTS_FOR_PLAN;
  }
}

const referencesIn = ({ observed }: Plan) => Object.entries(observed.references);

const isUnchangedMessage = ({ channel, record }: ReferencedMessage, content: string): boolean =>
  computePossibleHashesOfMessage(channel, record.name, record, [])[0] === content;
