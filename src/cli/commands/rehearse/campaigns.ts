/** Reads the campaign files or the plans that a command rehearses, with the findings of lint. */

import type { PlanOptions } from '../../../features/campaign/plan/situation.ts';
import type { RehearsalFinding } from '../../../features/rehearse/rehearsal-result.ts';
import type { RehearsedCampaign } from '../../../features/rehearse/rehearse.ts';
import { namingWithOverrides } from '../../../service/protocol/naming.ts';
import type { Input } from '../../command/command.ts';
import { UsageError } from '../../errors/errors.ts';
import type { Invocation, Ports, Profiles } from '../../session/ports.ts';
import { lintCampaign } from '../campaign/lint.ts';
import {
  type OtherCampaignReading,
  planCampaignFiles,
  refusePlanningFlagsWithPlan,
} from '../campaign/read.ts';
import { isPlanFile, readVerifiedPlan, requirePlanForThisService } from '../campaign/trusted-plan.ts';
import type { RehearsalPageFacts } from './pages.ts';

export interface Rehearsed {
  readonly campaigns: readonly RehearsedCampaign[];
  readonly findings: readonly RehearsalFinding[];
  /** Campaign files and plans. */
  readonly files: RehearsalPageFacts['files'];
}

/**
 * @param other reads the files of a version that the command compares with another one
 * @throws UsageError for campaign files and plans together
 */
export async function campaignsIn(
  session: Ports,
  input: Input,
  paths: readonly string[],
  other?: OtherCampaignReading,
): Promise<Rehearsed> {
  const plans: string[] = [];
  if (other?.read === undefined)
    for (const path of paths) if (await isPlanFile(session, path)) plans.push(path);
  if (plans.length === 0) {
    const files = paths.length === 0 ? [] : await planCampaignFiles(session, input, paths, { other });
    const { naming } = await session.resolved();
    return together(
      await Promise.all(
        files.map(async ({ path, parsed: { campaign, inputs }, options, observed }) => ({
          rehearsed: { campaign, options, file: path },
          // The first input is the campaign file itself.
          sha256: inputs[0]?.sha256 ?? '',
          findings: findingsOf(await lintCampaign(campaign, observed, path, naming), path),
        })),
      ),
    );
  }
  if (plans.length < paths.length)
    throw new UsageError('cannot rehearse plans and campaign files together', {
      hint: 'run svc rehearse once with the plans, and once with the campaign files',
    });
  refusePlanningFlagsWithPlan(input);
  return together(await Promise.all(plans.map((path) => planIn(session, path))));
}

async function planIn(session: Invocation & Profiles, path: string) {
  const { plan, file } = await readVerifiedPlan(session, path);
  await requirePlanForThisService(session, plan);
  const { wanted } = plan.inputs;
  const options: PlanOptions = { ...plan.inputs.options, madeAt: plan.made };
  return {
    rehearsed: { campaign: wanted, options, file: path },
    sha256: plan.sha256,
    findings: findingsOf(
      await lintCampaign(wanted, { account: {} }, file, namingWithOverrides(plan.naming)),
      path,
    ),
  };
}

export const together = (
  all: readonly {
    readonly rehearsed: RehearsedCampaign;
    readonly sha256: string;
    readonly findings: readonly RehearsalFinding[];
  }[],
): Rehearsed => ({
  campaigns: all.map(({ rehearsed }) => rehearsed),
  findings: all.flatMap(({ findings }) => findings),
  files: all.map(({ rehearsed: { file }, sha256 }) => ({ name: file, sha256 })),
});

function findingsOf(
  found: Awaited<ReturnType<typeof lintCampaign>>,
  path: string,
): readonly RehearsalFinding[] {
  return found.map(({ severity, message, rule, file, line, column }) => ({
    rule: 'lint',
    severity: severity === 'error' ? 'error' : 'warning',
    message: [`${message} [${rule}]`],
    at: [file ?? path, line, file === null ? null : column].filter((each) => each !== null).join(':'),
  }));
}
