/** Defines the parts of a plan (contract, "Campaigns as files"): types, canonical JSON (RFC 8785), and the shape of a plan file. */
import { type Naming, namingOverridesOf, namingWithOverrides } from '../../protocol/naming.ts';
import { parseBaseUrl } from '../../protocol/wire.ts';
import { RULE_KINDS } from '../../resources/rule-kinds.ts';
import {
  bool,
  createShape,
  either,
  listOf,
  matching,
  nonNegativeInteger,
  object,
  objectVariants,
  objectWithAnyMemberNames,
  oneOfValues,
  orNull,
  type ShapeCheck,
  ShapeError,
  scalar,
  text,
} from '../../schema/shape.ts';
import { isObject } from '../../text/json-object.ts';
import { isTimezone } from '../../text/timezone.ts';
import type { Campaign, IdText, Step } from '../model.ts';
import type { ObservedCampaignState } from '../plan/continuation.ts';
import type { PlanOptions } from '../plan/situation.ts';

/** Parts of a plan, as plain JSON. Times are Unix seconds of the service's clock. */
export interface PlanParts {
  /** Scheme, host and port of the service that the plan is for. */
  readonly origin: string;
  /** Header and field names in which this installation of the service differs from svc's neutral names. */
  readonly naming: Partial<Naming>;
  readonly campaign: string;
  readonly company: { readonly id: IdText; readonly name: string };
  readonly made: number;
  /** Unix seconds at which the plan expires. */
  readonly validUntil: number;
  readonly inputs: PlanInputs;
  readonly observed: ObservedCampaignState;
  readonly steps: readonly Step[];
}

/** Inputs from which a plan was made: the files, the variables and the options. */
export interface PlanInputs {
  /** Path of the campaign's file, relative to the folder that the plan was written to (`derive.ts`). */
  readonly file: string;
  /** Every file that was read, including the campaign's own file, with its SHA-256 in hexadecimal. */
  readonly files: readonly { readonly file: string; readonly sha256: string }[];
  /** Values that `--set` gave. */
  readonly set: Readonly<Record<string, string>>;
  /** Values of the environment variables that `--env` allowed. */
  readonly env: Readonly<Record<string, string>>;
  readonly options: Omit<PlanOptions, 'madeAt'>;
  /** The campaign with its contents. `apply` sends this campaign, so it must equal the files (`derive.ts`). */
  readonly wanted: Campaign;
}

export interface Plan extends PlanParts {
  readonly version: 1;
  /** Digest in hexadecimal, over the canonical JSON of all other members. */
  readonly sha256: string;
}

/** Maximum validity of a plan in seconds: 30 days. */
export const MAX_PLAN_VALIDITY_SECONDS = 30 * 86_400;

/** Returns the value as a plan holds it: members are sorted by name, and undefined members are omitted. */
export function toPlanJsonValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPlanJsonValue);
  // A record may hold an id or a number that a double can't represent.
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  const members = sortedEntries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(members.map(([name, each]) => [name, toPlanJsonValue(each)]));
}

/**
 * Returns the canonical JSON: members sorted by the UTF-16 units of their names, values as in ECMAScript, no white space.
 * @param value JSON that is not nested deeper than the call stack allows
 * @throws RangeError for a value without a canonical form: NaN, infinity, a lone surrogate, `undefined`, a bigint
 */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return canonicalString(value);
    case 'number':
      // RFC 8785, section 3.2.2.3. -0 is written as 0.
      if (!Number.isFinite(value)) throw new RangeError(`${value} is not a JSON number`);
      return JSON.stringify(value);
    case 'boolean':
      return String(value);
    case 'object':
      if (value === null) return 'null';
      if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
      return `{${sortedEntries(value)
        .map(([name, each]) => `${canonicalString(name)}:${canonicalJson(each)}`)
        .join(',')}}`;
    default:
      throw new RangeError(`a value of type ${typeof value} cannot be written as JSON`);
  }
}

/** Returns the members, sorted by the UTF-16 units of their names, as ECMAScript compares strings (RFC 8785, section 3.2.3). */
const sortedEntries = (value: object): readonly (readonly [string, unknown])[] =>
  Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));

/** Returns the text as JSON.stringify escapes it. @throws RangeError for a lone surrogate (RFC 8785, section 3.2.2.2) */
function canonicalString(text: string): string {
  if (/\p{Cs}/u.test(text)) throw new RangeError('the text contains half of a Unicode surrogate pair');
  return JSON.stringify(text);
}

const id = matching(/^[0-9]{1,20}$/, 'an id in digits');
const digest = matching(/^[0-9a-f]{64}$/, 'a SHA-256 in hexadecimal');
const zone = createShape<string>(
  (value) => typeof value === 'string' && isTimezone(value),
  'a name of the TZ database',
);
const origin = createShape<string>((value) => {
  const read = typeof value === 'string' ? parseBaseUrl(value) : undefined;
  return read !== undefined && !('problem' in read) && read.origin === value;
}, 'the scheme, host and port of a service, as in https://api.example.com');
/** Shape of header and attribute names. Refuses neutral names, so that two plans for one installation can't have different texts. */
const naming: ShapeCheck<Plan['naming']> = (value, path) => {
  const fault = (what: string): ShapeError => new ShapeError(path, what);
  if (!isObject(value)) throw fault('must be an object');
  try {
    const own = namingOverridesOf(namingWithOverrides(value)) ?? {};
    if (JSON.stringify(sortedEntries(own)) === JSON.stringify(sortedEntries(value))) return;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw fault(`is not a naming: ${error.message}`);
  }
  throw fault('must hold only names that differ from the neutral ones');
};
const channel = oneOfValues('email', 'sms');

const reference = either({ key: object({ key: text }), id: object({ id }), name: object({ name: text }) });

/** Shape of `adopted`: the existing record that svc uses for an item instead of creating a record. */
const adopted = { adopted: object({ id, hash: orNull(text) }) };

const item = objectVariants('kind', {
  folder: object({ kind: oneOfValues('folder'), key: text, name: text }),
  message: object(
    {
      kind: oneOfValues('message'),
      key: text,
      channel,
      name: text,
      values: objectWithAnyMemberNames(scalar),
      files: objectWithAnyMemberNames(text),
    },
    adopted,
  ),
  task: object(
    {
      kind: oneOfValues('task'),
      key: text,
      name: text,
      channel: orNull(channel),
      message: reference,
      list: orNull(id),
      search: orNull(id),
      at: text,
      rate: orNull(nonNegativeInteger),
      expectSize: orNull(object({ from: nonNegativeInteger, to: nonNegativeInteger })),
      maxCredits: orNull(nonNegativeInteger),
      hold: orNull(nonNegativeInteger),
    },
    adopted,
  ),
  automation: object(
    {
      kind: oneOfValues('automation'),
      key: text,
      rule: oneOfValues(...RULE_KINDS),
      name: text,
      values: objectWithAnyMemberNames(scalar),
      references: objectWithAnyMemberNames(reference),
      paused: bool,
    },
    adopted,
  ),
});

const step = object(
  {
    action: oneOfValues('create', 'change', 'replace', 'keep', 'blocked', 'cancel', 'orphaned'),
    kind: oneOfValues('folder', 'message', 'task', 'automation'),
    name: text,
  },
  {
    key: text,
    id: text,
    reason: text,
    until: nonNegativeInteger,
    blockedBy: oneOfValues('drift', 'state', 'time', 'reference'),
    changes: listOf(object({ attribute: text, from: scalar, to: scalar })),
    time: nonNegativeInteger,
    size: orNull(nonNegativeInteger),
    credits: orNull(nonNegativeInteger),
  },
);

const inputs = object({
  file: text,
  files: listOf(object({ file: text, sha256: digest })),
  set: objectWithAnyMemberNames(text),
  env: objectWithAnyMemberNames(text),
  options: object(
    { overwrite: bool, prune: bool, zone },
    { both: bool, adopt: objectWithAnyMemberNames(text) },
  ),
  wanted: object({ campaign: text, company: orNull(nonNegativeInteger), items: listOf(item) }),
});

const observed = object({
  items: objectWithAnyMemberNames(
    listOf(
      object({
        id: text,
        written: orNull(text),
        found: orNull(text),
        state: oneOfValues('open', 'locked', 'completed', 'cancelled'),
      }),
    ),
  ),
  references: objectWithAnyMemberNames(object({ id: text, content: text })),
});

export const planFileShape = object({
  version: oneOfValues(1),
  origin,
  naming,
  campaign: text,
  company: object({ id, name: text }),
  made: nonNegativeInteger,
  validUntil: nonNegativeInteger,
  inputs,
  observed,
  steps: listOf(step),
  sha256: digest,
});
