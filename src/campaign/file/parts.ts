/** What an item of each kind takes, from the declarations: the reader, the JSON Schema and the page of `svc explain` go by it. */
import type { RuleKind } from '../../resources/automation.ts';
import { emailMessage } from '../../resources/email-message.ts';
import { folder } from '../../resources/folder.ts';
import { smsMessage } from '../../resources/sms-message.ts';
import { task } from '../../resources/task.ts';
import { type Field, int, oneOf, orNull, string } from '../../schema/field.ts';
import { payloadOf, type Resource } from '../../schema/resource.ts';
import type { Channel } from '../model.ts';
import { RULES } from '../observe.ts';
import { LONGEST_FOLDER_NAME } from '../plan/messages.ts';
import { refersIn } from '../plan/rule-references.ts';

export type Takes =
  /** What its field says. */
  | 'value'
  /** A file beside or below the campaign's. */
  | 'file'
  /** A message of the file by its key, or one that is there, by id or exact name. */
  | 'message'
  /** An id alone: what the interface has no names for. */
  | 'id'
  /** A message, a list or an address: the action says which. */
  | 'target'
  /** A length of time, in the unit of its field; `before` is less than nothing. */
  | 'after'
  | 'before'
  /** When a task goes out, in the words of the command line. */
  | 'time'
  /** `447`, `9000..11000` */
  | 'size'
  /** How long a task must be ahead. */
  | 'hold'
  /** The id of the record that the item is taken to be. */
  | 'record'
  /** What that record came to. */
  | 'hash';

export interface Part {
  /** The interface's attribute, or our own word; two parts of one name are two ways to give the same. */
  readonly name: string;
  /** How the file may call it, the usual one first. */
  readonly spellings: readonly string[];
  readonly takes: Takes;
  readonly field: Field;
  /** Whether an item can't be without it. */
  readonly isRequired: boolean;
}

/** Attributes that name what they hold in the file by its path. */
const CONTENTS: Readonly<Record<Channel, readonly string[]>> = { email: ['html', 'text'], sms: ['message'] };

export const MESSAGES: Readonly<Record<Channel, Resource>> = { email: emailMessage, sms: smsMessage };

export const CHANNELS: readonly Channel[] = ['email', 'sms'];
export const KINDS = Object.keys(RULES) as readonly RuleKind[];

/** Seconds, as `--hold` takes them. */
export const HOLD = { least: 2 * 60, most: 24 * 3600 } as const;

/** The mark that a folder is found by takes the rest of what the interface allows. */
const FOLDER_NAME: Pick<Field, 'describe' | 'octets'> = {
  describe: `Name, 1 to ${LONGEST_FOLDER_NAME} octets`,
  octets: [1, LONGEST_FOLDER_NAME],
};
export const folderParts: readonly Part[] = attributesOf(folder, () => 'value').map((part) =>
  part.name === 'name' ? { ...part, field: { ...part.field, ...FOLDER_NAME } } : part,
);

/** Of what is there already, as svc export writes it. */
const adoptedParts: readonly Part[] = [
  {
    ...own('id', orNull(int('Record that is there already and that this is: it is compared, not made anew'))),
    takes: 'record',
  },
  {
    ...own(
      'hash',
      orNull(string('What that record came to when svc export wrote this; a later change by hand is told')),
    ),
    takes: 'hash',
  },
];

const channelPart: Part = { ...own('channel', oneOf(CHANNELS, 'What it is')), isRequired: true };
const kindPart: Part = { ...own('kind', oneOf(KINDS, 'What sets it off')), isRequired: true };

export const messageParts = (channel: Channel): readonly Part[] => [
  channelPart,
  ...adoptedParts,
  ...attributesOf(MESSAGES[channel], (name) => (CONTENTS[channel].includes(name) ? 'file' : 'value')).map(
    // On the command line the flag gives the text itself.
    (part) => (part.takes === 'file' ? { ...part, spellings: part.spellings.toReversed() } : part),
  ),
];

const TASK_TAKES: Readonly<Record<string, Takes>> = {
  message_id: 'message',
  list_id: 'id',
  search_id: 'id',
  scheduledtime: 'time',
};

const TASK_CHANNEL = orNull(oneOf(CHANNELS, "What it sends, where the message is not the file's"));

export const taskParts: readonly Part[] = [
  ...adoptedParts,
  ...attributesOf(task, (name) => TASK_TAKES[name] ?? 'value').map((part) =>
    // Where the message is the file's, it says the channel.
    part.name === 'channel' ? { ...part, field: TASK_CHANNEL, isRequired: false } : part,
  ),
  {
    ...own('expect-size', orNull(string('Subscriptions that it must find: 447 or 9000..11000'))),
    takes: 'size',
  },
  own('max-credits', orNull(int("What it may take of the channel's balance", { min: 0 }))),
  {
    ...own(
      'hold',
      orNull(string('How long apply counts down once the task is made; Ctrl-C cancels it: 30m')),
    ),
    takes: 'hold',
  },
];

export const ruleParts = (rule: RuleKind): readonly Part[] => {
  const refers = refersIn(rule, {});
  const parts = attributesOf(RULES[rule], (name) => {
    if (!refers.includes(name)) return 'value';
    if (name === 'actiontarget') return 'target';
    return name === 'message_id' ? 'message' : 'id';
  });
  return [kindPart, ...adoptedParts, ...parts.flatMap((part) => [...spansOf(part), part])];
};

/** A number of seconds or minutes is easily mistaken for the other, so there is a way to say it with its unit. */
function spansOf({ name, field }: Part): readonly Part[] {
  if (field.unit === undefined) return [];
  const span = { name, field, isRequired: false };
  const after: Part = { ...span, spellings: ['after'], takes: 'after' };
  return field.min === undefined ? [after, { ...span, spellings: ['before'], takes: 'before' }] : [after];
}

/** What a POST takes; what it needs and may be null is null where the file leaves it out (contract, "Forms"). */
function attributesOf(resource: Resource, takes: (name: string) => Takes): readonly Part[] {
  const { required, optional } = payloadOf(resource, 'POST', 'company');
  return [...required, ...optional].flatMap((name) => {
    const field = resource.fields[name];
    if (!field) return [];
    const spellings = field.flag === undefined || field.flag === name ? [name] : [field.flag, name];
    const isRequired = required.includes(name) && field.nullable !== true;
    return [{ name, spellings, takes: takes(name), field, isRequired }];
  });
}

function own(name: string, field: Field): Part {
  return { name, spellings: [name], takes: 'value', field, isRequired: false };
}
