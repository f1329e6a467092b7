/** A campaign as its file says it, the service as it was found, and what follows from both (contract, "Campaigns as files"). */
import type { AccountId } from '../auth/credentials.ts';
import type { JsonObject } from '../protocol/envelope.ts';
import type { RuleKind } from '../resources/automation.ts';

export type Channel = 'email' | 'sms';

/** Decimal digits: a plan is JSON, in which an id beyond 2^53 is no number. */
export type IdText = string;

/** What JSON can say of an attribute. */
export type Value = string | number | boolean | null;

/** A campaign file, read and checked: no reference to a key that isn't there, contents in place of file names. Plain JSON. */
export interface Campaign {
  /** The file's `campaign`: with an item's key it says whose an item is, so a new one makes everything anew. */
  readonly campaign: string;
  /** The company that it is for; null where the file names none. */
  readonly company: AccountId | null;
  /** Folders, messages, tasks, automations, each in the order of the file. */
  readonly items: readonly WantedItem[];
}

/** A record that is there, which an item is taken to be until another bears the item's mark: src/campaign/README.md says more. */
export interface Adopted {
  /** Of an item's own kind: of the channel of a message, of the kind of a rule. */
  readonly id: IdText;
  /** What it came to when this was written (`adoptedHash`); null where whatever is found counts as unchanged. */
  readonly hash: string | null;
  /** Whether `--adopt` says so, and not the file: then the record gets the mark of the item at once. */
  readonly isClaimed?: true;
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
  /** The interface's attributes that the file gives, without `name`; of `html`, `text` and `message` the content. */
  readonly values: Readonly<Record<string, Value>>;
  /** Where the content of an attribute stands, relative to the campaign's file; for findings. */
  readonly files: Readonly<Record<string, string>>;
  readonly adopted?: Adopted;
}

export interface WantedTask {
  readonly kind: 'task';
  readonly key: string;
  readonly name: string;
  /** Where the message is none of the file's; null where the message says it. */
  readonly channel: Channel | null;
  readonly message: Reference;
  /** One of the two, and the other null. */
  readonly list: IdText | null;
  readonly search: IdText | null;
  /** In the words of the command line; one that counts from now counts once, when the task is made. */
  readonly at: string;
  /** Messages an hour. */
  readonly rate: number | null;
  readonly expectSize: { readonly from: number; readonly to: number } | null;
  readonly maxCredits: number | null;
  /** Seconds that it must be ahead when it is scheduled. */
  readonly hold: number | null;
  readonly adopted?: Adopted;
}

export interface WantedRule {
  readonly kind: 'automation';
  readonly key: string;
  readonly rule: RuleKind;
  readonly name: string;
  /** The interface's attributes that the file gives, without `name`, `paused` and those of `references`; durations in the unit of the kind. */
  readonly values: Readonly<Record<string, Value>>;
  /** Attributes that name something: `list_id`, `link_id`, `message_id`, `email_list_id`, and `actiontarget` of all but `notify`. */
  readonly references: Readonly<Record<string, Reference>>;
  readonly paused: boolean;
  readonly adopted?: Adopted;
}

/** A message of the file by its key, or one that is there already. */
export type Reference = { readonly key: string } | { readonly id: IdText } | { readonly name: string };

/** The service in one pass: every record of the company that a campaign may be about. */
export interface Observed {
  /** Unix seconds of the service's clock. */
  readonly now: number;
  readonly account: JsonObject;
  readonly folders: readonly JsonObject[];
  readonly messages: Readonly<Record<Channel, readonly JsonObject[]>>;
  /** Links of the e-mail messages that bear a mark of the campaign, or that it takes for its own, by message. */
  readonly links: ReadonlyMap<string, readonly JsonObject[]>;
  readonly tasks: readonly JsonObject[];
  readonly rules: Readonly<Record<RuleKind, readonly JsonObject[]>>;
  /** How many requests it took. */
  readonly requests: number;
}

/** What becomes of an item. `cancel` ends a task and deletes anything else; `orphaned` is left as it is. */
export type Action = 'create' | 'change' | 'replace' | 'keep' | 'blocked' | 'cancel' | 'orphaned';

export interface Change {
  readonly attribute: string;
  readonly from: Value;
  readonly to: Value;
}

export interface Step {
  readonly action: Action;
  readonly kind: ItemKind;
  /** Of an item that the file doesn't name any more: undefined. */
  readonly key?: string;
  /** Of the record that is there; of a rule `click:3`. */
  readonly id?: string;
  /** Without its mark. */
  readonly name: string;
  /** Why, in a sentence without a full stop; of `blocked` always. */
  readonly reason?: string;
  /** Unix seconds until which it is blocked, where that is known. */
  readonly until?: number;
  /** Why it is blocked: somebody's change that is not written over, a state that forbids it, or a time that has passed. */
  readonly blockedBy?: 'drift' | 'state' | 'time' | 'reference';
  readonly changes?: readonly Change[];
  /** Of a task: Unix seconds at which it is to go out. */
  readonly time?: number;
  /** Of a task: subscriptions, where they are known. */
  readonly size?: number | null;
  /** Of a task: what it will take of the channel's balance, where that is known. */
  readonly credits?: number | null;
}
