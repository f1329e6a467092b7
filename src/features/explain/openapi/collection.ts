/** Builds a collection of requests for API clients, in Postman's format 2.1, with a script that signs each request. */

import type { Values } from '../../../kit/schema/resource.ts';
import { capitalizeFirstLetter } from '../../../kit/text/words.ts';
import { DEFAULT_WIRE_NAMING } from '../../../service/protocol/naming.ts';
import { pathOf } from '../../../service/protocol/wire.ts';
import { type CatalogueResource, catalogue } from '../../../service/resources/catalogue.ts';
import { REQUEST_EXAMPLES } from './examples.ts';

/** Returns a collection of requests in Postman's format, which Postman, Insomnia, Bruno and Hoppscotch can import. */
export const createPostmanCollection = () => ({
  info: {
    name: 'Marketing Messaging and Automation Service Interface 1.2',
    description: DESCRIPTION,
    schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
  },
  variable: VARIABLES.map(([key, value, description]) => ({ key, value, type: 'string', description })),
  event: [{ listen: 'prerequest', script: { type: 'text/javascript', exec: signingScript().split('\n') } }],
  item: catalogue.map((resource) => ({
    name: resource.name,
    description: resource.describe,
    item: requestsOf(resource),
  })),
});

const DESCRIPTION = [
  'This collection of requests has a script that signs every request. As a company, set the variables companyId, userId and apiKey. As a partner, set partnerId and partnerApiKey.',
  'Keep the keys in an environment or a vault of your API client (such as Postman), not in the collection: people share collections.',
  'The requests work in the demo company of a sandbox. To start a sandbox, run svc sandbox start.',
].join('\n\n');

/** Variables, each with an initial value and a description. Users set them in their API client. */
const VARIABLES = [
  ['baseUrl', 'http://127.0.0.1:4010', 'Address of the service, without /v1'],
  ['companyId', '1', 'Id of the company'],
  ['userId', '1', 'Id of the user; a partner may leave it empty'],
  ['apiKey', '', 'Key of the company, 32 hexadecimal characters'],
  ['partnerId', '', 'Id of the partner. If it is set, requests are signed as the partner'],
  ['partnerApiKey', '', 'Key of the partner'],
] as const;

/** Returns the requests of a resource in an order in which a user can send them one after another. */
function requestsOf(resource: CatalogueResource) {
  const { methods, plural, singular, single } = resource;
  const { id, create = {}, update = {} } = REQUEST_EXAMPLES[resource.name];
  const named = requestAt(resource, id);
  return [
    ...(methods.get && !single && !methods.get.oneOf ? [requestAt(resource)('GET', `List ${plural}`)] : []),
    ...(methods.post ? [requestAt(resource)('POST', `Create ${singular}`, create)] : []),
    ...(methods.get ? [named('GET', `Get ${singular}`)] : []),
    ...(methods.head ? [named('HEAD', `Check whether ${singular} exists`)] : []),
    ...(methods.put ? [named('PUT', `Change ${singular}`, update)] : []),
    ...(methods.delete ? [named('DELETE', `Delete ${singular}`)] : []),
  ];
}

const requestAt =
  (resource: CatalogueResource, id?: number | string) => (method: string, name: string, body?: Values) => ({
    name: capitalizeFirstLetter(name),
    request: {
      method,
      header: [
        { key: 'Accept', value: 'application/json' },
        ...(body ? [{ key: 'Content-Type', value: 'application/json' }] : []),
      ],
      url: urlOf(pathOf(resource.name), id),
      ...(body ? { body: { mode: 'raw', raw: JSON.stringify(body, null, 2) } } : {}),
    },
  });

const urlOf = (path: string, id?: number | string) => ({
  raw: `{{baseUrl}}${path}${id === undefined ? '' : '/:id'}`,
  host: ['{{baseUrl}}'],
  path: [...path.split('/').slice(1), ...(id === undefined ? [] : [':id'])],
  ...(id === undefined ? {} : { variable: [{ key: 'id', value: String(id) }] }),
});

/** Requests that a partner sends without naming a company, each as `POST` and the path. */
const WITHOUT_COMPANY = catalogue
  .filter(({ methods }) => methods.post?.withoutCompany)
  .map(({ name }) => `POST ${pathOf(name)}`);

/** Returns the script that signs each request. The script uses `pm` and `CryptoJS`, the objects that API clients offer to scripts. */
function signingScript(): string {
  const { headerPrefix, companyScheme, partnerScheme } = DEFAULT_WIRE_NAMING;
  return `// Signs the request. The signature is the SHA-1 of these lines, joined by CR LF, with the key as the last line.
// The block keeps these names apart from those that the client declares.
{
  const value = (name) => String(pm.variables.get(name) ?? '').trim();
  const sha1 = (text) => CryptoJS.SHA1(text).toString(CryptoJS.enc.Hex);

  // The path as it is sent, without the query. The variable for the host may also contain a path.
  const base = pm.variables.replaceIn(pm.request.url.getHost());
  const before = base.replace(/^[a-z]+:\\/\\//i, '').replace(/^[^/]*/, '').replace(/\\/$/, '');
  const path = before + pm.variables.replaceIn(pm.request.url.getPath());

  const isPartner = value('partnerId') !== '';
  const request = pm.request.method + ' ' + path;
  const namesCompany = !${JSON.stringify(WITHOUT_COMPANY)}.some((each) => request.endsWith(each));
  const date = new Date().toUTCString();
  const nonce = CryptoJS.lib.WordArray.random(20).toString(CryptoJS.enc.Hex);

  const headers = [
    ['Date', date],
    ['${headerPrefix}PID', isPartner ? value('partnerId') : ''],
    ['${headerPrefix}CID', namesCompany ? value('companyId') : ''],
    ['${headerPrefix}UID', namesCompany ? value('userId') : ''],
    ['${headerPrefix}Nonce', nonce],
  ].filter(([, text]) => text !== '');
  const lines = [request, ...headers.map(([name, text]) => name + ': ' + text), value(isPartner ? 'partnerApiKey' : 'apiKey')];
  const scheme = isPartner ? '${partnerScheme}' : '${companyScheme}';

  headers.push(['Authorization', scheme + ' signature="' + sha1(lines.join('\\r\\n')) + '"']);
  for (const [key, text] of headers) pm.request.headers.upsert({ key, value: text });
}`;
}
