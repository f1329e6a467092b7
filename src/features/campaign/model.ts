/** Defines a campaign file, the records of the service, and the steps that follow from both (contract, "Campaigns as files"). */

import type { AnyRecord, Json, RecordOf } from '../../kit/schema/resource.ts';
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
} from '../../kit/schema/shape.ts';
import type { AccountId } from '../../service/auth/credentials.ts';
import type { account } from '../../service/resources/account.ts';
import type { emailMessage } from '../../service/resources/email-message.ts';
import type { emailMessageLink } from '../../service/resources/email-message-link.ts';
import type { folder } from '../../service/resources/folder.ts';
import { type RULE_DEFINITIONS, RULE_KINDS, type RuleKind } from '../../service/resources/rule-kinds.ts';
import type { smsMessage } from '../../service/resources/sms-message.ts';
import type { Channel, task } from '../../service/resources/task.ts';

/** A plan is JSON, where a number can't hold an id beyond 2^53. */
const id = matching(/^[0-9]{1,20}$/, 'an id in digits');
export type IdText = string;

export type Value = Shaped<typeof scalar>;

const channel = oneOfValues('email', 'sms');

const reference = either({ key: object({ key: text }), id: object({ id }), name: object({ name: text }) });
export type MessageReference = Shaped<typeof reference>;

/** See src/features/campaign/README.md. */
const adopted = object({
  /** Two records can have the same id if their kinds, channels or rule kinds differ. */
  id,
  /** If null, the record counts as unchanged. */
  hash: orNull(text),
});
export type Adopted = Shaped<typeof adopted>;

/** Earlier keys of the item, the oldest first. The item owns the records that it made under one of them. */
const renamedFrom = listOf(text);

const wantedFolder = object({ kind: oneOfValues('folder'), key: text, name: text }, { renamedFrom });

const wantedMessage = object(
  {
    kind: oneOfValues('message'),
    key: text,
    channel,
    name: text,
    values: objectWithAnyMemberNames(scalar),
    files: objectWithAnyMemberNames(text),
  },
  { adopted, renamedFrom },
);

/** See `series.ts`. Exactly one of `until` and `times` is set, and the other is null. */
const repeat = object({
  every: oneOfValues('day', 'week', 'month', 'weekday'),
  /** The last day, such as `2026-12-31`. */
  until: orNull(text),
  times: orNull(nonNegativeInteger),
  ahead: nonNegativeInteger,
  /** Existing records of occurrences. */
  records: listOf(object({ day: text, id, hash: orNull(text) })),
});

const wantedTask = object(
  {
    kind: oneOfValues('task'),
    key: text,
    name: text,
    /** Null if the message is in the file, which gives its channel. */
    channel: orNull(channel),
    message: reference,
    /** Exactly one of `list` and `search` is set, and the other is null. */
    list: orNull(id),
    search: orNull(id),
    /** A relative time is resolved once, when the task is made. */
    at: text,
    rate: orNull(nonNegativeInteger),
    expectSize: orNull(object({ from: nonNegativeInteger, to: nonNegativeInteger })),
    maxCredits: orNull(nonNegativeInteger),
    hold: orNull(nonNegativeInteger),
  },
  { adopted, renamedFrom, repeat },
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
    /** Durations are in the unit of the rule's kind. */
    values: ruleValues,
    /** Only a reference to a message can be a key or a name. */
    references: objectWithAnyMemberNames(reference),
    paused: bool,
  },
  { adopted, renamedFrom },
);

export type WantedFolder = Shaped<typeof wantedFolder>;
export type WantedMessage = Shaped<typeof wantedMessage>;
export type WantedTask = Shaped<typeof wantedTask>;
export type WantedRule = Shaped<typeof wantedRule>;
export type WantedItem = WantedFolder | WantedMessage | WantedTask | WantedRule;
export type ItemKind = WantedItem['kind'];

const company: ShapeCheck<AccountId> = nonNegativeInteger;

/** The texts of content files replace the names of these files. */
export const campaignShape = object(
  {
    /** If the name changes without `renamedFrom`, apply creates every record again. */
    campaign: text,
    company: orNull(company),
    items: listOf(
      objectVariants('kind', {
        folder: wantedFolder,
        message: wantedMessage,
        task: wantedTask,
        automation: wantedRule,
      }),
    ),
  },
  {
    /** Earlier names of the campaign, the oldest first. */
    renamedFrom,
  },
);
export type Campaign = Shaped<typeof campaignShape>;

export type TaskRecord = RecordOf<typeof task>;
export type LinkRecord = RecordOf<typeof emailMessageLink>;
/** Code that knows only the name of an attribute may read it too. */
export type MessageRecord = (RecordOf<typeof emailMessage> | RecordOf<typeof smsMessage>) & AnyRecord;
/** Code that knows only the name of an attribute may read it too. */
export type RuleRecord = RecordOf<RuleResource> &
  AnyRecord & { readonly actiontype?: Json; readonly link_id?: Json };
export type RuleResource = (typeof RULE_DEFINITIONS)[RuleKind]['resource'];

export type NamedRecord = Pick<TaskRecord, 'id' | 'name'> & AnyRecord;

export interface RecordsByKind {
  readonly folder: RecordOf<typeof folder>;
  readonly message: MessageRecord;
  readonly task: TaskRecord;
  readonly automation: RuleRecord;
}

export interface ObservedCompanyRecords {
  readonly now: number;
  readonly account: Partial<RecordOf<typeof account>>;
  readonly folders: readonly RecordOf<typeof folder>[];
  readonly messages: Readonly<Record<Channel, readonly MessageRecord[]>>;
  /** `readAllRecordsForCampaign` includes only messages of the campaign. */
  readonly links: ReadonlyMap<string, readonly LinkRecord[]>;
  readonly tasks: readonly TaskRecord[];
  readonly rules: Readonly<Record<RuleKind, readonly RuleRecord[]>>;
  readonly requests: number;
}

/** @param rows one row of each kind */
export const tableOfRuleKinds = <T>(rows: readonly (readonly [RuleKind, T])[]) =>
  Object.fromEntries(rows) as Readonly<Record<RuleKind, T>>;

export const stepShape = object(
  {
    action: oneOfValues('create', 'change', 'replace', 'rename', 'keep', 'blocked', 'cancel', 'orphaned'),
    kind: oneOfValues('folder', 'message', 'task', 'automation'),
    name: text,
  },
  {
    /** Undefined if the file no longer names the item. */
    key: text,
    /** For a rule, kind and id: `click:3`. */
    id: text,
    /** Always set for `blocked`. */
    reason: text,
    until: nonNegativeInteger,
    blockedBy: oneOfValues('drift', 'state', 'time', 'reference'),
    changes: listOf(object({ attribute: text, from: scalar, to: scalar })),
    time: nonNegativeInteger,
    size: orNull(nonNegativeInteger),
    credits: orNull(nonNegativeInteger),
    /** Earlier key of the record, or earlier name of its campaign, that its mark still has. */
    renamedFrom: object({}, { key: text, campaign: text }),
  },
);
export type Step = Shaped<typeof stepShape>;
export type StepAction = Step['action'];
export type AttributeChange = NonNullable<Step['changes']>[number];
export type RenamedFrom = NonNullable<Step['renamedFrom']>;
