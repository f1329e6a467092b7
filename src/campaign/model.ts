/** Defines a campaign file, the records of the service, and the steps that follow from both (contract, "Campaigns as files"). */
import type { AccountId } from '../auth/credentials.ts';
import type { JsonObject } from '../protocol/envelope.ts';
import type { RecordOf } from '../protocol/record.ts';
import type { account } from '../resources/account.ts';
import type { emailMessage } from '../resources/email-message.ts';
import type { emailMessageLink } from '../resources/email-message-link.ts';
import type { folder } from '../resources/folder.ts';
import type { RULE_DEFINITIONS, RuleKind } from '../resources/rule-kinds.ts';
import type { smsMessage } from '../resources/sms-message.ts';
import type { Channel, task } from '../resources/task.ts';

/** Id in decimal digits. A plan is JSON, where a number can't hold an id beyond 2^53. */
export type IdText = string;

/** Value of an attribute that JSON can represent. */
export type Value = string | number | boolean | null;

/** Campaign file without faults, as plain JSON. The texts of content files replace the names of these files. */
export interface Campaign {
  /** Name by which svc finds the campaign's records. If the name changes, apply creates every record again. */
  readonly campaign: string;
  /** Company that the file is for; null if the file names none. */
  readonly company: AccountId | null;
  /** Folders, messages, tasks and automations, each in the order of the file. */
  readonly items: readonly WantedItem[];
}

/** Existing record that an item adopts, until another record has the item's mark. See src/campaign/README.md. */
export interface RecordTakenOverByItem {
  /** Id of the record. Two records can have the same id if their kinds, channels or rule kinds differ. */
  readonly id: IdText;
  /** Content hash at the time of `svc export`, which shows later changes by people. If null, the record counts as unchanged. */
  readonly hash: string | null;
  /** True if `--adopt` names the record. apply then marks the record at once. Omitted if the file names it. */
  readonly isNamedByAdoptFlag?: true;
}

export type WantedItem = WantedFolder | WantedMessage | WantedTask | WantedRule;
export type ItemKind = WantedItem['kind'];

export interface WantedFolder {
  readonly kind: 'folder';
  readonly key: string;
  readonly name: string;
}

export interface WantedMessage {
  readonly kind: 'message';
  readonly key: string;
  readonly channel: Channel;
  readonly name: string;
  /** Attributes of the interface that the file gives, except `name`. `html`, `text` and `message` hold the content. */
  readonly values: Readonly<Record<string, Value>>;
  /** Paths of the files that hold the contents, by attribute, relative to the campaign's file. Findings name these files. */
  readonly files: Readonly<Record<string, string>>;
  readonly adopted?: RecordTakenOverByItem;
}

export interface WantedTask {
  readonly kind: 'task';
  readonly key: string;
  readonly name: string;
  /** Channel of a message that isn't in the file. Null if the message is in the file, which gives its channel. */
  readonly channel: Channel | null;
  readonly message: MessageReference;
  /** List of recipients. Exactly one of `list` and `search` is set, and the other is null. */
  readonly list: IdText | null;
  readonly search: IdText | null;
  /** Send time, in any form that `--at` accepts. A relative time is resolved once, when the task is made. */
  readonly at: string;
  /** Maximum messages per hour. */
  readonly rate: number | null;
  readonly expectSize: { readonly from: number; readonly to: number } | null;
  readonly maxCredits: number | null;
  /** Length in seconds of the countdown after svc creates the task, which must end before the send time. Null for none. */
  readonly hold: number | null;
  readonly adopted?: RecordTakenOverByItem;
}

export interface WantedRule {
  readonly kind: 'automation';
  readonly key: string;
  readonly rule: RuleKind;
  readonly name: string;
  /** Attributes that the file gives, except `name`, `paused` and `references`. Durations are in the unit of the rule's kind. */
  readonly values: Readonly<Record<string, Value>>;
  /**
   * References by attribute: `list_id`, `link_id`, `message_id`, `email_list_id`, and `actiontarget` if the action has a record as target.
   * Only a reference to a message can be a key or a name.
   */
  readonly references: Readonly<Record<string, MessageReference>>;
  readonly paused: boolean;
  readonly adopted?: RecordTakenOverByItem;
}

/** Message of the file by its key, or an existing message by its id or name. */
export type MessageReference = { readonly key: string } | { readonly id: IdText } | { readonly name: string };

export type TaskRecord = RecordOf<typeof task>;
export type LinkRecord = RecordOf<typeof emailMessageLink>;
/** Message of either channel. Code that knows only the name of an attribute may read it too. */
export type MessageRecord = (RecordOf<typeof emailMessage> | RecordOf<typeof smsMessage>) & JsonObject;
/** Rule of any kind, with the attributes that all kinds have. Code that knows only the name of an attribute may read it too. */
export type RuleRecord = RecordOf<RuleResource> & JsonObject;
export type RuleResource = (typeof RULE_DEFINITIONS)[RuleKind]['resource'];

/** Record of any kind. */
export type NamedRecord = Pick<TaskRecord, 'id' | 'name'> & JsonObject;

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

/** `cancel` cancels a task and deletes any other record. `orphaned` keeps a record that the file no longer names. */
export type StepAction = 'create' | 'change' | 'replace' | 'keep' | 'blocked' | 'cancel' | 'orphaned';

/** Attribute whose value a step changes. */
export interface AttributeChange {
  readonly attribute: string;
  readonly from: Value;
  readonly to: Value;
}

/** Step of a plan: what svc apply does with the record of one item. */
export interface Step {
  readonly action: StepAction;
  readonly kind: ItemKind;
  /** Key of the item. Undefined if the file no longer names the item. */
  readonly key?: string;
  /** Id of the existing record. For a rule, kind and id: `click:3`. */
  readonly id?: string;
  /** Name of the record without the mark, the tag that svc adds at the end of names. */
  readonly name: string;
  /** Reason of the step, a sentence without a full stop. Always set for `blocked`. */
  readonly reason?: string;
  /** Unix seconds until which the step is blocked, if that is known. */
  readonly until?: number;
  /** Cause of the block: a change by hand, a state that forbids the step, a send time that is not allowed, or an unusable reference. */
  readonly blockedBy?: 'drift' | 'state' | 'time' | 'reference';
  readonly changes?: readonly AttributeChange[];
  /** Send time of a task, in Unix seconds. */
  readonly time?: number;
  /** Number of subscriptions to which the task is sent. Null or undefined if svc does not know the number. */
  readonly size?: number | null;
  /** Credits that the task takes from the balance of its channel, if known. */
  readonly credits?: number | null;
}
