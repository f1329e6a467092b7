/** Defines `svc audit`, which compares the tasks and rules of the service with approved plans (contract, "Audit"). */

import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runConcurrently } from '../../../client/requests/limiter.ts';
import {
  invalidateIfSignedOffline,
  resolveSignersFile,
} from '../../../features/campaign/approval/approvals.ts';
import { groupSignaturesByPerson, readSignatures } from '../../../features/campaign/approval/signatures.ts';
import type { SignersFile } from '../../../features/campaign/approval/signers.ts';
import {
  type AuditedRecord,
  createAuditRow,
  matchRecordsWithPlans,
  type NamedPlan,
} from '../../../features/campaign/audit.ts';
import { CampaignError } from '../../../features/campaign/errors.ts';
import { readAllRecordsAndMessageLinks } from '../../../features/campaign/observe.ts';
import { readNameWithoutCampaignMark } from '../../../features/campaign/plan/adoption.ts';
import { isBundleText, readBundleFile } from '../../../features/campaign/plan-file/bundle.ts';
import { readPlan, readPlanText } from '../../../features/campaign/plan-file/plan-file.ts';
import { systemErrorReason } from '../../../kit/files/errors.ts';
import { addDays, readDay } from '../../../kit/text/calendar.ts';
import { beginningOfDay } from '../../../kit/text/day-span.ts';
import { formatCountWithNoun } from '../../../kit/text/words.ts';
import type { Input, Verb } from '../../command/command.ts';
import { parsedFlag, repeatableTextFlag, switchFlag, wholeNumberFlag } from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import type { Column } from '../../output/result.ts';
import type { Clocks, Invocation } from '../../session/ports.ts';
import { readSignersFlag, signersFlag } from './plan-show.ts';

const dayIn = (text: string) => {
  const value = readDay(text);
  return value ? { value } : { fault: { reason: 'is not a day', instead: 'write 2026-11-01' } };
};
const sinceFlag = parsedFlag(
  'since',
  { describe: 'First day to check', value: 'date', defaultText: '31 days ago' },
  dayIn,
);
const untilFlag = parsedFlag(
  'until',
  { describe: 'Last day to check', value: 'date', defaultText: 'all scheduled tasks' },
  dayIn,
);
const plansFlag = {
  ...repeatableTextFlag('plans', {
    describe: 'Plan, or folder with plans and their signatures; repeatable',
    value: 'path',
  }),
  completes: 'file',
} as const;
const approvalsFlag = wholeNumberFlag('approvals', {
  describe: 'Number of approvals that a plan needs (default: the profile setting, or 1)',
  min: 1,
  max: 99,
});
const checkFlag = switchFlag('check', { describe: 'Exit with 11 if a task or rule is not approved' });

const COLUMNS: readonly Column[] = [
  { name: 'kind' },
  { name: 'id', keep: true },
  { name: 'name' },
  { name: 'time', kind: 'timestamp' },
  { name: 'size', kind: 'number' },
  { name: 'verdict', keep: true },
  { name: 'plan' },
  { name: 'approvedBy' },
  { name: 'changes' },
];

export const audit: Verb = {
  name: 'audit',
  summary: 'Compare tasks and active rules with approved plans',
  about:
    "Finds the plan of each task and active rule by the mark, such as [svc-…], in its name, or by its content. Then shows who approved the plan. An approval counts only if the signers file allowed the person's key when the task or rule was created. svc leaves out tasks that were cancelled before they began. Days are in the company's time zone. Changes nothing",
  work: 'reads',
  exits: { 11: '--check: something is not approved' },
  section: 'States and transitions',
  example: 'audit --since 2026-11-01 --plans plans --signers team.signers --check',
  flags: [sinceFlag, untilFlag, plansFlag, signersFlag, approvalsFlag, checkFlag],
  companies: 'reads',
  run: async (session, input) => {
    const paths = input.get(plansFlag);
    if (paths.length === 0)
      throw new UsageError('--plans is missing', { hint: 'give a plan, or a folder of plans' });
    const { profile, origin, credentials } = await session.resolved();
    const signers = resolveSignersFile(profile, readSignersFlag(session, input));
    if (signers === undefined)
      throw new UsageError('--signers is missing, and the profile names no signers', {
        hint: "give a file in the format of git's allowed_signers",
      });
    const needed = Math.max(input.get(approvalsFlag) ?? 1, profile?.requireApprovals ?? 1);
    const read = readPlans(session.context.cwd, paths);
    const isOwn = ({ plan }: NamedPlan): boolean =>
      plan.origin === origin && plan.company.id === String(credentials.companyId);
    const plans = read.plans.filter(isOwn);
    for (const line of read.faults) await session.warn(`skipped ${line}`);
    // Every bundle has plans of other companies.
    const bundles = new Set(plans.map(({ plan }) => plan.inputs.bundle ?? null));
    const others = read.plans.filter(
      (each) => !isOwn(each) && !bundles.has(each.plan.inputs.bundle ?? ''),
    ).length;
    if (others > 0)
      await session.info(`skipped ${formatCountWithNoun(others, 'plan')} of other companies or services`);
    const observed = await readAllRecordsAndMessageLinks(await session.client());
    const audited = matchRecordsWithPlans(observed, plans, await periodOf(session, input));
    const approvers = await findApprovers(session, audited, signers);
    const rows = audited.map((each) => createAuditRow(each, approvers, needed));
    // Names have their marks in every format but the table (contract, "Output").
    const isTable = (await session.format()) === 'table';
    const shown = isTable
      ? rows.map((row) => ({ ...row, name: readNameWithoutCampaignMark({ name: row.name }) }))
      : rows;
    const open = rows.filter(({ verdict }) => verdict !== 'approved').length;
    return {
      result: {
        kind: 'rows',
        rows: shown,
        columns: COLUMNS,
        empty: 'There are no tasks and no active rules.',
        notes: () => [
          `${formatCountWithNoun(rows.length, 'record')}, ${open} not approved, ${formatCountWithNoun(plans.length, 'plan')}.`,
        ],
      },
      exit: input.get(checkFlag) && open > 0 ? EXIT.unmet : EXIT.done,
    };
  },
};

const DAYS = 31;

async function periodOf(
  session: Clocks,
  input: Input,
): Promise<{ readonly since: number; readonly until: number }> {
  const [since, until] = [input.get(sinceFlag), input.get(untilFlag)];
  const zone = since || until ? await session.requiredZone() : 'UTC';
  return {
    since: since ? beginningOfDay(since, zone) : (await session.serviceNow()) - DAYS * 86_400,
    until: until ? beginningOfDay(addDays(until, 1), zone) : Number.POSITIVE_INFINITY,
  };
}

/** Number of plans whose signatures are verified in parallel. Each plan needs several runs of ssh-keygen. */
const AT_ONCE = 3;

/**
 * Returns a function that looks up the people who approved a plan. A signature counts if its key was valid at the latest
 * `approvalDeadline` of the plan's tasks and rules, and if it was not made with `svc approve --offline`.
 */
async function findApprovers(
  session: Invocation,
  audited: readonly AuditedRecord[],
  signers: SignersFile,
): Promise<(plan: NamedPlan) => readonly string[]> {
  const times = new Map<NamedPlan, number>();
  for (const { plan, approvalDeadline: at } of audited.flatMap(({ matches }) => matches))
    times.set(plan, Math.max(at, times.get(plan) ?? 0));
  const people = new Map<NamedPlan, readonly string[]>();
  const { env, signal, cwd } = session.context;
  await runConcurrently([...times], AT_ONCE, async ([named, now]) => {
    const path = resolve(cwd, named.name);
    const sha256 = named.signed ?? named.plan.sha256;
    const signatures = await readSignatures(path, sha256, signers, { env, signal, now });
    const approvers = groupSignaturesByPerson(signatures.map(invalidateIfSignedOffline));
    people.set(
      named,
      approvers.map(({ name }) => name),
    );
  });
  return (plan) => people.get(plan) ?? [];
}

/**
 * Reads each plan file once. In folders, reads `.plan` files and files with a signature next to them. Copies of a plan count separately,
 * because each has its own signatures. `faults` are messages about unusable plans in folders.
 * @throws CampaignError if a file in `paths` is not a plan; UsageError if a path can't be read
 */
function readPlans(
  cwd: string,
  paths: readonly string[],
): { readonly plans: readonly NamedPlan[]; readonly faults: readonly string[] } {
  const plans = new Map<string, NamedPlan>();
  const faults: string[] = [];
  for (const path of paths) {
    for (const name of filesIn(cwd, path)) {
      try {
        for (const named of readNamedPlans(resolve(cwd, name), name))
          plans.set(`${resolve(cwd, name)} ${named.plan.sha256}`, named);
      } catch (error) {
        if (!(error instanceof CampaignError) || name === path) throw error;
        faults.push(`${name}: ${error.message}`);
      }
    }
  }
  return { plans: [...plans.values()], faults };
}

/** Returns the plans of a bundle under its name, because its signatures approve them. A plan of a bundle counts only there. */
function readNamedPlans(path: string, name: string): readonly NamedPlan[] {
  const text = readPlanText(path, name);
  if (isBundleText(text)) {
    const { bundle, plans } = readBundleFile(path, name);
    return plans.map((plan) => ({ name, plan, signed: bundle.sha256 }));
  }
  const plan = readPlan(text, name);
  return plan.inputs.bundle === undefined ? [{ name, plan }] : [];
}

function filesIn(cwd: string, path: string): readonly string[] {
  try {
    if (!statSync(resolve(cwd, path)).isDirectory()) return [path];
    const entries = readdirSync(resolve(cwd, path), { withFileTypes: true });
    const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    const isPlan = (name: string): boolean =>
      name.endsWith('.plan') || names.some((each) => each.startsWith(`${name}.`) && each.endsWith('.sig'));
    const own = names
      .filter((name) => !name.endsWith('.sig') && isPlan(name))
      .map((name) => join(path, name));
    const below = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name));
    return [...own.sort(), ...below.sort().flatMap((folder) => filesIn(cwd, folder))];
  } catch (error) {
    throw new UsageError(`cannot read ${path}: ${systemErrorReason(error)}`);
  }
}
