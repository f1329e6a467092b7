/** Parts of `svc apply` for one company and for many: what was approved, the second look, the steps, and their rows. */

import { ClientError } from '../../../client/requests/errors.ts';
import { MAX_DATE_HEADER_CLOCK_SKEW_MS } from '../../../client/requests/recovery/settle.ts';
import type { SendCountedInBudget } from '../../../client/sends/budget-counter.ts';
import { findSizeOfNewestTask } from '../../../client/sends/cost.ts';
import { applyCampaign, type PerformedStep } from '../../../features/campaign/apply/apply.ts';
import {
  type Approvals,
  type RequiredApprovals,
  requiredApprovals,
  unlistedPeople,
} from '../../../features/campaign/approval/approvals.ts';
import { CampaignError } from '../../../features/campaign/errors.ts';
import { type ParsedCampaign, positionOf } from '../../../features/campaign/file/read.ts';
import type { Campaign, Step, WantedTask } from '../../../features/campaign/model.ts';
import { readAllRecordsForCampaign } from '../../../features/campaign/observe.ts';
import {
  findChangesPreventingApply,
  type ObservedCampaignState,
} from '../../../features/campaign/plan/continuation.ts';
import {
  type CampaignPlan,
  leavesAllRecordsUnchanged,
  planCampaign,
} from '../../../features/campaign/plan/plan.ts';
import type { PlanOptions } from '../../../features/campaign/plan/situation.ts';
import type { Plan } from '../../../features/campaign/plan-file/plan-file.ts';
import { parseIntegerDigits } from '../../../kit/schema/integer.ts';
import type { Input } from '../../command/command.ts';
import { choiceFlag, repeatableTextFlag, switchFlag, wholeNumberFlag } from '../../command/flag.ts';
import { CliError, isFinding } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { explainError } from '../../errors/explain-error.ts';
import type { Column } from '../../output/result.ts';
import { listRecordsMadeHere } from '../../session/made-here.ts';
import type { Clocks, Invocation, Ports, Profiles, ServiceAccess, Tell } from '../../session/ports.ts';
import { createSendDependencies } from '../../session/send-ports.ts';
import { DONE_STEP_WORDS } from './item-words.ts';
import type { AppliedRow } from './page.ts';
import { readSignersFlag, signersFlag } from './plan-show.ts';
import { nameOfItem } from './read.ts';

/** A narrow terminal omits other columns before those with `keep`. The key is one, because it identifies the item of the file. */
export const COLUMNS: readonly Column[] = [
  { name: 'action', keep: true },
  { name: 'kind' },
  { name: 'key', keep: true },
  { name: 'done', kind: 'bool' as const },
  { name: 'id' },
  { name: 'size', kind: 'number' as const },
  { name: 'name', role: 'name' as const },
  { name: 'reason', wraps: true },
];

export const formatFlag = choiceFlag('format', ['markdown'], {
  describe: 'Print a summary in Markdown; for JSON, use -o json',
});

const approvalsFlag = wholeNumberFlag('approvals', {
  describe: 'Number of people who must have approved the plan',
  min: 1,
});

const notByFlag = repeatableTextFlag('not-by', {
  describe:
    'Person whose approval does not count, such as the author, as the signers file names them; repeatable',
  value: 'name',
});

const allowOfflineFlag = switchFlag('allow-offline', {
  describe: 'Also count approvals made with approve --offline',
});

/** A campaign file as planned before the question, or a plan: the person approves it. */
interface Approved {
  readonly file: string;
  /** Undefined for a plan, which has no lines. */
  readonly parsed?: ParsedCampaign;
  readonly campaign: Campaign;
  readonly options: PlanOptions;
  readonly steps: readonly Step[];
  readonly observed: ObservedCampaignState;
  /** Company name in the plan. Undefined for a campaign file. */
  readonly company?: string;
  /** Flags of `svc plan FILE` for a new plan. Undefined for a campaign file. */
  readonly planFlags?: string;
  /** Error of an expired plan. Such a plan succeeds only if all its steps are done. */
  readonly expired?: unknown;
}

export interface Work extends Approved {
  /** Made from the look at the service before the question. */
  readonly planned: CampaignPlan;
  /** Returns the text that a person reads before the confirmation. */
  readonly page: () => Promise<string>;
  /** Undefined for a campaign file. */
  readonly verifyApprovals?: () => Promise<Approvals>;
}

/** @throws CampaignError `refused` if approvals are required, which only a plan can have */
export async function refuseWithoutPlan(
  session: Invocation & Profiles,
  input: Input,
  path: string,
): Promise<void> {
  const { count } = await readRequiredApprovals(session, input);
  if (count > 0)
    throw new CampaignError(
      'refused',
      `cannot apply the campaign file ${path}: it needs a plan with ${count === 1 ? 'an approval' : `${count} approvals`}; nothing was sent`,
      { hint: `run svc plan ${path} --out PLAN, then svc approve PLAN, then svc apply PLAN` },
    );
}

export async function readAndTellRequiredApprovals(
  session: Invocation & Profiles & Tell,
  input: Input,
): Promise<RequiredApprovals> {
  const demanded = await readRequiredApprovals(session, input);
  for (const person of unlistedPeople(demanded))
    await session.info(`--not-by ${person}: the signers file does not list this person`);
  return demanded;
}

/** Returns the error of an expired plan instead of throwing it, because such a plan may be done. */
export async function verifyUnlessExpired(
  session: Clocks,
  { validUntil }: Pick<Plan, 'validUntil'>,
  verify: () => Promise<Approvals>,
): Promise<readonly [approvals: Approvals | undefined, expired: unknown]> {
  return verify().then(
    (verified) => [verified, undefined] as const,
    async (error: unknown) => {
      if ((await session.serviceNow()) < validUntil) throw error;
      return [undefined, error] as const;
    },
  );
}

/** @throws CampaignError `drift` if the service has changed so that the plan no longer fits */
export async function workOfPlan(
  session: Invocation & Tell & ServiceAccess & Profiles,
  plan: Plan,
  file: string,
  expired: unknown,
): Promise<Omit<Work, 'page'>> {
  const approved: Approved = {
    expired,
    company: plan.company.name,
    planFlags: plan.inputs.bundle === undefined ? '--out PLAN' : `--companies ${plan.company.id} --out DIR`,
    file,
    campaign: plan.inputs.wanted,
    options: { ...plan.inputs.options, madeAt: plan.made },
    steps: plan.steps,
    observed: plan.observed,
  };
  return { ...approved, planned: await planAgain(session, approved) };
}

/** @throws CampaignError `drift` if the service has changed so that the approved steps no longer fit */
export async function planAgain(
  session: Invocation & Tell & ServiceAccess & Profiles,
  approved: Approved,
): Promise<CampaignPlan> {
  const { campaign, options, company, expired, file, planFlags } = approved;
  const observed = await readAllRecordsForCampaign(
    await session.client(),
    campaign,
    options.adopt,
    (wanted) => listRecordsMadeHere(session, wanted),
  );
  const planned = planCampaign(campaign, observed, options);
  const name = String(observed.account.name);
  const renamed =
    company === undefined || company === name
      ? []
      : [
          `The plan is for a company called ${JSON.stringify(company)}, which is now called ${JSON.stringify(name)}`,
        ];
  const changes = [...renamed, ...findChangesPreventingApply(approved, planned)];
  if (expired !== undefined && (changes.length > 0 || !leavesAllRecordsUnchanged(planned.steps)))
    throw expired;
  if (changes.length === 0) return planned;
  throw new CampaignError(
    'drift',
    `cannot apply the plan, because the service has changed: ${changes[0]}; nothing was sent`,
    {
      details: changes.map((reason) => ({ reason })),
      hint:
        planFlags === undefined
          ? `To see the current state, run svc plan ${file}.`
          : `To make a new plan, run svc plan ${file} ${planFlags}.`,
    },
  );
}

async function readRequiredApprovals(
  session: Invocation & Profiles,
  input: Input,
): Promise<RequiredApprovals> {
  const { profile } = await session.resolved();
  return requiredApprovals(profile, {
    approvals: input.get(approvalsFlag),
    signers: readSignersFlag(session, input),
    allowOffline: input.get(allowOfflineFlag),
    notBy: input.get(notByFlag),
  });
}

/** Reports whether `apply` does something for the step. */
export const isDone = ({ action }: Step): boolean => !['keep', 'orphaned', 'blocked'].includes(action);

/** @param source the file of a plan without lines, or the campaign file, in which errors name the place */
export async function performSteps(
  session: Ports,
  planned: CampaignPlan,
  approvals: Approvals | undefined,
  source: Pick<Work, 'file' | 'parsed'>,
): Promise<readonly PerformedStep[]> {
  const doing = planned.steps.filter(isDone);
  const doneLines: string[] = [];
  let current: Step | undefined;
  return applyCampaign(planned, {
    client: approvals ? await session.clientWith({ approvals }) : await session.client(),
    sends: createSendDependencies(session, approvals),
    note: session.warn,
    begin: async (step) => {
      session.context.signal.throwIfAborted();
      current = step;
    },
    end: async ({ step, result: done }) => {
      doneLines.push(doneLine(step, done?.id ?? null, done?.size));
      await session.info(doneLines.at(-1) ?? '');
    },
  }).catch((error: unknown) => {
    throw stoppedError(error, doneLines, doing.length, (attribute) => nameStep(source, current, attribute));
  });
}

/** Returns `spring.yaml:9:11: task newsletter: `. */
function nameStep(
  { file, parsed }: Pick<Work, 'file' | 'parsed'>,
  step: Step | undefined,
  attribute: string | undefined,
): string {
  if (step?.key == null) return '';
  const place = parsed && positionOf(parsed, step.kind, step.key, attribute);
  return `${place ? `${file}:${place.line}:${place.column}: ` : ''}${nameOfItem(step.kind, step.key)}: `;
}

/**
 * An error of the service in the middle of a plan gets a hint to run again, which finds the records of this run. If the service finds a
 * value invalid, such as a list that does not exist, the error names the item. Others stay.
 */
function stoppedError(
  error: unknown,
  doneLines: readonly string[],
  count: number,
  nameOf: (attribute: string | undefined) => string,
): unknown {
  if (!(error instanceof ClientError)) return error;
  const { kind, exit, message, details } = explainError(error);
  if (exit === EXIT.invalid)
    return new CliError(kind, `${nameOf(details.find(isFinding)?.attribute)}${message}`, {
      ...{ exit, details, cause: error },
      hints: [
        saySteps(doneLines, count),
        'Correct the file and apply it again: it goes on, and sends nothing twice.',
      ],
    });
  if (!STOPPING.includes(kind)) return error;
  const { method, path, status } = error;
  const answer = status === undefined ? '' : ` (the answer was ${status})`;
  const isUnknown = exit === EXIT.unknown;
  const doubt = `${method} ${path} was sent, but svc cannot know whether it succeeded${answer}`;
  return new CliError(kind, isUnknown ? doubt : message, {
    ...{ exit, details, cause: error },
    hints: [
      saySteps(doneLines, count),
      isUnknown
        ? `The service may have made the last change, and the request can still arrive for ${MAX_DATE_HEADER_CLOCK_SKEW_MS / 60_000} minutes. Run this again after that: it goes on, and sends nothing twice.`
        : 'Run this again: it goes on, and sends nothing twice.',
    ],
  });
}

function saySteps(doneLines: readonly string[], count: number): string {
  const shown = doneLines.slice(0, LISTED_STEPS).join(', ');
  const more = doneLines.length > LISTED_STEPS ? `, and ${doneLines.length - LISTED_STEPS} more` : '';
  return `${doneLines.length} of ${count} steps are done${shown === '' ? '' : `: ${shown}${more}`}.`;
}

/** Kinds of errors of a service that did not refuse the step. */
const STOPPING: readonly string[] = ['failed', 'unreachable', 'throttled', 'unknown'];
const LISTED_STEPS = 10;

/**
 * @param others sends of other companies, which count too
 * @returns the sends of this plan; none without a budget
 * @throws SendError if all sends together exceed the budget of the profile
 */
export async function mustFitBudget(
  session: ServiceAccess,
  { planned: { situation, steps } }: Pick<Work, 'planned'>,
  others: readonly SendCountedInBudget[] = [],
): Promise<readonly SendCountedInBudget[]> {
  const counter = await session.counter();
  if (counter === undefined) return [];
  const client = await session.client();
  const { campaign } = situation;
  const sends: SendCountedInBudget[] = [];
  for (const { kind, action, key, id, time, size = null, credits = null } of steps) {
    const wanted = campaign.items.find(
      (item): item is WantedTask => item.kind === 'task' && kind === 'task' && item.key === key,
    );
    if (wanted === undefined || time === undefined || !SENDING.includes(action)) continue;
    const recipients = size ?? (await findSizeOfNewestTask(client, targetOf(campaign, wanted)));
    sends.push({ due: time, recipients, credits: credits ?? recipients, tasks: 1, replaces: id });
  }
  await counter.checkFits(client, sends, others);
  return sends;
}

const SENDING: readonly Step['action'][] = ['create', 'replace', 'change'];

function targetOf({ items }: Campaign, { channel, message, list }: WantedTask) {
  const named = items.find((item) => item.kind === 'message' && 'key' in message && item.key === message.key);
  const own = named?.kind === 'message' ? named.channel : null;
  return { channel: channel ?? own, list_id: list === null ? null : parseIntegerDigits(list) };
}

function idIn(kind: Step['kind'], id: string | null, isNumber: boolean): Pick<AppliedRow, 'id' | 'rule'> {
  if (id === null || !isNumber) return { id };
  const [rule, digits] = id.includes(':') ? id.split(':') : [undefined, id];
  const number = parseIntegerDigits(digits ?? '');
  return kind === 'automation' ? { id: number, rule: rule ?? null } : { id: number };
}

function doneLine({ action, kind, key, name }: Step, id: string | null, size?: number | null): string {
  const what = `${DONE_STEP_WORDS[action] ?? action} ${kind} ${key ?? name}${id === null ? '' : ` (${id})`}`;
  return typeof size === 'number' ? `${what}, ${size} subscriptions` : what;
}

/** Exit code 5 if steps are blocked (contract, "Sends and campaigns, once more"). */
export function blockedError(
  { file, parsed, planFlags }: Pick<Work, 'file' | 'parsed' | 'planFlags'>,
  applied: readonly PerformedStep[],
): CampaignError | undefined {
  const blocked = applied.flatMap(({ step }) => (step.action === 'blocked' ? [step] : []));
  if (blocked.length === 0) return undefined;
  const details = blocked.map(({ kind, key = null, id = null, name, blockedBy = null, reason = null }) => {
    const place = parsed && key !== null ? positionOf(parsed, kind, key) : undefined;
    const position = place === undefined ? {} : { file, line: place.line, column: place.column };
    return { kind, key, id, name, blockedBy, reason, ...position };
  });
  const lines = details.map(({ kind, key, id, reason, line, column }) => {
    const place = line === undefined ? '' : ` (${file}:${line}:${column})`;
    return `${kind} ${key ?? id}${place}: ${reason}`;
  });
  const count = blocked.length === 1 ? '1 step is blocked' : `${blocked.length} steps are blocked`;
  return new CampaignError('blocked', `${count}: ${lines.join('; ')}`, {
    details,
    hint: blockedHint(file, planFlags, blocked),
  });
}

function blockedHint(file: string, planFlags: string | undefined, blocked: readonly Step[]): string {
  const isDrift = blocked.some(({ blockedBy }) => blockedBy === 'drift');
  const flags = isDrift ? ' --overwrite' : '';
  if (planFlags !== undefined)
    return `Fix the blocked items, then make a new plan: svc plan ${file}${flags} ${planFlags}.`;
  return isDrift
    ? 'To overwrite changes that someone made by hand, add --overwrite. To see the current state, run svc plan.'
    : 'Fix the file and apply it again. To see the current state, run svc plan.';
}

/** Output formats in which an id is a number: rule `click:3` has the id 3, and its kind is a separate member. */
export const hasNumericIds = async (session: Tell): Promise<boolean> =>
  ['json', 'ndjson', 'yaml'].includes(await session.format());

export const rowsOfSteps = (
  applied: readonly PerformedStep[],
  isForPrograms: boolean,
): readonly AppliedRow[] =>
  applied.map(({ step, result: done }) => {
    const { action, kind, key = null, id = null, name, reason = null, renamedFrom = null } = step;
    return {
      action,
      kind,
      key,
      ...idIn(kind, done?.id ?? id, isForPrograms),
      name,
      done: done !== undefined,
      size: done?.size ?? step.size ?? null,
      reason,
      renamedFrom,
    };
  });

/** Flags that a plan and a bundle take alike. */
export const APPLY_FLAGS = [approvalsFlag, signersFlag, notByFlag, allowOfflineFlag, formatFlag];
