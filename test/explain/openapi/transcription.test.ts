/**
 * Compares the document with the transcript of the interface's tables. The document comes from the declarations, so a mistake in them
 * would otherwise remain unnoticed.
 */
import { describe, expect, it } from 'vitest';
import { documented, enumValues, presenceOf, rowsOf, TIMED, words } from '../../resources/read-transcript.ts';
import { automationKinds, departures } from '../../resources/transcript.ts';
import { document, type Parameter } from '../../support/openapi-bodies.ts';

interface Attribute {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly deprecated?: boolean;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
  readonly description: string;
}

interface ObjectSchema {
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, Attribute>>;
  readonly additionalProperties?: boolean;
}

const schemas = document.components.schemas as unknown as Readonly<Record<string, ObjectSchema | undefined>>;
const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
const operation = (path: string, method: string) => document.paths[path]?.[method];
const queryOf = (path: string, method: string): readonly Parameter[] =>
  (operation(path, method)?.parameters ?? []).filter((each) => each.in === 'query');

const KINDS: Readonly<Record<string, string>> = {
  int: 'integer',
  decimal: 'number',
  bool: 'boolean',
  boolean: 'boolean',
  string: 'string',
};
const PAGE = ['count', 'reverse', 'start'];

describe.each([...documented])('%s', (name, table) => {
  const rows = rowsOf(table.fields);
  const path = `/v1/${name}`;
  const item = `${path}/{id}`;
  const record = schemas[capital(name)];
  const sample = Object.keys(
    (departures.sampleOnly as Readonly<Record<string, Readonly<Record<string, string>>>>)[name] ?? {},
  );

  it('a record has the fields of the table, which a response always has', () => {
    expect(Object.keys(record?.properties ?? {}).sort()).toEqual([...rows.keys(), ...sample].sort());
    expect([...(record?.required ?? [])].sort()).toEqual([...rows.keys()].sort());
    expect(record?.additionalProperties).toBeUndefined();
  });

  it.each([...rows])('%s has the type of the table', (attribute, row) => {
    const {
      type = [],
      enum: values,
      deprecated,
      ...more
    } = record?.properties[attribute] ?? { description: '' };
    const [base = '', nullable] = row.type.split('/');
    const listed = enumValues(name, attribute);
    if (row.words.includes('write-only') || attribute === 'password') expect(type).toBe('null');
    else {
      const wanted = base === 'enum' ? 'string' : KINDS[base];
      expect(type).toEqual(nullable === undefined ? wanted : [wanted, 'null']);
    }
    if (listed) expect(values).toEqual(nullable === undefined ? listed : [...listed, null]);
    expect(deprecated === true).toBe(row.words.includes('deprecated'));
    expect(more.description).not.toBe('');
  });

  it.each(['POST', 'PUT'] as const)('%s accepts the listed attributes', (method) => {
    const presence = presenceOf(name, table, method);
    const isSupported = table[method] !== undefined;
    expect(operation(path, method.toLowerCase()) !== undefined).toBe(isSupported);
    expect(operation(item, method.toLowerCase()) !== undefined).toBe(isSupported && method === 'PUT');
    if (!isSupported) return;
    const schema = schemas[`${capital(name)}${method === 'POST' ? 'Create' : 'Update'}`];
    const id = method === 'PUT' ? ['id'] : [];
    expect([...(schema?.required ?? [])].sort()).toEqual([...presence.required].sort());
    expect(Object.keys(schema?.properties ?? {}).sort()).toEqual(
      [...id, ...presence.required, ...presence.optional].sort(),
    );
    expect(schema?.additionalProperties).toBe(false);
    const partner = schemas[`${capital(name)}CreateByPartner`];
    if (method === 'POST' && presence.partner.length > 0)
      expect(Object.keys(partner?.properties ?? {}).sort()).toEqual(
        [...presence.required, ...presence.optional, ...presence.partner].sort(),
      );
    else if (method === 'POST') expect(partner).toBeUndefined();
    const settable = new Set([...presence.required, ...presence.optional, ...presence.partner]);
    for (const attribute of settable) expect(record?.properties[attribute]).not.toHaveProperty('id');
  });

  it('marks attributes as read-only that neither POST nor PUT accepts', () => {
    const settable = (['POST', 'PUT'] as const).flatMap((method) => {
      if (table[method] === undefined) return [];
      const { required, optional, partner } = presenceOf(name, table, method);
      return [...required, ...optional, ...partner];
    });
    for (const [attribute, { readOnly, type }] of Object.entries(record?.properties ?? {}))
      expect([attribute, readOnly === true]).toEqual([
        attribute,
        type === 'null' || !settable.includes(attribute),
      ]);
  });

  it('the defaults and bounds of the table are in the body of a POST', () => {
    const create = schemas[`${capital(name)}CreateByPartner`] ?? schemas[`${capital(name)}Create`];
    for (const [attribute, row] of rows) {
      const property = create?.properties[attribute];
      if (property === undefined) continue;
      const [, said] = /default (\S+?)(?:;|$)/.exec(row.words) ?? [];
      expect([attribute, String(property.default)]).toEqual([attribute, said ?? 'undefined']);
      if (row.words.includes('minimum 1')) expect([attribute, property.minimum]).toEqual([attribute, 1]);
    }
  });

  it('GET filters by the fields marked F and sorts by those marked S', () => {
    const isFilter = (attribute: string, F: string): boolean =>
      F === 'Y' ||
      ((departures.filters as Readonly<Record<string, readonly string[]>>)[name] ?? []).includes(attribute);
    const filters = [...rows]
      .filter(([attribute, { F }]) => isFilter(attribute, F))
      .map(([attribute]) => attribute);
    const sorts = [...rows].filter(([, { S }]) => S === 'Y').map(([attribute]) => attribute);
    const query = queryOf(path, 'get');
    const more = sorts.length === 0 ? PAGE : ['sort', ...PAGE];
    expect(query.map((each) => each.name).sort()).toEqual([...new Set(['id', ...filters]), ...more].sort());
    expect(query.find((each) => each.name === 'sort')?.schema['enum'] ?? []).toEqual(sorts);
    expect(operation(item, 'get')).toBeDefined();
  });

  it('HEAD and DELETE accept the listed attributes', () => {
    for (const [method, list] of [
      ['head', table.HEAD],
      ['delete', table.DELETE],
    ] as const) {
      expect([method, operation(path, method) !== undefined]).toEqual([method, list !== undefined]);
      expect(
        queryOf(path, method)
          .map((each) => each.name)
          .sort(),
      ).toEqual(words(list ?? '').sort());
    }
  });
});

it.each(TIMED)('%s: the unit of actiontimediff is in its description', (kind) => {
  const { description } = schemas[capital(kind)]?.properties['actiontimediff'] ?? { description: '' };
  expect(description).toContain(automationKinds[kind].unit);
});

// Interface, "Errors": the table, row by row.
const RULES = [
  'clickAutomation',
  'openAutomation',
  'subscriptionAutomation',
  'dateAutomation',
  'smsAutomation',
];
const ERRORS: readonly (readonly [
  status: string,
  subcode: number,
  resources: readonly string[],
  method: string,
  message: RegExp,
])[] = [
  [
    '409',
    12,
    RULES,
    'put',
    /^Automation Rule \d+ cannot be unpaused: Dependent \w+ resource \d+ no longer exists$/,
  ],
  ['423', 10, ['smsMessage', 'emailMessage'], 'put', /^Message \d+ is locked$/],
  ['423', 4, ['folder'], 'delete', /^Folder \d+ or one of its lists is to be or has been targeted$/],
  ['423', 5, ['folder'], 'delete', /^Folder contains List \d+ which is permanent$/],
  ['400', 11, ['emailMessage'], 'post', /^Dynamic content syntax error/],
];

describe.each(ERRORS)('error %s subcode %i', (status, subcode, resources, method, message) => {
  it.each(resources)('is documented for %s', (resource) => {
    const response = operation(`/v1/${resource}`, method)?.responses[status];
    expect(response).toEqual({ $ref: `#/components/responses/Error${status}` });
  });

  it('has an example with its message', () => {
    const content = document.components.responses[`Error${status}`]?.content?.['application/json'];
    const found = Object.values(content?.examples ?? {})
      .map(({ value }) => value.response)
      .filter((each) => each.subcode === subcode);
    expect(found).toHaveLength(1);
    expect(found[0]?.message).toMatch(message);
  });
});

it('status 423 is documented only for what can be locked', () => {
  const locked = ERRORS.filter(([status]) => status === '423').flatMap(([, , resources]) => resources);
  const named = Object.entries(document.paths)
    .filter(([, operations]) => Object.values(operations).some(({ responses }) => responses?.['423']))
    .map(([path]) => path.split('/')[2]);
  expect(new Set(named)).toEqual(new Set(locked));
});

// Interface, "Authentication" and "Signature".
describe('the signature', () => {
  const { SvcHash, SvcPartner } = document.components.securitySchemes;

  it('has the lines of the canonical string in their order', () => {
    expect(SvcHash?.['x-signature']?.['canonical-string']).toEqual([
      '{method} {path}',
      'Date: {date}',
      'X-Svc-CID: {company id}',
      'X-Svc-UID: {user id}',
      'X-Svc-Nonce: {nonce}',
      '{key}',
    ]);
    expect(SvcPartner?.['x-signature']?.['canonical-string']).toEqual([
      '{method} {path}',
      'Date: {date}',
      'X-Svc-PID: {partner id}',
      'X-Svc-CID: {company id}',
      'X-Svc-UID: {user id}',
      'X-Svc-Nonce: {nonce}',
      '{key}',
    ]);
  });

  it('applies to both kinds of sender, except for the headers that only partners may send', () => {
    const alone = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { security }]) =>
        security !== undefined && !security.some((each) => 'SvcHash' in each) ? [`${method} ${path}`] : [],
      ),
    );
    expect(alone).toEqual(['post /v1/account', 'put /v1/accountFeatures', 'put /v1/accountFeatures/{id}']);
  });
});
