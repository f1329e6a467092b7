/** Checks the body of a request against the declaration of its resource, for client and sandbox. Reports all faults at once. */
import * as z from 'zod';
import { unstorableTextReason } from '../text/words.ts';
import type { Field, Scalar } from './field.ts';
import { checkFormat, normaliseByFormat } from './formats.ts';
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
  const broken = typeof value === 'string' ? unstorableTextReason(value) : undefined;
  if (broken !== undefined) {
    const shown = field.format === 'password' ? undefined : value;
    return { finding: { attribute, reason: broken, value: shown, instead: 'remove it' } };
  }
  if (typeof value === 'bigint' && (field.kind === 'int' || field.kind === 'decimal'))
    return checkLarge(attribute, field, value);
  let schema = schemas.get(field);
  if (!schema) {
    schema = schemaOf(field);
    schemas.set(field, schema);
  }
  const result = schema.safeParse(value);
  if (result.success) return { value: result.data };
  const issue = result.error.issues[0];
  const instead: string | undefined = issue?.code === 'custom' ? issue.params?.['instead'] : undefined;
  return {
    finding: {
      attribute,
      reason: issue?.message ?? 'is not valid',
      value: field.format === 'password' ? undefined : value,
      instead,
    },
  };
}

/** Checks a whole number that JavaScript does not represent exactly. zod's integers don't support such numbers. */
function checkLarge(
  attribute: string,
  field: Field,
  value: bigint,
): { readonly value: Scalar } | { readonly finding: Finding } {
  const { min, max, format } = field;
  const complaint =
    min !== undefined && value < min
      ? { reason: `must be ${min} or more` }
      : max !== undefined && value > max
        ? { reason: `must be ${max} or less` }
        : format && checkFormat(format, value);
  return complaint ? { finding: { attribute, value, ...complaint } } : { value };
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
    else findings.push({ attribute, reason: 'is required' });
  }
  const faulty = new Set(findings.map((finding) => finding.attribute));
  const known = method === 'POST' ? undefined : new Set(Object.keys(values));
  findings.push(...checkValidationRules(resource, values, words, known, faulty));
  return { values: { ...values }, findings };
}

/** Returns a finding for each broken rule. Skips those with an attribute in `faulty`, or that need one outside of `known`. */
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
    if (finding) findings.push(finding);
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

function baseOf(field: Field): z.ZodType<Scalar> {
  switch (field.kind) {
    case 'int':
      return bounded(field, z.int({ error: orNullText(field, 'must be a whole number') }));
    case 'decimal':
      return bounded(field, z.number({ error: orNullText(field, 'must be a number') }));
    case 'bool':
      return z.boolean({ error: orNullText(field, 'must be true or false') });
    case 'enum':
      return z.literal([...(field.values ?? [])], {
        error: `must be one of ${field.values?.join(', ')}`,
      });
    case 'string':
      return sized(field, z.string({ error: orNullText(field, 'must be text') }));
    default:
      return assertNever(field.kind);
  }
}

const orNullText = (field: Field, text: string): string => (field.nullable ? `${text}, or null` : text);

function bounded(field: Field, schema: z.ZodNumber | z.ZodInt): z.ZodType<number> {
  let result: z.ZodNumber | z.ZodInt = schema;
  if (field.min !== undefined) result = result.min(field.min, { error: `must be ${field.min} or more` });
  if (field.max !== undefined) result = result.max(field.max, { error: `must be ${field.max} or less` });
  return result;
}

function sized(field: Field, schema: z.ZodString): z.ZodType<string> {
  const octets = field.octets;
  if (!octets) return schema;
  const [least, most] = octets;
  return schema.refine((text) => between(Buffer.byteLength(text, 'utf8'), least, most), {
    error: `must be ${least} to ${most} bytes long`,
  });
}

const between = (number: number, least: number, most: number): boolean => number >= least && number <= most;

function withFormat(field: Field, schema: z.ZodType<Scalar>): z.ZodType<Scalar> {
  const { format } = field;
  if (format === undefined) return schema;
  return schema
    .superRefine((value, context) => {
      const complaint = checkFormat(format, value);
      if (!complaint) return;
      context.addIssue({
        code: 'custom',
        message: complaint.reason,
        params: { instead: complaint.instead },
      });
    })
    .transform((value) => (typeof value === 'string' ? normaliseByFormat(format, value) : value));
}
