/** Defines the structure of a plan file, member by member. It declares the types of `model.ts` and `plan/continuation.ts` as data. */

import { namingOverridesOf, namingWithOverrides } from '../../protocol/naming.ts';
import { parseBaseUrl } from '../../protocol/wire.ts';
import { RULE_KINDS } from '../../resources/rule-kinds.ts';
import {
  bool,
  createShape,
  either,
  listOf,
  matching,
  nonNegativeInteger,
  object,
  objectVariants,
  objectWithAnyMemberNames,
  oneOfValues,
  orNull,
  type ShapeCheck,
  ShapeError,
  scalar,
  text,
} from '../../schema/shape.ts';
import { isObject } from '../../text/json-object.ts';
import { isTimezone } from '../../text/timezone.ts';
import { sortedEntries } from './canonical-json.ts';
import type { Plan } from './plan-parts.ts';

const id = matching(/^[0-9]{1,20}$/, 'an id in digits');
const digest = matching(/^[0-9a-f]{64}$/, 'a SHA-256 in hexadecimal');
const zone = createShape<string>(
  (value) => typeof value === 'string' && isTimezone(value),
  'a name of the TZ database',
);
const origin = createShape<string>((value) => {
  const read = typeof value === 'string' ? parseBaseUrl(value) : undefined;
  return read !== undefined && !('problem' in read) && read.origin === value;
}, 'the scheme, host and port of a service, as in https://api.example.com');
/**
 * Shape of the header and attribute names that an installation of the service uses instead of svc's default (neutral) names. Refuses a name
 * that equals the default name. Otherwise, two plans for the same installation could have different texts.
 */
const naming: ShapeCheck<Plan['naming']> = (value, path) => {
  const fault = (what: string): ShapeError => new ShapeError(path, what);
  if (!isObject(value)) throw fault('must be an object');
  try {
    const own = namingOverridesOf(namingWithOverrides(value)) ?? {};
    if (JSON.stringify(sortedEntries(own)) === JSON.stringify(sortedEntries(value))) return;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw fault(`is not a naming: ${error.message}`);
  }
  throw fault('must hold only names that differ from the neutral ones');
};
const channel = oneOfValues('email', 'sms');

const reference = either({ key: object({ key: text }), id: object({ id }), name: object({ name: text }) });

/** Shape of `adopted`: the existing record that svc uses for an item instead of creating a record. */
const adopted = { adopted: object({ id, hash: orNull(text) }) };

const item = objectVariants('kind', {
  folder: object({ kind: oneOfValues('folder'), key: text, name: text }),
  message: object(
    {
      kind: oneOfValues('message'),
      key: text,
      channel,
      name: text,
      values: objectWithAnyMemberNames(scalar),
      files: objectWithAnyMemberNames(text),
    },
    adopted,
  ),
  task: object(
    {
      kind: oneOfValues('task'),
      key: text,
      name: text,
      channel: orNull(channel),
      message: reference,
      list: orNull(id),
      search: orNull(id),
      at: text,
      rate: orNull(nonNegativeInteger),
      expectSize: orNull(object({ from: nonNegativeInteger, to: nonNegativeInteger })),
      maxCredits: orNull(nonNegativeInteger),
      hold: orNull(nonNegativeInteger),
    },
    adopted,
  ),
  automation: object(
    {
      kind: oneOfValues('automation'),
      key: text,
      rule: oneOfValues(...RULE_KINDS),
      name: text,
      values: objectWithAnyMemberNames(scalar),
      references: objectWithAnyMemberNames(reference),
      paused: bool,
    },
    adopted,
  ),
});

const step = object(
  {
    action: oneOfValues('create', 'change', 'replace', 'keep', 'blocked', 'cancel', 'orphaned'),
    kind: oneOfValues('folder', 'message', 'task', 'automation'),
    name: text,
  },
  {
    key: text,
    id: text,
    reason: text,
    until: nonNegativeInteger,
    blockedBy: oneOfValues('drift', 'state', 'time', 'reference'),
    changes: listOf(object({ attribute: text, from: scalar, to: scalar })),
    time: nonNegativeInteger,
    size: orNull(nonNegativeInteger),
    credits: orNull(nonNegativeInteger),
  },
);

const inputs = object({
  file: text,
  files: listOf(object({ file: text, sha256: digest })),
  set: objectWithAnyMemberNames(text),
  env: objectWithAnyMemberNames(text),
  options: object(
    { overwrite: bool, prune: bool, zone },
    { both: bool, adopt: objectWithAnyMemberNames(text) },
  ),
  wanted: object({ campaign: text, company: orNull(nonNegativeInteger), items: listOf(item) }),
});

const observed = object({
  items: objectWithAnyMemberNames(
    listOf(
      object({
        id: text,
        written: orNull(text),
        found: orNull(text),
        state: oneOfValues('open', 'locked', 'completed', 'cancelled'),
      }),
    ),
  ),
  references: objectWithAnyMemberNames(object({ id: text, content: text })),
});

/** Shape of a whole plan file. */
export const planFileShape = object({
  version: oneOfValues(1),
  origin,
  naming,
  campaign: text,
  company: object({ id, name: text }),
  made: nonNegativeInteger,
  validUntil: nonNegativeInteger,
  inputs,
  observed,
  steps: listOf(step),
  sha256: digest,
});
