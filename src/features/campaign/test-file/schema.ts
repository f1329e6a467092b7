/** Makes the JSON Schema of a test file from the grammar. */

import type { JsonSchema } from '../../../kit/schema/resource.ts';
import {
  LIMITS,
  type LimitKind,
  MEASURES,
  type MeasureForm,
  PERSON_MEMBERS,
  REQUIRED_TEST_FILE_MEMBERS,
  SENTENCES,
  SLOTS,
  type SlotName,
  TEST_FILE_MEMBERS,
} from './grammar.ts';

/** The schema can't express names: those of people, and the keys of the campaign. */
export function campaignTestSchema(): JsonSchema {
  const members = TEST_FILE_MEMBERS;
  const text = (description: string): JsonSchema => ({ description, type: 'string', minLength: 1 });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Campaign tests of svc',
    description:
      'Statements about a campaign. svc test checks them in a copy of an account, and sends nothing.',
    type: 'object',
    required: REQUIRED_TEST_FILE_MEMBERS,
    additionalProperties: false,
    properties: {
      version: { const: 1, description: 'Version of the file format' },
      campaign: text(members.campaign),
      account: text(members.account),
      starts: { description: members.starts, type: ['string', 'integer'] },
      for: { description: members.for, type: ['string', 'integer'] },
      audience: text(members.audience),
      seeds: { description: members.seeds, type: 'integer', minimum: 1, maximum: 1000 },
      people: {
        description: members.people,
        type: ['object', 'null'],
        propertyNames: { pattern: `^${SLOTS.person.pattern}$` },
        additionalProperties: { $ref: '#/$defs/person' },
      },
      tests: {
        description: members.tests,
        type: 'object',
        minProperties: 1,
        additionalProperties: { type: 'array', minItems: 1, items: { $ref: '#/$defs/statement' } },
      },
    },
    $defs: {
      person: personSchema(),
      statement: {
        description: 'A step of a person, or a check',
        anyOf: [
          ...Object.values(SENTENCES).map(({ form, means }) => ({
            description: means,
            type: 'string',
            pattern: sentencePattern(form),
            examples: [form],
          })),
          ...Object.entries(MEASURES).map(([name, form]) => measureSchema(name, form)),
        ],
      },
    },
  };
}

function personSchema(): JsonSchema {
  const id: JsonSchema = { type: 'integer', minimum: 1 };
  return {
    type: 'object',
    additionalProperties: false,
    properties: {
      list: { description: PERSON_MEMBERS.list, anyOf: [id, { type: 'array', items: id }] },
      email: { description: PERSON_MEMBERS.email, type: 'string', pattern: '@' },
      msisdn: { description: PERSON_MEMBERS.msisdn, type: ['string', 'integer'] },
      fields: {
        description: PERSON_MEMBERS.fields,
        type: 'object',
        additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
      },
    },
    anyOf: [{ required: ['email'] }, { required: ['msisdn'] }],
  };
}

/** Returns a regular expression for `<person> opens <message> [<when>]`. */
function sentencePattern(form: string): string {
  const parts = form.split(' ').map((part, index) => {
    const slot = /^\[?<([a-z]+)>\]?$/.exec(part)?.[1] as SlotName | undefined;
    const pattern = slot === undefined ? part.replace(/^messages$/, 'messages?') : SLOTS[slot].pattern;
    if (part.startsWith('[')) return `(?: +${pattern})?`;
    return index === 0 ? pattern : ` +${pattern}`;
  });
  return `^${parts.join('')}$`;
}

function measureSchema(name: string, { takes, others, means }: MeasureForm): JsonSchema {
  const value: JsonSchema =
    typeof takes === 'string'
      ? limitSchema(takes)
      : {
          type: 'object',
          minProperties: 1,
          properties: Object.fromEntries(
            Object.entries(takes).map(([member, kind]) => [member, limitSchema(kind)]),
          ),
          additionalProperties: others === undefined ? false : limitSchema(others.takes),
        };
  return {
    description: means,
    type: 'object',
    required: [name],
    additionalProperties: false,
    properties: { [name]: value },
  };
}

const limitSchema = (kind: LimitKind): JsonSchema => ({
  description: LIMITS[kind].means,
  type: ['string', 'integer'],
  pattern: `^${LIMITS[kind].pattern}$`,
  minimum: 0,
});
