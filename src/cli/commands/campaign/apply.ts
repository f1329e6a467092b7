/** `svc apply PLAN|FILE`: does what a plan says, step by step; run again it goes on where it was. */
import { readFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { type Applied, apply } from '../../../campaign/apply/apply.ts';
import {
  type Approvals,
  checkApprovals,
  type RequiredApprovals,
  requiredApprovals,
} from '../../../campaign/approval/approvals.ts';
import { CampaignError } from '../../../campaign/errors.ts';
import { placeOf, type ReadCampaign } from '../../../campaign/file/read.ts';
import type { Campaign, Observed, Step } from '../../../campaign/model.ts';
import { observe } from '../../../campaign/observe.ts';
import { withAdoptions } from '../../../campaign/plan/adoption.ts';
import {
  approvedSteps,
  changesSince,
  type ObservedState,
  observedState,
  withPlannedTimes,
} from '../../../campaign/plan/continuation.ts';
import { isNothing, type Planned, plan } from '../../../campaign/plan/plan.ts';
import type { PlanOptions } from '../../../campaign/plan/situation.ts';
import { checkInputs } from '../../../campaign/plan-file/inputs.ts';
import type { Plan } from '../../../campaign/plan-file/plan-file.ts';
import { readPlanFile } from '../../../campaign/plan-file/read-plan-file.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import { integerOf } from '../../../schema/integer.ts';
import type { Input, Outcome, Verb } from '../../command/command.ts';
import { choiceFlag, countFlag, switchFlag } from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import type { Column } from '../../output/result.ts';
import { confirm, mustBeConfirmable } from '../../request/guards.ts';
import type { Session } from '../../session/session.ts';
import { errorsIn, refuseLintErrors } from './lint.ts';
import { appliedMarkdownOf, pageOf } from './page.ts';
import { shownOf } from './plan-make.ts';
import { planText } from './plan-page.ts';
import { signersFlag, signersIn } from './plan-show.ts';
import { adoptFlag, bothFlag, overwriteFlag, planFile, pruneFlag, setFlag } from './read.ts';
import { countsOf } from './step-words.ts';

/** What fits a narrow terminal first: the key says which item it is. */
const COLUMNS: readonly Column[] = [
  ...['action', 'kind', 'key'].map((name) => ({ name })),
  { name: 'done', kind: 'bool' as const },
  { name: 'id' },
  { name: 'size', kind: 'number' as const },
  { name: 'name', role: 'name' as const },
  { name: 'reason' },
];

const formatFlag = choiceFlag('format', ['markdown'], {
  describe: 'Print a summary for people; -o json for programs',
});
const approvalsFlag = countFlag('approvals', {
  describe: 'Number of people who must have approved the plan',
  min: 1,
});

const allowLintErrorsFlag = switchFlag('allow-lint-errors', {
  describe: 'Send messages all the same in which lint finds errors',
});

export const campaignApply: Verb = {
  name: 'apply',
  summary: 'Do what a plan or a campaign file says',
  about:
    'Shows what it will do and asks. Cut off at any moment and run again, also on another machine, it goes on where it was: ' +
    'nothing is made twice and nothing is sent twice',
  example: 'apply spring.yaml',
  positionals: [{ name: 'file', describe: 'Plan (svc plan --out) or campaign file', completes: 'file' }],
  flags: [
    approvalsFlag,
    signersFlag,
    formatFlag,
    setFlag,
    overwriteFlag,
    pruneFlag,
    adoptFlag,
    bothFlag,
    allowLintErrorsFlag,
  ],
  run: async (session, input) => {
    const [path = ''] = input.positionals;
    const work = (await isPlan(session, path))
      ? await fromPlan(session, input, path)
      : await fromFile(session, input, path);
    const applied = await carryOut(session, work, input.get(allowLintErrorsFlag));
    const blocked = blockedError(work, applied);
    // The rows say what was done: they are printed all the same.
    if (blocked) await session.report(blocked);
    return outcomeOf(session, work, applied, input.get(formatFlag) === 'markdown');
  },
};

/** What is to be applied, and what it rests on. */
interface Work {
  /** The campaign's, for findings. */
  readonly file: string;
  /** Where an item stands in it; of a plan nobody knows. */
  readonly read?: ReadCampaign;
  readonly campaign: Campaign;
  readonly options: PlanOptions;
  readonly steps: readonly Step[];
  readonly observed: ObservedState;
  /** How many it has taken to look. */
  readonly requests: number;
  /** What a person reads before the question. */
  readonly page: string;
  /** Of a plan: with which its tasks may be scheduled. */
  readonly approvals?: Approvals;
}

/** A plan is JSON, and a campaign's file is a mapping of YAML. */
async function isPlan(session: Session, path: string): Promise<boolean> {
  const text = await readText(session, path);
  return text.trimStart().startsWith('{');
}

async function readText(session: Session, path: string): Promise<string> {
  try {
    return await readFile(resolve(session.context.cwd, path), 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new UsageError(code === 'ENOENT' ? `there is no file ${path}` : `${path} can't be read: ${code}`, {
      cause,
    });
  }
}

async function fromFile(session: Session, input: Input, path: string): Promise<Work> {
  const { count } = await required(session, input);
  if (count > 0)
    throw new CampaignError(
      'refused',
      `${path} is a campaign file, and only a plan with ${count === 1 ? 'an approval' : `${count} approvals`} may be applied; nothing was sent`,
      {
        hint: `svc plan ${path} --out PLAN, then svc approve PLAN, then svc apply PLAN`,
      },
    );
  mustBeConfirmable(session, 'apply a campaign');
  const file = await planFile(session, input, path);
  const { read, planned, options } = file;
  return {
    file: path,
    read,
    campaign: { ...read.campaign, items: withPlannedTimes(read.campaign.items, planned.steps) },
    options,
    steps: planned.steps,
    observed: observedState(planned),
    requests: file.observed.requests,
    page: pageOf(await shownOf(file), columnsOf(session)),
  };
}

async function fromPlan(session: Session, input: Input, path: string): Promise<Work> {
  for (const flag of [setFlag, overwriteFlag, pruneFlag, adoptFlag, bothFlag])
    if (input.has(flag))
      throw new UsageError(`--${flag.name} belongs to svc plan: a plan is applied as it was made`);
  mustBeConfirmable(session, 'apply a plan');
  const full = resolve(session.context.cwd, path);
  const found = readPlanFile(full, path);
  await refuseOtherCompany(session, found);
  const file = await checkInputs(full, session.context.cwd, found.inputs);
  const { env, signal } = session.context;
  const now = await session.serviceNow();
  const approvals = await checkApprovals(full, found, await required(session, input), { env, signal, now });
  return {
    approvals,
    file: relative(session.context.cwd, file),
    campaign: found.inputs.wanted,
    options: found.inputs.options,
    steps: found.steps,
    observed: found.observed,
    requests: 0,
    page: `${planText(found, now, columnsOf(session), await errorsIn(found))}${approvedBy(approvals)}`,
  };
}

/** People as the signers file names them. */
const namesOf = (approvals: Approvals | undefined): readonly string[] =>
  (approvals?.people ?? []).map(({ names }) => names.join(', '));

function approvedBy(approvals: Approvals): string {
  const names = namesOf(approvals);
  return names.length === 0 ? '' : `\n\nApproved by ${names.join('; ')}`;
}

/** Of the page, which is read on stderr. */
const columnsOf = ({ context: { stderr } }: Session): number | undefined =>
  stderr.isTTY ? stderr.columns : undefined;

/** What profile and flags ask for. */
async function required(session: Session, input: Input): Promise<RequiredApprovals> {
  const { profile } = await session.resolved();
  return requiredApprovals(profile, {
    approvals: input.get(approvalsFlag),
    signers: signersIn(session, input),
  });
}

async function refuseOtherCompany(session: Session, { company }: Plan): Promise<void> {
  const { credentials } = await session.resolved();
  if (String(credentials.companyId) === company.id) return;
  throw new UsageError(
    `the plan is for company ${company.id} (${company.name}), and this is ${credentials.companyId ?? 'none'}; nothing was sent`,
  );
}

async function carryOut(session: Session, work: Work, allowLintErrors: boolean): Promise<readonly Applied[]> {
  const client = await session.client();
  const look = async (): Promise<{ readonly observed: Observed; readonly planned: Planned }> => {
    const observed = await observe(client, withAdoptions(work.campaign, work.options.adopt));
    const planned = plan(work.campaign, observed, work.options);
    const changes = changesSince(work, planned);
    if (changes.length > 0)
      throw new CampaignError(
        'drift',
        `what the plan rests on has changed; nothing was sent: ${changes[0]}`,
        {
          details: changes.map((reason) => ({ reason })),
          hint: `svc plan ${work.file}${work.read ? '' : ' --out PLAN'} ${work.read ? 'shows how things are now' : 'makes a new plan'}.`,
        },
      );
    return { observed, planned };
  };
  const { planned, observed: found } = await look();
  if (isNothing(planned.steps)) {
    await session.info(
      `nothing to do: ${countsOf(planned.steps)}, ${work.requests + found.requests} requests`,
    );
    return planned.steps.map((step) => ({ step, done: undefined }));
  }
  if (!allowLintErrors) await refuseLintErrors(work.campaign, planned.steps, found, work.file);
  await session.warn(work.page.trimEnd());
  const doing = planned.steps.filter(({ action }) => !['keep', 'orphaned', 'blocked'].includes(action));
  if (session.globals.dryRun) return planned.steps.map((step) => ({ step, done: undefined }));
  if (doing.length > 0)
    await confirm(
      session,
      `do ${doing.length === 1 ? 'this step' : `these ${doing.length} steps`} (${countsOf(doing)})`,
    );
  // Whoever read and answered took their time.
  const { observed } = await look();
  const { signal } = new AbortController();
  const { approvals } = work;
  return apply(
    work.campaign,
    observed,
    work.options,
    {
      client: approvals ? await session.clientWith({ approvals }) : client,
      sure: await session.clientWith({
        ...(approvals ? { approvals } : {}),
        signal,
        ifInterrupted: 'after Ctrl-C the task is made all the same: the one before is cancelled',
      }),
      latestNow: session.latestNow,
      note: session.warn,
      begin: async () => session.context.signal.throwIfAborted(),
      end: ({ step, done }) => session.info(doneLine(step, done?.id ?? null, done?.size)),
    },
    (steps) => approvedSteps(work.steps, steps),
  );
}

/** Formats in which an id is a number, and the kind of a rule stands beside it. */
const NUMBERED: readonly string[] = ['json', 'ndjson', 'yaml'];

function idIn(kind: Step['kind'], id: string | null, isNumber: boolean): JsonObject {
  if (id === null || !isNumber) return { id };
  const [rule, digits] = id.includes(':') ? id.split(':') : [undefined, id];
  const number = integerOf(digits ?? '');
  return kind === 'automation' ? { id: number, rule: rule ?? null } : { id: number };
}

const PAST: Readonly<Record<string, string>> = {
  create: 'made',
  change: 'changed',
  replace: 'replaced',
  cancel: 'took away',
};

const doneLine = (
  { action, kind, key, name }: Step,
  id: string | null,
  size: number | null | undefined,
): string =>
  `${PAST[action] ?? action} ${kind} ${key ?? name}${id === null ? '' : ` (${id})`}${typeof size === 'number' ? `, ${size} subscriptions` : ''}`;

/** Contract, "Sends and campaigns, once more": an end in 5 is an error that names the way on. */
function blockedError({ file, read }: Work, applied: readonly Applied[]): CampaignError | undefined {
  const blocked = applied.flatMap(({ step }) => (step.action === 'blocked' ? [step] : []));
  if (blocked.length === 0) return undefined;
  const details = blocked.map(({ kind, key = null, id = null, name, blockedBy = null, reason = null }) => {
    const place = read && key !== null ? placeOf(read, kind, key) : undefined;
    return {
      kind,
      key,
      id,
      name,
      blockedBy,
      reason,
      ...(place === undefined ? {} : { file, line: place.line, column: place.column }),
    };
  });
  const lines = details.map(({ kind, key, id, reason, line, column }) => {
    const place = line === undefined ? '' : ` (${file}:${line}:${column})`;
    return `${kind} ${key ?? id}${place}: ${reason}`;
  });
  const count = blocked.length === 1 ? '1 step is blocked' : `${blocked.length} steps are blocked`;
  return new CampaignError('blocked', `${count}: ${lines.join('; ')}`, {
    details,
    hint: waysOn(file, read !== undefined, blocked),
  });
}

/** Reasons name what else there is: `--adopt`, `--both`, another key. */
function waysOn(file: string, isFile: boolean, blocked: readonly Step[]): string {
  const isDrift = blocked.some(({ blockedBy }) => blockedBy === 'drift');
  const flags = isDrift ? ' --overwrite' : '';
  if (!isFile) return `Mend what is blocked, then make a new plan: svc plan ${file}${flags} --out PLAN.`;
  return isDrift
    ? 'svc apply with --overwrite writes over changes by hand; svc plan shows how things are now.'
    : 'Mend the file, then apply it again; svc plan shows how things are now.';
}

async function outcomeOf(
  session: Session,
  work: Work,
  applied: readonly Applied[],
  asMarkdown: boolean,
): Promise<Outcome> {
  const isForPrograms = !asMarkdown && NUMBERED.includes(await session.format());
  const rows = applied.map(({ step, done }): JsonObject => {
    const { action, kind, key = null, id = null, name, reason = null } = step;
    return {
      action,
      kind,
      key,
      ...idIn(kind, done?.id ?? id, isForPrograms),
      name,
      done: done !== undefined,
      size: done?.size ?? step.size ?? null,
      reason,
    };
  });
  const isBlocked = applied.some(({ step }) => step.action === 'blocked');
  return {
    result: asMarkdown
      ? { kind: 'text', text: appliedMarkdownOf(work.campaign.campaign, rows, namesOf(work.approvals)) }
      : { kind: 'rows', rows, columns: COLUMNS, empty: 'The file names nothing.' },
    exit: isBlocked ? EXIT.conflict : EXIT.done,
  };
}
