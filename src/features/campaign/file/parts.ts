import { type Field, int, oneOf, orNull, string } from '../../../kit/schema/field.ts';
import { payloadAttributesFor, type Resource } from '../../../kit/schema/resource.ts';
import { folder } from '../../../service/resources/folder.ts';
import { RULE_KINDS, type RuleKind, ruleResource } from '../../../service/resources/rule-kinds.ts';
import { CHANNELS, type Channel, MESSAGE_RESOURCES, task } from '../../../service/resources/task.ts';
import type { ItemKind } from '../model.ts';
import { MAX_FOLDER_NAME_OCTETS } from '../plan/messages.ts';
import { referenceAttributesOfRule } from '../plan/rule-references.ts';

export const CAMPAIGN_FILE_VERSION = 1;

export const CAMPAIGN_FILE_SECTIONS: readonly { readonly name: string; readonly kind: ItemKind }[] = [
  { name: 'folders', kind: 'folder' },
  { name: 'messages', kind: 'message' },
  { name: 'tasks', kind: 'task' },
  { name: 'automations', kind: 'automation' },
];

export const SEQUENCES_SECTION = 'sequences';

/** A key is not all digits, because it may be given where an id is allowed too. Keys are also part of marks. */
export const ITEM_KEY_PATTERN = /^(?![0-9]+$)[a-z0-9][a-z0-9-]{0,39}$/;

/** A step without a key has its number. */
export const STEP_NUMBER_PATTERN = /^[1-9][0-9]{0,3}$/;

export const RENAMED_FROM = 'renamed-from';

export type AttributeValueKind =
  | 'value'
  | 'file'
  | 'message'
  | 'id'
  | 'target'
  | 'after'
  /** A negative number in the unit of the field. */
  | 'before'
  | 'time'
  | 'size'
  | 'hold'
  /** A mapping, which `repeat.ts` reads. */
  | 'repeat'
  /** A list of mappings, which `repeat.ts` reads. */
  | 'occurrences'
  | 'record'
  | 'hash'
  /** A key, or a list of keys. */
  | 'keys'
  | 'step-keys';

export interface AttributeSpec {
  /** Two specs of one name are two ways to give one value. */
  readonly name: string;
  readonly spellings: readonly string[];
  readonly takes: AttributeValueKind;
  readonly field: Field;
  readonly isRequired: boolean;
}

const CONTENTS: Readonly<Record<Channel, readonly string[]>> = { email: ['html', 'text'], sms: ['message'] };

/** Seconds, as for `--hold`. */
export const TASK_CANCEL_COUNTDOWN_RANGE_SECONDS = { least: 2 * 60, most: 24 * 3600 } as const;

/** The maximum is lower than the service's, because svc adds a mark to the name. */
const FOLDER_NAME: Pick<Field, 'describe' | 'octets'> = {
  describe: `Name, 1 to ${MAX_FOLDER_NAME_OCTETS} bytes`,
  octets: [1, MAX_FOLDER_NAME_OCTETS],
};

export const renamedFromSpec: AttributeSpec = {
  ...own(RENAMED_FROM, string('Earlier key, whose records svc renames instead of making new ones')),
  takes: 'keys',
};

export const folderAttributeSpecs: readonly AttributeSpec[] = [
  ...attributesOf(folder, () => 'value').map((spec) =>
    spec.name === 'name' ? { ...spec, field: { ...spec.field, ...FOLDER_NAME } } : spec,
  ),
  renamedFromSpec,
];

const adoptedSpecs: readonly AttributeSpec[] = [
  {
    ...own('id', orNull(int('Id of an existing record that svc uses instead of creating one'))),
    takes: 'record',
  },
  {
    ...own('hash', orNull(string('Hash of the exported record, by which svc detects later changes'))),
    takes: 'hash',
  },
  renamedFromSpec,
];

const channelSpec: AttributeSpec = {
  ...own('channel', oneOf(CHANNELS, 'Channel of the message')),
  isRequired: true,
};
const kindSpec: AttributeSpec = {
  ...own('kind', oneOf(RULE_KINDS, 'Event that triggers the rule')),
  isRequired: true,
};

export const messageAttributeSpecs = (channel: Channel): readonly AttributeSpec[] => [
  channelSpec,
  ...adoptedSpecs,
  ...attributesOf(MESSAGE_RESOURCES[channel], (name) =>
    CONTENTS[channel].includes(name) ? 'file' : 'value',
  ).map(
    // On the command line, the flag gives the text itself.
    (spec) => (spec.takes === 'file' ? { ...spec, spellings: spec.spellings.toReversed() } : spec),
  ),
];

const TASK_TAKES: Readonly<Record<string, AttributeValueKind>> = {
  message_id: 'message',
  list_id: 'id',
  search_id: 'id',
  scheduledtime: 'time',
};

const TASK_CHANNEL = orNull(oneOf(CHANNELS, 'Channel of the message, if the message is not in this file'));

export const taskAttributeSpecs: readonly AttributeSpec[] = [
  ...adoptedSpecs,
  ...attributesOf(task, (name) => TASK_TAKES[name] ?? 'value').map((spec) =>
    // If the message is in the file, it gives the channel.
    spec.name === 'channel' ? { ...spec, field: TASK_CHANNEL, isRequired: false } : spec,
  ),
  {
    ...own('expect-size', orNull(string('Expected number of subscriptions, such as 447 or 9000..11000'))),
    takes: 'size',
  },
  own('max-credits', orNull(int('Maximum number of credits that the task may cost', { min: 0 }))),
  {
    ...own(
      'hold',
      orNull(string('Countdown after the task is created, such as 30m; Ctrl-C cancels the task')),
    ),
    takes: 'hold',
  },
  {
    ...own(
      'repeat',
      orNull(
        string(
          'Makes the task a series, which sends at the same local time again: every day, weekday (Monday to Friday), week or month, until a day or a number of times',
        ),
      ),
    ),
    takes: 'repeat',
  },
  {
    ...own(
      'occurrences',
      orNull(string('Existing records of a series, as svc export writes them: day, id and hash of each')),
    ),
    takes: 'occurrences',
  },
];

export const ruleAttributeSpecs = (rule: RuleKind): readonly AttributeSpec[] => {
  const refers = referenceAttributesOfRule(rule, {});
  const specs = attributesOf(ruleResource(rule), (name) => {
    if (!refers.includes(name)) return 'value';
    if (name === 'actiontarget') return 'target';
    return name === 'message_id' ? 'message' : 'id';
  });
  return [kindSpec, ...adoptedSpecs, ...specs.flatMap((spec) => [...spansOf(spec), spec])];
};

/** `before` negates it, so it is missing if the attribute can't be negative. */
function spansOf({ name, field }: AttributeSpec): readonly AttributeSpec[] {
  if (field.unit === undefined) return [];
  const span = { name, field, isRequired: false };
  const after: AttributeSpec = { ...span, spellings: ['after'], takes: 'after' };
  return field.min === undefined ? [after, { ...span, spellings: ['before'], takes: 'before' }] : [after];
}

/**
 * Attributes that may be null are not required: svc then sends null (contract, "Forms").
 * @param takes maps an attribute to the form in which the file writes its value
 */
function attributesOf(
  resource: Resource,
  takes: (name: string) => AttributeValueKind,
): readonly AttributeSpec[] {
  const { required, optional } = payloadAttributesFor(resource, 'POST', 'company');
  return [...required, ...optional].flatMap((name) => {
    const field = resource.fields[name];
    if (!field) return [];
    const spellings = field.flag === undefined || field.flag === name ? [name] : [field.flag, name];
    const isRequired = required.includes(name) && field.nullable !== true;
    return [{ name, spellings, takes: takes(name), field, isRequired }];
  });
}

function own(name: string, field: Field): AttributeSpec {
  return { name, spellings: [name], takes: 'value', field, isRequired: false };
}
