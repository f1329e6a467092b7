/**
 * Contract, "Clients and documents": the sandbox agrees with the schemas of the document. Bodies and queries are generated from the
 * document alone. An allowed one is refused as malformed only for a reason of `x-beyond-schema`. A forbidden one is 400 and changes
 * nothing.
 */
import { afterAll, describe, expect, it } from 'vitest';
import type { Method } from '../../../src/kit/schema/resource.ts';
import { seededRandom } from '../../../src/sandbox/seeded-random.ts';
import { stateOf } from '../../support/changes.ts';
import { depth } from '../../support/depth.ts';
import { putEverything } from '../../support/everything.ts';
import { EMAIL, putEmail, putList, putSms } from '../../support/messages.ts';
import {
  type Body,
  BodyMaker,
  document,
  type Existing,
  type Parameter,
  randomOf,
  validatorAt,
} from '../../support/openapi-bodies.ts';
import { type Answer, type As, createTestSandbox, IDS, type TestSandbox } from '../../support/sandbox.ts';

const SEED = Number(process.env['SVC_SEED'] ?? 20_261_123);
const BODIES = depth('SVC_OPENAPI_BODIES', { few: 200, full: 20_500 });

/** Ids of records that every sandbox here has. */
const EXISTING: Existing = {
  list: [1, 2],
  emailMessage: [1, 2, 3],
  message: [1, 2],
  smsMessage: [1, 2],
  emailMessageLink: [1],
  search: [1],
  subscriber: [1],
  subscriberProfileField: [1, 2],
  task: [1],
  user: [1, 2],
};

const sandbox = (): Promise<TestSandbox> =>
  createTestSandbox({
    holding: {
      kind: 'agreement',
      put: async (empty) => {
        await putEverything(empty);
        await putList(empty);
        await putEmail(empty, { name: 'Spare' });
        await putSms(empty, { name: 'Spare' });
        await empty.put('search', { account_id: 1, name: 'Blue', field_id: 1, equals: 'blue', cdate: 0 });
        for (const email of ['office@example.com', 'news@harbourcoffee.example'])
          await empty.put('sender_address', { account_id: IDS.company, email });
      },
    },
  });

/** The messages of the sandbox for refusals that no schema can express, by the name of the reason in the document. */
const SAID: Readonly<Record<string, RegExp>> = {
  references:
    /^(?!actiontarget)\w+ is not a (valid (list|emailMessage|smsMessage|emailMessageLink)|search|subscriber|profile field): /,
  target: /^actiontarget is not a valid (list|emailMessage|smsMessage): /,
  sameId: /^id is given with different values: |^subscriber\w*_id differs from the one in id/,
  octets: /^name must be 1 to 40 bytes long/,
  smsParts: /^message takes \d+ parts \(/,
  subinfo: /^message takes \d+ parts with subinfo/,
  timezone: /^timezone must be a TZ name/,
  url: /^(website|notifyurl) must be (a full address|an address) that begins with http/,
  optIn: /^(html|text) has no opt-in (link|element), which customoptin needs/,
  dynamicContent: /^(html|text|subject) at line \d+, column \d+: /,
  sender: /^fromemail is not a sender address of the account/,
  otherList: /^actiontarget must differ from list_id/,
  oneKey: /^\w+ give (id, )?subscriber_id or subscriberprofilefield_id/,
  exclusive: /^id give id or contactdata/,
  start:
    /^start must be .*: the request sorts by \w+, so start must be the \w+ of the first record on the page$/,
};
/** The reason that depends on the record that a PUT would leave. */
const BY_RECORD = 'change';

const used = new Map<string, number>();
const count = (name: string): void => void used.set(name, (used.get(name) ?? 0) + 1);

/** Returns the findings of a refusal that no reason of the document explains. */
function unexplained({ response }: Answer): readonly string[] {
  const { additional_information: findings, message } = response;
  const said = Array.isArray(findings)
    ? findings.map(({ attribute, reason }) => `${attribute} ${reason}`)
    : [String(message)];
  return said.filter((each) => {
    const name = Object.keys(SAID).find((reason) => SAID[reason]?.test(each));
    if (name !== undefined) count(name);
    return name === undefined;
  });
}

interface Write {
  readonly operationId: string;
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly as: As;
  /** Object schema from which bodies are made. */
  readonly schema: string;
  readonly where: readonly string[];
}

/**
 * Compares all tables before and after the forbidden requests between two allowed ones, because a comparison takes longer than a request.
 */
class Unchanged {
  private requests: string[] = [];
  private service: TestSandbox | undefined;
  private state = '';

  async before(service: TestSandbox, request: string): Promise<void> {
    if (this.requests.length === 0) this.state = await stateOf(service);
    this.service = service;
    this.requests.push(request);
  }

  async check(): Promise<void> {
    if (this.service === undefined || this.requests.length === 0) return;
    expect([this.requests, await stateOf(this.service)]).toEqual([this.requests, this.state]);
    this.requests = [];
  }
}

const nameOf = ({ $ref = '' }: { readonly $ref?: string }): string => $ref.split('/').at(-1) ?? '';

const writes: readonly Write[] = Object.entries(document.paths).flatMap(([path, operations]) =>
  (['POST', 'PUT'] as const).flatMap((method): readonly Write[] => {
    const operation = operations[method.toLowerCase()];
    if (operation?.requestBody === undefined) return [];
    const where = [
      'paths',
      path,
      method.toLowerCase(),
      'requestBody',
      'content',
      'application/json',
      'schema',
    ];
    const schema = operation.requestBody.content['application/json'].schema as {
      readonly $ref?: string;
      readonly anyOf?: readonly { readonly $ref: string }[];
      readonly allOf?: readonly { readonly $ref: string }[];
    };
    const base = { operationId: operation.operationId, method, path, where };
    const isPartners = operation.security.every((each) => !('SvcHash' in each));
    const alone = !operation.parameters.some((each) => each.$ref?.endsWith('/CompanyId'));
    if (schema.anyOf)
      return schema.anyOf.map((each) => ({
        ...base,
        as: nameOf(each).endsWith('ByPartner') ? 'partner' : 'admin',
        schema: nameOf(each),
        where: ['components', 'schemas', nameOf(each)],
      }));
    const of = schema.allOf?.[0] ?? schema;
    return [
      { ...base, as: alone ? 'partner-alone' : isPartners ? 'partner' : 'admin', schema: nameOf(of), where },
    ];
  }),
);

const EACH = Math.ceil(BODIES / writes.length);
/** The number of requests to one sandbox. Later requests would meet limits of the account, and duplicates. */
const MOST = 12;

const totals = { bodies: 0, accepted: 0, forbidden: 0, beyond: 0, conflicts: 0 };

describe(`${BODIES} bodies (SVC_SEED=${SEED})`, () => {
  it.each(writes)('$operationId $schema', { timeout: 1e9 }, async (write) => {
    const random = randomOf(seededRandom(SEED + writes.indexOf(write)));
    const isAllowed = validatorAt(...write.where);
    const maker = new BodyMaker(write.schema, random, EXISTING);
    const own = { accepted: 0, forbidden: 0 };
    const target = write.path.includes('{id}') ? write.path.replace('{id}', idOf(write)) : write.path;
    let service = await sandbox();
    const unchanged = new Unchanged();
    for (let made = 0; made < EACH; made += 1) {
      if (made % MOST === 0) {
        await unchanged.check();
        service = await sandbox();
      }
      const body = bodyFor(write, maker.body(isAllowed), random.chance);
      totals.bodies += 1;
      const told = `${write.method} ${target} ${JSON.stringify(body)}`;
      if (!isAllowed(body)) {
        await unchanged.before(service, told);
        const { status } = await service.send(write.as, write.method, target, body);
        expect([told, status]).toEqual([told, 400]);
        own.forbidden += 1;
        continue;
      }
      await unchanged.check();
      const before = write.method === 'PUT' ? await currentOf(service, write, body) : {};
      const answer = await service.send(write.as, write.method, target, body);
      if (answer.status === 200 || answer.status === 202) {
        own.accepted += 1;
        expect([told, ...schemaFaults(write, answer)]).toEqual([told]);
        // By then, the record may be changed, locked or paused.
        if (write.method === 'PUT') service = await sandbox();
      } else if (answer.status === 400) {
        const open = unexplained(answer);
        if (open.length > 0 && write.method === 'PUT' && breaksRecord(write, before, body)) count(BY_RECORD);
        else expect([told, open]).toEqual([told, []]);
        totals.beyond += 1;
      } else {
        // A duplicate, a limit of the account or a missing record is another state of the service, not another body.
        expect([told, answer.text, [404, 409].includes(answer.status)]).toEqual([told, answer.text, true]);
        totals.conflicts += 1;
      }
    }
    await unchanged.check();
    totals.accepted += own.accepted;
    totals.forbidden += own.forbidden;
    // A small number says nothing about shares.
    if (EACH < 200) return;
    expect(own.accepted, 'accepted').toBeGreaterThan(EACH / 50);
    expect(own.forbidden, 'forbidden').toBeGreaterThan(EACH / 10);
  });

  afterAll(() => {
    console.log(JSON.stringify({ seed: SEED, ...totals, reasons: Object.fromEntries([...used].sort()) }));
  });
});

it('has a pattern for each reason of the document, and no other', () => {
  expect([...Object.keys(SAID), BY_RECORD].sort()).toEqual(Object.keys(document['x-beyond-schema']).sort());
});

const idOf = ({ path }: Write): string => (path.includes('subscriberProfileData') ? '1_1' : '1');

/** Makes the body of a request. A PUT names an existing record in most cases. */
function bodyFor({ method, path, schema }: Write, body: Body, chance: (share: number) => boolean): Body {
  if (method === 'POST') return body;
  const id = schema.startsWith('SubscriberProfileData') ? '1_1' : 1;
  const { id: other, ...rest } = body;
  if (path.includes('{id}')) return chance(0.1) ? { ...rest, id } : chance(0.03) ? body : rest;
  return chance(0.9) ? { id, ...rest } : { ...rest, ...(other === undefined ? {} : { id: other }) };
}

async function currentOf(service: TestSandbox, { path, as }: Write, body: Body): Promise<Body> {
  const id = path.includes('subscriberProfileData') ? '1_1' : String(body['id'] ?? 1);
  const item = path.includes('{id}') ? path.replace('{id}', id) : `${path}/${encodeURIComponent(id)}`;
  return (await service.send(as === 'partner-alone' ? 'partner' : as, 'GET', item)).data;
}

/** Reports whether the record that the PUT would leave is one that no POST could make. */
function breaksRecord({ schema }: Write, current: Body, body: Body): boolean {
  const create = schema.replace(/Update$/, 'Create');
  const name = document.components.schemas[create] === undefined ? schema : create;
  const { properties } = document.components.schemas[name] as { readonly properties: Body };
  const merged = { ...current, ...body };
  const record = Object.fromEntries(Object.entries(merged).filter(([key]) => Object.hasOwn(properties, key)));
  return !validatorAt('components', 'schemas', name)(record);
}

/** Returns the faults of a response according to the document. */
function schemaFaults({ path, method }: Pick<Write, 'path'> & { readonly method: Method }, answer: Answer) {
  const place = ['paths', path, method.toLowerCase(), 'responses', String(answer.status)];
  const check = validatorAt(...place, 'content', 'application/json', 'schema');
  return check(JSON.parse(answer.text)) ? [] : [JSON.stringify(check.errors)];
}

it('accepts the EMAIL of the other tests, so no schema is too strict for it', () => {
  expect(validatorAt('components', 'schemas', 'EmailMessageCreate')({ ...EMAIL })).toBe(true);
});

const QUERIES = depth('SVC_OPENAPI_QUERIES', { few: 100, full: 8000 });

interface Query {
  readonly path: string;
  readonly method: 'GET' | 'HEAD' | 'DELETE';
  readonly parameters: readonly Parameter[];
}

const queries: readonly Query[] = Object.entries(document.paths).flatMap(([path, operations]) =>
  (['GET', 'HEAD', 'DELETE'] as const).flatMap((method) => {
    const operation = operations[method.toLowerCase()];
    if (operation === undefined || path.includes('{id}')) return [];
    return [{ path, method, parameters: operation.parameters.filter((each) => each.in === 'query') }];
  }),
);

describe(`${QUERIES} queries (SVC_SEED=${SEED})`, () => {
  it.each(queries)('$method $path', { timeout: 1e9 }, async ({ path, method, parameters }) => {
    const { below, chance, pick } = randomOf(seededRandom(SEED + path.length + method.length));
    let service = await sandbox();
    const unchanged = new Unchanged();
    let refused = 0;
    for (let made = 0; made < Math.ceil(QUERIES / queries.length); made += 1) {
      const chosen = parameters.filter(() => chance(parameters.length < 3 ? 0.5 : 0.25));
      const pairs = chosen.map(({ name, schema }): [string, string] => {
        const texts = textsFor(schema, below);
        return [name, pick(chance(0.8) ? texts.filter((each) => isValue(schema, each)) : texts)];
      });
      if (chance(0.1)) pairs.push([pick(['colour', 'Id', 'password', '__proto__', 'limit', 'fields']), '1']);
      const target = `${path}?${new URLSearchParams(pairs)}`;
      const given = new Set(pairs.map(([name]) => name));
      const isComplete = parameters.every(({ name, required }) => !required || given.has(name));
      const isKnown =
        isComplete &&
        pairs.every(([name, text]) => {
          // Acceptance, M10: no text may contain U+0000, but the schema of a query does not say so.
          if (text.includes('\0')) return false;
          const parameter = parameters.find((each) => each.name === name);
          return parameter !== undefined && (isValue(parameter.schema, text) || isNull(parameter, text));
        });
      if (!isKnown) await unchanged.before(service, target);
      else if (method === 'DELETE') await unchanged.check();
      const answer = await service.send('admin', method, target);
      if (isKnown) {
        expect([target, [200, 400, 403, 404, 409, 423].includes(answer.status)]).toEqual([target, true]);
        if (answer.status === 400 && method !== 'HEAD')
          expect([target, unexplained(answer)]).toEqual([target, []]);
        else if (answer.status === 400) expect([target, needsKey(path, pairs)]).toEqual([target, true]);
        if (answer.status === 200 && method !== 'HEAD')
          expect([target, ...schemaFaults({ path, method }, answer)]).toEqual([target]);
        if (method === 'DELETE') {
          service = await sandbox();
        }
      } else {
        refused += 1;
        expect([target, answer.status]).toEqual([target, 400]);
      }
    }
    await unchanged.check();
    if (QUERIES / queries.length > 100) expect(refused).toBeGreaterThan(5);
  });
});

/** A HEAD has no body that explains a refusal. */
const needsKey = (path: string, pairs: readonly (readonly [string, string])[]): boolean =>
  path === '/v1/subscriberProfileData' && pairs.length === 0;

/** "Empty matches null". */
const isNull = ({ allowEmptyValue }: Parameter, text: string): boolean =>
  allowEmptyValue === true && text === '';

/**
 * Generates texts of a query. `True`, `1`, `0` and signs are left out, because only the description in the document says that the service
 * accepts them.
 */
function textsFor(
  { type, enum: values }: Parameter['schema'],
  below: (limit: number) => number,
): readonly string[] {
  const listed = Array.isArray(values) ? values.map(String) : [];
  const wrong = [
    'maybe',
    'x',
    '',
    '1.5',
    '1e3',
    '0x1',
    ' 1',
    'null',
    '[]',
    '9'.repeat(41),
    'colour',
    '\u0000',
    'true ',
    'ja',
  ];
  const right = {
    integer: [String(below(5)), String(below(5) + 1), '12', '-3', '9'.repeat(20), '200', '201', '99999'],
    boolean: ['true', 'false'],
    string: [
      'a',
      'News',
      'Free',
      'office@example.com',
      '447700900123',
      '1_1',
      '3',
      'é',
      '🙂',
      '%',
      '&',
      'a=b',
      "'",
    ],
  }[String(type)];
  return [...listed, ...(right ?? []), ...wrong];
}

/** Reports whether a text is a value of the parameter, as OpenAPI writes values in a query. */
function isValue(schema: Parameter['schema'], text: string): boolean {
  const { type, enum: values, minimum, maximum, pattern } = schema;
  if (Array.isArray(values)) return values.map(String).includes(text);
  if (type === 'boolean') return text === 'true' || text === 'false';
  if (type === 'integer') {
    if (!/^-?(?:0|[1-9][0-9]{0,39})$/.test(text) || text === '-0') return false;
    const isAbove = typeof minimum !== 'number' || Number(text) >= minimum;
    return isAbove && (typeof maximum !== 'number' || Number(text) <= maximum);
  }
  return typeof pattern !== 'string' || new RegExp(pattern, 'u').test(text);
}
