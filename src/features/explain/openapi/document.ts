/** Builds the OpenAPI 3.1 document of the HTTP API from the declarations of the resources. */
import { MAX_BODY_OCTETS } from '../../../service/protocol/json.ts';
import { API_PREFIX, MAX_RECORDS_PER_PAGE } from '../../../service/protocol/wire.ts';
import { catalogue } from '../../../service/resources/catalogue.ts';
import { ERROR_SCHEMA, errorResponses } from './errors.ts';
import { openApiPathsOf } from './operations.ts';
import { openApiSchemasOf, RULES_BEYOND_SCHEMA } from './schemas.ts';
import { securitySchemes, signingParameters } from './signing.ts';

export const openApiDocument = () => ({
  openapi: '3.1.0',
  info: {
    title: 'Marketing Messaging and Automation Service Interface',
    // Interface, "Versioning".
    version: '1.2',
    description: DESCRIPTION.join('\n\n'),
  },
  servers: [
    {
      url: 'https://{host}',
      description: 'A deployment of the service',
      variables: { host: { default: 'api.example.com' } },
    },
    {
      url: 'http://127.0.0.1:{port}',
      description: 'A sandbox on this machine, started with svc sandbox start',
      variables: { port: { default: '4010' } },
    },
  ],
  tags: catalogue.map(({ name, describe }) => ({ name, description: `${describe}.` })),
  paths: Object.assign({}, ...catalogue.map(openApiPathsOf)),
  components: {
    schemas: { ...Object.assign({}, ...catalogue.map(openApiSchemasOf)), Error: ERROR_SCHEMA },
    responses: errorResponses(),
    parameters: signingParameters(),
    securitySchemes: securitySchemes(),
  },
  'x-beyond-schema': RULES_BEYOND_SCHEMA,
});

const DESCRIPTION: readonly string[] = [
  `Every path begins with \`${API_PREFIX.slice(0, -1)}\`. Requests use HTTPS, carry \`Accept: application/json\`, and are signed: the security schemes say how.`,
  'A body is JSON. The service also accepts `application/x-www-form-urlencoded`: in such a body, numbers and booleans are text, and an empty value is null. In a query, `True`, `1` and `0` are booleans too, and a whole number may have a sign and leading zeros.',
  "Times are Unix seconds, and `X-Svc-Time` in a response is the service's time. Attributes that the schema of a record does not list can occur: ignore them.",
  `A page has at most ${MAX_RECORDS_PER_PAGE} records. A body has at most ${MAX_BODY_OCTETS} bytes. If a response has the status 429, wait for the number of seconds in \`Retry-After\`.`,
  'Repeat a GET, HEAD, PUT or DELETE after a lost response. Repeat a POST only if the first one certainly did not arrive, because a second POST can send a message twice.',
  'If the interface document does not define something, this OpenAPI document describes the behavior of the sandbox. `x-beyond-schema` lists the rules that no schema can express.',
];
