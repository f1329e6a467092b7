import {
  bool,
  createShape,
  listOf,
  matching,
  nonNegativeInteger,
  object,
  objectWithAnyMemberNames,
  oneOfValues,
  orNull,
  type ShapeCheck,
  type Shaped,
  ShapeError,
  text,
} from '../../../kit/schema/shape.ts';
import { isObject } from '../../../kit/text/json-object.ts';
import { isTimezone } from '../../../kit/text/timezone.ts';
import { type Naming, namingOverridesOf, namingWithOverrides } from '../../../service/protocol/naming.ts';
import { parseBaseUrl } from '../../../service/protocol/wire.ts';
import { campaignShape, stepShape } from '../model.ts';

export const MAX_PLAN_VALIDITY_SECONDS = 30 * 86_400;

export function toPlanJsonValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPlanJsonValue);
  // A record may hold an id or a number that a double can't represent.
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  const members = sortedEntries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(members.map(([name, each]) => [name, toPlanJsonValue(each)]));
}

/**
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

/** Sorts names as ECMAScript compares strings (RFC 8785, section 3.2.3). */
const sortedEntries = (value: object): readonly (readonly [string, unknown])[] =>
  Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));

/** @throws RangeError for a lone surrogate (RFC 8785, section 3.2.2.2) */
function canonicalString(text: string): string {
  if (/\p{Cs}/u.test(text)) throw new RangeError('the text contains half of a Unicode surrogate pair');
  return JSON.stringify(text);
}

const id = matching(/^[0-9]{1,20}$/, 'an id in digits');
export const digest = matching(/^[0-9a-f]{64}$/, 'a SHA-256 in hexadecimal');
const zone = createShape<string>(
  (value) => typeof value === 'string' && isTimezone(value),
  'a name of the TZ database',
);
const origin = createShape<string>((value) => {
  const read = typeof value === 'string' ? parseBaseUrl(value) : undefined;
  return read !== undefined && !('problem' in read) && read.origin === value;
}, 'the scheme, host and port of a service, as in https://api.example.com');
/** Refuses neutral names, so that two plans for one installation can't have different texts. */
const naming: ShapeCheck<Partial<Naming>> = (value, path) => {
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
const inputs = object(
  {
    /** Relative to the folder that the plan was written to (`derive.ts`). */
    file: text,
    files: listOf(object({ file: text, sha256: digest })),
    set: objectWithAnyMemberNames(text),
    env: objectWithAnyMemberNames(text),
    options: object(
      { overwrite: bool, prune: bool, zone },
      {
        both: bool,
        /** For a rule, the value is kind and id: `click:3`. */
        adopt: objectWithAnyMemberNames(text),
      },
    ),
    /** `apply` sends this campaign, so it must equal the files (`derive.ts`). */
    wanted: campaignShape,
  },
  {
    /** Set for a plan of a bundle (`bundle.ts`), which is refused alone. */
    bundle: matching(/^[0-9a-f]{32}$/, 'a name of a bundle'),
    /** Ids that `svc promote` replaced in `wanted`, by item and attribute. */
    ids: objectWithAnyMemberNames(object({ from: id, to: id })),
  },
);

const observed = object({
  /** Without an item, under kind and id: `task 7`. */
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
  /** Under item and attribute: `task spring message`. */
  references: objectWithAnyMemberNames(object({ id: text, content: text })),
});

/** Times are Unix seconds of the service's clock. */
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
  steps: listOf(stepShape),
  sha256: digest,
});

export type Plan = Shaped<typeof planFileShape>;
export type PlanParts = Omit<Plan, 'version' | 'sha256'>;
