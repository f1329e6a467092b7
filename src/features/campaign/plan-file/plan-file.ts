/** Writes and reads plan files (contract, "Campaigns as files"). A plan has exactly one text, and people approve its digest. */
import { createHash } from 'node:crypto';
import { FileError } from '../../../kit/files/errors.ts';
import { readRegularFile } from '../../../kit/files/private-file.ts';
import { checked, ShapeError } from '../../../kit/schema/shape.ts';
import { isObject } from '../../../kit/text/json-object.ts';
import { explainNewerFile } from '../../../kit/text/svc-error.ts';
import { formatTime } from '../../../kit/text/timezone.ts';
import { CampaignError, CONFLICT_MARKER, KEEP_LINE_ENDS_HINT } from '../errors.ts';
import { findPlanContradiction } from './contradictions.ts';
import {
  canonicalJson,
  MAX_PLAN_VALIDITY_SECONDS,
  type Plan,
  type PlanParts,
  planFileShape,
  toPlanJsonValue,
} from './plan-parts.ts';

export type { Plan, PlanParts } from './plan-parts.ts';

/** @throws CampaignError `input` for text without a canonical form (a lone surrogate) */
export function makePlan(parts: PlanParts): Plan {
  const { origin, naming, campaign, company, made, validUntil, inputs, observed, steps } = parts;
  const head = { version: 1, origin, naming, campaign, company, made, validUntil };
  const all = ordered({ ...head, inputs, observed, steps });
  return { ...(all as Omit<Plan, 'sha256'>), sha256: digestOf(all) };
}

export const formatPlanFile = (parts: PlanParts): string => textOf(makePlan(parts));

/**
 * Refuses a text that differs in any octet from that of `formatPlanFile`.
 * @throws CampaignError `refused`
 */
export function readPlan(text: string, name = 'the plan'): Plan {
  const plan = shapedPlan(text, name);
  const { sha256: _, version: __, ...parts } = plan;
  const remade = remake(parts);
  if (remade.sha256 !== plan.sha256)
    throw refused('the plan was changed after it was made: its digest does not match');
  if (textOf(remade) === text.replaceAll('\r\n', '\n') && textOf(remade) !== text)
    throw new CampaignError('refused', `${name} has Windows line ends (CRLF), which svc did not write`, {
      hint: KEEP_LINE_ENDS_HINT,
    });
  if (textOf(remade) !== text)
    throw refused('svc did not write this plan: its spaces or order of keys differ, or a key occurs twice');
  const fault = findPlanContradiction(plan);
  if (fault !== undefined) throw refused(`the plan contradicts itself: ${fault}`);
  return plan;
}

/** @throws CampaignError `refused` if the plan has expired, or stays valid for more than 30 days from now */
export function checkPlanNotExpired({ validUntil }: Pick<Plan, 'validUntil'>, now: number): void {
  const until = formatTime(validUntil, 'UTC', 'long');
  if (now >= validUntil)
    throw new CampaignError('refused', `the plan has expired: it was valid until ${until}`, {
      hint: NEW_PLAN,
    });
  if (validUntil - now > MAX_PLAN_VALIDITY_SECONDS)
    throw new CampaignError(
      'refused',
      `the plan claims to be valid until ${until}, but a plan is valid for at most 30 days`,
      { hint: NEW_PLAN },
    );
}

const NEW_PLAN = 'run svc plan to make a new plan; the new plan must be approved again';

function digestOf(rest: unknown): string {
  let canonical: string;
  try {
    canonical = canonicalJson(rest);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new CampaignError('input', `cannot plan this campaign: ${cause.message}`, { cause });
  }
  return createHash('sha256').update(canonical, 'utf8').digest('hex');
}

const textOf = (plan: Plan): string => `${JSON.stringify(plan, undefined, 2)}\n`;

function ordered(value: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, toPlanJsonValue(each)]));
}

function remake(parts: PlanParts): Plan {
  try {
    return makePlan(parts);
  } catch (cause) {
    if (!(cause instanceof CampaignError)) throw cause;
    throw refused(`cannot use the plan: ${cause.message}`, cause);
  }
}

function shapedPlan(text: string, name: string): Plan {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    if (CONFLICT_MARKER.test(text))
      throw new CampaignError('refused', `${name} has an unresolved merge conflict`, {
        hint: 'make the plan again with svc plan FILE --out PLAN; the new plan must be approved again',
        cause,
      });
    throw refused('the file is not a plan: it is not JSON', cause);
  }
  const newer = explainNewerFile(name, value);
  if (newer !== undefined)
    throw new CampaignError('refused', newer, {
      hint: 'update svc on this machine, or make the plan with the svc version of this machine',
    });
  if (isObject(value) && Array.isArray(value['companies']))
    throw new CampaignError(
      'refused',
      `${name} is a bundle of plans, and this command takes the plan of one company`,
      {
        hint: 'give the campaign file, with --company or --companies',
      },
    );
  try {
    return checked(planFileShape, value);
  } catch (cause) {
    if (!(cause instanceof ShapeError)) throw cause;
    throw refused(`svc did not write this plan: ${cause.message}`, cause);
  }
}

const refused = (message: string, cause?: unknown): CampaignError =>
  new CampaignError('refused', message, {
    hint: 'make a plan with svc plan FILE --out PLAN, and do not edit it',
    cause,
  });

const MAX_OCTETS = 64 * 1024 * 1024;

/** @throws CampaignError `refused` if the file does not exist, or differs in any octet from what `svc plan` wrote */
export function readPlanFile(path: string, name: string): Plan {
  return readPlan(readPlanText(path, name), name);
}

/** @throws CampaignError `refused` if the file does not exist, or is not UTF-8 text */
export function readPlanText(path: string, name: string): string {
  try {
    const octets = readRegularFile(path, name, MAX_OCTETS);
    // `svc plan` writes no byte order mark, so one must not be ignored.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(octets);
  } catch (cause) {
    if (cause instanceof FileError) throw new CampaignError('refused', cause.message, { cause });
    if (cause instanceof TypeError)
      throw new CampaignError('refused', `${name} is not a plan: it is not UTF-8 text`, { cause });
    throw cause;
  }
}
