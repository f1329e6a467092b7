/** Every input from outside is hostile: for any request, the sandbox returns a documented response and "500 never on purpose". */
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Field } from '../../src/kit/schema/field.ts';
import { METHODS, payloadAttributesFor, type Resource } from '../../src/kit/schema/resource.ts';
import { catalogue } from '../../src/service/resources/catalogue.ts';
import { anyText } from '../support/any-text.ts';
import { depth, SEED, tried } from '../support/depth.ts';
import { putEmail, putSms } from '../support/messages.ts';
import {
  type As,
  createTestSandbox,
  IDS,
  NOW,
  readAnswer,
  signed,
  type TestSandbox,
} from '../support/sandbox.ts';

/** Acceptance, F2: a hundred thousand requests in total. */
const REQUESTS = depth('SVC_FUZZED_REQUESTS', { few: 25, full: 1_000 });
/** The maximum number of octets by which the heap may grow. */
const MAX_HEAP_OCTETS = 512 * 2 ** 20;
const DOCUMENTED = [200, 202, 400, 401, 403, 404, 405, 409, 413, 415, 423];

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await createTestSandbox({ holding: { kind: 'fuzzed', put: putRecords } });
});

async function putRecords(sandbox: TestSandbox): Promise<void> {
  const own = { account_id: IDS.company, cdate: NOW };
  for (const name of ['A', 'B']) await sandbox.put('folder', { ...own, name, mdate: NOW });
  for (const folder_id of [1, 2]) await sandbox.put('list', { ...own, folder_id, name: 'L' });
  await sandbox.put('subscriber', { ...own, email: 'a@example.com', email_domain: 'example.com' });
  await sandbox.put('subscription', { list_id: 1, subscriber_id: 1, cdate: NOW });
  await sandbox.put('profile_field', { account_id: IDS.company, name: 'F' });
  await sandbox.put('folder_access', { user_id: IDS.sub2, folder_id: 2 });
  for (const user_id of [IDS.admin, IDS.sub2]) {
    await putEmail(sandbox, { user_id });
    await putSms(sandbox, { user_id });
  }
  await sandbox.put('search', { ...own, name: 'S', field_id: 1, equals: 'A' });
  await sandbox.put('email_message_link', {
    ...own,
    message_id: 1,
    target: 'https://example.com',
    type: 'html',
  });
  await sandbox.put('form', { ...own, user_id: IDS.sub, name: 'F', mdate: NOW });
  await sandbox.put('sms_destination', { account_id: IDS.company, destination: '447700900999' });
}

const values = fc.oneof(
  fc.constantFrom<unknown>(
    ...[
      null,
      true,
      false,
      0,
      1,
      2,
      -1,
      1.5,
      NOW + 600,
      1e16,
      -0,
      1e308,
      '',
      ' ',
      '0',
      '1',
      '1_1',
      'A',
      '\u0000',
    ],
    ...[
      'a@example.com',
      'example.com',
      '447700900123',
      '09:00:00',
      'notify',
      'addtolist',
      'email',
      'sms',
      'Hello',
    ],
    ...[
      '<svc_link value="%svc_optin%" name="opt-in">x</svc_link>',
      '{{',
      "'; drop table folder; --",
      '\ud800',
      '%',
    ],
    ...['x'.repeat(2000), 'я'.repeat(300), [], {}, [1], { id: 1 }],
  ),
  fc.integer(),
  anyText({ maxLength: 20 }),
);
const attributesOf = (resource: Resource): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...Object.keys(resource.fields)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('colour', '__proto__', 'constructor', 'sort', 'count', 'start', ''),
    },
  );
/** Returns realistic values of the field, so that requests also get past the first check. */
function plausible(field: Field): fc.Arbitrary<unknown> {
  const texts: Readonly<Record<string, readonly string[]>> = {
    actionhour: ['09:00:00', '00:00:00'],
    email: ['a@example.com'],
    msisdn: ['447700900123'],
    password: ['secret123'],
    'sub-keyword': ['go', 'stop'],
    'destination-keyword': ['word'],
    timezone: ['Europe/London', 'Pacific/Apia'],
    url: ['http://127.0.0.1:9/'],
    website: ['https://example.com'],
    country: ['GB'],
    contactdata: ['a@example.com', 'example.com', '447700900123'],
  };
  const ids = fc.constantFrom(1, 2, 3, 9);
  const held: Readonly<Record<Field['kind'], fc.Arbitrary<unknown>>> = {
    int: field.unit ? fc.constantFrom(0, 1, 60, 1440, 2880, -1440, 2 ** 40) : ids,
    decimal: fc.constantFrom(NOW + 600, NOW - 600, 0, 253_402_300_799),
    bool: fc.boolean(),
    enum: fc.constantFrom<unknown>(...(field.values ?? [null])),
    string: fc.constantFrom(...(texts[field.format ?? ''] ?? ['0', '1', '2', 'A', 'Hello', 'a@example.com'])),
  };
  const value = held[field.kind];
  return field.nullable ? fc.option(value) : value;
}

/** Generates bodies that are mostly valid for the method: all required attributes, some of the others, and perhaps one fault. */
function bodies(
  resource: Resource,
  method: 'POST' | 'PUT',
): fc.Arbitrary<Readonly<Record<string, unknown>> | undefined> {
  const { required, optional } = payloadAttributesFor(resource, method, 'partner');
  const model = [...required, ...optional].flatMap((name) => {
    const field = resource.fields[name];
    return field ? [[name, plausible(field)] as const] : [];
  });
  const tame = fc.record(Object.fromEntries(model), { requiredKeys: [...required], noNullPrototype: true });
  const wild = (maxKeys: number) =>
    fc.dictionary(attributesOf(resource), values, { maxKeys, noNullPrototype: true });
  return fc.oneof(
    { weight: 8, arbitrary: tame },
    { weight: 2, arbitrary: fc.tuple(tame, wild(1)).map(([body, more]) => ({ ...body, ...more })) },
    { weight: 1, arbitrary: wild(14) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
}

const queries = (resource: Resource): fc.Arbitrary<string> =>
  fc
    .array(
      fc.tuple(
        fc.oneof(attributesOf(resource), fc.constantFrom('sort', 'count', 'start', 'reverse')),
        values,
      ),
      {
        maxLength: 3,
      },
    )
    .map((pairs) =>
      pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeSafely(String(value))}`).join('&'),
    );
/** Text in the path after the resource, percent-encoded. */
const ids = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('1', '2', '1_1') },
  { weight: 1, arbitrary: fc.constantFrom('0', '-1', '%00', '..', '1%2F2', '1/2', 'x', '%zz', '99') },
  { weight: 1, arbitrary: fc.string().map((text) => encodeSafely(text)) },
);
const rarely = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 14, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const requests = (resource: Resource) =>
  fc.constantFrom(...METHODS).chain((method) =>
    fc.record({
      as: fc.constantFrom<As>('admin', 'admin', 'admin', 'sub', 'sub2', 'partner', 'other', 'partner-alone'),
      method: fc.constant(method),
      id: method === 'POST' ? rarely(ids) : fc.option(ids, { nil: undefined }),
      query:
        method === 'GET' || method === 'HEAD'
          ? fc.oneof(fc.constant(''), queries(resource))
          : rarely(queries(resource)),
      body:
        method === 'POST' || method === 'PUT' ? bodies(resource, method) : rarely(bodies(resource, 'PUT')),
      raw: rarely(anyText()),
      form: fc.boolean(),
    }),
  );

describe.each(catalogue.map((resource) => [resource.name, resource] as const))('%s', (name, resource) => {
  it(`responds to each of ${REQUESTS} requests in the envelope, with a documented status (SVC_SEED=${SEED})`, async () => {
    const before = process.memoryUsage().heapUsed;
    await fc.assert(
      fc.asyncProperty(requests(resource), async ({ as, method, id, query = '', body, raw, form }) => {
        const path = `/v1/${name}${id === undefined ? '' : `/${id}`}`;
        const request = signed(as, method, query === '' ? path : `${path}?${query}`, body);
        const text = raw ?? (form && body ? formOf(body) : request.body);
        const headers =
          form && body
            ? { ...request.headers, 'content-type': 'application/x-www-form-urlencoded' }
            : request.headers;
        const answer = await sandbox.service.handle({
          ...request,
          headers,
          ...(text === undefined ? {} : { body: text }),
        });
        expect(sandbox.reports).toEqual([]);
        expect(DOCUMENTED).toContain(answer.status);
        expect(answer.headers['x-svc-time']).toMatch(/^[0-9]+$/);
        if (method === 'HEAD') expect(answer.body).toBe('');
        else checkEnvelope(answer.status, readAnswer(answer).response);
      }),
      { numRuns: REQUESTS, seed: SEED },
    );
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(MAX_HEAP_OCTETS);
    tried('F2', REQUESTS);
  });
});

function checkEnvelope(status: number, response: Readonly<Record<string, unknown>>): void {
  if (status < 300) {
    expect(response).toEqual({ count: expect.any(Number), next: response['next'], data: expect.anything() });
    return;
  }
  expect(response).toMatchObject({ code: status, message: expect.any(String) });
  expect(response).toHaveProperty('subcode');
  // Wire, "Responses", error: it is left out if it would be empty.
  if ('additional_information' in response) expect(response['additional_information']).not.toBeNull();
  if (status === 404 && !String(response['message']).startsWith('There is no'))
    expect(response['message']).toBe('Not Found');
}

const formOf = (body: Readonly<Record<string, unknown>>): string =>
  Object.entries(body)
    .map(
      ([name, value]) => `${encodeURIComponent(name)}=${encodeSafely(value === null ? '' : String(value))}`,
    )
    .join('&');

/** Lone surrogates have no percent-encoding. */
const encodeSafely = (text: string): string => encodeURIComponent(Buffer.from(text).toString());
