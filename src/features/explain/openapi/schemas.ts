/** Builds the JSON Schemas of a resource: one for a record, and one for each body of a POST or PUT. */

import type { Field } from '../../../kit/schema/field.ts';
import {
  type AuthKind,
  fieldOf,
  type JsonSchema,
  payloadAttributesFor,
} from '../../../kit/schema/resource.ts';
import { when } from '../../../kit/schema/rules.ts';
import {
  createFieldValueSchema,
  createFormatSchema,
  createUnboundedSchema,
  FORMAT_RULES_NOT_IN_SCHEMA,
} from '../../../kit/schema/value-schema.ts';
import { capitalizeFirstLetter } from '../../../kit/text/words.ts';
import type { CatalogueResource } from '../../../service/resources/catalogue.ts';

export const schemaReference = (
  { name }: CatalogueResource,
  body: '' | 'Create' | 'CreateByPartner' | 'Update' = '',
): JsonSchema => ({ $ref: `#/components/schemas/${capitalizeFirstLetter(name)}${body}` });

/** A partner may set attributes of some new records that a company may not set. */
export function openApiSchemasOf(resource: CatalogueResource): Readonly<Record<string, JsonSchema>> {
  const { post, put } = resource.methods;
  const name = capitalizeFirstLetter(resource.name);
  return {
    [name]: recordSchema(resource),
    ...(post && { [`${name}Create`]: bodySchema(resource, 'POST', post.only ?? 'company') }),
    ...(post?.partner && { [`${name}CreateByPartner`]: bodySchema(resource, 'POST', 'partner') }),
    ...(put && { [`${name}Update`]: bodySchema(resource, 'PUT', 'partner') }),
  };
}

/** The service may add attributes that the interface does not list. */
function recordSchema(resource: CatalogueResource): JsonSchema {
  const settable = (['POST', 'PUT'] as const).flatMap((method) => {
    const { required, optional } = payloadAttributesFor(resource, method, 'partner');
    return [...required, ...optional];
  });
  const fields = Object.entries<Field>(resource.fields);
  return {
    type: 'object',
    description: `${resource.describe}.`,
    required: fields.filter(([, { sampleOnly }]) => !sampleOnly).map(([name]) => name),
    properties: Object.fromEntries(
      fields.map(([name, field]) => [name, recordAttribute(field, settable.includes(name) && name !== 'id')]),
    ),
  };
}

function recordAttribute(field: Field, isSettable: boolean): JsonSchema {
  if (field.writeOnly)
    return { type: 'null', description: `${field.describe}. Always null in a response`, readOnly: true };
  return {
    ...(field.kind === 'enum' ? createFieldValueSchema(field) : typeOf(field)),
    ...described(field),
    ...(isSettable ? {} : { readOnly: true }),
  };
}

/** Returns a type without bounds, because a response may hold a value that a request could no longer set. */
function typeOf(field: Field): JsonSchema {
  const { pattern: _, ...type } = createUnboundedSchema(field);
  const { format } = field.format === undefined ? {} : createFormatSchema(field.format);
  return {
    ...type,
    ...(field.nullable ? { type: [String(type.type), 'null'] } : {}),
    ...numberFormat(field),
    ...(typeof format === 'string' ? { format } : {}),
  };
}

/** Returns the format of whole numbers. Ids can be larger than 32 bits. */
export const numberFormat = ({ kind }: Field): JsonSchema => (kind === 'int' ? { format: 'int64' } : {});

const described = ({ describe, unit, deprecated, refersTo, format }: Field): JsonSchema => ({
  description: `${describe}${unit === undefined || describe.includes(unit) ? '' : `, in ${unit}`}${
    format === 'timestamp' ? ' (Unix seconds)' : ''
  }`,
  ...(deprecated ? { deprecated } : {}),
  ...(refersTo === undefined ? {} : { 'x-refers-to': refersTo }),
});

/** Returns the schema of the body of a PUT whose path has no id, so that the body names the record. */
export function updateSchemaWithId(resource: CatalogueResource): JsonSchema {
  const ways = (resource.rules ?? []).flatMap(({ schema, attributes }) =>
    attributes.includes('id') ? (schema?.(createFormatSchema) ?? []) : [],
  );
  const named = ways.length === 0 ? { required: ['id'] } : {};
  return { allOf: [schemaReference(resource, 'Update'), ...ways], ...named };
}

/** Rules of a PUT about several attributes apply only if the body has all of them. An omitted attribute keeps its value. */
function bodySchema(resource: CatalogueResource, method: 'POST' | 'PUT', as: AuthKind): JsonSchema {
  const { required, optional } = payloadAttributesFor(resource, method, as);
  const isNew = method === 'POST';
  const names = [...(isNew ? [] : ['id']), ...required, ...optional];
  const attributeSchema = (name: string): JsonSchema => {
    const field = fieldOf(resource, name);
    return {
      ...createFieldValueSchema(field),
      ...(name === 'id' ? {} : numberBounds(field)),
      ...numberFormat(field),
      ...described(field),
      ...(isNew && field.default !== undefined ? { default: field.default } : {}),
      ...(field.writeOnly ? { writeOnly: true } : {}),
    };
  };
  const rules = (resource.rules ?? []).flatMap(({ schema, attributes, needs = attributes }) => {
    if (schema === undefined || (!isNew && attributes.includes('id'))) return [];
    return isNew ? [schema(createFormatSchema)] : [when({ required: needs }, schema(createFormatSchema))];
  });
  return {
    type: 'object',
    description: `Body that ${isNew ? 'creates' : 'changes'} ${resource.singular}${isNew && as === 'partner' ? ', by a partner' : ''}.`,
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(names.map((name) => [name, attributeSchema(name)])),
    additionalProperties: false,
    ...(rules.length === 0 ? {} : { allOf: rules }),
  };
}

/** Returns the bounds of a number. Most programs lose digits of a number outside the bounds, and the sandbox can't store it. */
const numberBounds = ({ kind, refersTo, min, max }: Field): JsonSchema =>
  kind !== 'int' || refersTo !== undefined
    ? {}
    : { minimum: min ?? -Number.MAX_SAFE_INTEGER, maximum: max ?? Number.MAX_SAFE_INTEGER };

/** Reasons for a status 400 although the request matches the schemas. A test with random requests checks that there are no others. */
export const RULES_BEYOND_SCHEMA = {
  references:
    'An attribute that refers to another record, such as list_id, must have the id of an existing record of that kind.',
  change: 'After a PUT, the whole record must be valid: its values must match the schema for a new record.',
  sameId: 'If both the path and the body have an id, the ids must be equal.',
  octets: 'The length of a text is counted in bytes of UTF-8.',
  smsParts: FORMAT_RULES_NOT_IN_SCHEMA['sms-text'],
  subinfo:
    'The text of an smsMessage must fit into 3 SMS parts. If subinfo is true, the service adds 30 bytes to the text.',
  timezone: FORMAT_RULES_NOT_IN_SCHEMA.timezone,
  url: FORMAT_RULES_NOT_IN_SCHEMA.url,
  optIn:
    'If customoptin is true, html and text must each contain an opt-in element, which the service turns into the confirmation link.',
  dynamicContent:
    'The dynamic content of html, text and subject must have no syntax error. Otherwise, the service returns 400 with subcode 11.',
  sender: 'fromemail must be a sender address of the account.',
  otherList: 'For copytolist and movetolist, actiontarget must be a different list from list_id.',
  target: 'actiontarget must be the id of an existing list or message, depending on actiontype.',
  oneKey: 'A GET, HEAD or DELETE of subscriberProfileData must have at least one filter.',
  exclusive: 'DELETE of doNotContact takes either id or contactdata, never both.',
  start:
    'The query parameter start must be a valid value of the sort attribute. If a request sorts by name, start must be a name.',
};
