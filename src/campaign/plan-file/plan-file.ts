/**
 * A plan as a file (contract, "Campaigns as files"): one text for one plan, with a digest over all of it. What is
 * approved is that digest, so a plan holds everything that an apply sends.
 */
import { createHash } from 'node:crypto';
import { formatTime } from '../../text/timezone.ts';
import { CampaignError } from '../errors.ts';
import type { Campaign, IdText, Step } from '../model.ts';
import type { ObservedState } from '../plan/continuation.ts';
import type { PlanOptions } from '../plan/situation.ts';
import { canonicalJson, sortedEntries } from './canonical-json.ts';
import { planShape } from './plan-shape.ts';
import { Misshapen } from './shape.ts';

/** What goes into a plan. Plain JSON; times are Unix seconds of the service's clock. */
export interface PlanParts {
  readonly campaign: string;
  readonly company: { readonly id: IdText; readonly name: string };
  readonly made: number;
  /** The first second in which it doesn't hold any more. */
  readonly validUntil: number;
  readonly inputs: PlanInputs;
  readonly observed: ObservedState;
  readonly steps: readonly Step[];
}

export interface PlanInputs {
  /** The campaign's file, from the folder that the plan was written to (`inputs.ts`). */
  readonly file: string;
  /** Every file that was read, the campaign's own among them, with its SHA-256 in hexadecimal. */
  readonly files: readonly { readonly file: string; readonly sha256: string }[];
  /** Of `--set`. */
  readonly set: Readonly<Record<string, string>>;
  readonly options: PlanOptions;
  /** The campaign with its contents: what is sent is what was approved, whatever becomes of the files. */
  readonly wanted: Campaign;
}

export interface Plan extends PlanParts {
  readonly version: 1;
  /** Hexadecimal, over the canonical JSON of all the rest. */
  readonly sha256: string;
}

/**
 * The plan of these parts, its members in the order of the file: `-o json` prints the file's own text.
 * @throws CampaignError `input` for text that has no canonical form (half of a surrogate pair)
 */
export function makePlan(parts: PlanParts): Plan {
  const { campaign, company, made, validUntil, inputs, observed, steps } = parts;
  const all = ordered({ version: 1, campaign, company, made, validUntil, inputs, observed, steps });
  return { ...(all as Omit<Plan, 'sha256'>), sha256: digestOf(all) };
}

/** The text of the file, UTF-8: always the same one for the same parts. @throws as `makePlan` does */
export const writePlan = (parts: PlanParts): string => textOf(makePlan(parts));

/**
 * The plan in the text of a file, which is refused unless it is what `writePlan` writes, octet for octet.
 * @throws CampaignError `refused`
 */
export function readPlan(text: string): Plan {
  const plan = shapedPlan(text);
  const { sha256: _, version: __, ...parts } = plan;
  const remade = remake(parts);
  if (remade.sha256 !== plan.sha256)
    throw refused('the plan was changed since it was made: its digest is that of another one');
  if (textOf(remade) !== text)
    throw refused('the plan is not as svc writes it: blanks, order or repeated members differ');
  checkAgreement(plan);
  return plan;
}

/** By the service's clock. @param now Unix seconds  @throws CampaignError `refused` where the plan no longer holds */
export function checkValid(plan: Pick<Plan, 'validUntil'>, now: number): void {
  if (now < plan.validUntil) return;
  throw new CampaignError(
    'refused',
    `the plan has expired: it held until ${formatTime(plan.validUntil, 'UTC', 'long')}`,
    {
      hint: 'svc plan makes a new one, which has to be approved again',
    },
  );
}

function digestOf(rest: unknown): string {
  let canonical: string;
  try {
    canonical = canonicalJson(rest);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new CampaignError('input', `no plan can be made of this campaign: ${cause.message}`, { cause });
  }
  return createHash('sha256').update(canonical, 'utf8').digest('hex');
}

const textOf = (plan: Plan): string => `${JSON.stringify(plan, undefined, 2)}\n`;

/** The members of the outermost object in the order that they have, below by name; without those that are undefined. */
function ordered(value: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, sorted(each)]));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  // A record may hold an id or a number that no double does.
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  const members = sortedEntries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(members.map(([name, each]) => [name, sorted(each)]));
}

function remake(parts: PlanParts): Plan {
  try {
    return makePlan(parts);
  } catch (cause) {
    if (!(cause instanceof CampaignError)) throw cause;
    throw refused(`the plan can't be used: ${cause.message}`, cause);
  }
}

function shapedPlan(text: string): Plan {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw refused('the file is no plan: it is not JSON', cause);
  }
  const version = (value as { readonly version?: unknown } | null)?.version;
  if (typeof version === 'number' && version > 1)
    throw new CampaignError('refused', `the plan was made by a newer svc (version ${version} of plans)`, {
      hint: 'update svc here, or make the plan with this one',
    });
  try {
    planShape(value, '');
  } catch (cause) {
    if (!(cause instanceof Misshapen)) throw cause;
    throw refused(`the file is no plan that svc has made: ${cause.message}`, cause);
  }
  return value as Plan;
}

/** What people are shown are the steps, and what is done follows from the campaign: neither may hold more than the other. */
function checkAgreement({ campaign, company, made, validUntil, inputs, steps }: Plan): void {
  const { wanted } = inputs;
  if (wanted.campaign !== campaign) throw disagrees('it names two campaigns');
  if (wanted.company !== null && String(wanted.company) !== company.id)
    throw disagrees(`its campaign is for company ${wanted.company}, and it is for ${company.id}`);
  if (validUntil <= made) throw disagrees('it ends before it begins');
  const items = wanted.items.map(({ kind, key }) => `${kind} ${key}`);
  const shown = steps.flatMap(({ kind, key }) => (key === undefined ? [] : [`${kind} ${key}`]));
  const twice = items.find((each, at) => items.indexOf(each) !== at);
  if (twice !== undefined) throw disagrees(`it names ${twice} twice`);
  if (items.length !== shown.length || items.some((each, at) => each !== shown[at]))
    throw disagrees('its steps are not those of its campaign');
  for (const step of steps) {
    if (step.key === undefined && (step.id === undefined || !LEFT.includes(step.action)))
      throw disagrees(`a step for ${step.kind} ${step.id ?? 'without an id'} is of no use`);
    if (step.key !== undefined && NOT_NAMED.includes(step.action))
      throw disagrees(`${step.kind} ${step.key} is named, and its step is ${step.action}`);
  }
}

/** What can become of a record that the file doesn't name, and of nothing else. */
const NOT_NAMED: readonly string[] = ['cancel', 'orphaned'];
const LEFT: readonly string[] = [...NOT_NAMED, 'blocked'];

const disagrees = (why: string): CampaignError => refused(`the plan contradicts itself: ${why}`);

const refused = (message: string, cause?: unknown): CampaignError =>
  new CampaignError('refused', message, {
    hint: 'svc plan FILE --out PLAN makes a plan; its file must stay as it was written',
    cause,
  });
