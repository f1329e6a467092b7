/**
 * Contract, "Clients and documents": the script of the collection signs every request. It runs in a VM with the objects that Postman
 * documents for scripts, and the sandbox checks the signatures.
 */
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createContext, runInContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { createPostmanCollection } from '../../../src/features/explain/openapi/collection.ts';
import type { Method } from '../../../src/kit/schema/resource.ts';
import { formatJson } from '../../../src/service/protocol/json.ts';
import type { WireRequest } from '../../../src/service/protocol/wire.ts';
import { type DemoService, openDemoService } from '../../support/demo-service.ts';
import { NOW } from '../../support/sandbox.ts';

interface Url {
  readonly raw: string;
  readonly host: readonly string[];
  readonly path: readonly string[];
  readonly variable?: readonly { readonly key: string; readonly value: string }[];
}

interface Item {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly header: readonly { readonly key: string; readonly value: string }[];
    readonly url: Url;
    readonly body?: { readonly mode: string; readonly raw: string };
  };
}

const collection = JSON.parse(formatJson(createPostmanCollection())) as {
  readonly info: { readonly schema: string };
  readonly variable: readonly { readonly key: string; readonly value: string }[];
  readonly event: readonly {
    readonly listen: string;
    readonly script: { readonly exec: readonly string[] };
  }[];
  readonly item: readonly { readonly name: string; readonly item: readonly Item[] }[];
};
const script = collection.event.find(({ listen }) => listen === 'prerequest')?.script.exec.join('\n') ?? '';
const items = collection.item.flatMap((folder) =>
  folder.item.map((item) => ({ folder: folder.name, ...item })),
);

type Variables = Readonly<Record<string, string>>;

/** The parts of crypto-js that scripts get as `CryptoJS`: hashes and random octets, each with its `toString(encoder)`. */
const HEX = { name: 'Hex' };
const words = (octets: Buffer) => ({
  toString: (encoder = HEX) => (encoder === HEX ? octets.toString('hex') : '?'),
});
const CryptoJS = {
  SHA1: (text: string) => words(createHash('sha1').update(text, 'utf8').digest()),
  enc: { Hex: HEX },
  lib: { WordArray: { random: (octets: number) => words(randomBytes(octets)) } },
};

/** Runs the script for a request. Returns the headers that the client would send. */
function runScript({ request }: Item, variables: Variables): Readonly<Record<string, string>> {
  const headers = new Map(request.header.map(({ key, value }) => [key, value]));
  const { url } = request;
  // Postman: getPath() inserts path variables, and leaves {{variables}} to replaceIn().
  const getPath = (): string =>
    `/${url.path.map((part) => (part.startsWith(':') ? (url.variable?.find(({ key }) => `:${key}` === part)?.value ?? part) : part)).join('/')}`;
  const pm = {
    variables: {
      get: (name: string) => variables[name],
      replaceIn: (text: string) =>
        text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => variables[name] ?? ''),
    },
    request: {
      method: request.method,
      url: { getPath, getHost: () => url.host.join('.') },
      headers: { upsert: ({ key, value }: { key: string; value: string }) => headers.set(key, value) },
    },
  };
  class ClockedDate extends Date {
    constructor() {
      super(NOW * 1000);
    }
  }
  const context = createContext({ pm, CryptoJS, Date: ClockedDate, String });
  // Postman declares these for scripts of its early versions. A script that declares one of them again does not start.
  runInContext(
    'let request, responseBody, responseCode, environment, globals, iteration, data, postman, tests;',
    context,
  );
  runInContext(script, context);
  return Object.fromEntries(headers);
}

/** Returns the request that an API client sends for an item. */
function wireOf(item: Item, variables: Variables, more: Readonly<Record<string, string>> = {}): WireRequest {
  const { url, method, body } = item.request;
  const path = url.raw.replace(
    '{{baseUrl}}',
    new URL(variables['baseUrl'] ?? '').pathname.replace(/\/$/, ''),
  );
  const headers = { ...runScript(item, variables), ...more };
  return {
    method: method as Method,
    path: path.replace(
      /:(\w+)$/,
      (_, key: string) => url.variable?.find((each) => each.key === key)?.value ?? '',
    ),
    query: '',
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    ...(body === undefined ? {} : { body: body.raw }),
  };
}

const initial: Variables = Object.fromEntries(collection.variable.map(({ key, value }) => [key, value]));
const asCompany = ({ admin }: DemoService): Variables => ({
  ...initial,
  apiKey: String(admin['SVC_API_KEY']),
});
const asPartner = ({ partner }: DemoService): Variables => ({
  ...initial,
  userId: '',
  partnerId: '1',
  partnerApiKey: String(partner['SVC_PARTNER_API_KEY']),
});
const PARTNERS_ONLY = ['POST account', 'PUT accountFeatures'];
/** The demo company has no SMS and no task that can be changed, so these requests name the record that their own POST makes. */
const MADE_FIRST = ['sms', 'task', 'subscriberProfileData'];

async function serviceFor({ folder, request }: (typeof items)[number]): Promise<DemoService> {
  const service = await openDemoService();
  const create = items.find((each) => each.folder === folder && each.request.method === 'POST');
  if (MADE_FIRST.includes(folder) && request.method !== 'POST' && create)
    await service.transport(wireOf(create, asCompany(service)));
  return service;
}

describe('every request of the collection', () => {
  it('exists for each resource and method', () => {
    expect(collection.info.schema).toBe(
      'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    );
    expect(collection.item).toHaveLength(18);
    expect(items.length).toBeGreaterThan(75);
  });

  it.each(items.filter(({ folder, request }) => !PARTNERS_ONLY.includes(`${request.method} ${folder}`)))(
    '$folder: $name, signed for a company',
    async (item) => {
      const service = await serviceFor(item);
      const answer = await service.transport(wireOf(item, asCompany(service)));
      expect([answer.body, answer.status]).toEqual([answer.body, statusOf(item)]);
    },
  );

  it.each(items)('$folder: $name, signed for a partner', async (item) => {
    const service = await serviceFor(item);
    const answer = await service.transport(wireOf(item, asPartner(service)));
    expect([answer.body, answer.status]).toEqual([answer.body, statusOf(item)]);
  });
});

/** A folder with a permanent list cannot be deleted (423), but folder 2 of the demo has none. */
const statusOf = ({ request }: Item): number => (request.method === 'POST' ? 202 : 200);

describe('the signature', () => {
  const item = items.find(({ folder, request }) => folder === 'folder' && request.method === 'PUT') as Item;
  const variables: Variables = {
    ...initial,
    companyId: '12',
    userId: '34',
    apiKey: '0123456789abcdef0123456789abcdef',
    partnerApiKey: 'a key with spaces',
  };

  /** Returns the SHA-1, made by openssl, of the lines that the interface lists ("Signature"). */
  const openssl = (lines: readonly string[]): string =>
    execFileSync('openssl', ['dgst', '-sha1', '-r'], { input: lines.join('\r\n') })
      .toString()
      .slice(0, 40);

  it.each([
    ['a company', {}, ['X-Svc-CID: 12', 'X-Svc-UID: 34'], '0123456789abcdef0123456789abcdef', 'SvcHash'],
    [
      'a partner',
      { partnerId: '5' },
      ['X-Svc-PID: 5', 'X-Svc-CID: 12', 'X-Svc-UID: 34'],
      'a key with spaces',
      'SvcPartner',
    ],
    [
      'a partner without a user',
      { partnerId: '5', userId: '' },
      ['X-Svc-PID: 5', 'X-Svc-CID: 12'],
      'a key with spaces',
      'SvcPartner',
    ],
  ] as const)('of %s is the one that openssl makes', (_, more, ids, key, scheme) => {
    const headers = runScript(item, { ...variables, ...more });
    const lines = [
      'PUT /v1/folder/2',
      'Date: Tue, 01 Dec 2026 09:00:00 GMT',
      ...ids,
      `X-Svc-Nonce: ${headers['X-Svc-Nonce']}`,
      key,
    ];
    expect(headers['Authorization']).toBe(`${scheme} signature="${openssl(lines)}"`);
    expect(headers['X-Svc-Nonce']).toMatch(/^[0-9a-f]{40}$/);
    expect(headers['Date']).toBe('Tue, 01 Dec 2026 09:00:00 GMT');
  });

  it('has a new nonce each time', () => {
    expect(runScript(item, variables)['X-Svc-Nonce']).not.toBe(runScript(item, variables)['X-Svc-Nonce']);
  });

  // README of src/service/protocol, "A base URL with a path": the signed path is the whole path as sent.
  it('covers the path of a base URL', () => {
    const headers = runScript(item, { ...variables, baseUrl: 'https://api.example.com/gateway/v1/x' });
    const lines = (path: string) => [
      `PUT ${path}`,
      `Date: ${headers['Date']}`,
      'X-Svc-CID: 12',
      'X-Svc-UID: 34',
      `X-Svc-Nonce: ${headers['X-Svc-Nonce']}`,
      String(variables['apiKey']),
    ];
    expect(headers['Authorization']).toContain(openssl(lines('/gateway/v1/x/v1/folder/2')));
  });

  it('is checked by the sandbox, which rejects a changed signature', async () => {
    const service = await openDemoService();
    const wrong = { Authorization: `SvcHash signature="${'0'.repeat(40)}"` };
    expect((await service.transport(wireOf(item, asCompany(service), wrong))).status).toBe(401);
  });

  it('the collection has no key', () => {
    expect([initial['apiKey'], initial['partnerApiKey']]).toEqual(['', '']);
  });
});
