/** Checks the body of a request against the declaration of its resource, for client and sandbox. Reports all faults at once. */
import * as z from 'zod';
import { unstorableTextReason } from '../text/words.ts';
import type { Field, Scalar } from './field.ts';
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

const schemas = new WeakMap<Field, z.ZodType<Scalar>>();

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
  const broken = typeof value === 'string' ? unstorableTextReason(value) : undefined;
  if (broken !== undefined) return { reason: broken, instead: 'remove it' };
  if (typeof value === 'bigint' && (field.kind === 'int' || field.kind === 'decimal'))
    return checkLarge(field, value) ?? { value };
  const schema = schemas.get(field) ?? schemaOf(field);
  schemas.set(field, schema);
  const { success, data, error } = schema.safeParse(value);
  return success ? { value: data } : problemIn(field, error.issues[0]);
}

/** Checks a whole number that JavaScript does not represent exactly. zod's integers don't support such numbers. */
function checkLarge({ min, max, format }: Field, value: bigint): FormatProblem | undefined {
  if (min !== undefined && value < min) return { reason: { kind: 'at-least', min } };
  if (max !== undefined && value > max) return { reason: { kind: 'at-most', max } };
  return format && checkFormat(format, value);
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

function schemaOf(field: Field): z.ZodType<Scalar> {
  const base = withFormat(field, baseOf(field));
  return field.nullable ? base.nullable() : base;
}

function baseOf({ kind, min = -Infinity, max = Infinity, values = [], octets }: Field): z.ZodType<Scalar> {
  switch (kind) {
    case 'int':
      return z.int().min(min).max(max);
    case 'decimal':
      return z.number().min(min).max(max);
    case 'bool':
      return z.boolean();
    case 'enum':
      return z.literal([...values]);
    case 'string': {
      if (octets === undefined) return z.string();
      const [least, most] = octets;
      const fits = (text: string): boolean => {
        const length = Buffer.byteLength(text, 'utf8');
        return length >= least && length <= most;
      };
      return z.string().refine(fits, { params: { reason: { kind: 'bytes', least, most } } });
    }
    default:
      return assertNever(kind);
  }
}

function withFormat({ format }: Field, schema: z.ZodType<Scalar>): z.ZodType<Scalar> {
  if (format === undefined) return schema;
  return schema
    .superRefine((value, context) => {
      const problem = checkFormat(format, value);
      if (problem) context.addIssue({ code: 'custom', params: problem });
    })
    .transform((value) => (typeof value === 'string' ? normaliseByFormat(format, value) : value));
}

/** Converts the first fault that zod found. */
function problemIn(field: Field, issue: z.core.$ZodIssue | undefined): FormatProblem {
  const { kind, nullable, min, max, values = [] } = field;
  if (issue?.code === 'custom') return { reason: 'is not valid', ...issue.params };
  if (kind === 'enum') return { reason: { kind: 'one-of', values } };
  if (issue?.code === 'too_small' && min !== undefined && issue.minimum === min)
    return { reason: { kind: 'at-least', min } };
  if (issue?.code === 'too_big' && max !== undefined && issue.maximum === max)
    return { reason: { kind: 'at-most', max } };
  // An integer that a double does not hold is too small or too big for zod.
  return { reason: { kind: 'type', type: kind, nullable } };
}
