/** Contract, "Clients and documents": the demo company of a sandbox accepts the example values of the document. */
import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Method } from '../../../src/kit/schema/resource.ts';
import type { WireRequest } from '../../../src/service/protocol/wire.ts';
import { type DemoService, openDemoService } from '../../support/demo-service.ts';
import { document, validatorAt } from '../../support/openapi-bodies.ts';
import { NOW } from '../../support/sandbox.ts';

interface Documented {
  readonly path: string;
  readonly method: string;
  readonly id: string;
  readonly isPartners: boolean;
  readonly body: unknown;
}

const documented: readonly Documented[] = Object.entries(document.paths).flatMap(([path, operations]) =>
  Object.entries(operations).flatMap(([method, operation]) => {
    if (method === 'parameters') return [];
    const content = operation.requestBody?.content['application/json'];
    const [id] =
      (operations as unknown as { parameters?: readonly { readonly example: unknown }[] }).parameters ?? [];
    return [
      {
        path,
        method: method.toUpperCase(),
        id: String(id?.example),
        isPartners: operation.security.every((each) => !('SvcHash' in each)),
        body: content?.example,
      },
    ];
  }),
);

describe('the requests of the document', () => {
  it.each(documented.filter(({ body }) => body !== undefined))('$method $path works', async (request) => {
    const service = await serviceFor(request);
    const answer = await service.transport(signed(service, request, request.path));
    expect([answer.body, answer.status]).toEqual([answer.body, request.method === 'POST' ? 202 : 200]);
    const place = ['paths', request.path, request.method.toLowerCase(), 'responses', String(answer.status)];
    const check = validatorAt(...place, 'content', 'application/json', 'schema');
    expect([check(JSON.parse(answer.body)), check.errors]).toEqual([true, null]);
  });

  it.each(documented.filter(({ path, method }) => method === 'GET' && path.includes('{id}')))(
    '$method $path finds the record of its example',
    async (request) => {
      const service = await serviceFor(request);
      const answer = await service.transport(signed(service, request, request.path));
      expect([answer.body, answer.status]).toEqual([answer.body, 200]);
    },
  );

  it('include those of each POST and PUT', () => {
    const withBody = documented.filter(({ method }) => ['POST', 'PUT'].includes(method));
    expect(withBody.filter(({ body }) => body === undefined)).toEqual([]);
    expect(withBody.length).toBeGreaterThan(35);
  });
});

/** The demo company has no SMS and no task that can be changed, so these examples name the record that their own POST makes. */
const MADE_FIRST = /^\/v1\/(sms|task|subscriberProfileData)(\/|$)/;

async function serviceFor({ path, method }: Documented): Promise<DemoService> {
  const service = await openDemoService();
  const [, collection] = (method === 'POST' ? undefined : MADE_FIRST.exec(path)) ?? [];
  const create = documented.find((each) => each.path === `/v1/${collection}` && each.method === 'POST');
  if (create) await service.transport(signed(service, create, create.path));
  return service;
}

/** Signs as the security schemes of the document say, by filling in the braces of their lines. */
function signed(
  service: DemoService,
  { method, path, id, isPartners, body }: Documented,
  to: string,
): WireRequest {
  const { securitySchemes } = document.components;
  const signature = securitySchemes[isPartners ? 'SvcPartner' : 'SvcHash']?.['x-signature'];
  const isAlone = path === '/v1/account';
  const values: Readonly<Record<string, string>> = {
    method,
    path: to.replace('{id}', id),
    date: new Date(NOW * 1000).toUTCString(),
    'partner id': '1',
    'company id': '1',
    'user id': '1',
    nonce: randomBytes(20).toString('hex'),
    key: String(isPartners ? service.partner['SVC_PARTNER_API_KEY'] : service.admin['SVC_API_KEY']),
  };
  const isSent = (line: string): boolean =>
    !(line.startsWith('X-Svc-CID') && isPartners && isAlone) && !(line.startsWith('X-Svc-UID') && isPartners);
  const template = signature?.['canonical-string'] as readonly string[];
  const lines = template
    .filter(isSent)
    .map((line) => line.replaceAll(/\{([a-z ]+)\}/g, (_, name: string) => values[name] ?? '?'));
  const hash = createHash('sha1')
    .update(lines.join(String(signature?.['line-separator'])))
    .digest('hex');
  const headers = lines.slice(1, -1).map((line) => line.split(': ') as [string, string]);
  return {
    method: method as Method,
    path: values['path'] ?? '',
    query: '',
    headers: {
      ...Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
      authorization: String(signature?.['header']).replace('{signature}', hash),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}
