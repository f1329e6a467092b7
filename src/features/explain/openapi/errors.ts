/** The error responses of an operation, and the schema of their bodies. */

import type { Method } from '../../../kit/schema/resource.ts';
import { errorResponseBody } from '../../../service/protocol/envelope.ts';
import type { CatalogueResource } from '../../../service/resources/catalogue.ts';
import { REFUSALS, type Refusal } from '../refusals.ts';

/** Returns the error responses of an operation by their status. HEAD has no bodies. */
export function errorResponsesOf({ name }: CatalogueResource, method: Method) {
  const found = Object.values(REFUSALS).filter(
    ({ methods = [], on = {} }) => methods.includes(method) || on[name]?.includes(method),
  );
  const reference = (status: number) =>
    method === 'HEAD'
      ? { description: 'An error. The response has no body.' }
      : { $ref: `#/components/responses/Error${status}` };
  return Object.fromEntries(found.map(({ error: { status } }) => [status, reference(status)]));
}

/** Returns a response for each status of an error, with an example of each error that has it. */
export const errorResponses = () =>
  Object.fromEntries(
    Object.values(REFUSALS).map(({ error: { status } }) => [
      `Error${status}`,
      responseOf(Object.entries(REFUSALS).filter(([, { error }]) => error.status === status)),
    ]),
  );

function responseOf(entries: readonly [string, Refusal][]) {
  const bodyOf = ({ error }: Refusal) => ({ value: JSON.parse(errorResponseBody(error)) });
  const examples = Object.fromEntries(entries.map(([name, refusal]) => [name, bodyOf(refusal)]));
  return {
    description: entries.map(([, { when }]) => when).join(' '),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, examples } },
  };
}

const FINDING = {
  type: 'object',
  required: ['attribute', 'reason'],
  properties: { attribute: { type: 'string' }, reason: { type: 'string' } },
};

/** Schema of an error response (wire, "Responses", error). */
export const ERROR_SCHEMA = {
  type: 'object',
  description: 'The case of status does not matter: error and ERROR mean the same.',
  required: ['status', 'response'],
  properties: {
    status: { type: 'string', pattern: '^[Ee][Rr][Rr][Oo][Rr]$' },
    response: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'integer', description: 'The HTTP status' },
        subcode: { type: ['integer', 'null'], description: 'Tells apart errors with the same code' },
        message: { type: 'string' },
        additional_information: {
          description: 'For code 400, a list of attributes with reasons; for other codes, an object',
          anyOf: [{ type: 'array', items: FINDING }, { type: 'object' }, { type: 'null' }],
        },
        resource_id: {
          type: ['integer', 'string'],
          description: 'For code 409, the id of the existing record',
        },
      },
    },
  },
};
