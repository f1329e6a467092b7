/** Defines a campaign file, the records of the service, and the steps that follow from both (contract, "Campaigns as files"). */
import type { AccountId } from '../auth/credentials.ts';
import type { account } from '../resources/account.ts';
import type { emailMessage } from '../resources/email-message.ts';
import type { emailMessageLink } from '../resources/email-message-link.ts';
import type { folder } from '../resources/folder.ts';
import { type RULE_DEFINITIONS, RULE_KINDS, type RuleKind } from '../resources/rule-kinds.ts';
import type { smsMessage } from '../resources/sms-message.ts';
import type { Channel, task } from '../resources/task.ts';
import type { AnyRecord, Json, RecordOf } from '../schema/resource.ts';
import {
  bool,
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
  type Shaped,
  scalar,
  text,
} from '../schema/shape.ts';

/** Id in decimal digits. A plan is JSON, where a number can't hold an id beyond 2^53. */
const id = matching(/^[0-9]{1,20}$/, 'an id in digits');
export type IdText = string;

/** Value of an attribute that JSON can represent. */
export type Value = Shaped<typeof scalar>;

const channel = oneOfValues('email', 'sms');

/** Message of the file by its key, or an existing message by its id or name. */
const reference = either({ key: object({ key: text }), id: object({ id }), name: object({ name: text }) });
export type MessageReference = Shaped<typeof reference>;

/** Existing record that an item adopts, until another record has the item's mark. See src/campaign/README.md. */
const adopted = object({
  /** Id of the record. Two records can have the same id if their kinds, channels or rule kinds differ. */
  id,
  /** Content hash at the time of `svc export`, which shows later changes by people. If null, the record counts as unchanged. */
  hash: orNull(text),
});
export type RecordTakenOverByItem = Shaped<typeof adopted>;

const wantedFolder = object({ kind: oneOfValues('folder'), key: text, name: text });

const wantedMessage = object(
  {
    kind: oneOfValues('message'),
    key: text,
    channel,
    name: text,
    /** Attributes of the interface that the file gives, except `name`. `html`, `text` and `message` hold the content. */
    values: objectWithAnyMemberNames(scalar),
    /** Paths of the files that hold the contents, by attribute, relative to the campaign's file. Findings name these files. */
    files: objectWithAnyMemberNames(text),
  },
  { adopted },
);

const wantedTask = object(
  {
    kind: oneOfValues('task'),
    key: text,
    name: text,
    /** Channel of a message that isn't in the file. Null if the message is in the file, which gives its channel. */
    channel: orNull(channel),
    message: reference,
    /** List of recipients. Exactly one of `list` and `search` is set, and the other is null. */
    list: orNull(id),
    search: orNull(id),
    /** Send time, in any form that `--at` accepts. A relative time is resolved once, when the task is made. */
    at: text,
    /** Maximum messages per hour. */
    rate: orNull(nonNegativeInteger),
    expectSize: orNull(object({ from: nonNegativeInteger, to: nonNegativeInteger })),
    maxCredits: orNull(nonNegativeInteger),
    /** Length in seconds of the countdown after svc creates the task, which must end before the send time. Null for none. */
    hold: orNull(nonNegativeInteger),
  },
  { adopted },
);

interface RuleValues {
  readonly keyword?: Value;
  readonly actiontype?: Value;
  readonly [attribute: string]: Value;
}
const ruleValues: ShapeCheck<RuleValues> = objectWithAnyMemberNames(scalar);

const wantedRule = object(
  {
    kind: oneOfValues('automation'),
    key: text,
    rule: oneOfValues(...RULE_KINDS),
    name: text,
    /** Attributes that the file gives, except `name`, `paused` and `references`. Durations are in the unit of the rule's kind. */
    values: ruleValues,
    /**
     * References by attribute: `list_id`, `link_id`, `message_id`, `email_list_id`, and `actiontarget` if the action has a record as
     * target. Only a reference to a message can be a key or a name.
     */
    references: objectWithAnyMemberNames(reference),
    paused: bool,
  },
  { adopted },
);

export type WantedFolder = Shaped<typeof wantedFolder>;
export type WantedMessage = Shaped<typeof wantedMessage>;
export type WantedTask = Shaped<typeof wantedTask>;
export type WantedRule = Shaped<typeof wantedRule>;
export type WantedItem = WantedFolder | WantedMessage | WantedTask | WantedRule;
export type ItemKind = WantedItem['kind'];

const company: ShapeCheck<AccountId> = nonNegativeInteger;

/** Campaign file without faults, as plain JSON. The texts of content files replace the names of these files. */
export const campaignShape = object({
  /** Name by which svc finds the campaign's records. If the name changes, apply creates every record again. */
  campaign: text,
  /** Company that the file is for; null if the file names none. */
  company: orNull(company),
  /** Folders, messages, tasks and automations, each in the order of the file. */
  items: listOf(
    objectVariants('kind', {
      folder: wantedFolder,
      message: wantedMessage,
      task: wantedTask,
      automation: wantedRule,
    }),
  ),
});
export type Campaign = Shaped<typeof campaignShape>;

export type TaskRecord = RecordOf<typeof task>;
export type LinkRecord = RecordOf<typeof emailMessageLink>;
/** Message of either channel. Code that knows only the name of an attribute may read it too. */
export type MessageRecord = (RecordOf<typeof emailMessage> | RecordOf<typeof smsMessage>) & AnyRecord;
/** Rule of any kind, with attributes that not all kinds have. Code that knows only the name of an attribute may read it too. */
export type RuleRecord = RecordOf<RuleResource> &
  AnyRecord & { readonly actiontype?: Json; readonly link_id?: Json };
export type RuleResource = (typeof RULE_DEFINITIONS)[RuleKind]['resource'];

/** Record of any kind. */
export type NamedRecord = Pick<TaskRecord, 'id' | 'name'> & AnyRecord;

/** Records of the items of each kind. */
export interface RecordsByKind {
  readonly folder: RecordOf<typeof folder>;
  readonly message: MessageRecord;
  readonly task: TaskRecord;
  readonly automation: RuleRecord;
}

/** Records of the service as svc read them at one moment: every record of the company that a campaign may use or change. */
export interface ObservedCompanyRecords {
  /** Unix seconds of the service's clock. */
  readonly now: number;
  readonly account: Partial<RecordOf<typeof account>>;
  readonly folders: readonly RecordOf<typeof folder>[];
  readonly messages: Readonly<Record<Channel, readonly MessageRecord[]>>;
  /** Links by the id of their e-mail message. `readAllRecordsForCampaign` includes only messages of the campaign. */
  readonly links: ReadonlyMap<string, readonly LinkRecord[]>;
  readonly tasks: readonly TaskRecord[];
  readonly rules: Readonly<Record<RuleKind, readonly RuleRecord[]>>;
  /** Number of requests that svc sent to read all records in this object. */
  readonly requests: number;
}

/** Step of a plan: what svc apply does with the record of one item. */
export const stepShape = object(
  {
    /** `cancel` cancels a task and deletes any other record. `orphaned` keeps a record that the file no longer names. */
    action: oneOfValues('create', 'change', 'replace', 'keep', 'blocked', 'cancel', 'orphaned'),
    kind: oneOfValues('folder', 'message', 'task', 'automation'),
    /** Name of the record without the mark. */
    name: text,
  },
  {
    /** Key of the item. Undefined if the file no longer names the item. */
    key: text,
    /** Id of the existing record. For a rule, kind and id: `click:3`. */
    id: text,
    /** Reason of the step, a sentence without a full stop. Always set for `blocked`. */
    reason: text,
    /** Unix seconds until which the step is blocked, if that is known. */
    until: nonNegativeInteger,
    /** Cause of the block: a change by hand, a state that forbids the step, a send time that is not allowed, or an unusable reference. */
    blockedBy: oneOfValues('drift', 'state', 'time', 'reference'),
    /** Attributes whose values the step changes. */
    changes: listOf(object({ attribute: text, from: scalar, to: scalar })),
    /** Send time of a task, in Unix seconds. */
    time: nonNegativeInteger,
    /** Number of subscriptions to which the task is sent. Null or undefined if svc does not know the number. */
    size: orNull(nonNegativeInteger),
    /** Credits that the task takes from the balance of its channel, if known. */
    credits: orNull(nonNegativeInteger),
  },
);
export type Step = Shaped<typeof stepShape>;
export type StepAction = Step['action'];
export type AttributeChange = NonNullable<Step['changes']>[number];
