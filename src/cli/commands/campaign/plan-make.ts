/** Defines `svc plan FILE…`, which shows the changes that a campaign file would make. It writes nothing to the service. */

import { resolve } from 'node:path';
import { contentDiffs } from '../../../features/campaign/diff.ts';
import { positionOf } from '../../../features/campaign/file/read.ts';
import { leavesAllRecordsUnchanged } from '../../../features/campaign/plan/plan.ts';
import { type Plan, readPlan } from '../../../features/campaign/plan-file/plan-file.ts';
import { listSequences, timingOfStep } from '../../../features/campaign/sequences.ts';
import { escapeForTerminal } from '../../../kit/text/terminal.ts';
import type { Group, Input, Outcome, Verb } from '../../command/command.ts';
import { choiceFlag, durationFlag, switchFlag, textFlag, writtenFileFlag } from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { CAMPAIGN_VALUE_FLAGS } from '../../request/campaign-value-flags.ts';
import { checkNewFile, writeNewFile } from '../../request/new-file.ts';
import { once } from '../../session/once.ts';
import type { Changes, Invocation, Ports, Profiles, Tell } from '../../session/ports.ts';
import { lintCampaign } from './lint.ts';
import { formatPlan, formatPlanMarkdown, type PlanSummaryInput } from './page.ts';
import { planShow } from './plan-show.ts';
import { planFileText } from './plan-text.ts';
import {
  EXISTING_RECORD_FLAGS,
  type PlannedCampaignFile,
  type PromoteIds,
  planCampaignFiles,
} from './read.ts';
import { summarizeSeries } from './series-words.ts';

const outFlag = {
  ...textFlag('out', {
    describe: 'Save the plan to this file; with --companies, the plans to this new folder',
    value: 'plan',
  }),
  completes: 'file',
  writes: 'output',
} as const;
const checkFlag = switchFlag('check', { describe: 'Exit with 11 if there are changes' });
const FORMATS = ['text', 'markdown', 'json', 'summary'] as const;
const formatFlag = choiceFlag('format', FORMATS, {
  describe: 'Output format; json is the plan itself, and summary its steps and findings as JSON',
});
const htmlFlag = writtenFileFlag('html', {
  writes: 'output',
  describe: 'Also write the plan to this HTML file, for people without svc',
});
const forceFlag = switchFlag('force', { describe: 'Replace an existing file (with --out or --html)' });

const planValidityFlag = durationFlag('valid', {
  describe: 'Time until the plan expires',
  default: '24h',
  unit: 'seconds',
  min: '1m',
  max: '30d',
});

export const PLAN_FLAGS = [
  ...[outFlag, formatFlag, htmlFlag, checkFlag, ...CAMPAIGN_VALUE_FLAGS],
  ...[planValidityFlag, ...EXISTING_RECORD_FLAGS, forceFlag],
];

const planMake: Verb = {
  name: 'make',
  summary: 'Show what a campaign file would change',
  about:
    'Compares the campaign file with the service, and changes nothing in the service. To approve the plan, run svc approve; to apply it, run svc apply. See svc help campaigns',
  work: 'reads',
  exits: { 11: 'the plan has changes (with --check)' },
  section: 'task',
  example: 'plan spring.yaml --check',
  positionals: [{ name: 'file', describe: 'Campaign file', variadic: true, completes: 'file' }],
  flags: PLAN_FLAGS,
  companies: 'reads',
  runForCompanies: async (session, input) => {
    if (input.has(htmlFlag))
      throw new UsageError('cannot combine --html with --companies', {
        hint: 'choose one company with --company',
      });
    const { planForCompanies } = await import('./bundle-plan.ts');
    return planForCompanies(session, input, {
      ...{ out: input.get(outFlag), force: input.get(forceFlag), valid: input.get(planValidityFlag) },
      ...{ format: input.get(formatFlag), isCheck: input.get(checkFlag) },
    });
  },
  run: (session, input) => planFiles(session, input),
};

export async function planFiles(session: Ports, input: Input, promoteIds?: PromoteIds): Promise<Outcome> {
  const out = input.get(outFlag);
  const htmlName = input.get(htmlFlag);
  const forOneFile = [outFlag, htmlFlag].find((flag) => input.has(flag));
  if (forOneFile !== undefined && input.positionals.length > 1)
    throw new UsageError(`--${forOneFile.name} needs a single file`, {
      hint: 'run svc plan once for each campaign file',
    });
  const html =
    htmlName === undefined ? undefined : await checkNewFile(session, htmlName, input.get(forceFlag));
  if (out !== undefined && html?.path === resolve(session.context.cwd, out))
    throw new UsageError('--out and --html must name different files');
  const planned = await planCampaignFiles(session, input, input.positionals, { promoteIds });
  const service = await session.resolved();
  const texts = planned.map((each) => planFileText(session, each, service, out, input.get(planValidityFlag)));
  let savedPlan: PlanSummaryInput['savedPlan'];
  if (out !== undefined) {
    await writeOut(session, out, texts[0] ?? '', input.get(forceFlag));
    savedPlan = readPlan(texts[0] ?? '');
  }
  const summarize = planned.map((each) =>
    once(async () => ({ ...(await collectPlanSummary(session, each)), ...(savedPlan && { savedPlan }) })),
  );
  const [first] = planned;
  if (html && first && summarize[0]) {
    const { writePlanHtml } = await import('./plan-html.ts');
    await writePlanHtml(session, html, await summarize[0](), readPlan(texts[0] ?? ''), first.observed);
  }
  const isUnmet =
    input.get(checkFlag) && planned.some((each) => !leavesAllRecordsUnchanged(each.planned.steps));
  return {
    result: {
      kind: 'text',
      text: await printed(session, input.get(formatFlag), summarize, texts),
    },
    exit: isUnmet ? EXIT.unmet : EXIT.done,
  };
}

async function printed(
  session: Invocation & Tell & Profiles,
  asked: (typeof FORMATS)[number] | undefined,
  summarize: readonly (() => Promise<PlanSummaryInput>)[],
  texts: readonly string[],
): Promise<string> {
  const format = asked ?? ((await session.format()) === 'json' ? 'json' : 'text');
  if (format === 'json') return oneOrList(texts);
  const { stdout } = session.context;
  const pages: string[] = [];
  for (const [at, make] of summarize.entries()) {
    const shown = await make();
    if (format === 'summary') pages.push(summaryOf(readPlan(texts[at] ?? ''), shown));
    else
      pages.push(
        format === 'markdown'
          ? formatPlanMarkdown(shown)
          : escapeForTerminal(formatPlan(shown, stdout.isTTY ? stdout.columns : undefined), {
              newlines: true,
            }),
      );
  }
  return format === 'summary' ? oneOrList(pages) : pages.join('\n');
}

const oneOrList = (texts: readonly string[]): string =>
  texts.length === 1 ? (texts[0] ?? '') : `[\n${texts.map((text) => text.trimEnd()).join(',\n')}\n]\n`;

/** Leaves out the contents of messages. `passed` is false for a blocked step and for a lint error. */
function summaryOf(plan: Plan, { findings, states = [] }: PlanSummaryInput): string {
  const { campaign, company, made, validUntil, sha256, steps } = plan;
  const passed =
    !findings.some(({ severity }) => severity === 'error') &&
    !steps.some(({ action }) => action === 'blocked');
  const own = sequencesOf(plan);
  const sequences = own.length === 0 ? undefined : own;
  const series = states.length === 0 ? undefined : states.map((state) => summarizeSeries(state, steps));
  return `${JSON.stringify({ campaign, company, made, validUntil, sha256, passed, steps, sequences, series, findings })}\n`;
}

/** Sequences as the file has them. `action` is that of the step of the same item in `steps`. */
function sequencesOf({ steps, inputs }: Plan) {
  return listSequences(inputs.wanted.items).map(({ key, name, list, steps: own }) => ({
    ...{ key, name, list },
    steps: own.map(({ key: stepKey, rule }) => ({
      key: stepKey,
      action: steps.find((step) => step.kind === 'automation' && step.key === rule.key)?.action ?? null,
      ...timingOfStep(rule),
    })),
  }));
}

export async function collectPlanSummary(
  session: Profiles,
  { parsed, observed, planned, options, path }: PlannedCampaignFile,
): Promise<PlanSummaryInput> {
  const { naming } = await session.resolved();
  const { account, now, requests } = observed;
  const count = (value: unknown): number | null => (typeof value === 'number' ? value : null);
  return {
    campaign: parsed.campaign.campaign,
    company: `company ${String(account.id)} (${String(account.name)})`,
    zone: options.zone,
    now,
    steps: planned.steps,
    diffs: contentDiffs(planned),
    findings: await lintCampaign(parsed.campaign, observed, path, naming),
    balance: { email: count(account.emailcreditbalance), sms: count(account.smscreditbalance) },
    requests,
    items: parsed.campaign.items,
    states: planned.series,
    placeOf: ({ kind, key }) => {
      const place = key === undefined ? undefined : positionOf(parsed, kind, key);
      return place && `${path}:${place.line}:${place.column}`;
    },
  };
}

async function writeOut(
  session: Invocation & Tell & Changes,
  path: string,
  text: string,
  force: boolean,
): Promise<void> {
  session.beforeChange(`write ${path}`);
  await writeNewFile(session, { path: resolve(session.context.cwd, path), name: path, force }, text);
  await session.info(`wrote ${path}`);
}

export const plan: Group = {
  name: 'plan',
  summary: 'Show what a campaign file would change, or show a saved plan',
  commands: [planMake, planShow],
  defaultCommand: 'make',
};
