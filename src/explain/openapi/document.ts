/** Builds the OpenAPI 3.1 document of the HTTP API from the declarations of the resources. */
import { explanations } from '../../explanations/all.ts';
import { MAX_RECORDS_PER_PAGE } from '../../protocol/query.ts';
import { API_PREFIX, MAX_BODY_OCTETS, SMS_NOTIFICATION_URL_PARAMETERS } from '../../protocol/wire.ts';
import { type CatalogueResource, catalogue } from '../../resources/catalogue.ts';
import { ERROR_SCHEMA } from './errors.ts';
import { examplesOf, openApiErrorResponsesOf, openApiPathsOf } from './operations.ts';
import { openApiSchemasOf, RULES_NOT_IN_SCHEMA } from './schemas.ts';
import { securitySchemes, signingParameters } from './signing.ts';

export function openApiDocument() {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Marketing Messaging and Automation Service Interface',
      version: INTERFACE_VERSION,
      summary: 'Permission-based e-mail and SMS: messages, sends, lists and automation rules',
      description: DESCRIPTION.join('\n\n'),
    },
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    servers: [
      {
        url: 'https://{host}',
        description: 'A deployment of the service',
        variables: {
          host: {
            default: 'api.example.com',
            description:
              'Host name of the service. If the base URL has a path, add the path: example.com/mail',
          },
        },
      },
      {
        url: 'http://127.0.0.1:{port}',
        description: 'A sandbox on this machine, started with svc sandbox start',
        variables: { port: { default: '4010' } },
      },
    ],
    tags: catalogue.map(tagOf),
    paths: Object.assign({}, ...catalogue.map(withCallbacks)),
    components: {
      schemas: { ...Object.assign({}, ...catalogue.map(openApiSchemasOf)), Error: ERROR_SCHEMA },
      responses: Object.assign({}, ...catalogue.map(openApiErrorResponsesOf)),
      examples: Object.assign({}, ...catalogue.map(examplesOf)),
      parameters: signingParameters(),
      headers: {
        ServiceTime: {
          description:
            "The service's time in Unix seconds. Use this time as the present time, not the time of your own clock",
          schema: { type: 'integer', format: 'int64' },
        },
      },
      securitySchemes: securitySchemes(),
      callbacks: inboundSmsCallbacks(),
    },
    'x-beyond-schema': Object.fromEntries(
      Object.entries(RULES_NOT_IN_SCHEMA).map(([name, { text, section }]) => [name, { text, section }]),
    ),
  };
}

/** Version of every resource of the interface (interface, "Versioning"). */
const INTERFACE_VERSION = '1.2';

const DESCRIPTION: readonly string[] = [
  `Every path begins with \`${API_PREFIX.slice(0, -1)}\`. Requests use HTTPS, carry \`Accept: application/json\`, and are signed with \`SvcHash\` (a company) or \`SvcPartner\` (a partner). The security schemes say how to sign.`,
  'A successful response is `{"status":"ok","response":{"count":n,"next":value,"data":…}}`. An error is `{"status":"error","response":{"code":n,"subcode":n,"message":"…"}}`. The case of `status` does not matter: `error` and `ERROR` mean the same.',
  'A body is JSON. The service also accepts `application/x-www-form-urlencoded`: in such a body, numbers and booleans are text, and an empty value is null. In a query, `True`, `1` and `0` are booleans too, and a whole number may have a sign and leading zeros.',
  'Times are Unix seconds. Attributes that the schema of a record does not list can occur: ignore them.',
  `A page has at most ${MAX_RECORDS_PER_PAGE} records. A body has at most ${MAX_BODY_OCTETS} bytes. Limits of an account are attributes of \`account\` and \`accountFeatures\`. The interface defines no limit on the rate of requests. If a response has the status 429, wait for the number of seconds in \`Retry-After\`.`,
  'Repeat a GET, HEAD, PUT or DELETE after a lost response. Repeat a POST only if the first one certainly did not arrive, because a second POST can send a message twice.',
  'If the interface document does not define something, this OpenAPI document describes the behavior of the sandbox. `x-beyond-schema` lists the rules that no schema can express.',
];

/** Returns the OpenAPI tag of a resource, with a description of the resource. Sentences about the command line are left out. */
function tagOf(resource: CatalogueResource) {
  const { about, traps, states = [], refusals = [], permissions = [] } = explanations[resource.name];
  const sections = [
    about.filter(isAboutInterface).join(' '),
    ...[traps, states, permissions, refusals].map((texts) =>
      texts
        .filter(isAboutInterface)
        .map((text) => `- ${text}`)
        .join('\n'),
    ),
  ];
  return {
    name: resource.name,
    description: [`${resource.describe}.`, ...sections].filter((text) => text !== '').join('\n\n'),
  };
}

const isAboutInterface = (text: string): boolean => !/\bsvc\b|--[a-z]/.test(text);

/** Adds a callback to POST and PUT of a resource with `notifyurl`: the request that the service later sends to that URL. */
function withCallbacks(resource: CatalogueResource) {
  const paths = openApiPathsOf(resource);
  if (!Object.hasOwn(resource.fields, 'notifyurl')) return paths;
  return Object.fromEntries(
    Object.entries(paths).map(([path, operations]) => [
      path,
      Object.fromEntries(
        Object.entries(operations).map(([method, operation]) => [
          method,
          method === 'post' || method === 'put'
            ? {
                ...operation,
                callbacks: { [INBOUND_SMS]: { $ref: `#/components/callbacks/${INBOUND_SMS}` } },
              }
            : operation,
        ]),
      ),
    ]),
  );
}

/** Name of the callback that reports an inbound SMS. */
const INBOUND_SMS = 'inboundSms';

/** Returns the callback that reports an inbound SMS: the request that the service sends to `notifyurl` (interface, "Events"). */
const inboundSmsCallbacks = () => ({
  [INBOUND_SMS]: {
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
