/** Checks the body of a request against the declaration of its resource, for client and sandbox. Reports all faults at once. */
import { unstorableTextReason } from '../text/words.ts';
import type { Field, FieldKind, Scalar } from './field.ts';
import { checkFormat, type FormatProblem, normaliseByFormat } from './formats.ts';
import {
  type AuthKind,
  assertNever,
  type ContentMarkupNames,
  DEFAULT_CONTENT_MARKUP_NAMES,
  type Finding,
  payloadAttributesFor,
  type Resource,
  type Values,
} from './resource.ts';

/** Result of checking a body: the valid values, and a finding for each fault. */
interface PayloadCheckResult {
  /** The valid values in normalised form: phone numbers without `+`, addresses in lower case. */
  readonly values: Values;
  readonly findings: readonly Finding[];
}

export function checkValue(
  attribute: string,
  field: Field,
  value: unknown,
): { readonly value: Scalar } | { readonly finding: Finding } {
  const checked = check(field, value);
  if ('value' in checked) return checked;
  return { finding: { attribute, ...checked, value: field.format === 'password' ? undefined : value } };
}

function check(field: Field, value: unknown): { readonly value: Scalar } | FormatProblem {
  const { kind, nullable, values = [], min, max, octets, format } = field;
  const broken = typeof value === 'string' ? unstorableTextReason(value) : undefined;
  if (broken !== undefined) return { reason: broken, instead: 'remove it' };
  if (value === null && nullable) return { value };
  if (kind === 'enum') {
    const found = values.find((each) => each === value);
    return found === undefined ? { reason: { kind: 'one-of', values } } : { value: found };
  }
  if (!hasType(kind, value)) return { reason: { kind: 'type', type: kind, nullable } };
  if (typeof value === 'number' || typeof value === 'bigint') {
    if (min !== undefined && value < min) return { reason: { kind: 'at-least', min } };
    if (max !== undefined && value > max) return { reason: { kind: 'at-most', max } };
  }
  if (typeof value === 'string' && octets) {
    const [least, most] = octets;
    const length = Buffer.byteLength(value, 'utf8');
    if (length < least || length > most) return { reason: { kind: 'bytes', least, most } };
  }
  return (
    (format && checkFormat(format, value)) ?? {
      value: typeof value === 'string' ? normaliseByFormat(format, value) : value,
    }
  );
}

/** A bigint is a whole number that a double does not represent exactly. */
function hasType(kind: Exclude<FieldKind, 'enum'>, value: unknown): value is NonNullable<Scalar> {
  switch (kind) {
    case 'int':
      return typeof value === 'bigint' || Number.isSafeInteger(value);
    case 'decimal':
      return typeof value === 'bigint' || Number.isFinite(value);
    case 'bool':
      return typeof value === 'boolean';
    case 'string':
      return typeof value === 'string';
    default:
      return assertNever(kind);
  }
}

/**
 * Checks the body of a POST or PUT: unknown, read-only and missing attributes, invalid values, and rules that the body alone breaks. A PUT
 * may contain `id`.
 */
export function checkPayload(
  resource: Resource,
  method: 'POST' | 'PUT',
  authKind: AuthKind,
  body: Readonly<Record<string, unknown>>,
  words: ContentMarkupNames & { readonly nullOptional?: boolean } = DEFAULT_CONTENT_MARKUP_NAMES,
): PayloadCheckResult {
  const { required, optional } = payloadAttributesFor(resource, method, authKind);
  const allowed = new Set([...required, ...optional, ...(method === 'PUT' ? ['id'] : [])]);
  const values: Record<string, Scalar> = Object.create(null);
  const findings: Finding[] = [];
  for (const [attribute, value] of Object.entries(body)) {
    const field = Object.hasOwn(resource.fields, attribute) ? resource.fields[attribute] : undefined;
    if (field === undefined || !allowed.has(attribute)) {
      // The value of an unknown attribute is not repeated, because it may be a password with its name misspelt.
      findings.push({
        attribute,
        value: field === undefined ? undefined : value,
        ...refusal(resource, method, attribute, field),
      });
      continue;
    }
    const checked = checkValue(attribute, field, value);
    if ('finding' in checked) findings.push(checked.finding);
    else values[attribute] = checked.value;
  }
  for (const attribute of required) {
    if (Object.hasOwn(body, attribute)) continue;
    // Wire, "Vendor names", `null-optional`: clients of some deployments omit attributes instead of sending null.
    if (method === 'POST' && words.nullOptional && resource.fields[attribute]?.nullable)
      values[attribute] = null;
    else findings.push({ attribute, reason: { kind: 'required' } });
  }
  const faulty = new Set(findings.map((finding) => finding.attribute));
  const known = method === 'POST' ? undefined : new Set(Object.keys(values));
  findings.push(...checkValidationRules(resource, values, words, known, faulty));
  return { values: { ...values }, findings };
}

/** Returns a finding for each attribute of a broken rule. Skips rules with one in `faulty`, or that need one outside of `known`. */
export function checkValidationRules(
  resource: Resource,
  values: Values,
  words: ContentMarkupNames = DEFAULT_CONTENT_MARKUP_NAMES,
  known?: ReadonlySet<string>,
  faulty: ReadonlySet<string> = new Set(),
): readonly Finding[] {
  const findings: Finding[] = [];
  for (const rule of resource.rules ?? []) {
    if (rule.attributes.some((attribute) => faulty.has(attribute))) continue;
    if (known && !(rule.needs ?? rule.attributes).every((attribute) => known.has(attribute))) continue;
    const finding = rule.check(values, words);
    if (finding && !findings.some(({ attribute }) => attribute === finding.attribute)) findings.push(finding);
  }
  return findings;
}

function refusal(
  resource: Resource,
  method: 'POST' | 'PUT',
  attribute: string,
  field: Field | undefined,
): Pick<Finding, 'reason' | 'instead'> {
  if (!field) {
    const near = Object.keys(resource.fields).find((name) => sameLetters(name) === sameLetters(attribute));
    return {
      reason: `is not an attribute of ${resource.name}`,
      instead: near === undefined ? undefined : `did you mean ${near}?`,
    };
  }
  if (method === 'POST' && attribute === 'id')
    return { reason: 'is set by the service; POST does not accept it' };
  const partner = resource.methods.post?.partner?.optional?.includes(attribute);
  if (method === 'POST' && partner) return { reason: 'can be set only by a partner' };
  const elsewhere = method === 'PUT' ? resource.methods.post : resource.methods.put;
  const settable = [...(elsewhere?.required ?? []), ...(elsewhere?.optional ?? [])].includes(attribute);
  if (method === 'PUT' && settable) return { reason: `cannot be changed once a ${resource.name} exists` };
  if (method === 'POST' && settable) return { reason: 'can be set only on one that exists (PUT)' };
  return { reason: 'is read-only' };
}

const sameLetters = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
