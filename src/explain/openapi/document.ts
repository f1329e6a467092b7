/** Builds the OpenAPI 3.1 document of the HTTP API from the declarations of the resources. */
import { explanations } from '../../explanations/all.ts';
import { MAX_BODY_OCTETS } from '../../protocol/json.ts';
import { API_PREFIX, MAX_RECORDS_PER_PAGE } from '../../protocol/wire.ts';
import { type CatalogueResource, catalogue } from '../../resources/catalogue.ts';
import { ERROR_SCHEMA, errorResponses } from './errors.ts';
import { openApiPathsOf } from './operations.ts';
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
    paths: Object.assign({}, ...catalogue.map(openApiPathsOf)),
    components: {
      schemas: { ...Object.assign({}, ...catalogue.map(openApiSchemasOf)), Error: ERROR_SCHEMA },
      responses: errorResponses(),
      parameters: signingParameters(),
      headers: {
        ServiceTime: {
          description:
            "The service's time in Unix seconds. Use this time as the present time, not the time of your own clock",
          schema: { type: 'integer', format: 'int64' },
        },
      },
      securitySchemes: securitySchemes(),
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
