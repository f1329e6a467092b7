/** Checks a plan before `approve` and `apply` show it (contract, "A plan can be trusted by whoever signs it"). */

import { readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { CampaignError } from '../../../features/campaign/errors.ts';
import {
  BUNDLE_FILE,
  isBundleText,
  readBundleFile,
  refusePlanOfBundle,
} from '../../../features/campaign/plan-file/bundle.ts';
import { requireCampaignFileMatchingPlan } from '../../../features/campaign/plan-file/derive.ts';
import { type Plan, readPlanFile } from '../../../features/campaign/plan-file/plan-file.ts';
import { codeOf, systemErrorReason } from '../../../kit/files/errors.ts';
import { namingWithOverrides } from '../../../service/protocol/naming.ts';
import { UsageError } from '../../errors/errors.ts';
import { contentFileLimits } from '../../session/content-limits.ts';
import type { Invocation, Profiles } from '../../session/ports.ts';

/**
 * Compares the plan with the campaign file and its content files. Returns the absolute `path` of the plan, and the path of the campaign
 * file relative to the working folder. @throws CampaignError `refused` if the plan is invalid or differs from its files
 */
export async function readVerifiedPlan(session: Invocation & Profiles, name: string) {
  const { cwd } = session.context;
  const path = resolve(cwd, name);
  const plan = readPlanFile(path, name);
  refusePlanOfBundle(plan, name);
  const file = await requireCampaignFileMatchingPlan(path, cwd, plan, await contentFileLimits(session));
  return { plan, path, file: relative(cwd, file) };
}

/** @throws CampaignError `refused` in a session of an assistant, whose plans are for one company */
export function refuseBundleForAssistant(
  { confined }: Pick<Invocation['context'], 'confined'>,
  name: string,
): void {
  if (confined === undefined) return;
  throw new CampaignError('refused', `${name} is a bundle for many companies, which only a person can use`, {
    hint: `Ask a person to run svc plan show ${name}, then svc approve ${name}, then svc apply ${name}.`,
  });
}

/** Does the same for a bundle and all of its plans. @throws CampaignError `refused` in a session of an assistant, whose plans are for one company */
export async function readVerifiedBundle(session: Invocation & Profiles, name: string) {
  const { cwd } = session.context;
  refuseBundleForAssistant(session.context, name);
  const path = resolve(cwd, name);
  const { bundle, plans } = readBundleFile(path, name);
  const limits = await contentFileLimits(session);
  const files: string[] = [];
  for (const plan of plans)
    files.push(relative(cwd, await requireCampaignFileMatchingPlan(path, cwd, plan, limits)));
  return { bundle, plans, path, file: files[0] ?? '' };
}

/**
 * @throws CampaignError `refused` if the plan is for another service, or if a profile changed the names of HTTP headers and attributes
 * @throws UsageError if the plan is for another company
 */
export async function requirePlanForThisService(session: Profiles, plan: Plan): Promise<void> {
  const { origin, naming, credentials } = await session.resolved();
  if (origin !== plan.origin)
    throw new CampaignError(
      'refused',
      `the plan is for ${plan.origin}, but this command is for ${origin}; nothing was sent`,
      { hint: 'Use the profile of that service, or make a new plan.' },
    );
  if (!isSameNaming(naming, namingWithOverrides(plan.naming)))
    throw new CampaignError(
      'refused',
      'the plan and this profile use different names for the HTTP headers or the attributes of the service; nothing was sent',
      {
        hint:
          'A plan works only with the header and attribute names with which svc made the plan. ' +
          'To see the names that this profile sets, run svc profile show. Then make a new plan.',
      },
    );
  if (String(credentials.companyId) === plan.company.id) return;
  throw new UsageError(
    `the plan is for company ${plan.company.id} (${JSON.stringify(plan.company.name)}), but this command acts for ${credentials.companyId === undefined ? 'no company' : `company ${credentials.companyId}`}; nothing was sent`,
    credentials.kind === 'partner' ? { hint: `add --company ${plan.company.id}` } : {},
  );
}

function isSameNaming(a: object, b: object): boolean {
  const text = (naming: object): string =>
    JSON.stringify(naming, (_, value: unknown) =>
      typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value).sort()) : value,
    );
  return text(a) === text(b);
}

/** Returns false for an unreadable file. */
export const isBundleFile = async (session: Invocation, path: string): Promise<boolean> =>
  isBundleText(await readText(session, path).catch(() => ''));

/** A plan is JSON, and a campaign file is a YAML mapping. */
export async function isPlanFile(session: Invocation, path: string): Promise<boolean> {
  const text = await readText(session, path);
  return text.replace(CONFLICT_MARKER_AT_START, '').trimStart().startsWith('{');
}

/** Matches the line that git puts before a merge conflict, so that `readVerifiedPlan` can name the conflict. */
const CONFLICT_MARKER_AT_START = /^<{7} .*\n/;

async function readText(session: Invocation, path: string): Promise<string> {
  try {
    return await readFile(resolve(session.context.cwd, path), 'utf8');
  } catch (cause) {
    const code = codeOf(cause);
    const isMissing = code === 'ENOENT';
    const hint = isMissing
      ? MISSING_FILE_HINT
      : code === 'EISDIR'
        ? `for plans of many companies, give ${join(path, BUNDLE_FILE)}`
        : undefined;
    throw new UsageError(
      isMissing ? `file ${path} not found` : `cannot read ${path}: ${systemErrorReason(cause)}`,
      { hint, cause },
    );
  }
}

const MISSING_FILE_HINT =
  'paths are relative to the working folder; to make a plan, run svc plan FILE --out PLAN and commit the plan';
