/** Builds the OpenAPI operations of a resource, with their parameters, bodies and responses. */
import type { Json } from '../../protocol/json.ts';
import { defaultSort } from '../../protocol/query.ts';
import { MAX_RECORDS_PER_PAGE, pathOf } from '../../protocol/wire.ts';
import type { CatalogueResource } from '../../resources/catalogue.ts';
import type { Field } from '../../schema/field.ts';
import {
  fieldOf,
  filtersOf,
  type JsonSchema,
  type Method,
  sortAttributesOf,
  type Values,
} from '../../schema/resource.ts';
import { createUnboundedSchema } from '../../schema/value-schema.ts';
import { capitalizeFirstLetter } from '../../text/words.ts';
import { errorResponsesOf } from './errors.ts';
import { REQUEST_EXAMPLES } from './examples.ts';
import {
  createHttpPutBodySchemaWithId,
  formatHttpPostBodySchemaName,
  formatHttpPutBodySchemaName,
  formatRecordSchemaName,
  hasPartnerOnlyHttpPostAttributes,
  rulesNotInSchemaOf,
  schemaReference,
} from './schemas.ts';
import { AUTH_SCHEME_NAMES } from './signing.ts';

export function openApiPathsOf(resource: CatalogueResource) {
  const { get, head, post, put, delete: remove } = resource.methods;
  const collection = {
    ...(get ? { get: listOperation(resource) } : {}),
    ...(head ? { head: headOperation(resource, false) } : {}),
    ...(post ? { post: createOperation(resource) } : {}),
    ...(put ? { put: updateOperation(resource, false) } : {}),
    ...(remove ? { delete: deleteOperation(resource, false) } : {}),
  };
  const item = {
    parameters: [idParameter(resource)],
    ...(get ? { get: getOperation(resource) } : {}),
    ...(head ? { head: headOperation(resource, true) } : {}),
    ...(put ? { put: updateOperation(resource, true) } : {}),
    ...(remove ? { delete: deleteOperation(resource, true) } : {}),
  };
  return { [pathOf(resource.name)]: collection, [`${pathOf(resource.name)}/{id}`]: item };
}

interface Operation {
  readonly method: Method;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Json[];
  readonly body?: Json;
  readonly success: Readonly<Record<number, { readonly description: string }>>;
}

function operation(resource: CatalogueResource, own: Operation) {
  const { method, operationId, summary, description, parameters = [], body, success } = own;
  const { isPartnerOnly, withoutCompany } = callers(resource, method);
  return {
    operationId,
    summary,
    ...(description === undefined || description === '' ? {} : { description }),
    tags: [resource.name],
    security: [
      ...(isPartnerOnly ? [] : [{ [AUTH_SCHEME_NAMES.company]: [] }]),
      { [AUTH_SCHEME_NAMES.partner]: [] },
    ],
    parameters: [...signedWith(isPartnerOnly, withoutCompany), ...parameters],
    ...(body === undefined ? {} : { requestBody: body }),
    responses: {
      ...success,
      ...errorResponsesOf(resource, method),
    },
  };
}

function callers({ methods }: CatalogueResource, method: Method) {
  const declared = method === 'POST' ? methods.post : method === 'PUT' ? methods.put : undefined;
  return {
    isPartnerOnly: declared?.only === 'partner',
    withoutCompany: method === 'POST' && methods.post?.withoutCompany === true,
  };
}

const signedWith = (isPartnerOnly: boolean, withoutCompany: boolean) =>
  [
    ...['Date', 'Nonce'],
    ...(withoutCompany ? [] : ['CompanyId', 'UserId']),
    ...(isPartnerOnly || !withoutCompany ? ['PartnerId'] : []),
  ].map((name) => ({ $ref: `#/components/parameters/${name}` }));

function listOperation(resource: CatalogueResource) {
  const oneOf = resource.methods.get?.oneOf;
  return operation(resource, {
    method: 'GET',
    operationId: `list${formatRecordSchemaName(resource)}`,
    summary: `List ${resource.plural}`,
    description: [
      'A record must match all filters exactly. Each record in the response has all of its attributes: a request cannot ask for only some attributes.',
      ...(oneOf === undefined ? [] : [`At least one of ${oneOf.join(', ')} is required.`]),
      'With the filter id, data is one object. If nothing matches, the status is 404.',
    ].join(' '),
    parameters: [...filterParameters(resource, filtersWithId(resource)), ...pageParameters(resource)],
    success: { 200: okResponse('The records', listedData(resource)) },
  });
}

/** Returns the filters of GET. Includes `id`, even if the interface's table does not mark it as a filter. */
const filtersWithId = (resource: CatalogueResource): readonly string[] => [
  ...new Set(['id', ...filtersOf(resource)]),
];

function getOperation(resource: CatalogueResource) {
  return operation(resource, {
    method: 'GET',
    operationId: `get${formatRecordSchemaName(resource)}`,
    summary: `Get ${resource.singular}`,
    success: { 200: okResponse('The record', recordReference(resource)) },
  });
}

function headOperation(resource: CatalogueResource, isItem: boolean) {
  const { attributes = [], oneOf } = resource.methods.head ?? {};
  return operation(resource, {
    method: 'HEAD',
    operationId: `exists${formatRecordSchemaName(resource)}${isItem ? 'ById' : ''}`,
    summary: isItem ? `Check whether ${resource.singular} exists` : `Check whether ${resource.plural} exist`,
    description: oneOf === undefined || isItem ? '' : `At least one of ${oneOf.join(', ')} is required.`,
    parameters: isItem ? [] : filterParameters(resource, attributes),
    success: { 200: { description: 'A record matches. The response has no body.' } },
  });
}

function createOperation(resource: CatalogueResource) {
  const kinds = hasPartnerOnlyHttpPostAttributes(resource)
    ? (['company', 'partner'] as const)
    : (['company'] as const);
  const schemas = kinds.map((kind) => ({
    $ref: schemaReference(formatHttpPostBodySchemaName(resource, kind)),
  }));
  const [only = {}] = schemas;
  return operation(resource, {
    method: 'POST',
    operationId: `create${formatRecordSchemaName(resource)}`,
    summary: `Create ${resource.singular}`,
    description: `${bodyRules(resource)}\n\nThe sandbox answers 202. Any 2xx status means success.`,
    body: bodyOf(
      schemas.length === 1 ? only : { anyOf: schemas },
      REQUEST_EXAMPLES[resource.name].create ?? {},
    ),
    success: {
      202: okResponse('The new record', recordReference(resource)),
    },
  });
}

function updateOperation(resource: CatalogueResource, isItem: boolean) {
  const { id, update = {} } = REQUEST_EXAMPLES[resource.name];
  return operation(resource, {
    method: 'PUT',
    operationId: `update${formatRecordSchemaName(resource)}${isItem ? 'ById' : ''}`,
    summary: isItem ? `Change ${resource.singular}` : `Change ${resource.singular} identified in the body`,
    description: bodyRules(resource),
    body: bodyOf(
      isItem
        ? { $ref: schemaReference(formatHttpPutBodySchemaName(resource)) }
        : createHttpPutBodySchemaWithId(resource),
      isItem ? update : { id, ...update },
    ),
    success: {
      200: okResponse('An array that contains only the changed record', {
        type: 'array',
        items: recordReference(resource),
      }),
    },
  });
}

function deleteOperation(resource: CatalogueResource, isItem: boolean) {
  const { by = [], exclusive } = resource.methods.delete ?? {};
  const one: JsonSchema = {
    type: 'object',
    required: ['id'],
    properties: { id: idSchema(resource) },
  };
  return operation(resource, {
    method: 'DELETE',
    operationId: `delete${formatRecordSchemaName(resource)}${isItem ? 'ById' : ''}`,
    summary: isItem ? `Delete ${resource.singular}` : `Delete ${resource.singular} identified in the query`,
    description: [
      ...(isItem || by.length === 1
        ? []
        : [`${exclusive ? 'Exactly' : 'At least'} one of ${by.join(', ')} is required.`]),
      ...(isItem ? [] : ['The service also accepts the attributes in a JSON body.']),
    ].join(' '),
    parameters: isItem
      ? []
      : filterParameters(resource, by, resource.compositeId ? { id: idSchema(resource) } : {}).map((each) =>
          by.length === 1 ? { ...each, required: true } : each,
        ),
    success: {
      200: okResponse(
        'The ids of the deleted records',
        isItem ? one : { anyOf: [one, { type: 'array', items: one }] },
      ),
    },
  });
}

/** Returns the rules for a body that the schema can't express, as a list in Markdown. */
function bodyRules(resource: CatalogueResource): string {
  const sentences = rulesNotInSchemaOf(resource);
  return sentences.length === 0
    ? ''
    : `The schema cannot express these rules:\n\n${sentences.map((each) => `- ${each}`).join('\n')}`;
}

const bodyOf = (schema: JsonSchema, example: Values) => ({
  required: true,
  content: { 'application/json': { schema, examples: { works: { value: example } } } },
});

function okResponse(description: string, data: JsonSchema) {
  return {
    description,
    headers: { 'X-Svc-Time': { $ref: '#/components/headers/ServiceTime' } },
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['status', 'response'],
          properties: {
            status: { type: 'string', pattern: '^[Oo][Kk]$' },
            response: {
              type: 'object',
              required: ['count', 'next', 'data'],
              properties: {
                count: { type: 'integer', description: 'Number of records in this response' },
                next: {
                  type: ['string', 'number', 'boolean', 'null'],
                  description: 'Value of the query parameter start for the next page; null on the last page',
                },
                data,
              },
            },
          },
        },
      },
    },
  };
}

const listedData = (resource: CatalogueResource): JsonSchema => ({
  anyOf: [{ type: 'array', items: recordReference(resource) }, recordReference(resource)],
});

const recordReference = (resource: CatalogueResource): JsonSchema => ({
  $ref: schemaReference(formatRecordSchemaName(resource)),
});

/** Returns the parameters of a query. `stricter`: schemas of the attributes for which the method accepts less than GET. */
function filterParameters(
  resource: CatalogueResource,
  attributes: readonly string[],
  stricter: Readonly<Record<string, JsonSchema>> = {},
) {
  return attributes.map((name) => {
    const field = fieldOf(resource, name);
    return {
      name,
      in: 'query',
      description: `${field.describe}${field.nullable ? '. Empty matches null' : ''}`,
      ...(field.nullable ? { allowEmptyValue: true } : {}),
      schema: stricter[name] ?? querySchema(field),
    };
  });
}

/** Returns the schema of a value in a query. The schema has no bounds: a filter accepts any value, even if no record has it. */
const querySchema = (field: Field): JsonSchema => ({
  ...createUnboundedSchema(field),
  ...(field.kind === 'int' ? { format: 'int64' } : {}),
});

function pageParameters(resource: CatalogueResource) {
  const sorts = sortAttributesOf(resource);
  return [
    ...(sorts.length === 0
      ? []
      : [
          {
            name: 'sort',
            in: 'query',
            description: 'Attribute to sort by',
            schema: { type: 'string', enum: sorts, default: defaultSort(resource) },
          },
        ]),
    {
      name: 'reverse',
      in: 'query',
      description: 'Sort in descending order',
      schema: { type: 'boolean', default: false },
    },
    {
      name: 'count',
      in: 'query',
      description: `Maximum number of records on a page. The service caps a larger number at ${MAX_RECORDS_PER_PAGE}`,
      schema: {
        type: 'integer',
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        default: MAX_RECORDS_PER_PAGE,
      },
    },
    {
      name: 'start',
      in: 'query',
      description:
        'Value of the sort attribute at which the page begins. The page includes records with this value. For the next page, copy the value of next from the previous response. If several records have this value, the pages can repeat or miss some of these records',
      schema: { type: 'string' },
    },
  ];
}

const idSchema = (resource: CatalogueResource): JsonSchema =>
  resource.compositeId === undefined
    ? { type: fieldOf(resource, 'id').kind === 'string' ? 'string' : 'integer', format: 'int64', minimum: 0 }
    : { type: 'string', pattern: `^${resource.compositeId.map(() => '[0-9]{1,40}').join('_')}$` };

const idParameter = (resource: CatalogueResource) => ({
  name: 'id',
  in: 'path',
  required: true,
  description: capitalizeFirstLetter(fieldOf(resource, 'id').describe),
  schema: idSchema(resource),
  example: REQUEST_EXAMPLES[resource.name].id,
});
