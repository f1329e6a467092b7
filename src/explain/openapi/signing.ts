/** Describes both signature schemes for developers of a client: prose, headers and a worked example. */
import type { Credentials } from '../../auth/credentials.ts';
import { MAX_NONCE_LENGTH, maskedCanonicalString, signRequest } from '../../auth/sign.ts';
import { DEFAULT_WIRE_NAMING, headerNames } from '../../protocol/naming.ts';

const { companyScheme, partnerScheme, headerPrefix } = DEFAULT_WIRE_NAMING;

/** Names of the security schemes in the document. The same names are in the `Authorization` header. */
export const AUTH_SCHEME_NAMES = { company: companyScheme, partner: partnerScheme } as const;

const CREDENTIALS: Readonly<Record<keyof typeof AUTH_SCHEME_NAMES, Credentials>> = {
  company: { kind: 'company', companyId: 12, userId: 34, apiKey: '0123456789abcdef0123456789abcdef' },
  partner: {
    kind: 'partner',
    partnerId: 5,
    companyId: 12,
    userId: 34,
    apiKey: 'an-example-of-a-partner-key',
  },
};
const REQUEST = { method: 'GET', path: '/v1/folder' } as const;
const ATTEMPT = {
  date: 'Tue, 01 Dec 2026 09:00:00 GMT',
  nonce: '5a0e1d2c3b4f5968778695a4b3c2d1e0f9a8b7c6',
} as const;

/** Returns a scheme for companies and one for partners: API keys in `Authorization`, so that OpenAPI tools ask for the signature. */
export const securitySchemes = () => ({
  [AUTH_SCHEME_NAMES.company]: schemeOf('company', COMPANY_TEXT),
  [AUTH_SCHEME_NAMES.partner]: schemeOf('partner', PARTNER_TEXT),
});

function schemeOf(kind: keyof typeof AUTH_SCHEME_NAMES, text: readonly string[]) {
  const credentials = CREDENTIALS[kind];
  const headers = signRequest(REQUEST, credentials, ATTEMPT);
  const lines = maskedCanonicalString(REQUEST, credentials, ATTEMPT).split('\r\n');
  return {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: [
      ...text,
      '',
      ...STEPS,
      '',
      `Example, with the key \`${credentials.apiKey}\` as the last line:`,
      '',
      '```',
      ...lines,
      '```',
      '',
      `gives \`Authorization: ${headers['authorization']}\`.`,
    ].join('\n'),
    'x-signature': {
      algorithm: 'SHA-1',
      encoding: '40 lower-case hexadecimal characters',
      header: `${AUTH_SCHEME_NAMES[kind]} signature="{signature}"`,
      'line-separator': '\r\n',
      'canonical-string': templateOf(kind),
      example: {
        key: credentials.apiKey,
        'canonical-string': lines.join('\r\n'),
        headers: Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [writtenName(name), value]),
        ),
      },
    },
  };
}

/** Returns the lines of the string to sign, with the names of values in braces. */
function templateOf(kind: keyof typeof AUTH_SCHEME_NAMES): readonly string[] {
  return [
    '{method} {path}',
    'Date: {date}',
    ...(kind === 'partner' ? [`${headerPrefix}PID: {partner id}`] : []),
    `${headerPrefix}CID: {company id}`,
    `${headerPrefix}UID: {user id}`,
    `${headerPrefix}Nonce: {nonce}`,
    '{key}',
  ];
}

const COMPANY_TEXT = [
  `Signature of a company. Send \`Date\`, \`${headerPrefix}CID\`, \`${headerPrefix}UID\`, \`${headerPrefix}Nonce\` and \`Authorization: ${companyScheme} signature="<signature>"\`.`,
  'The API key has 32 hexadecimal characters and is never sent.',
] as const;

const PARTNER_TEXT = [
  `Signature of a partner. Send \`Date\`, \`${headerPrefix}PID\`, \`${headerPrefix}Nonce\` and \`Authorization: ${partnerScheme} signature="<signature>"\`.`,
  `\`${headerPrefix}CID\` names the company for which the partner acts, and \`${headerPrefix}UID\` a user of it. Without a user, the admin of the company acts.`,
  'The partner key is never sent.',
] as const;

const STEPS = [
  'To sign a request:',
  '',
  '1. Write the method, a space and the path as it is sent: percent-encoded, with `/v1`, without the query.',
  '2. Write the headers in the order below, each as name, colon, space and value. Leave out a header that you do not send.',
  '3. Write the key as the last line. Separate the lines with CR LF. The last line has no line end.',
  '4. The signature is the SHA-1 digest of this text, as 40 hexadecimal characters.',
  '',
  'The query and the body are not part of the signature. Every attempt, including a retry, needs a new nonce and date.',
] as const;

const names = headerNames(DEFAULT_WIRE_NAMING);

const WRITTEN: Readonly<Record<string, string>> = {
  date: 'Date',
  accept: 'Accept',
  authorization: 'Authorization',
  [names.cid]: `${headerPrefix}CID`,
  [names.uid]: `${headerPrefix}UID`,
  [names.pid]: `${headerPrefix}PID`,
  [names.nonce]: `${headerPrefix}Nonce`,
};

const writtenName = (name: string): string => WRITTEN[name] ?? name;

const id = { type: 'integer', format: 'int64', minimum: 0 } as const;

/** Returns the headers of a signed request as parameters, by their names under `components.parameters`. */
export const signingParameters = () => ({
  Date: {
    name: 'Date',
    in: 'header',
    required: true,
    description:
      'The current time in the format of RFC 9110, such as Tue, 01 Dec 2026 09:00:00 GMT. The service accepts a difference of at most 15 minutes from its own time.',
    schema: {
      type: 'string',
      pattern: '^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$',
      examples: [ATTEMPT.date],
    },
  },
  Nonce: {
    name: writtenName(names.nonce),
    in: 'header',
    required: true,
    description: 'Random text that no other request of the last 30 minutes had',
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: MAX_NONCE_LENGTH,
      pattern: '^[\\x21-\\x7e]+$',
      examples: [ATTEMPT.nonce],
    },
  },
  CompanyId: {
    name: writtenName(names.cid),
    in: 'header',
    description: `Id of the company. Required with ${companyScheme}. A partner must also send this header with every request, except POST /v1/account`,
    schema: id,
  },
  UserId: {
    name: writtenName(names.uid),
    in: 'header',
    description: `Id of the user for whom the request runs. Required with ${companyScheme}; a partner may send this header together with ${headerPrefix}CID`,
    schema: id,
  },
  PartnerId: {
    name: writtenName(names.pid),
    in: 'header',
    description: `Id of the partner. Required with ${partnerScheme}; not allowed with ${companyScheme}`,
    schema: id,
  },
});
