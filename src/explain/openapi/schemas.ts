/** Builds the JSON Schemas of a resource: one for a record, and one for each body of a POST or PUT. Lists the rules that they cannot express. */
import type { CatalogueResource, ResourceName } from '../../resources/catalogue.ts';
import type { Field } from '../../schema/field.ts';
import {
  type AuthKind,
  fieldOf,
  type JsonSchema,
  payloadAttributesFor,
  type Resource,
} from '../../schema/resource.ts';
import { when } from '../../schema/rules.ts';
import {
  createFieldValueSchema,
  createFormatSchema,
  createUnboundedSchema,
  FORMAT_RULES_NOT_IN_SCHEMA,
} from '../../schema/value-schema.ts';
import { capitalizeFirstLetter } from '../../text/words.ts';
import { exampleRecord, exampleValue } from './examples.ts';

export const formatRecordSchemaName = ({ name }: CatalogueResource): string => capitalizeFirstLetter(name);
export const formatHttpPostBodySchemaName = (resource: CatalogueResource, authKind: AuthKind): string =>
  `${formatRecordSchemaName(resource)}Create${authKind === 'partner' && hasPartnerOnlyHttpPostAttributes(resource) ? 'ByPartner' : ''}`;
export const formatHttpPutBodySchemaName = (resource: CatalogueResource): string =>
  `${formatRecordSchemaName(resource)}Update`;

/** Reports whether a partner may set attributes of a new record that a company may not set. */
export const hasPartnerOnlyHttpPostAttributes = ({ methods }: CatalogueResource): boolean =>
  methods.post?.partner !== undefined;

export function openApiSchemasOf(resource: CatalogueResource): Readonly<Record<string, JsonSchema>> {
  const { post, put } = resource.methods;
  return {
    [formatRecordSchemaName(resource)]: recordSchema(resource),
    ...(post === undefined
      ? {}
      : { [formatHttpPostBodySchemaName(resource, 'company')]: createSchema(resource, 'company') }),
    ...(hasPartnerOnlyHttpPostAttributes(resource)
      ? { [formatHttpPostBodySchemaName(resource, 'partner')]: createSchema(resource, 'partner') }
      : {}),
    ...(put === undefined ? {} : { [formatHttpPutBodySchemaName(resource)]: updateSchema(resource) }),
  };
}

/** Returns the schema of a record in a response. The service may add attributes that the interface does not list. */
function recordSchema(resource: CatalogueResource): JsonSchema {
  const attributes = Object.keys(resource.fields);
  return {
    type: 'object',
    description: `${resource.describe}.`,
    required: attributes.filter((name) => !fieldOf(resource, name).sampleOnly),
    properties: Object.fromEntries(
      attributes.map((name) => [name, recordAttribute(resource, name, fieldOf(resource, name))]),
    ),
    examples: [exampleRecord(resource)],
  };
}

function recordAttribute(resource: CatalogueResource, name: string, field: Field): JsonSchema {
  if (field.writeOnly)
    return { type: 'null', description: `${field.describe}. Always null in a response`, readOnly: true };
  const facts = {
    ...(field.kind === 'enum' ? createFieldValueSchema(field) : typeOf(field)),
    ...described(field),
  };
  const isSettable = [...settable(resource, 'POST'), ...settable(resource, 'PUT')].includes(name);
  return { ...facts, ...(isSettable && name !== 'id' ? {} : { readOnly: true }) };
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
const numberFormat = ({ kind }: Field): JsonSchema => (kind === 'int' ? { format: 'int64' } : {});

const described = ({ describe, unit, deprecated, refersTo, format }: Field): JsonSchema => ({
  description: `${describe}${unit === undefined || describe.includes(unit) ? '' : `, in ${unit}`}${
    format === 'timestamp' ? ' (Unix seconds)' : ''
  }`,
  ...(deprecated ? { deprecated } : {}),
  ...(refersTo === undefined ? {} : { 'x-refers-to': refersTo }),
});

const settable = (resource: CatalogueResource, method: 'POST' | 'PUT'): readonly string[] => {
  const { required, optional } = payloadAttributesFor(resource, method, 'partner');
  return [...required, ...optional];
};

function createSchema(resource: CatalogueResource, authKind: AuthKind): JsonSchema {
  const only = resource.methods.post?.only;
  const { required, optional } = payloadAttributesFor(resource, 'POST', only ?? authKind);
  const who =
    only === 'partner' || (authKind === 'partner' && hasPartnerOnlyHttpPostAttributes(resource))
      ? ', by a partner'
      : '';
  return {
    type: 'object',
    description: `Body that creates ${resource.singular}${who}.`,
    ...(required.length === 0 ? {} : { required }),
    properties: bodyAttributes(resource, [...required, ...optional], true),
    additionalProperties: false,
    ...allOf(
      (resource.rules ?? []).flatMap(({ schema }) =>
        schema === undefined ? [] : [schema(createFormatSchema)],
      ),
    ),
  };
}

/** Returns the schema of the body of a PUT. A rule about several attributes applies only if the body has all of them. */
function updateSchema(resource: CatalogueResource): JsonSchema {
  const { required, optional } = payloadAttributesFor(resource, 'PUT', 'partner');
  const rules = (resource.rules ?? []).flatMap(({ schema, attributes, needs = attributes }) => {
    if (schema === undefined || attributes.includes('id')) return [];
    return [when({ required: needs }, schema(createFormatSchema))];
  });
  return {
    type: 'object',
    description: `Body that changes ${resource.singular}. An omitted attribute keeps its value.`,
    ...(required.length === 0 ? {} : { required }),
    properties: bodyAttributes(resource, ['id', ...required, ...optional], false),
    additionalProperties: false,
    ...allOf(rules),
  };
}

/** Returns the schema of the body of a PUT whose path has no id, so that the body names the record. */
export function createHttpPutBodySchemaWithId(resource: CatalogueResource): JsonSchema {
  const ways = (resource.rules ?? []).flatMap(({ schema, attributes }) =>
    schema !== undefined && attributes.includes('id') ? [schema(createFormatSchema)] : [],
  );
  const named = ways.length === 0 ? { required: ['id'] } : {};
  return { allOf: [{ $ref: schemaReference(formatHttpPutBodySchemaName(resource)) }, ...ways], ...named };
}

/** Returns the `$ref` to a schema of the OpenAPI document. */
export const schemaReference = (name: string): string => `#/components/schemas/${name}`;

const allOf = (schemas: readonly JsonSchema[]): JsonSchema =>
  schemas.length === 0 ? {} : { allOf: schemas };

function bodyAttributes(
  resource: CatalogueResource,
  names: readonly string[],
  isNew: boolean,
): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    names.map((name) => {
      const field = fieldOf(resource, name);
      const { default: value } = field;
      return [
        name,
        {
          ...createFieldValueSchema(field),
          ...(name === 'id' ? {} : numberBounds(field)),
          ...numberFormat(field),
          ...described(field),
          ...(isNew && value !== undefined ? { default: value } : {}),
          ...(field.writeOnly ? { writeOnly: true } : {}),
          examples: [exampleValue(resource, name, field)],
        },
      ];
    }),
  );
}

/** Returns the bounds of a number. Most programs lose digits of a number outside the bounds, and the sandbox can't store it. */
const numberBounds = ({ kind, refersTo, min, max }: Field): JsonSchema =>
  kind !== 'int' || refersTo !== undefined
    ? {}
    : { minimum: min ?? -Number.MAX_SAFE_INTEGER, maximum: max ?? Number.MAX_SAFE_INTEGER };

/** Reason for a status 400 although the request matches the schemas. A test with random requests checks that there are no others. */
interface RuleBeyondSchema {
  readonly text: string;
  /** Section of the interface, or place in wire.md. */
  readonly section: string;
  readonly applies: (resource: Resource<string, ResourceName>) => boolean;
}

const hasFormat =
  (...formats: readonly string[]) =>
  ({ fields }: Resource): boolean =>
    Object.values(fields).some(({ format }) => format !== undefined && formats.includes(format));
const isNamed =
  (...names: readonly ResourceName[]) =>
  ({ name }: Resource): boolean =>
    names.some((each) => each === name);
const isTimedRule = ({ fields }: Resource): boolean => Object.hasOwn(fields, 'actiontarget');

export const RULES_NOT_IN_SCHEMA = {
  references: {
    text: 'An attribute that refers to another record, such as list_id, must have the id of an existing record of that kind.',
    section: 'wire, "a reference to what is not there"',
    applies: ({ fields }) => Object.values(fields).some(({ refersTo }) => refersTo !== undefined),
  },
  change: {
    text: 'After a PUT, the whole record must be valid: its values must match the schema for a new record.',
    section: 'Endpoints, PUT',
    applies: ({ methods, rules = [] }) => methods.put !== undefined && rules.length > 0,
  },
  sameId: {
    text: 'If both the path and the body have an id, the ids must be equal.',
    section: 'wire, "item"',
    applies: ({ methods }) => methods.put !== undefined,
  },
  octets: {
    text: 'The length of a text is counted in bytes of UTF-8.',
    section: 'Limits, Folder name',
    applies: ({ fields }) => Object.values(fields).some(({ octets }) => octets !== undefined),
  },
  smsParts: {
    text: FORMAT_RULES_NOT_IN_SCHEMA['sms-text'] ?? '',
    section: 'Limits, SMS parts',
    applies: hasFormat('sms-text'),
  },
  subinfo: {
    text: 'The text must fit into 3 SMS parts. If subinfo is true, the service adds 30 bytes to the text.',
    section: 'Limits, subinfo overhead',
    applies: isNamed('smsMessage'),
  },
  timezone: {
    text: FORMAT_RULES_NOT_IN_SCHEMA.timezone ?? '',
    section: 'account, timezone',
    applies: hasFormat('timezone'),
  },
  url: {
    text: FORMAT_RULES_NOT_IN_SCHEMA.url ?? '',
    section: 'account, website; smsAutomation, notifyurl',
    applies: hasFormat('url', 'website'),
  },
  optIn: {
    text: 'If customoptin is true, html and text must each contain an opt-in element, which the service turns into the confirmation link.',
    section: 'Content rules, customoptin',
    applies: isNamed('emailMessage'),
  },
  dynamicContent: {
    text: 'The dynamic content of html, text and subject must have no syntax error. Otherwise, the service returns 400 with subcode 11.',
    section: 'Errors, 400 subcode 11',
    applies: isNamed('emailMessage'),
  },
  sender: {
    text: 'fromemail must be a sender address of the account.',
    section: 'emailMessage, fromemail',
    applies: isNamed('emailMessage'),
  },
  otherList: {
    text: 'For copytolist and movetolist, actiontarget must be a different list from list_id.',
    section: 'Automation rules 10',
    applies: isNamed('subscriptionAutomation'),
  },
  target: {
    text: 'actiontarget must be the id of an existing list or message, depending on actiontype.',
    section: 'Automation rules 6',
    applies: isTimedRule,
  },
  oneKey: {
    text: 'A GET, HEAD or DELETE must have at least one filter.',
    section: 'Endpoints, subscriberProfileData',
    applies: isNamed('subscriberProfileData'),
  },
  exclusive: {
    text: 'DELETE takes either id or contactdata, never both.',
    section: 'Endpoints, doNotContact',
    applies: isNamed('doNotContact'),
  },
  start: {
    text: 'The query parameter start must be a valid value of the sort attribute. If a request sorts by name, start must be a name.',
    section: 'wire, "start"',
    applies: () => true,
  },
} as const satisfies Readonly<Record<string, RuleBeyondSchema>>;

/** Returns the rules for requests to a resource that the schemas cannot express, as sentences. */
export const rulesNotInSchemaOf = (resource: Resource<string, ResourceName>): readonly string[] =>
  Object.values<RuleBeyondSchema>(RULES_NOT_IN_SCHEMA)
    .filter(({ applies }) => applies(resource))
    .map(({ text, section }) => `${text} (${section})`);
