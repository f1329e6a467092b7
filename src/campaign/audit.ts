/** Compares the tasks and active rules of the service with the plans that describe them (contract, "Audit"). This code is pure. */
import type { JsonObject } from '../protocol/envelope.ts';
import { messageAttributesOfRule, RULE_KINDS, type RuleKind } from '../resources/rule-kinds.ts';
import { CHANNELS, type Channel } from '../resources/task.ts';
import { compareIds, parseIntegerDigits } from '../schema/integer.ts';
import {
  computePossibleHashesOfMessage,
  computeWantedMessageHash,
  computeWantedRuleHash,
  computeWantedTaskHash,
  digits,
  type MessageIdentity,
  messageIdentityOfKey,
} from './content.ts';
import { computeCampaignNameHash, parseCampaignMark } from './marks.ts';
import type {
  AttributeChange,
  MessageReference,
  ObservedCompanyRecords,
  Step,
  Value,
  WantedItem,
  WantedRule,
  WantedTask,
} from './model.ts';
import {
  assignRecordsToTakeOver,
  findRecordTakenOverByItem,
  readNameWithoutCampaignMark,
} from './plan/adoption.ts';
import {
  createPlanningSituation,
  type PlanningSituation,
  type RecordOwnedByCampaign,
} from './plan/situation.ts';
import { hadSendingStarted } from './plan/tasks.ts';
import type { Plan } from './plan-file/plan-file.ts';

export interface NamedPlan {
  /** Name of the plan's file, as messages show it. */
  readonly name: string;
  readonly plan: Plan;
}

/** Verdict of an audit on a record. `changed`: a plan was approved, but the record now differs from that plan. */
export type AuditVerdict = 'approved' | 'unapproved' | 'changed';

/** Row of the audit: a record and its verdict. */
export interface AuditRow {
  readonly kind: 'task' | 'automation';
  /** Id of the task, such as `7`. For a rule, the kind and id: `click:3` is the click rule with id 3. */
  readonly id: string;
  /** Name of the record with its mark, the tag that svc adds at the end of names. */
  readonly name: string;
  /** Send time of a task in Unix seconds; null for a rule. */
  readonly time: number | null;
  readonly size: number | null;
  /** Name of the plan file that the verdict is based on. Null if no plan describes the record. */
  readonly plan: string | null;
  readonly approvedBy: readonly string[];
  readonly verdict: AuditVerdict;
  /** Differences between the approved and the current records. Empty unless the verdict is `changed`. */
  readonly changes: readonly AttributeChange[];
}

/** Comparison of a plan with a task or rule of the service that the plan describes. `changes` contains the differences. */
export interface PlanComparedWithRecord {
  readonly plan: NamedPlan;
  /**
   * Time at which a signer's key must have been valid so that the approval counts, in Unix seconds. This is the time when the record or the
   * plan was created, whichever is later. Callers check the keys.
   */
  readonly approvalDeadline: number;
  readonly changes: readonly AttributeChange[];
}

/** Task or active rule, with the plans that describe it. Plans that match exactly come first, then the newest plans. */
export interface AuditedRecord {
  readonly record: JsonObject;
  readonly rule: RuleKind | undefined;
  readonly matches: readonly PlanComparedWithRecord[];
}

/**
 * Finds the plans that describe each task and each active rule. Returns the tasks of the period that were or will be sent, in the order of
 * their send times, and then the active rules.
 * @param period its first second, and the first second after it, in Unix seconds
 */
export function matchRecordsWithPlans(
  observed: ObservedCompanyRecords,
  plans: readonly NamedPlan[],
  { since, until }: { readonly since: number; readonly until: number },
): readonly AuditedRecord[] {
  const matches = new Map<JsonObject, PlanComparedWithRecord[]>();
  const parts = partsOf(observed);
  for (const plan of plans)
    for (const { record, match } of matchesOf(plan, parts)) {
      const all = matches.get(record) ?? [];
      all.push(match);
      matches.set(record, all);
    }
  const audited = (record: JsonObject, rule: RuleKind | undefined): AuditedRecord => ({
    record,
    rule,
    matches: (matches.get(record) ?? []).sort(byRelevance),
  });
  const isSent = (record: JsonObject): boolean =>
    (record['cancelled'] !== true || hadSendingStarted(record)) &&
    Number(record['scheduledtime']) >= since &&
    Number(record['scheduledtime']) < until;
  const tasks = observed.tasks
    .filter(isSent)
    .toSorted((a, b) => Number(a['scheduledtime']) - Number(b['scheduledtime']) || compareIds(a, b));
  const rules = RULE_KINDS.flatMap((kind) =>
    observed.rules[kind].filter(({ paused }) => paused !== true).map((record) => audited(record, kind)),
  );
  return [...tasks.map((record) => audited(record, undefined)), ...rules];
}

const byRelevance = (a: PlanComparedWithRecord, b: PlanComparedWithRecord): number =>
  Math.sign(a.changes.length) - Math.sign(b.changes.length) || b.plan.plan.made - a.plan.plan.made;

/**
 * Creates the audit row of a task or rule. The verdict in the row says whether an approved plan describes the record.
 * @param approvers returns the people who have validly approved a plan
 * @param needed number of approvals that a plan needs
 */
export function createAuditRow(
  { record, rule, matches }: AuditedRecord,
  approvers: (plan: NamedPlan) => readonly string[],
  needed: number,
): AuditRow {
  const approved = matches.find(({ plan }) => approvers(plan).length >= needed);
  const match = approved ?? matches[0];
  const isAsApproved = approved !== undefined && approved.changes.length === 0;
  return {
    kind: rule === undefined ? 'task' : 'automation',
    id: rule === undefined ? String(record['id']) : `${rule}:${String(record['id'])}`,
    name: String(record['name']),
    time: rule === undefined ? Number(record['scheduledtime']) : null,
    size: rule === undefined && typeof record['size'] === 'number' ? record['size'] : null,
    plan: match?.plan.name ?? null,
    approvedBy: match === undefined ? [] : approvers(match.plan),
    verdict: isAsApproved ? 'approved' : approved === undefined ? 'unapproved' : 'changed',
    changes: approved?.changes ?? [],
  };
}

/** Observed records: all of them, and those of each campaign. Each plan is compared only with the records of its own campaign. */
interface RecordsByCampaign {
  readonly observed: ObservedCompanyRecords;
  readonly ofCampaign: ReadonlyMap<string, ObservedCompanyRecords>;
}

function partsOf(observed: ObservedCompanyRecords): RecordsByCampaign {
  const campaigns = new Map<string, ObservedCompanyRecords>();
  const of = (record: JsonObject): ObservedCompanyRecords | undefined => {
    const campaign = parseCampaignMark(record['name'])?.mark.campaignHash;
    if (campaign === undefined) return undefined;
    const known = campaigns.get(campaign) ?? emptyLike(observed);
    campaigns.set(campaign, known);
    return known;
  };
  const put = (
    rows: readonly JsonObject[],
    into: (part: ObservedCompanyRecords) => readonly JsonObject[],
  ): void => {
    for (const record of rows) {
      const part = of(record);
      if (part) (into(part) as JsonObject[]).push(record);
    }
  };
  put(observed.tasks, ({ tasks }) => tasks);
  for (const channel of CHANNELS) put(observed.messages[channel], ({ messages }) => messages[channel]);
  for (const kind of RULE_KINDS) put(observed.rules[kind], ({ rules }) => rules[kind]);
  return { observed, ofCampaign: campaigns };
}

const emptyLike = (observed: ObservedCompanyRecords): ObservedCompanyRecords => ({
  ...observed,
  folders: [],
  tasks: [],
  messages: { email: [], sms: [] },
  rules: Object.fromEntries(
    RULE_KINDS.map((kind): [RuleKind, JsonObject[]] => [kind, []]),
  ) as unknown as ObservedCompanyRecords['rules'],
});

function* matchesOf(
  named: NamedPlan,
  { observed, ofCampaign }: RecordsByCampaign,
): Generator<{ readonly record: JsonObject; readonly match: PlanComparedWithRecord }> {
  const { wanted, options } = named.plan.inputs;
  const campaign = assignRecordsToTakeOver(wanted, options.adopt);
  const own = ofCampaign.get(computeCampaignNameHash(campaign.campaign)) ?? emptyLike(observed);
  // A record that is adopted has no mark of its own, and a reference by name or id may lead to any message.
  const part = campaign.items.some((item) => findRecordTakenOverByItem(item) !== undefined)
    ? observed
    : campaign.items.some(refersOutside)
      ? { ...own, messages: observed.messages }
      : own;
  const situation = createPlanningSituation(campaign, part, { ...options, madeAt: named.plan.made });
  const { references } = named.plan.observed;
  const steps = new Map(named.plan.steps.map((step) => [`${step.kind} ${step.key}`, step]));
  for (const item of campaign.items) {
    const step = steps.get(`${item.kind} ${item.key}`);
    if (step === undefined || !APPROVED_ACTIONS.includes(step.action)) continue;
    if (item.kind !== 'task' && item.kind !== 'automation') continue;
    const compared = situation
      .own(item.kind, item.key)
      .filter(({ isSetAside, record }) => !isSetAside && timesFit(named.plan, step, record))
      .map((own) => ({
        own,
        changes:
          item.kind === 'task'
            ? taskChanges(situation, item, step, references, own)
            : ruleChanges(situation, item, references, own),
      }));
    const [first] = compared.filter(({ changes }) => changes.length === 0);
    for (const { own, changes } of compared) {
      // An item is one send. A second record with its mark and content was not approved.
      if (changes.length === 0 && own !== first?.own && own.record['cancelled'] !== true) continue;
      yield {
        record: own.record,
        match: { plan: named, approvalDeadline: approvedAt(named.plan, own.record), changes },
      };
    }
  }
}

const APPROVED_ACTIONS: readonly Step['action'][] = ['create', 'replace', 'change', 'keep'];

function refersOutside(item: WantedItem): boolean {
  if (item.kind === 'task') return !('key' in item.message);
  return (
    item.kind === 'automation' && Object.values(item.references).some((reference) => !('key' in reference))
  );
}

/**
 * Returns whether the plan was made before the send time and was valid at the record's creation. A new item's record must be younger than
 * it.
 */
function timesFit({ made, validUntil }: Plan, { action }: Step, record: JsonObject): boolean {
  const created = Number(record['cdate'] ?? made);
  const time = Number(record['scheduledtime'] ?? made);
  const isNew = action === 'create' || action === 'replace';
  return created < validUntil && made <= time && (!isNew || created >= made);
}

const approvedAt = ({ made }: Plan, { cdate }: JsonObject): number => Math.max(made, Number(cdate ?? made));

function taskChanges(
  situation: PlanningSituation,
  wanted: WantedTask,
  { time }: Step,
  references: References,
  own: RecordOwnedByCampaign,
): readonly AttributeChange[] {
  const { record, name, currentHash } = own;
  const { list_id, search_id, rate = null, scheduledtime } = record;
  const channel: Channel = record['channel'] === 'sms' ? 'sms' : 'email';
  const { message } = wanted;
  const sent: SentMessage = { channel, id: String(record['message_id']), name: `task ${wanted.key} message` };
  const identity = identityIn(situation, message, references, sent);
  const content = messageChange(situation, message, references, sent);
  if (
    time !== undefined &&
    identity !== undefined &&
    currentHash === computeWantedTaskHash(wanted, identity, time)
  )
    return content;
  const isSameMessage = identity === situation.identityOf(channel, record['message_id']);
  const all: readonly AttributeChange[] = [
    { attribute: 'name', from: wanted.name, to: name },
    { attribute: 'scheduledtime', from: time ?? null, to: Math.floor(Number(scheduledtime)) },
    { attribute: 'list_id', from: wanted.list, to: digits(list_id) },
    { attribute: 'search_id', from: wanted.search, to: digits(search_id) },
    { attribute: 'rate', from: wanted.rate, to: rate as Value },
    { attribute: 'message', from: calledIn(message), to: isSameMessage ? calledIn(message) : calledAs(sent) },
  ];
  const changes = all.filter(({ from, to }) => from !== to);
  return [...orContentDiffers(changes), ...content];
}

function ruleChanges(
  situation: PlanningSituation,
  wanted: WantedRule,
  references: References,
  own: RecordOwnedByCampaign,
): readonly AttributeChange[] {
  const { record, name } = own;
  const channels = messageAttributesOfRule(wanted.rule, wanted.values);
  const identities: Record<string, MessageIdentity> = {};
  const contents: AttributeChange[] = [];
  const attributes: Record<string, Value> = { ...wanted.values, paused: wanted.paused };
  for (const [attribute, reference] of Object.entries(wanted.references)) {
    const channel = channels[attribute];
    const id = String(record[attribute]);
    const sent = channel && { channel, id, name: `automation ${wanted.key} ${attribute}` };
    identities[attribute] =
      (sent
        ? identityIn(situation, reference, references, sent)
        : 'id' in reference && `id:${reference.id}`) || '';
    if (sent && identities[attribute] === situation.identityOf(sent.channel, record[attribute]))
      contents.push(...messageChange(situation, reference, references, sent));
    else if (!sent || identities[attribute] !== `id:${id}`) attributes[attribute] = calledIn(reference);
  }
  const content = computeWantedRuleHash(wanted, identities, wanted.paused);
  if (own.rule === wanted.rule && own.currentHash === content) return contents;
  const changes = Object.entries({ name: wanted.name, ...attributes }).flatMap(
    ([attribute, from]): readonly AttributeChange[] => {
      const to = attribute === 'name' ? name : ((record[attribute] ?? null) as Value);
      const isSame = String(from) === String(to) || String(from) === `message ${String(to)}`;
      return from === null || isSame ? [] : [{ attribute, from, to }];
    },
  );
  return [...orContentDiffers(changes), ...contents];
}

/** Returns the changes. If the list is empty, returns one change that says only that the content differs. */
const orContentDiffers = (changes: readonly AttributeChange[]): readonly AttributeChange[] =>
  changes.length > 0 ? changes : [{ attribute: 'content', from: 'as approved', to: 'another' }];

type References = Plan['observed']['references'];

interface SentMessage {
  readonly channel: Channel;
  readonly id: string;
  /** Key of the message in `observed.references` of a plan: kind and key of the item, and the attribute, as in `task spring message`. */
  readonly name: string;
}

const calledAs = ({ channel, id }: SentMessage): string => `${channel} message ${id}`;

const calledIn = (reference: MessageReference): string =>
  `message ${'key' in reference ? reference.key : 'id' in reference ? reference.id : reference.name}`;

/** Returns the identity that the plan recorded for the message, because a name in the file may now refer to another message. */
function identityIn(
  { identityOf }: PlanningSituation,
  reference: MessageReference,
  references: References,
  { name, channel }: SentMessage,
): MessageIdentity | undefined {
  if ('key' in reference) return messageIdentityOfKey(reference.key);
  const approved = references[name];
  return approved && identityOf(channel, parseIntegerDigits(approved.id));
}

/**
 * Returns one change if a task or rule sends another content than was approved. The plan has the whole content of a message in the file,
 * but only a hash of any other. Returns nothing if the record sends another message, because another comparison reports that.
 */
function messageChange(
  { campaign, observed, identityOf }: PlanningSituation,
  reference: MessageReference,
  references: References,
  sent: SentMessage,
): readonly AttributeChange[] {
  const found = observed.messages[sent.channel].find((row) => String(row['id']) === sent.id);
  const item = campaign.items.find(
    (each) => each.kind === 'message' && 'key' in reference && each.key === reference.key,
  );
  const isOwn =
    item?.kind === 'message' &&
    identityOf(sent.channel, parseIntegerDigits(sent.id)) === messageIdentityOfKey(item.key);
  const approved = references[sent.name];
  // The comparison of the record shows another message.
  if (!isOwn && approved?.id !== sent.id) return [];
  const links = observed.links.get(sent.id) ?? [];
  const contents = isOwn
    ? found && computePossibleHashesOfMessage(sent.channel, readNameWithoutCampaignMark(found), found, links)
    : found && computePossibleHashesOfMessage(sent.channel, String(found['name']), found, []).slice(0, 1);
  const content = isOwn ? computeWantedMessageHash(item) : approved?.content;
  if (content !== undefined && contents?.includes(content)) return [];
  const to = `${calledAs(sent)}${found === undefined ? ', which was deleted' : ' with another content'}`;
  return [{ attribute: 'message', from: `${calledIn(reference)} as approved`, to }];
}
