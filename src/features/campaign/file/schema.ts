import type { Field } from '../../../kit/schema/field.ts';
import type { JsonSchema } from '../../../kit/schema/resource.ts';
import { createFieldTypeSchema, createFormatSchema } from '../../../kit/schema/value-schema.ts';
import { usualSpellings } from '../../../service/resources/automation.ts';
import { CONTENT_HASH_PATTERN } from '../../../service/resources/campaign-mark.ts';
import { RULE_KINDS, type RuleKind } from '../../../service/resources/rule-kinds.ts';
import { CHANNELS, type Channel, MESSAGE_RESOURCES } from '../../../service/resources/task.ts';
import { AHEAD_RANGE, MAX_OCCURRENCES } from '../series.ts';
import {
  type AttributeSpec,
  CAMPAIGN_FILE_VERSION,
  folderAttributeSpecs,
  ITEM_KEY_PATTERN,
  messageAttributeSpecs,
  RENAMED_FROM,
  ruleAttributeSpecs,
  STEP_NUMBER_PATTERN,
  taskAttributeSpecs,
} from './parts.ts';
import { EVERY, type REPEAT_ATTRIBUTES } from './repeat.ts';
import { sequenceAttributeSpecs, stepAttributeSpecs } from './sequences.ts';
import { VARIABLE_NAME_PATTERN } from './variables.ts';

/** The schema can't express missing files, invalid times, and attributes that contradict each other. */
export function campaignSchema(): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Campaign of svc',
    description:
      'Messages, tasks and automation rules of a campaign. svc plan compares the file with the service, and svc apply creates the records.',
    type: 'object',
    required: ['version', 'campaign'],
    additionalProperties: false,
    properties: {
      version: { const: CAMPAIGN_FILE_VERSION, description: 'Version of the file format' },
      campaign: {
        description:
          'Name of the campaign. svc finds the records of this file by the name. If you change the name, write the earlier one in renamed-from; otherwise svc creates all records again',
        ...CAMPAIGN_NAME,
      },
      [RENAMED_FROM]: {
        description: CAMPAIGN_RENAMED_FROM_DESCRIPTION,
        ...oneOrMore(CAMPAIGN_NAME),
      },
      company: {
        description: 'Id of the company; svc rejects the file for any other company',
        anyOf: [
          { type: 'integer', minimum: 1 },
          { type: 'string', pattern: DIGITS },
          VARIABLE,
          { type: 'null' },
        ],
      },
      values: {
        description: `Values of \${{ name }} in this file. --values and --set take their place`,
        type: ['object', 'null'],
        propertyNames: { pattern: VARIABLE_NAME_PATTERN.source },
        additionalProperties: {
          anyOf: [TEXT_OR_NUMBER, { type: 'array', minItems: 1, items: TEXT_OR_NUMBER }],
        },
      },
      folders: section('Folders of lists', { $ref: '#/$defs/folder' }),
      messages: section('E-mail and SMS messages', oneOf(CHANNELS.map(messageName))),
      tasks: section('Tasks: each sends a message to subscribers of a list or saved search at a set time', {
        $ref: '#/$defs/task',
      }),
      automations: section('Automation rules', oneOf(RULE_KINDS.map(ruleName))),
      sequences: section('Sequences: messages that new subscribers of a list get one after the other', {
        $ref: '#/$defs/sequence',
      }),
    },
    $defs: {
      ...SHARED,
      folder: itemOf('A folder of lists', folderAttributeSpecs),
      ...Object.fromEntries(
        CHANNELS.map((channel) => [
          messageName(channel),
          itemOf(MESSAGE_RESOURCES[channel].describe, messageAttributeSpecs(channel), { channel }),
        ]),
      ),
      task: taskSchema(),
      ...Object.fromEntries(
        RULE_KINDS.map((kind) => [
          ruleName(kind),
          itemOf(`A rule of kind ${kind}`, ruleAttributeSpecs(kind), { kind }),
        ]),
      ),
      sequence: sequenceSchema(),
      'sequence-step': stepSchema(),
    },
  };
}

const CAMPAIGN_NAME: JsonSchema = { type: ['string', 'number'], pattern: '^(?=.*\\S).*$' };

export const CAMPAIGN_RENAMED_FROM_DESCRIPTION =
  'Earlier name of the campaign, or a list of earlier names, the oldest first. svc renames its records instead of creating new ones';

const oneOrMore = (item: JsonSchema): JsonSchema => ({
  anyOf: [item, { type: 'array', minItems: 1, items: item }],
});

const messageName = (channel: Channel): string => `${channel}-message`;
const ruleName = (kind: RuleKind): string => `${kind}-automation`;
const oneOf = (names: readonly string[]): JsonSchema => ({
  oneOf: names.map((name) => ({ $ref: `#/$defs/${name}` })),
});

const section = (description: string, item: JsonSchema): JsonSchema => ({
  description: `${description}, each under a key that you choose`,
  type: ['object', 'null'],
  propertyNames: { pattern: ITEM_KEY_PATTERN.source },
  additionalProperties: item,
});

/** @param fixed attribute that distinguishes this kind of item from the others */
function itemOf(
  description: string,
  specs: readonly AttributeSpec[],
  fixed: Readonly<Record<string, string>> = {},
) {
  const properties: Record<string, JsonSchema> = {};
  for (const spec of specs)
    for (const [index, spelling] of spec.spellings.entries())
      properties[spelling] = {
        description: index === 0 ? describeAttributeSpec(spec) : `The same as ${spec.spellings[0]}`,
        ...(fixed[spelling] === undefined ? valueSchema(spec) : { const: fixed[spelling] }),
      };
  return {
    description,
    type: 'object',
    additionalProperties: false,
    properties,
    allOf: [...new Set(specs.map(({ name }) => name))].flatMap((name) => presence(specs, name)),
  };
}

function presence(specs: readonly AttributeSpec[], name: string): readonly JsonSchema[] {
  const ways = specs.filter((spec) => spec.name === name);
  const spellings = ways.flatMap((spec) => spec.spellings);
  const isRequired = ways.some((spec) => spec.isRequired);
  const [only = name, ...others] = spellings;
  if (others.length === 0) return isRequired ? [{ required: [only] }] : [];
  const each = spellings.map((spelling) => ({ required: [spelling] }));
  return isRequired ? [{ oneOf: each }] : [{ oneOf: [...each, { not: { anyOf: each } }] }];
}

/** Exactly one of `list` and `search` is required, and the other may be null (interface, task). */
function taskSchema(): JsonSchema {
  const item = itemOf(
    'One send of a message to the subscribers of a list or saved search, at a set time',
    taskAttributeSpecs,
  );
  const given = (name: string): readonly JsonSchema[] =>
    (taskAttributeSpecs.find((spec) => spec.name === name)?.spellings ?? []).map((spelling) => ({
      required: [spelling],
      properties: { [spelling]: { not: { type: 'null' } } },
    }));
  return {
    ...item,
    allOf: [...item.allOf, { oneOf: [{ anyOf: [...given('list_id')] }, { anyOf: [...given('search_id')] }] }],
  };
}

function sequenceSchema(): JsonSchema {
  const item = itemOf(
    'A rule for each step, which new subscribers of the list trigger',
    sequenceAttributeSpecs,
  );
  const steps = {
    description: 'Steps, in the order in which people get their messages',
    type: 'array',
    minItems: 1,
    items: { $ref: '#/$defs/sequence-step' },
  };
  return {
    ...item,
    properties: { ...item.properties, steps },
    allOf: [...item.allOf, { required: ['steps'] }],
  };
}

function stepSchema(): JsonSchema {
  const item = itemOf('One message of a sequence', stepAttributeSpecs);
  const key = {
    description: STEP_KEY_DESCRIPTION,
    type: 'string',
    pattern: ITEM_KEY_PATTERN.source,
  };
  return { ...item, properties: { key, ...item.properties } };
}

export const STEP_KEY_DESCRIPTION =
  'Key by which svc finds the rule of the step. Default: the number of the step, so a step without a key must keep its place';

export function describeAttributeSpec({ takes, field, name, spellings, isRequired }: AttributeSpec): string {
  const text = field.describe;
  const message = `${text}: the key of a message in this file, a message id, or the exact name of a message`;
  switch (takes) {
    case 'file':
      return `${text}: a file name in the campaign file's folder or below it`;
    case 'message':
      return message;
    case 'id':
      return `${text}. An id`;
    case 'target':
      // The target of a step is always a message.
      if (spellings.includes('message')) return message;
      return `${text}. To refer to a message, you can also write its key in this file or its exact name`;
    case 'after':
      if (isRequired) return 'Time from the subscription to the message, such as 0m, 3d or 90m';
      return `Time from the event to the action, such as 2d, 3h or 90m. Give this or ${name}, not both`;
    case 'before':
      return `The rule acts this long before the date, such as 2d, 3h or 90m. Give this or ${name}, not both`;
    case 'time':
      return `${text}, 2027-03-20 09:00, 2027-03-20T09:00:00Z or +2d; a time without Z or an offset is in the company's time zone`;
    case 'value':
      // The description already explains numbers.
      return field.values?.every((value) => typeof value === 'string')
        ? `${text}: ${field.values.join(', ')}`
        : text;
    case 'keys':
      return `${text}, or a list of earlier keys, the oldest first`;
    case 'step-keys':
      return `${text}, or a list of earlier keys or numbers, the oldest first`;
    case 'size':
    case 'hold':
    case 'record':
    case 'hash':
    case 'repeat':
    case 'occurrences':
      return text;
  }
}

const DIGITS = '^[0-9]+$';

const TEXT_OR_NUMBER: JsonSchema = { type: ['string', 'number'] };

/** Schemas that many attributes share. References keep the whole schema short. */
const SHARED = {
  variable: { type: 'string', pattern: '\\$\\{\\{' },
  key: { type: 'string', pattern: ITEM_KEY_PATTERN.source },
  id: { type: ['integer', 'string'], minimum: 0, pattern: DIGITS },
  hash: { type: ['string', 'number'], pattern: CONTENT_HASH_PATTERN.source },
} as const satisfies Readonly<Record<string, JsonSchema>>;

const shared = (name: keyof typeof SHARED): JsonSchema => ({ $ref: `#/$defs/${name}` });
const VARIABLE = shared('variable');
const KEY = shared('key');
const ID = shared('id');
const HASH = shared('hash');

/** Rejects an empty or absolute path, `..`, backslashes and line ends. */
const PATH: JsonSchema = {
  type: ['string', 'number'],
  pattern: '^(?![/\\s]*$)(?!/)(?![A-Za-z]:)(?!(.*/)?\\.\\.(/|$))[^\\\\\\r\\n]*$',
};

function valueSchema(spec: AttributeSpec): JsonSchema {
  const { takes, field } = spec;
  switch (takes) {
    case 'file':
      return either(PATH);
    case 'message':
      return either(
        { type: ['integer', 'string'], minimum: 0, minLength: 1 },
        field.nullable && !spec.isRequired,
      );
    case 'id':
    case 'record':
      return either(ID, field.nullable);
    case 'hash':
      return either(HASH, true);
    case 'target':
      return either({ type: ['integer', 'string'], minLength: 1 });
    case 'keys':
      return oneOrMore(KEY);
    case 'step-keys':
      return oneOrMore({
        anyOf: [KEY, { type: ['integer', 'string'], minimum: 1, pattern: STEP_NUMBER_PATTERN.source }],
      });
    case 'after':
    case 'before':
      return either(DURATION);
    case 'hold':
      return either(DURATION, true);
    case 'time':
      return either({ type: ['string', 'integer'], minLength: 1, minimum: 0 });
    case 'size':
      return either(
        { type: ['integer', 'string'], minimum: 0, pattern: '^[0-9]{1,12}(\\.\\.[0-9]{1,12})?$' },
        true,
      );
    case 'repeat':
      return { anyOf: [REPEAT, { type: 'null' }] };
    case 'occurrences':
      return { anyOf: [OCCURRENCES, { type: 'null' }] };
    case 'value':
      return either(fieldSchema(spec), field.nullable);
  }
}

const DURATION: JsonSchema = { type: ['string', 'number'], pattern: '^\\s*[0-9]', minimum: 0 };

const either = (schema: JsonSchema, nullable: boolean | undefined = false): JsonSchema => ({
  anyOf: [schema, VARIABLE, ...(nullable ? [{ type: 'null' }] : [])],
});

/** For an attribute that is a text, a YAML number is valid too. */
function fieldSchema({ name, field }: AttributeSpec): JsonSchema {
  if (field.format === 'actionhour') return HOUR;
  if (field.kind === 'string') return { type: ['string', 'number'], ...textBounds(name, field) };
  const schema = createFieldTypeSchema(field);
  const spellings = usualSpellings(field);
  return spellings.length === 0 ? schema : { anyOf: [schema, { enum: [...spellings] }] };
}

const HOUR: JsonSchema = {
  type: ['string', 'integer'],
  pattern: '^(?:[01]?[0-9]|2[0-3])(?::00){0,2}$',
  minimum: 0,
  maximum: 23,
};

/** JSON Schema counts characters, of which a text never has more than octets. */
function textBounds(name: string, { octets, format, nullable }: Field): JsonSchema {
  return {
    ...(octets === undefined ? {} : { maxLength: octets[1] }),
    ...(name === 'name' ? { pattern: '\\S' } : nullable ? { minLength: 1 } : {}),
    ...(format === 'actionhour' ? createFormatSchema(format) : {}),
  };
}

const numberSchema = (minimum: number, maximum: number): JsonSchema =>
  either({ type: ['integer', 'string'], minimum, maximum, pattern: DIGITS }, true);

const DAY: JsonSchema = { type: 'string', pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' };

/** Descriptions of the attributes of `repeat`, also for `svc explain campaign`. */
export const REPEAT_DESCRIPTIONS: Readonly<Record<(typeof REPEAT_ATTRIBUTES)[number], string>> = {
  every: `Distance between two times: ${EVERY.join(', ')}. weekday is Monday to Friday. A month without that day has its last day instead`,
  until: 'The last day, such as 2026-12-31',
  times: `Number of times, 1 to ${MAX_OCCURRENCES}. Give this or until`,
  ahead: `Number of next times that a plan creates, ${AHEAD_RANGE.least} to ${AHEAD_RANGE.most}. Default: ${AHEAD_RANGE.default}`,
};

const REPEAT: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['every'],
  properties: {
    every: { description: REPEAT_DESCRIPTIONS.every, ...either({ enum: [...EVERY] }) },
    until: { description: REPEAT_DESCRIPTIONS.until, ...either(DAY, true) },
    times: { description: REPEAT_DESCRIPTIONS.times, ...numberSchema(1, MAX_OCCURRENCES) },
    ahead: { description: REPEAT_DESCRIPTIONS.ahead, ...numberSchema(AHEAD_RANGE.least, AHEAD_RANGE.most) },
  },
  oneOf: (['until', 'times'] as const).map((name) => ({
    required: [name],
    properties: { [name]: { not: { type: 'null' } } },
  })),
};

const OCCURRENCES: JsonSchema = {
  type: 'array',
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['day', 'id'],
    properties: {
      day: either(DAY),
      id: either(ID),
      hash: either(HASH, true),
    },
  },
};
