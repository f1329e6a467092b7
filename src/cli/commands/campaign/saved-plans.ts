/** Reads a plan or a bundle for `svc plan show`, and builds its page. */

import { type Bundle, isBundleText, readBundleFile } from '../../../features/campaign/plan-file/bundle.ts';
import { type Plan, readPlan, readPlanText } from '../../../features/campaign/plan-file/plan-file.ts';
import type { Report, ReportSection } from '../../../kit/report/report.ts';
import { parseIntegerDigits } from '../../../kit/schema/integer.ts';
import type { Invocation, Ports } from '../../session/ports.ts';
import { buildBundlePage } from './bundle-page.ts';
import { collectLintErrorSections } from './lint.ts';
import {
  buildPlanPage,
  EMPTY_SERVICE_FACTS_FOR_PLAN,
  requestServiceFactsForPlan,
  type ServiceFactsForPlan,
} from './plan-page.ts';
import { refuseBundleForAssistant } from './trusted-plan.ts';

/** A plan alone, or all plans of a bundle. */
interface SavedPlans {
  readonly plans: readonly [Plan, ...Plan[]];
  readonly bundle: Bundle | undefined;
}

/** @throws CampaignError `refused` if svc did not write the file, or for a bundle in a session of an assistant */
export function readSavedPlans(
  { context }: Invocation,
  path: string,
  name: string,
): SavedPlans & { readonly sha256: string } {
  const text = readPlanText(path, name);
  if (!isBundleText(text)) {
    const plan = readPlan(text, name);
    return { plans: [plan], bundle: undefined, sha256: plan.sha256 };
  }
  refuseBundleForAssistant(context, name);
  const { bundle, plans } = readBundleFile(path, name);
  const [first, ...rest] = plans;
  if (first === undefined) throw new RangeError('a bundle without plans was read: this is a bug in svc');
  return { plans: [first, ...rest], bundle, sha256: bundle.sha256 };
}

export async function buildSavedPage(
  session: Ports,
  { plans, bundle, now }: SavedPlans & { readonly now: number },
  approvals: ReportSection,
): Promise<Report> {
  const [plan] = plans;
  if (bundle === undefined) {
    const facts = await requestServiceFactsForPlan(session, plan);
    return buildPlanPage({
      plan,
      now,
      facts,
      extraSections: [...(await collectLintErrorSections(plan)), approvals],
    });
  }
  const firsts = new Map(
    bundle.companies.map(({ alike, company }) => [alike, company.id] as const).toReversed(),
  );
  const facts = new Map<Plan, ServiceFactsForPlan>();
  // The page has the plan of the first company of each group.
  for (const each of plans.filter(({ company }) => [...firsts.values()].includes(company.id)))
    facts.set(
      each,
      await requestServiceFactsForPlan(session.actingFor(parseIntegerDigits(each.company.id)), each),
    );
  const shown = plans.map((each) => ({ plan: each, facts: facts.get(each) ?? EMPTY_SERVICE_FACTS_FOR_PLAN }));
  return buildBundlePage({ bundle, plans: shown, now, extraSections: [approvals] });
}
