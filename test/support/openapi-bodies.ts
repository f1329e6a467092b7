/** Random bodies and queries from the document of `svc explain --openapi`. No code here reads the declarations. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { openApiDocument } from '../../src/features/explain/openapi/document.ts';
import { formatJson } from '../../src/service/protocol/json.ts';

type Schema = Readonly<Record<string, unknown>>;
export type Body = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: Schema;
  readonly allowEmptyValue?: boolean;
  readonly required?: boolean;
}

interface Operation {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters: readonly (Parameter & { readonly $ref?: string })[];
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly schema: Schema; readonly example: Body } };
  };
  readonly responses: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

interface ErrorContent {
  readonly examples: Readonly<
    Record<
      string,
      { readonly value: { readonly response: { readonly subcode: number; readonly message: string } } }
    >
  >;
}

/** The document as its readers get it. */
export const document = JSON.parse(formatJson(openApiDocument())) as {
  readonly paths: Paths;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<
      Record<string, { readonly content?: Readonly<Record<string, ErrorContent>> }>
    >;
    readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, Schema>>>>;
  };
  readonly 'x-beyond-schema': Readonly<Record<string, string>>;
};

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false });
ajv.addSchema({ $id: 'openapi.json', ...document });

/** Returns a check against the part of the document at a pointer. */
export function validatorAt(...path: readonly string[]): ValidateFunction {
  const pointer = path.map((each) => encodeURIComponent(each.replaceAll('~', '~0').replaceAll('/', '~1')));
  const $ref = `openapi.json#/${pointer.join('/')}`;
  const known = validators.get($ref) ?? ajv.compile({ $ref });
  validators.set($ref, known);
  return known;
}

const validators = new Map<string, ValidateFunction>();

export interface Random {
  readonly below: (limit: number) => number;
  readonly chance: (share: number) => boolean;
  readonly pick: <T>(values: readonly T[]) => T;
}

export function randomOf(next: () => number): Random {
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    chance: (share) => next() < share,
    pick: (values) => values[below(values.length)] as (typeof values)[number],
  };
}

/** The ids that exist in the sandbox of the test, by `x-refers-to`. */
export type Existing = Readonly<Record<string, readonly number[]>>;

/** Makes bodies for a request that the document describes at this place. */
export class BodyMaker {
  private readonly pools = new Map<
    string,
    { readonly good: readonly unknown[]; readonly bad: readonly unknown[] }
  >();

  private readonly schema: Schema;
  private readonly random: Random;
  private readonly existing: Existing;

  /** @param name the name of an object schema under `components.schemas` */
  constructor(name: string, random: Random, existing: Existing) {
    this.schema = document.components.schemas[name] as Schema;
    this.random = random;
    this.existing = existing;
    const properties = this.schema['properties'] as Readonly<Record<string, Schema>>;
    for (const [property, schema] of Object.entries(properties)) {
      const check = validatorAt('components', 'schemas', name, 'properties', property);
      const examples = examplesOf(name, property, schema);
      const values = [...valuesFor(schema, examples, random), ...this.idsFor(schema)];
      this.pools.set(property, {
        good: values.filter((value) => check(value)),
        bad: values.filter((value) => !check(value)),
      });
    }
  }

  /** @param isAllowed must accept half of the bodies. They are drawn again until it does, because rules between attributes refuse most. */
  body(isAllowed: (body: Body) => boolean): Body {
    if (this.random.chance(0.5)) return this.draw(true);
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const body = this.draw(false);
      if (isAllowed(body)) return body;
    }
    return this.draw(false);
  }

  private draw(isFaulty: boolean): Body {
    const { below, chance, pick } = this.random;
    const required = new Set((this.schema['required'] ?? []) as readonly string[]);
    const body: Record<string, unknown> = {};
    const share = 0.15 + 0.3 * below(3);
    const faulty = isFaulty ? pick([...this.pools.keys()]) : undefined;
    for (const [property, { good, bad }] of this.pools) {
      const isBad = property === faulty || (isFaulty && chance(0.05));
      if (!isBad && !chance(required.has(property) ? 1 : share)) continue;
      if (isBad && chance(0.2)) continue;
      body[property] = pick(isBad && bad.length > 0 ? bad : good.length > 0 ? good : bad);
    }
    if (isFaulty && chance(0.1)) body[pick(STRANGE_NAMES)] = pick([1, 'x', null]);
    return body;
  }

  private idsFor(schema: Schema): readonly unknown[] {
    const ids = this.existing[String(schema['x-refers-to'])] ?? [];
    // Existing ids come often, so that most bodies name records.
    return Array.from({ length: 40 }, () => ids).flat();
  }
}

const MOST_TRIES = 60;
const STRANGE_NAMES = ['colour', 'Name', 'ID', 'cdate', 'mdate', 'user_id', '__proto__', 'constructor', ''];

/** Returns the values of a property in the example requests of a resource, or a plain one. @param body such as `FolderCreate` */
function examplesOf(body: string, property: string, { type }: Schema): readonly unknown[] {
  const resource = body.replace(/(Create|CreateByPartner|Update)$/, '');
  const path = `/v1/${resource.charAt(0).toLowerCase()}${resource.slice(1)}`;
  const found = Object.values(document.paths[path] ?? {}).flatMap(({ requestBody }) => {
    const { example = {} } = requestBody?.content['application/json'] ?? {};
    return property in example ? [example[property]] : [];
  });
  if (found.length > 0) return found;
  return Array.isArray(type) ? [null] : type === 'boolean' ? [false] : [];
}

/** Returns values for a schema: examples, its enum, both sides of its bounds, and values of every kind. */
function valuesFor(schema: Schema, examples: readonly unknown[], random: Random): readonly unknown[] {
  const numbers = ['minimum', 'maximum', 'multipleOf'].flatMap((keyword) => {
    const bound = schema[keyword];
    return typeof bound === 'number' ? [bound, bound - 1, bound + 1] : [];
  });
  const lengths = [schema, ...((schema['anyOf'] ?? []) as readonly Schema[])].flatMap(
    ({ minLength, maxLength }) => [minLength, maxLength].filter((each) => typeof each === 'number'),
  );
  const sized = lengths.flatMap((length) =>
    [length - 1, length, length + 1].filter((each) => each >= 0).flatMap((each) => textsOfLength(each)),
  );
  return [
    ...Array.from({ length: 6 }, () => examples).flat(),
    ...((schema['enum'] ?? []) as readonly unknown[]),
    ...numbers,
    ...sized,
    ...TEXTS,
    ...OTHERS,
    ...Array.from({ length: 20 }, () => randomText(random)),
    ...Array.from({ length: 5 }, () => random.below(100_000) - 1000),
  ];
}

const textsOfLength = (length: number): readonly string[] =>
  ['a', '7', 'é', '🙂', '€', ' '].map((character) => character.repeat(length));

const OTHERS: readonly unknown[] = [
  null,
  true,
  false,
  0,
  1,
  -1,
  1.5,
  1440,
  2880,
  -1440,
  1441,
  600,
  86_400,
  1e3,
  1_796_115_600,
  1_796_115_600_000,
  253_402_300_799,
  2 ** 53,
  -(2 ** 53),
  1e21,
  [],
  [1],
  {},
  { a: 1 },
  '1',
  '0',
  'true',
  '',
]; // prettier-ignore

const TEXTS: readonly string[] = [
  ...[
    'a',
    'News',
    'Ein längerer Name',
    'x y',
    ' ',
    '\t',
    'a\nb',
    'a\r\nb',
    'a\rb',
    '\u0000',
    'a\u0000b',
    '\ud800',
    'a\udc00b',
    '🙂',
  ],
  ...[
    '\u0081',
    '\u0080',
    '€',
    'Ÿ',
    'ÿ',
    'Ā',
    '中文',
    '\u00a0',
    '\u2028',
    '\ufeff',
    '\u200b',
    '"',
    '\\',
    '<b>',
    '{{ email }}',
    '{{ no',
  ],
  ...[
    'office@example.com',
    'Office@Example.COM',
    'a@b',
    'a@b.1',
    'a..b@example.com',
    '.a@example.com',
    'a@-b.com',
    'a b@example.com',
  ],
  ...[
    `${'l'.repeat(64)}@example.com`,
    `${'l'.repeat(65)}@example.com`,
    `a@${'d'.repeat(63)}.com`,
    `a@${'d'.repeat(64)}.com`,
  ],
  ...[
    `a@${'d.'.repeat(125)}com`,
    `a@${'d.'.repeat(124)}com`,
    `${'d.'.repeat(125)}com`,
    `${'d.'.repeat(126)}com`,
  ],
  ...[
    'example.com',
    '@example.com',
    '@@example.com',
    'EXAMPLE.com',
    'example',
    'a.b.1',
    '1.2.3.4',
    '1.2.3.400',
    '001.002.003.004',
    'xn--a.b',
  ],
  ...[
    ' office@example.com ',
    '\u00a0example.com\n',
    ' 447700900123 ',
    ' a@ example.com',
    `${' '.repeat(300)}example.com`,
  ],
  ...[
    '447700900123',
    '+447700900123',
    '+44 7700 900-123',
    '(44) 7700.900123',
    '+49 (0)170 1234567',
    '44 ( 0 ) 7700900123',
    '0447700900123',
  ],
  ...[
    '1234567',
    '123456',
    '123456789012345',
    '1234567890123456',
    '++447700900123',
    '44+7700900123',
    '(+44) 7700900123',
    '4\u20107700900123',
  ],
  ...[
    `+447700900123${' '.repeat(50)}`,
    `+447700900123${' '.repeat(60)}`,
    '447700900x23',
    '-',
    '()',
    'Harbour',
    'Harbour1234',
    'Harbour12345',
    'Har bour',
  ],
  ...[
    'GB',
    'gb',
    'GBR',
    'ZZ',
    'Europe/London',
    'europe/london',
    'UTC',
    'Europe/Nowhere',
    '+02:00',
    'Etc/GMT+1',
    'GMT',
  ],
  ...[
    '09:00:00',
    '23:00:00',
    '24:00:00',
    '9:00:00',
    '09:30:00',
    '09:00',
    '00:00:00',
    '09:00:00 ',
    '09:00:00\n',
  ],
  ...['secret1', 'secret', '1234567', 'abcdefg1', 'a1🙂🙂🙂', 'a1🙂🙂🙂🙂🙂', 'Sesame 1', 'pässwort1'],
  ...[
    'http://example.com',
    'https://example.com/a?b=c#d',
    'HTTP://example.com',
    'ftp://example.com',
    'http://',
    'https:// bad',
    'https://münchen.example',
    'http://[::1',
    `https://example.com/${'a'.repeat(2040)}`,
  ],
  ...[
    'https://example.com/\u0000',
    'http://a b',
    'https://user:pw@example.com',
    'http:/example.com',
    'javascript:alert(1)',
  ],
  ...[
    'SALE',
    'SAL',
    'sale now',
    'Sälè',
    'S'.repeat(64),
    'S'.repeat(65),
    '1',
    '01',
    '2',
    '007',
    '1_1',
    '12345678901234567',
    '0123456789012345',
    '9'.repeat(40),
    '9'.repeat(41),
  ],
  ...[
    'x'.repeat(998),
    'x'.repeat(999),
    `${'x'.repeat(998)}\r\n`,
    `${'x'.repeat(999)}\r\n`,
    `${'x'.repeat(998)}\n`,
    `${'x'.repeat(999)}\n`,
    `${'x'.repeat(998)}\r`,
    `${'x'.repeat(997)}\r`,
  ],
  ...[
    'Hello {% if %}',
    '{{ field.City }}',
    '€'.repeat(229),
    '€'.repeat(230),
    '^'.repeat(201),
    'é'.repeat(459),
    'a'.repeat(430),
    'ж'.repeat(201),
    'ж'.repeat(202),
  ],
  ...[
    '<svc_link value="%svc_optin%" name="opt-in">Yes</svc_link>',
    '<svc_name value="optin" alt="">',
    '<p>Hello</p>',
  ],
  ...['1', '2', '1', '2', '1', '2', '1', '2', 'office@example.com', 'office@example.com'],
  ...['__proto__', 'constructor', 'null', 'undefined', 'NaN', '{}', '[]', '-0', '1e3', '0x10'],
]; // prettier-ignore

const PIECES = [
  'a',
  'B',
  '7',
  '0',
  ' ',
  '.',
  '-',
  '@',
  '+',
  '(',
  ')',
  '\n',
  '\r',
  'é',
  '€',
  '🙂',
  'ж',
  '\u0000',
  '{',
  '}',
  '<',
  '>',
  '/',
  ':',
  '_',
];

const randomText = ({ below, pick }: Random): string =>
  Array.from({ length: below(12) }, () => pick(PIECES)).join('');
