/** Describes the request that the service sends to `notifyurl` (interface, "Events"). */
import type { JsonObject } from '../../protocol/json.ts';
import { SMS_NOTIFICATION_URL_PARAMETERS } from '../../protocol/wire.ts';

const NAME = 'inboundSms';

/**
 * Returns a `$ref` to the callback that reports an inbound SMS. The descriptions of POST and PUT requests that can set `notifyurl` contain
 * this `$ref`.
 */
export const createInboundSmsCallbackRef = (): JsonObject => ({
  [NAME]: { $ref: `#/components/callbacks/${NAME}` },
});

/**
 * Returns the callback of the OpenAPI document, by its name. The callback describes the request that the service sends to `notifyurl` when
 * an SMS arrives.
 */
export const createInboundSmsCallbacks = (): JsonObject => ({
  [NAME]: {
    '{$request.body#/notifyurl}': {
      get: {
        operationId: 'notifyInboundSms',
        summary: 'The service tells you about an inbound SMS',
        description:
          'The service sends this request for each SMS that matches the rule. The interface document does not say which parameters the request has, or whether the service retries it. The sandbox adds the parameters below to the query, and sends the request once.',
        parameters: Object.entries(SMS_NOTIFICATION_URL_PARAMETERS).map(([name, description]) => ({
          name,
          in: 'query',
          description,
          schema: { type: 'string' },
        })),
        security: [],
        responses: {
          '2XX': { description: 'The service ignores the response.' },
          '4XX': { description: 'The service ignores the response.' },
        },
      },
    },
  },
});
