/** Describes both signature schemes for developers of a client, with the headers of a signed request. */

import type { JsonSchema } from '../../../kit/schema/resource.ts';
import type { Credentials } from '../../../service/auth/credentials.ts';
import { MAX_NONCE_LENGTH, maskedCanonicalString, signRequest } from '../../../service/auth/sign.ts';
import { DEFAULT_WIRE_NAMING } from '../../../service/protocol/naming.ts';

const { companyScheme, partnerScheme, headerPrefix } = DEFAULT_WIRE_NAMING;

/** Names of the security schemes in the document. The same names are in the `Authorization` header. */
export const AUTH_SCHEME_NAMES = { company: companyScheme, partner: partnerScheme } as const;

const EXAMPLE = { companyId: 12, userId: 34, apiKey: '0123456789abcdef0123456789abcdef' } as const;
const REQUEST = { method: 'GET', path: '/v1/folder' } as const;
const ATTEMPT = {
  date: 'Tue, 01 Dec 2026 09:00:00 GMT',
  nonce: '5a0e1d2c3b4f5968778695a4b3c2d1e0f9a8b7c6',
} as const;

/** Both schemes are API keys in `Authorization`, so that OpenAPI tools ask for the signature. */
export const securitySchemes = () => ({
  [companyScheme]: schemeOf({ kind: 'company', ...EXAMPLE }),
  [partnerScheme]: schemeOf({ kind: 'partner', partnerId: 5, ...EXAMPLE }),
});

function schemeOf(credentials: Credentials) {
  const partner = credentials.kind === 'partner' ? [`${headerPrefix}PID: {partner id}`] : [];
  return {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: `Signature of a ${credentials.kind}. ${SIGNING}`,
    'x-signature': {
      algorithm: 'SHA-1',
      encoding: '40 lower-case hexadecimal characters',
      header: `${AUTH_SCHEME_NAMES[credentials.kind]} signature="{signature}"`,
      'line-separator': '\r\n',
      'canonical-string': [
        ...['{method} {path}', 'Date: {date}', ...partner],
        ...[`${headerPrefix}CID: {company id}`, `${headerPrefix}UID: {user id}`],
        ...[`${headerPrefix}Nonce: {nonce}`, '{key}'],
      ],
      example: {
        key: credentials.apiKey,
        'canonical-string': maskedCanonicalString(REQUEST, credentials, ATTEMPT),
        authorization: signRequest(REQUEST, credentials, ATTEMPT)['authorization'],
      },
    },
  };
}

const SIGNING = [
  'Sign the lines of `canonical-string` in `x-signature`. Leave out a header that you do not send.',
  'The path is as it is sent: percent-encoded, with `/v1`, without the query. The last line, the key, has no line end and is never sent.',
  'The query and the body are not part of the signature. Every attempt, including a retry, needs a new nonce and date.',
].join('\n');

const ID = { type: 'integer', format: 'int64', minimum: 0 } as const;

const header = (name: string, description: string, schema: JsonSchema = ID) => ({
  name,
  in: 'header',
  required: schema !== ID,
  description,
  schema,
});

/** Returns the headers of a signed request as parameters, by their names under `components.parameters`. */
export const signingParameters = () => ({
  Date: header('Date', 'The current time (RFC 9110), at most 15 minutes from the time of the service', {
    type: 'string',
    examples: [ATTEMPT.date],
  }),
  Nonce: header(`${headerPrefix}Nonce`, 'Random text that no other request of the last 30 minutes had', {
    type: 'string',
    minLength: 1,
    maxLength: MAX_NONCE_LENGTH,
    pattern: '^[\\x21-\\x7e]+$',
    examples: [ATTEMPT.nonce],
  }),
  CompanyId: header(
    `${headerPrefix}CID`,
    'Id of the company. A partner must also send it with every request, except POST /v1/account',
  ),
  UserId: header(
    `${headerPrefix}UID`,
    `Id of the user for whom the request runs. Required with ${companyScheme}. For a partner without a user, the admin of the company acts`,
  ),
  PartnerId: header(
    `${headerPrefix}PID`,
    `Id of the partner. Required with ${partnerScheme}; not allowed with ${companyScheme}`,
  ),
});
