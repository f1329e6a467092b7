/** Builds the page of a bundle: the plan of one company for all that are alike, and what differs for each of the others. */

import type { Bundle } from '../../../features/campaign/plan-file/bundle.ts';
import type { Plan } from '../../../features/campaign/plan-file/plan-file.ts';
import type { Report, ReportSection } from '../../../kit/report/report.ts';
import { formatTextPageLines } from '../../../kit/report/text-page.ts';
import { groupThousands } from '../../../kit/text/words.ts';
import { formatActionCounts } from './item-words.ts';
import { collectLintErrorSections } from './lint.ts';
import { buildPlanPage, type ServiceFactsForPlan } from './plan-page.ts';
import { quoteOnOneLine } from './quoting.ts';

export interface CompanyPlan {
  readonly plan: Plan;
  readonly facts: ServiceFactsForPlan;
}

interface BundlePageInput {
  readonly bundle: Bundle;
  /** Plans in the order of the bundle. */
  readonly plans: readonly CompanyPlan[];
  /** Unix seconds by the service's clock. */
  readonly now: number;
  readonly isOffline?: boolean;
  readonly extraSections?: readonly ReportSection[];
}

type BundleRow = Bundle['companies'][number];

export async function buildBundlePage(input: BundlePageInput): Promise<Report> {
  const { bundle, plans, now, isOffline = false, extraSections = [] } = input;
  const groups = new Map<number, { readonly row: BundleRow; readonly own: CompanyPlan }[]>();
  for (const [at, row] of bundle.companies.entries()) {
    const own = plans[at];
    if (own) groups.set(row.alike, [...(groups.get(row.alike) ?? []), { row, own }]);
  }
  const sections: ReportSection[] = [];
  for (const [number, group] of groups) {
    const [first] = group;
    if (!first) continue;
    const { plan, facts } = first.own;
    const title = groups.size === 1 ? '' : `Group ${number}: `;
    const page = buildPlanPage({
      plan,
      now,
      facts,
      isOffline,
      extraSections: await collectLintErrorSections(plan),
    });
    const [head, ...rest] = page.sections;
    sections.push(
      sectionOf(
        `${title}${countCompanies(group.length)}${group.length > 1 ? ' that are alike, and their differences' : ''}`,
        group.flatMap(({ row }) => linesOf(row)),
      ),
      ...(head ? [{ ...head, title: `${title}The plan of company ${first.row.company.id}` }] : []),
      ...rest.map((section) => ({ ...section, title: `${title}${section.title}` })),
    );
  }
  return {
    title: 'Plans of a campaign for many companies',
    sections: [sectionOf('The bundle', headOf(bundle)), ...sections, ...extraSections],
  };
}

/** @param columns the width of the terminal; if undefined, no line is wrapped */
export async function formatBundlePageText(
  input: BundlePageInput,
  columns: number | undefined,
): Promise<string> {
  const width = Math.max(20, columns ?? Number.POSITIVE_INFINITY);
  return formatTextPageLines(await buildBundlePage(input), width)
    .map(({ text }) => text)
    .join('\n');
}

const sectionOf = (title: string, lines: readonly string[]): ReportSection => ({
  title,
  blocks: lines.length === 0 ? [] : [{ kind: 'unbroken', lines }],
});

function headOf({ campaign, companies, sha256 }: Bundle): readonly string[] {
  const sum = (values: readonly (number | null)[]): string =>
    values.includes(null)
      ? 'known only after the tasks are created'
      : groupThousands(values.reduce<number>((all, each) => all + (each ?? 0), 0));
  const stepsOf = (action: string): number =>
    companies.reduce((all, { numbers }) => all + (numbers.steps[action] ?? 0), 0);
  return [
    `campaign    ${quoteOnOneLine(campaign)}`,
    `companies   ${companies.length}`,
    `steps       ${formatActionCounts(stepsOf)}`,
    `sends       ${groupThousands(companies.reduce((all, { numbers }) => all + numbers.sends, 0))}`,
    `recipients  ${sum(companies.map(({ numbers }) => numbers.recipients))}`,
    `credits     ${sum(companies.map(({ numbers }) => numbers.credits))}`,
    `sha256      ${sha256}`,
  ];
}

const linesOf = ({ company, differences }: BundleRow): readonly string[] => [
  `company ${company.id} ${quoteOnOneLine(company.name)}`,
  ...Object.entries(differences).map(
    ([path, value]) => `  ${quoteOnOneLine(path)}: ${quoteOnOneLine(value)}`,
  ),
];

export const countCompanies = (count: number): string => (count === 1 ? '1 company' : `${count} companies`);
