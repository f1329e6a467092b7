/** Defines the structure of a plan file, member by member. It declares the types of `model.ts` and `plan/continuation.ts` as data. */

import { namingOverridesOf, namingWithOverrides } from '../../protocol/naming.ts';
import { parseBaseUrl } from '../../protocol/origin.ts';
import { RULE_KINDS } from '../../resources/rule-kinds.ts';
import {
  bool,
  either,
  listOf,
  mapping,
  matching,
  nonNegativeInteger,
  object,
  only,
  orNull,
  type Shape,
  ShapeError,
  scalar,
  shapeOf,
  text,
  variants,
} from '../../schema/shape.ts';
import { isObject } from '../../text/json-object.ts';
import { isTimezone } from '../../text/timezone.ts';
import { sortedEntries } from './canonical-json.ts';
import type { Plan } from './plan-parts.ts';

const id = matching(/^[0-9]{1,20}$/, 'an id in digits');
const digest = matching(/^[0-9a-f]{64}$/, 'a SHA-256 in hexadecimal');
const zone = shapeOf<string>(
  (value) => typeof value === 'string' && isTimezone(value),
  'a name of the TZ database',
);
const origin = shapeOf<string>((value) => {
  const read = typeof value === 'string' ? parseBaseUrl(value) : undefined;
  return read !== undefined && !('problem' in read) && read.origin === value;
}, 'the scheme, host and port of a service, as in https://api.example.com');
/**
 * Shape of the header and attribute names that an installation of the service uses instead of svc's default (neutral) names. Refuses
 * entries that equal the defaults. Otherwise, two plans for the same installation could contain different entries.
 */
const naming: Shape<Plan['naming']> = (value, path) => {
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
const channel = only('email', 'sms');

const reference = either({ key: object({ key: text }), id: object({ id }), name: object({ name: text }) });

/** Shape of `adopted`: the existing record that svc uses for an item instead of creating a record. */
const adopted = { adopted: object({ id, hash: orNull(text) }) };

const item = variants('kind', {
  folder: object({ kind: only('folder'), key: text, name: text }),
  message: object(
    { kind: only('message'), key: text, channel, name: text, values: mapping(scalar), files: mapping(text) },
    adopted,
  ),
  task: object(
    {
      kind: only('task'),
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
      kind: only('automation'),
      key: text,
      rule: only(...RULE_KINDS),
      name: text,
      values: mapping(scalar),
      references: mapping(reference),
      paused: bool,
    },
    adopted,
  ),
});

const step = object(
  {
    action: only('create', 'change', 'replace', 'keep', 'blocked', 'cancel', 'orphaned'),
    kind: only('folder', 'message', 'task', 'automation'),
    name: text,
  },
  {
    key: text,
    id: text,
    reason: text,
    until: nonNegativeInteger,
    blockedBy: only('drift', 'state', 'time', 'reference'),
    changes: listOf(object({ attribute: text, from: scalar, to: scalar })),
    time: nonNegativeInteger,
    size: orNull(nonNegativeInteger),
    credits: orNull(nonNegativeInteger),
  },
);

const inputs = object({
  file: text,
  files: listOf(object({ file: text, sha256: digest })),
  set: mapping(text),
  env: mapping(text),
  options: object({ overwrite: bool, prune: bool, zone }, { both: bool, adopt: mapping(text) }),
  wanted: object({ campaign: text, company: orNull(nonNegativeInteger), items: listOf(item) }),
});

const observed = object({
  items: mapping(
    listOf(
      object({
        id: text,
        written: orNull(text),
        found: orNull(text),
        state: only('open', 'locked', 'completed', 'cancelled'),
      }),
    ),
  ),
  references: mapping(object({ id: text, content: text })),
});

/** Shape of a whole plan file. */
export const planFileShape = object({
  version: only(1),
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
