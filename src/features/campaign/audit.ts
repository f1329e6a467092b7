/** Compares the tasks and active rules of the service with the plans that describe them (contract, "Audit"). */

import { compareNumbers, parseIntegerDigits } from '../../kit/schema/integer.ts';
import { parseCampaignMark } from '../../service/resources/campaign-mark.ts';
import { messageAttributesOfRule, RULE_KINDS, type RuleKind } from '../../service/resources/rule-kinds.ts';
import type { Channel } from '../../service/resources/task.ts';
import {
  computePossibleHashesOfMessage,
  computeWantedMessageHash,
  computeWantedRuleHash,
  computeWantedTaskHash,
  digits,
  type MessageIdentity,
  messageIdentityOfKey,
  toValue,
} from './content.ts';
import { computeCampaignNameHash } from './marks.ts';
import {
  type AttributeChange,
  type MessageReference,
  type NamedRecord,
  type ObservedCompanyRecords,
  type RuleRecord,
  type Step,
  type TaskRecord,
  tableOfRuleKinds,
  type Value,
  type WantedItem,
  type WantedRule,
  type WantedTask,
} from './model.ts';
import { adoptedBy, assignRecordsToTakeOver, readNameWithoutCampaignMark } from './plan/adoption.ts';
import { itemsOfPlan } from './plan/series.ts';
import {
  createPlanningSituation,
  type PlanningSituation,
  type RecordOwnedByCampaign,
} from './plan/situation.ts';
import { wasCancelledAfterStart } from './plan/tasks.ts';
import type { Plan } from './plan-file/plan-file.ts';

export interface NamedPlan {
  readonly name: string;
  readonly plan: Plan;
  /** Digest of the bundle, which people signed instead of the plan's. */
  readonly signed?: string;
}

export type AuditVerdict = 'approved' | 'unapproved' | 'changed';

export interface AuditRow {
  readonly kind: 'task' | 'automation';
  /** `7`, or `click:3` for a rule. */
  readonly id: string;
  readonly name: string;
  /** Unix seconds; null for a rule. */
  readonly time: number | null;
  readonly size: number | null;
  /** Null if no plan describes the record. */
  readonly plan: string | null;
  readonly approvedBy: readonly string[];
  readonly verdict: AuditVerdict;
  /** Empty unless the verdict is `changed`. */
  readonly changes: readonly AttributeChange[];
}

export interface PlanComparedWithRecord {
  readonly plan: NamedPlan;
  /**
   * Time at which a signer's key must have been valid so that the approval counts, in Unix seconds. This is the time when the record or the
   * plan was created, whichever is later.
   */
  readonly approvalDeadline: number;
  readonly changes: readonly AttributeChange[];
}

/** Plans that match exactly come first, then the newest plans. */
export type AuditedRecord = { readonly matches: readonly PlanComparedWithRecord[] } & (
  | { readonly rule: undefined; readonly record: TaskRecord }
  | { readonly rule: RuleKind; readonly record: RuleRecord }
);

/**
 * Returns the tasks of the period by send time, then the active rules.
 * @param period its first second, and the first second after it, in Unix seconds
 */
export function matchRecordsWithPlans(
  observed: ObservedCompanyRecords,
  plans: readonly NamedPlan[],
  { since, until }: { readonly since: number; readonly until: number },
): readonly AuditedRecord[] {
  const all = new Map<NamedRecord, PlanComparedWithRecord[]>();
  const partOf = partsOf(observed);
  for (const plan of plans)
    for (const { record, match } of matchesOf(plan, observed, partOf)) {
      const known = all.get(record) ?? [];
      known.push(match);
      all.set(record, known);
    }
  const matches = (record: NamedRecord) => (all.get(record) ?? []).sort(byRelevance);
  const isSent = (record: TaskRecord): boolean =>
    (!record.cancelled || wasCancelledAfterStart(record)) &&
    record.scheduledtime >= since &&
    record.scheduledtime < until;
  const tasks = observed.tasks
    .filter(isSent)
    .toSorted((a, b) => a.scheduledtime - b.scheduledtime || compareNumbers(a.id, b.id))
    .map((record) => ({ record, rule: undefined, matches: matches(record) }));
  const rules = RULE_KINDS.flatMap((rule) =>
    observed.rules[rule]
      .filter(({ paused }) => !paused)
      .map((record) => ({ record, rule, matches: matches(record) })),
  );
  return [...tasks, ...rules];
}

const byRelevance = (a: PlanComparedWithRecord, b: PlanComparedWithRecord): number =>
  Math.sign(a.changes.length) - Math.sign(b.changes.length) || b.plan.plan.made - a.plan.plan.made;

/**
 * @param approvers returns the people who have validly approved a plan
 * @param needed number of approvals that a plan needs
 */
export function createAuditRow(
  audited: AuditedRecord,
  approvers: (plan: NamedPlan) => readonly string[],
  needed: number,
): AuditRow {
  const { record, rule, matches } = audited;
  const approved = matches.find(({ plan }) => approvers(plan).length >= needed);
  const match = approved ?? matches[0];
  const isAsApproved = approved !== undefined && approved.changes.length === 0;
  const task = audited.rule === undefined ? audited.record : undefined;
  return {
    kind: task ? 'task' : 'automation',
    id: task ? String(task.id) : `${rule}:${record.id}`,
    name: record.name,
    time: task?.scheduledtime ?? null,
    size: task?.size ?? null,
    plan: match?.plan.name ?? null,
    approvedBy: match === undefined ? [] : approvers(match.plan),
    verdict: isAsApproved ? 'approved' : approved === undefined ? 'unapproved' : 'changed',
    changes: approved?.changes ?? [],
  };
}

function partsOf(observed: ObservedCompanyRecords): (campaignHash: string) => ObservedCompanyRecords {
  const tasks = byCampaign(observed.tasks);
  const email = byCampaign(observed.messages.email);
  const sms = byCampaign(observed.messages.sms);
  const rules = RULE_KINDS.map((kind) => [kind, byCampaign(observed.rules[kind])] as const);
  return (own) => ({
    ...observed,
    folders: [],
    tasks: tasks(own),
    messages: { email: email(own), sms: sms(own) },
    rules: tableOfRuleKinds(rules.map(([kind, ofCampaign]) => [kind, ofCampaign(own)])),
  });
}

function byCampaign<R extends NamedRecord>(rows: readonly R[]): (campaignHash: string) => readonly R[] {
  const parts = new Map<string | undefined, R[]>();
  for (const row of rows) {
    const hash = parseCampaignMark(row.name)?.mark.campaignHash;
    const part = parts.get(hash);
    if (part) part.push(row);
    else parts.set(hash, [row]);
  }
  return (campaignHash) => parts.get(campaignHash) ?? [];
}

function* matchesOf(
  named: NamedPlan,
  observed: ObservedCompanyRecords,
  partOf: ReturnType<typeof partsOf>,
): Generator<{ readonly record: NamedRecord; readonly match: PlanComparedWithRecord }> {
  const { wanted, options } = named.plan.inputs;
  const campaign = assignRecordsToTakeOver({ ...wanted, items: itemsOfPlan(named.plan) }, options.adopt);
  const own = partOf(computeCampaignNameHash(campaign.campaign));
  // A record that is adopted has no mark of its own, and a reference by name or id may lead to any message.
  const part =
    campaign.renamedFrom || campaign.items.some((item) => adoptedBy(item) !== undefined)
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
    const isFit = (own: RecordOwnedByCampaign<'task' | 'automation'>): boolean =>
      !own.isSetAside && timesFit(named.plan, step, own);
    const compared =
      item.kind === 'task'
        ? situation
            .own('task', item.key)
            .filter(isFit)
            .map((own) => ({ own, changes: taskChanges(situation, item, step, references, own) }))
        : situation
            .own('automation', item.key)
            .filter(isFit)
            .map((own) => ({ own, changes: ruleChanges(situation, item, references, own) }));
    const [first] = compared.filter(({ changes }) => changes.length === 0);
    for (const { own, changes } of compared) {
      // An item is one send. A second record with its mark and content was not approved.
      const isCancelled = own.kind === 'task' && own.record.cancelled;
      if (changes.length === 0 && own !== first?.own && !isCancelled) continue;
      yield {
        record: own.record,
        match: { plan: named, approvalDeadline: approvedAt(named.plan, own.record), changes },
      };
    }
  }
}

const APPROVED_ACTIONS: readonly Step['action'][] = ['create', 'replace', 'change', 'rename', 'keep'];

function refersOutside(item: WantedItem): boolean {
  if (item.kind === 'task') return !('key' in item.message);
  return (
    item.kind === 'automation' && Object.values(item.references).some((reference) => !('key' in reference))
  );
}

/** A new item's record must be younger than it. */
function timesFit(
  { made, validUntil }: Plan,
  { action }: Step,
  { kind, record }: RecordOwnedByCampaign<'task' | 'automation'>,
): boolean {
  const created = record.cdate ?? made;
  const time = kind === 'task' ? record.scheduledtime : made;
  const isNew = action === 'create' || action === 'replace';
  return created < validUntil && made <= time && (!isNew || created >= made);
}

const approvedAt = ({ made }: Plan, { cdate }: TaskRecord | RuleRecord): number =>
  Math.max(made, cdate ?? made);

function taskChanges(
  situation: PlanningSituation,
  wanted: WantedTask,
  { time }: Step,
  references: References,
  own: RecordOwnedByCampaign<'task'>,
): readonly AttributeChange[] {
  const { record, name, currentHash } = own;
  const { channel, message_id, list_id, search_id, rate = null, scheduledtime } = record;
  const { message } = wanted;
  const sent: SentMessage = { channel, id: String(message_id), name: `task ${wanted.key} message` };
  const identity = identityIn(situation, message, references, sent);
  const content = messageChange(situation, message, references, sent);
  if (
    time !== undefined &&
    identity !== undefined &&
    currentHash === computeWantedTaskHash(wanted, identity, time)
  )
    return content;
  const isSameMessage = identity === situation.identityOf(channel, message_id);
  const all: readonly AttributeChange[] = [
    { attribute: 'name', from: wanted.name, to: name },
    { attribute: 'scheduledtime', from: time ?? null, to: Math.floor(scheduledtime) },
    { attribute: 'list_id', from: wanted.list, to: digits(list_id) },
    { attribute: 'search_id', from: wanted.search, to: digits(search_id) },
    { attribute: 'rate', from: wanted.rate, to: rate },
    { attribute: 'message', from: calledIn(message), to: isSameMessage ? calledIn(message) : calledAs(sent) },
  ];
  const changes = all.filter(({ from, to }) => from !== to);
  return [...orContentDiffers(changes), ...content];
}

function ruleChanges(
  situation: PlanningSituation,
  wanted: WantedRule,
  references: References,
  own: RecordOwnedByCampaign<'automation'>,
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
      const to = attribute === 'name' ? name : toValue(record[attribute]);
      const isSame = String(from) === String(to) || String(from) === `message ${String(to)}`;
      return from === null || isSame ? [] : [{ attribute, from, to }];
    },
  );
  return [...orContentDiffers(changes), ...contents];
}

/** Without changes, returns one that says only that the content differs. */
const orContentDiffers = (changes: readonly AttributeChange[]): readonly AttributeChange[] =>
  changes.length > 0 ? changes : [{ attribute: 'content', from: 'as approved', to: 'another' }];

type References = Plan['observed']['references'];

interface SentMessage {
  readonly channel: Channel;
  readonly id: string;
  /** Name in `observed.references` of a plan, as in `task spring message`. */
  readonly name: string;
}

const calledAs = ({ channel, id }: SentMessage): string => `${channel} message ${id}`;

const calledIn = (reference: MessageReference): string =>
  `message ${'key' in reference ? reference.key : 'id' in reference ? reference.id : reference.name}`;

/** A name in the file may now refer to another message. */
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
 * The plan has the whole content of a message in the file, but only a hash of any other. Returns nothing if the record sends another
 * message, because another comparison reports that.
 */
function messageChange(
  { campaign, observed, identityOf }: PlanningSituation,
  reference: MessageReference,
  references: References,
  sent: SentMessage,
): readonly AttributeChange[] {
  const found = observed.messages[sent.channel].find((row) => String(row.id) === sent.id);
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
    : found && computePossibleHashesOfMessage(sent.channel, found.name, found, []).slice(0, 1);
  const content = isOwn ? computeWantedMessageHash(item) : approved?.content;
  if (content !== undefined && contents?.includes(content)) return [];
  const to = `${calledAs(sent)}${found === undefined ? ', which was deleted' : ' with another content'}`;
  return [{ attribute: 'message', from: `${calledIn(reference)} as approved`, to }];
}
