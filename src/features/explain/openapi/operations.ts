/** Builds the OpenAPI operations of a resource, with their parameters, bodies and responses. */

import {
  fieldOf,
  filtersOf,
  type JsonSchema,
  METHODS,
  type Method,
  sortAttributesOf,
  supports,
  type Values,
} from '../../../kit/schema/resource.ts';
import { createUnboundedSchema } from '../../../kit/schema/value-schema.ts';
import { capitalizeFirstLetter } from '../../../kit/text/words.ts';
import { defaultSort } from '../../../service/protocol/query.ts';
import { MAX_RECORDS_PER_PAGE, pathOf } from '../../../service/protocol/wire.ts';
import type { CatalogueResource } from '../../../service/resources/catalogue.ts';
import { errorResponsesOf } from './errors.ts';
import { REQUEST_EXAMPLES } from './examples.ts';
import { numberFormat, schemaReference, updateSchemaWithId } from './schemas.ts';
import { AUTH_SCHEME_NAMES } from './signing.ts';

export function openApiPathsOf(resource: CatalogueResource) {
  const path = pathOf(resource.name);
  const operationsAt = (isItem: boolean) =>
    Object.fromEntries(
      METHODS.filter((method) => supports(resource, method) && !(isItem && method === 'POST')).map(
        (method) => [method.toLowerCase(), operation(resource, method, isItem)],
      ),
    );
  const id = {
    name: 'id',
    in: 'path',
    required: true,
    schema: idSchema(resource),
    description: capitalizeFirstLetter(fieldOf(resource, 'id').describe),
    example: REQUEST_EXAMPLES[resource.name].id,
  };
  return { [path]: operationsAt(false), [`${path}/{id}`]: { parameters: [id], ...operationsAt(true) } };
}

function operation(resource: CatalogueResource, method: Method, isItem: boolean) {
  const { verb, summary, description, query = [], body, success } = PARTS[method](resource, isItem);
  const { post, put } = resource.methods;
  const declared = method === 'POST' ? post : method === 'PUT' ? put : undefined;
  const isPartnerOnly = declared?.only === 'partner';
  const headers = ['Date', 'Nonce', ...(post?.withoutCompany && method === 'POST' ? [] : COMPANY_HEADERS)];
  return {
    operationId: `${verb}${capitalizeFirstLetter(resource.name)}${isItem && method !== 'GET' ? 'ById' : ''}`,
    summary,
    ...(description && !isItem ? { description: description.trim() } : {}),
    tags: [resource.name],
    security: [
      ...(isPartnerOnly ? [] : [{ [AUTH_SCHEME_NAMES.company]: [] }]),
      { [AUTH_SCHEME_NAMES.partner]: [] },
    ],
    parameters: [
      ...[...headers, 'PartnerId'].map((name) => ({ $ref: `#/components/parameters/${name}` })),
      ...(isItem ? [] : query),
    ],
    ...(body === undefined ? {} : { requestBody: body }),
    responses: { [method === 'POST' ? 202 : 200]: success, ...errorResponsesOf(resource, method) },
  };
}

const COMPANY_HEADERS = ['CompanyId', 'UserId'];

/** Members in which the operations of the methods differ. Only operations without an id in the path have a query and a description. */
interface Parts {
  readonly verb: string;
  readonly summary: string;
  readonly description?: string;
  readonly query?: readonly object[];
  readonly body?: object;
  readonly success: object;
}

const PARTS: Readonly<Record<Method, (resource: CatalogueResource, isItem: boolean) => Parts>> = {
  GET: (resource, isItem) => {
    const record = schemaReference(resource);
    const filters = [...new Set(['id', ...filtersOf(resource)])];
    return {
      verb: isItem ? 'get' : 'list',
      summary: isItem ? `Get ${resource.singular}` : `List ${resource.plural}`,
      description: `A record must match all filters exactly. With the filter id, data is one object. ${needsOneOf(resource.methods.get?.oneOf)}`,
      query: [...filterParameters(resource, filters), ...pageParameters(resource)],
      success: okResponse(isItem ? record : { anyOf: [{ type: 'array', items: record }, record] }),
    };
  },
  HEAD: (resource, isItem) => ({
    verb: 'exists',
    summary: `Check whether ${isItem ? `${resource.singular} exists` : `${resource.plural} exist`}`,
    description: needsOneOf(resource.methods.head?.oneOf),
    query: filterParameters(resource, resource.methods.head?.attributes ?? []),
    success: { description: 'A record matches. The response has no body.' },
  }),
  POST: (resource) => {
    const ways = [schemaReference(resource, 'Create'), schemaReference(resource, 'CreateByPartner')];
    return {
      verb: 'create',
      summary: `Create ${resource.singular}`,
      description: 'The sandbox answers 202. Any 2xx status means success.',
      body: bodyOf(
        resource.methods.post?.partner ? { anyOf: ways } : schemaReference(resource, 'Create'),
        REQUEST_EXAMPLES[resource.name].create,
      ),
      success: okResponse(schemaReference(resource)),
    };
  },
  PUT: (resource, isItem) => {
    const { id, update } = REQUEST_EXAMPLES[resource.name];
    return {
      verb: 'update',
      summary: `Change ${resource.singular}${isItem ? '' : ' identified in the body'}`,
      body: isItem
        ? bodyOf(schemaReference(resource, 'Update'), update)
        : bodyOf(updateSchemaWithId(resource), { id, ...update }),
      success: okResponse({ type: 'array', items: schemaReference(resource) }),
    };
  },
  DELETE: (resource, isItem) => {
    const { by = [], exclusive } = resource.methods.delete ?? {};
    const deleted = { type: 'object', required: ['id'], properties: { id: idSchema(resource) } };
    const [needs, required] =
      by.length === 1 ? ['', { required: true }] : [needsOneOf(by, exclusive ? 'Exactly' : 'At least'), {}];
    const filters = filterParameters(resource, by, resource.compositeId && { id: idSchema(resource) });
    return {
      verb: 'delete',
      summary: `Delete ${resource.singular}${isItem ? '' : ' identified in the query'}`,
      description: `The service also accepts the attributes in a JSON body. ${needs}`,
      query: filters.map((each) => ({ ...each, ...required })),
      success: okResponse(isItem ? deleted : { anyOf: [deleted, { type: 'array', items: deleted }] }),
    };
  },
};

const needsOneOf = (attributes: readonly string[] = [], count = 'At least'): string =>
  attributes.length === 0 ? '' : `${count} one of ${attributes.join(', ')} is required.`;

const bodyOf = (schema: JsonSchema, example: Values = {}) => ({
  required: true,
  content: { 'application/json': { schema, example } },
});

function okResponse(data: JsonSchema) {
  const next = 'Value of the query parameter start for the next page; null on the last page';
  const response = {
    type: 'object',
    required: ['count', 'next', 'data'],
    properties: {
      count: { type: 'integer', description: 'Number of records in this response' },
      next: { type: ['string', 'number', 'boolean', 'null'], description: next },
      data,
    },
  };
  const schema = {
    type: 'object',
    required: ['status', 'response'],
    properties: { status: { type: 'string', pattern: '^[Oo][Kk]$' }, response },
  };
  return { description: 'Success', content: { 'application/json': { schema } } };
}

/**
 * The schemas have no bounds: a filter accepts any value, even if no record has it.
 * @param stricter schemas of the attributes for which the method accepts less than GET
 */
const filterParameters = (
  resource: CatalogueResource,
  attributes: readonly string[],
  stricter: Readonly<Record<string, JsonSchema>> = {},
) =>
  attributes.map((name) => {
    const field = fieldOf(resource, name);
    const schema = stricter[name] ?? { ...createUnboundedSchema(field), ...numberFormat(field) };
    if (!field.nullable) return inQuery(name, field.describe, schema);
    return { ...inQuery(name, `${field.describe}. Empty matches null`, schema), allowEmptyValue: true };
  });

const inQuery = (name: string, description: string, schema: JsonSchema) => ({
  name,
  in: 'query',
  description,
  schema,
});

function pageParameters(resource: CatalogueResource) {
  const sorts = sortAttributesOf(resource);
  const sort = { type: 'string', enum: sorts, default: defaultSort(resource) };
  return [
    ...(sorts.length === 0 ? [] : [inQuery('sort', 'Attribute to sort by', sort)]),
    inQuery('reverse', 'Sort in descending order', { type: 'boolean', default: false }),
    inQuery('count', `Maximum number of records on a page, at most ${MAX_RECORDS_PER_PAGE}`, {
      type: 'integer',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      default: MAX_RECORDS_PER_PAGE,
    }),
    inQuery(
      'start',
      'Value of the sort attribute at which the page begins: next of the previous response. If several records have this value, the pages can repeat or miss some of these records',
      { type: 'string' },
    ),
  ];
}

const idSchema = (resource: CatalogueResource): JsonSchema =>
  resource.compositeId === undefined
    ? { type: fieldOf(resource, 'id').kind === 'string' ? 'string' : 'integer', format: 'int64', minimum: 0 }
    : { type: 'string', pattern: `^${resource.compositeId.map(() => '[0-9]{1,40}').join('_')}$` };
