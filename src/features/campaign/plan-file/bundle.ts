/**
 * Writes and reads bundles: the plans of one campaign for many companies. One signature approves them. A bundle has the digest of each
 * plan, and a plan names its bundle, so that a plan cannot leave its bundle or join another.
 */
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import {
  checked,
  listOf,
  matching,
  nonNegativeInteger,
  object,
  objectWithAnyMemberNames,
  oneOfValues,
  orNull,
  type Shaped,
  ShapeError,
  text,
} from '../../../kit/schema/shape.ts';
import { isObject } from '../../../kit/text/json-object.ts';
import { CampaignError } from '../errors.ts';
import type { Step } from '../model.ts';
import { type Plan, readPlanFile, readPlanText } from './plan-file.ts';
import { canonicalJson, digest, toPlanJsonValue } from './plan-parts.ts';

export const BUNDLE_FILE = 'bundle.plan';

const numbers = object({
  /** Keys are actions. */
  steps: objectWithAnyMemberNames(nonNegativeInteger),
  /** Tasks that the plan creates, replaces or changes. */
  sends: nonNegativeInteger,
  /** Null if the service counts them later. */
  recipients: orNull(nonNegativeInteger),
  credits: orNull(nonNegativeInteger),
});

const bundleShape = object({
  version: oneOfValues(1),
  bundle: text,
  campaign: text,
  companies: listOf(
    object({
      company: object({ id: text, name: text }),
      file: matching(/^[0-9]{1,40}\.plan$/, 'the id of a company and .plan'),
      sha256: digest,
      /** Companies with the same number are alike. */
      alike: nonNegativeInteger,
      numbers,
      /** Values that differ between companies that are alike. */
      differences: objectWithAnyMemberNames(text),
    }),
  ),
  sha256: digest,
});

export type Bundle = Shaped<typeof bundleShape>;

/** Plans in the order of the bundle. */
export interface BundleWithPlans {
  readonly bundle: Bundle;
  readonly plans: readonly Plan[];
}

export const planFileOfCompany = (id: string): string => `${id}.plan`;

/** @param plans at least one, all with the same `inputs.bundle` */
export function makeBundle(plans: readonly Plan[]): Bundle {
  const [first] = plans;
  if (first?.inputs.bundle === undefined) throw new RangeError('a bundle needs plans that name it');
  const groups = new Map<string, Plan[]>();
  for (const plan of plans) {
    const likeness = computeLikeness(plan);
    groups.set(likeness, [...(groups.get(likeness) ?? []), plan]);
  }
  const differences = new Map<Plan, Readonly<Record<string, string>>>();
  for (const group of groups.values())
    for (const [plan, own] of differencesIn(group)) differences.set(plan, own);
  const names = [...groups.keys()];
  const all = {
    version: 1,
    bundle: first.inputs.bundle,
    campaign: first.campaign,
    companies: plans.map((plan) => ({
      company: plan.company,
      file: planFileOfCompany(plan.company.id),
      sha256: plan.sha256,
      alike: names.indexOf(computeLikeness(plan)) + 1,
      numbers: numbersOf(plan.steps),
      differences: differences.get(plan) ?? {},
    })),
  } as const;
  const sha256 = createHash('sha256')
    .update(canonicalJson(toPlanJsonValue(all)), 'utf8')
    .digest('hex');
  return { ...all, sha256 };
}

export const formatBundleFile = (bundle: Bundle): string => `${JSON.stringify(bundle, undefined, 2)}\n`;

function numbersOf(steps: readonly Step[]): Bundle['companies'][number]['numbers'] {
  const counts: Record<string, number> = {};
  for (const { action } of steps) counts[action] = (counts[action] ?? 0) + 1;
  const sends = steps.filter(
    ({ kind, action }) => kind === 'task' && ['create', 'replace', 'change'].includes(action),
  );
  const sum = (values: readonly (number | null | undefined)[]): number | null =>
    values.reduce<number | null>((all, each) => (all === null || each == null ? null : all + each), 0);
  return {
    steps: Object.fromEntries(Object.entries(counts).sort()),
    sends: sends.length,
    recipients: sum(sends.map(({ size }) => size)),
    credits: sum(sends.map(({ credits }) => credits)),
  };
}

/** A longer text can't be read in a line, so companies with different ones are not alike. */
const MAX_DIFFERENCE_LENGTH = 200;

const isDifference = (value: string): boolean =>
  value.length <= MAX_DIFFERENCE_LENGTH && !/[\r\n]/.test(value);

/** Members that say what a plan does. Plans with different ones are not alike. */
const STRUCTURE: readonly string[] = [
  'action',
  'kind',
  'key',
  'channel',
  'rule',
  'blockedBy',
  'actiontype',
  'content',
];

/** Two plans are alike if only short values differ, such as a list, a subject or a size. */
function computeLikeness(plan: Plan): string {
  const shape = [...valuesOf(plan)].map(([path, value]) =>
    STRUCTURE.includes(path.split(' ').at(-1) ?? '') || !isDifference(value) ? [path, value] : [path],
  );
  return createHash('sha256').update(JSON.stringify(shape)).digest('hex');
}

function differencesIn(group: readonly Plan[]): ReadonlyMap<Plan, Readonly<Record<string, string>>> {
  const all = group.map((plan) => [plan, valuesOf(plan)] as const);
  const [, first = new Map<string, string>()] = all[0] ?? [];
  const differing = [...first.keys()].filter((path) =>
    all.some(([, own]) => own.get(path) !== first.get(path)),
  );
  return new Map(
    all.map(([plan, own]) => [
      plan,
      Object.fromEntries(differing.map((path) => [path, own.get(path) ?? ''])),
    ]),
  );
}

/** Everything that a plan does, by paths such as `task newsletter list`. Values of variables come first. */
function valuesOf({ origin, naming, campaign, inputs, steps, observed }: Plan): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  const add = (path: readonly string[], value: unknown): void => {
    if (isObject(value) || Array.isArray(value))
      for (const [name, each] of Object.entries(value))
        add(SKIPPED.includes(name) ? path : [...path, name], each);
    else if (value !== undefined) values.set(path.join(' '), value === null ? 'none' : String(value));
  };
  add(['service'], origin);
  add(['naming'], naming);
  add(['file'], inputs.file);
  add(['campaign'], campaign);
  add(['renamed-from'], inputs.wanted.renamedFrom);
  add(['variable'], inputs.set);
  add(['environment'], inputs.env);
  add([], inputs.options);
  for (const item of inputs.wanted.items) add([item.kind, item.key], toPlanJsonValue(item));
  for (const [at, step] of steps.entries()) {
    const { name: _, time, ...rest } = step;
    const due = time === undefined ? {} : { time: new Date(time * 1000).toISOString() };
    if (step.key === undefined) add(['step', String(at + 1)], step);
    else add([step.kind, step.key], { ...rest, ...due });
  }
  for (const [name, { content }] of Object.entries(observed.references)) add([name, 'content'], content);
  return values;
}

/** Members that group others, and would only make the paths longer. */
const SKIPPED: readonly string[] = ['values', 'references'];

/** A plan has `inputs`, and a bundle has `companies`. */
export function isBundleText(source: string): boolean {
  try {
    const value: unknown = JSON.parse(source);
    return isObject(value) && Array.isArray(value['companies']);
  } catch {
    return false;
  }
}

/**
 * Reads the bundle and all plans beside it.
 * @throws CampaignError `refused` if a file is missing, or differs in any octet from what `svc plan` wrote
 */
export function readBundleFile(path: string, name: string): BundleWithPlans {
  const bundle = shapedBundle(readPlanText(path, name), name);
  const folder = dirname(name);
  const plans = bundle.companies.map(({ file, sha256, company }): Plan => {
    const shown = join(folder, file);
    const plan = readPlanFile(join(dirname(path), file), shown);
    if (plan.inputs.bundle !== bundle.bundle || plan.sha256 !== sha256 || plan.company.id !== company.id)
      throw refused(`${shown} is not a plan of ${name}`);
    return plan;
  });
  if (formatBundleFile(makeBundle(plans)) !== formatBundleFile(bundle))
    throw refused(`${name} contradicts its plans`);
  if (formatBundleFile(bundle) !== readPlanText(path, name))
    throw refused(`svc did not write ${name}: its spaces or order of keys differ`);
  return { bundle, plans };
}

function shapedBundle(source: string, name: string): Bundle {
  try {
    const bundle = checked(bundleShape, JSON.parse(source));
    if (bundle.companies.length === 0) throw refused(`${name} has no companies`);
    const ids = new Set(bundle.companies.map(({ company }) => company.id));
    if (ids.size < bundle.companies.length) throw refused(`${name} has a company twice`);
    return bundle;
  } catch (cause) {
    if (cause instanceof SyntaxError) throw refused(`${name} is not a bundle: it is not JSON`, cause);
    if (cause instanceof ShapeError) throw refused(`svc did not write ${name}: ${cause.message}`, cause);
    throw cause;
  }
}

/** @throws CampaignError `refused` for a plan of a bundle, which is applied with the others */
export function refusePlanOfBundle({ inputs }: Pick<Plan, 'inputs'>, name: string): void {
  if (inputs.bundle === undefined) return;
  throw new CampaignError(
    'refused',
    `${name} belongs to a bundle, so it cannot be used alone; nothing was sent`,
    {
      hint: `Use ${join(dirname(name), BUNDLE_FILE)}, or make a plan for this company with svc plan FILE --company ID.`,
    },
  );
}

const refused = (message: string, cause?: unknown): CampaignError =>
  new CampaignError('refused', `${message}; nothing was sent`, {
    hint: 'Make the bundle with svc plan FILE --companies SELECTOR --out DIR, and do not edit its files.',
    cause,
  });
