/** A new rule stays paused until no other active rule does the same, so that no action happens twice. */

import { resumeCreatedRule, updateAfterRead } from '../../../client/sends/resume-rule.ts';
import { parseIntegerDigits } from '../../../kit/schema/integer.ts';
import type { Values } from '../../../kit/schema/resource.ts';
import { parseCampaignMark, REPLACED_RECORD_MARK_LETTER } from '../../../service/resources/campaign-mark.ts';
import {
  messageAttributesOfRule,
  RULE_DEFINITIONS,
  RULE_KINDS,
  type RuleKind,
  ruleResource,
} from '../../../service/resources/rule-kinds.ts';
import { computeWantedRuleHash, type MessageIdentity, ruleAttributesToReset } from '../content.ts';
import { CampaignError, changedByHandError, changedMeanwhileError, otherRunError } from '../errors.ts';
import type { RuleRecord, RuleResource, Step, WantedRule } from '../model.ts';
import { readNameWithoutCampaignMark } from '../plan/adoption.ts';
import { describeSameRules, findRivalOfOwnRule } from '../plan/rival-rules.ts';
import { givesWay } from '../plan/rival-sends.ts';
import { hashRuleRecord } from '../plan/rule-references.ts';
import { mustPauseReplacedRule } from '../plan/rules.ts';
import {
  findIdentityOfResolvedMessage,
  type RecordOwnedByCampaign,
  resolveMessage,
} from '../plan/situation.ts';
import {
  type ApplyContext,
  findLastWrittenHash,
  nameOfRetiredRecord,
  nameWithMark,
  type StepResult,
} from './context.ts';
import { findSameRuleOfOthers, isRuleActive } from './rivals.ts';

interface References {
  /** Values by attribute, as the service takes them. `actiontarget` is a string; all other values are numbers. */
  readonly values: Readonly<Record<string, number | bigint | string>>;
  readonly identities: Readonly<Record<string, MessageIdentity>>;
}

export async function applyRule(context: ApplyContext, wanted: WantedRule, step: Step): Promise<StepResult> {
  const record = await writeRule(context, wanted, step);
  return { id: `${wanted.rule}:${record.id}` };
}

function writeRule(context: ApplyContext, wanted: WantedRule, step: Step): Promise<RuleRecord> {
  if (step.action === 'rename') return renameRule(context, wanted, step);
  const references = referencesOf(context, wanted);
  return step.action === 'change'
    ? change(context, wanted, step, references)
    : make(context, wanted, references);
}

/** Gives the rule the mark of the item's key. The PUT has only the name, so what the rule does stays the same. */
async function renameRule(context: ApplyContext, wanted: WantedRule, step: Step): Promise<RuleRecord> {
  const read = await rereadRule(context, wanted, step);
  const written = findLastWrittenHash(context, wanted, read, { rule: wanted.rule }) ?? '';
  const name = nameWithMark(context, { ...wanted, name: readNameWithoutCampaignMark(read) }, written);
  const resource = RULE_DEFINITIONS[wanted.rule].resource;
  const changed = await updateAfterRead(context.client, resource, read.id, { name }, (now) => {
    if (context.overwrite || haveSameContent(context, wanted, now, read)) return true;
    if (now.name === name) return false;
    throw changedByHand(String(step.id));
  });
  if (!changed) throw new CampaignError('drift', `rule ${step.id} no longer exists`);
  if (contentOf(context, wanted, changed) !== contentOf(context, wanted, read)) {
    // The new name took the place of the mark with which another run has just replaced the rule.
    if (changed.paused === true && (await hasNewRules(context, wanted)))
      await retireRule(context, wanted, changed);
    throw changedMeanwhileError(`rule ${step.id}`, 'renaming the record');
  }
  return changed;
}

async function make(context: ApplyContext, wanted: WantedRule, references: References): Promise<RuleRecord> {
  const { client, newRecords } = context;
  const resource = RULE_DEFINITIONS[wanted.rule].resource;
  const body = bodyOf(context, wanted, references, true);
  await newRecords.refresh(resource);
  const there = await findNewRules(context, wanted, resource);
  const isThis = (found: RuleRecord): boolean =>
    [body.name, bodyOf(context, wanted, references, false).name].includes(found.name) &&
    hasReferencedIds(found, references);
  const other = there.find((found) => !isThis(found));
  if (other) throw otherRunError(`automation ${wanted.key}`, `rule ${idOfRule(wanted.rule, other)}`);
  let [record] = there;
  if (!record) {
    const before = await findSameRuleOfOthers(context, wanted, body);
    if (before) throw duplicateRuleError(wanted, before);
    const made = await client.create(resource, body, {
      stateBefore: { above: newRecords.highestId(resource) },
    });
    const first = await findRuleOfOtherRun(context, wanted, made);
    const same = first ? undefined : await findSameRuleOfOthers(context, wanted, body, made);
    if (same) {
      await deleteOwnRule(context, wanted, made);
      throw duplicateRuleError(wanted, same);
    }
    if (first) {
      await deleteOwnRule(context, wanted, made);
      if (first.rule !== wanted.rule || !isThis(first.record))
        throw otherRunError(`automation ${wanted.key}`, `rule ${idOfRule(first.rule, first.record)}`);
    }
    record = first?.record ?? made;
  }
  await pauseReplacedRules(context, wanted, record);
  return wanted.paused ? record : resumeRule(context, wanted, references, record);
}

/** @throws CampaignError if a person has changed it since, because svc must not delete that change */
async function deleteOwnRule(context: ApplyContext, wanted: WantedRule, made: RuleRecord): Promise<void> {
  const { client, overwrite } = context;
  const resource = RULE_DEFINITIONS[wanted.rule].resource;
  const found = await client.get(resource, made.id);
  if (!found) return;
  if (!overwrite && !haveSameContent(context, wanted, found, made))
    throw changedByHandError(
      `someone changed rule ${idOfRule(wanted.rule, made)} by hand, and another run has created the same rule again`,
    );
  await client.remove(resource, { id: made.id });
}

/**
 * Finds the rule of another run to which this run's rule must give way. If both have one kind, the higher id gives way. If they have two
 * kinds, both give way, because their ids can't be compared. The item may then have no rule, but never two.
 * @param made rule that this run created. Undefined for a changed rule, which gives way to every new rule.
 * @throws CampaignError if this run's rule stays, but a person has resumed the other one, so that both would act
 */
async function findRuleOfOtherRun(
  context: ApplyContext,
  wanted: WantedRule,
  made?: RuleRecord,
): Promise<{ readonly rule: RuleKind; readonly record: RuleRecord } | undefined> {
  const kinds = RULE_KINDS.map((kind) => [kind, RULE_DEFINITIONS[kind].resource] as const);
  await Promise.all(kinds.map(([, resource]) => context.newRecords.refresh(resource)));
  for (const [rule, resource] of kinds)
    for (const record of await findNewRules(
      context,
      wanted,
      resource,
      rule === wanted.rule ? made : undefined,
    )) {
      if (!made || rule !== wanted.rule || record.id < made.id) return { rule, record };
      // This run's rule takes precedence. The rule of the other run stays paused unless a person resumes that rule.
      if (record.paused === false) throw resumedByHandError(idOfRule(rule, record));
    }
  return undefined;
}

async function hasNewRules(context: ApplyContext, wanted: WantedRule): Promise<boolean> {
  for (const { resource } of Object.values(RULE_DEFINITIONS)) {
    await context.newRecords.refresh(resource);
    if ((await findNewRules(context, wanted, resource)).length > 0) return true;
  }
  return false;
}

async function findNewRules(
  { client, newRecords }: ApplyContext,
  { key }: WantedRule,
  resource: RuleResource,
  made?: RuleRecord,
): Promise<readonly RuleRecord[]> {
  const now: RuleRecord[] = [];
  for (const { id } of newRecords.recordsOfItem(resource, 'automation', key)) {
    if (id === made?.id) continue;
    const record = await client.get(resource, id);
    if (record && parseCampaignMark(record.name)?.mark.contentHashOrReason !== REPLACED_RECORD_MARK_LETTER)
      now.push(record);
  }
  return now;
}

const idOfRule = (rule: RuleKind, { id }: RuleRecord): string => `${rule}:${id}`;

const resumedByHandError = (id: string): CampaignError =>
  new CampaignError('drift', `someone resumed rule ${id}, which another run created`, {
    hint: 'Run svc plan again to see the resumed rule. To let svc pause that rule again, add --overwrite.',
  });

const duplicateRuleError = ({ key, rule }: WantedRule, other: RuleRecord): CampaignError => {
  const id = idOfRule(rule, other);
  const called = `rule ${id}${parseCampaignMark(other.name) ? '' : ', which has no mark,'}`;
  return new CampaignError('drift', `automation ${key}: ${called} has the same trigger, action and target`, {
    hint: `Run svc plan again to see rule ${id}. To use that rule for this automation, add --adopt ${key}=${id}. To keep that rule and also create the rule of your file, add --both.`,
  });
};

async function change(
  context: ApplyContext,
  wanted: WantedRule,
  step: Step,
  references: References,
): Promise<RuleRecord> {
  const { client } = context;
  const resource = RULE_DEFINITIONS[wanted.rule].resource;
  let found = await rereadRule(context, wanted, step);
  if (step.changes === undefined) await giveWayToRival(context, wanted, found);
  // Retiring the earlier rules takes time, in which a person may change this rule.
  if (await pauseReplacedRules(context, wanted, found)) found = await rereadRule(context, wanted, step);
  const body = bodyOf(context, wanted, references, wanted.paused);
  const all = {
    ...ruleAttributesToReset(wanted.rule, body, found),
    ...withoutMessagesInUse(context, step, body, found, wanted.rule),
  };
  const sent = withoutFixedAttributes(wanted, found, all);
  const read = found;
  const changed = await updateAfterRead(client, resource, found.id, sent, (now) => {
    if (context.overwrite || haveSameContent(context, wanted, now, read)) return true;
    // Another run or an earlier attempt has made the change.
    if (now.name === body.name) return false;
    throw changedByHand(String(step.id));
  });
  if (!changed) throw new CampaignError('drift', `rule ${step.id} no longer exists`);
  if (!wanted.paused) await withdrawRule(context, wanted, changed);
  // The PUT did not set these attributes.
  if (Object.keys(ruleAttributesToReset(wanted.rule, body, changed)).length > 0)
    throw changedMeanwhileError(`rule ${step.id}`, 'updating the record');
  if (step.changes === undefined) await refuseRival(context, wanted, changed);
  return changed;
}

/** The rule may use another record of the wanted version than `context.versions`. */
function withoutMessagesInUse(
  { situation: { identityOf } }: ApplyContext,
  { changes = [] }: Step,
  body: Values,
  found: RuleRecord,
  rule: RuleKind,
): Values {
  const channels = messageAttributesOfRule(rule, found);
  const isInUse = (name: string): boolean =>
    channels[name] !== undefined &&
    identityOf(channels[name], found[name]) === identityOf(channels[name], body[name]) &&
    !changes.some(({ attribute }) => attribute === name);
  return Object.fromEntries(Object.entries(body).filter(([name]) => !isInUse(name)));
}

/** Pauses the item's rule if another active one with a lower id does the same. Throws CampaignError if it did. */
async function giveWayToRival(context: ApplyContext, wanted: WantedRule, own: RuleRecord): Promise<void> {
  const rival = findRivalOfOwnRule(context.situation, wanted.rule, own);
  if (rival === undefined || !givesWay(own, rival)) return;
  if (!(await isRuleActive(context, wanted.rule, rival.record))) return;
  await retireRule(context, wanted, own);
  throw duplicateRuleError(wanted, rival.record);
}

/** @throws CampaignError if there is one */
async function refuseRival(context: ApplyContext, wanted: WantedRule, own: RuleRecord): Promise<void> {
  const rival = findRivalOfOwnRule(context.situation, wanted.rule, own);
  if (rival === undefined || !(await isRuleActive(context, wanted.rule, rival.record))) return;
  const other = idOfRule(wanted.rule, rival.record);
  throw new CampaignError(
    'drift',
    `automation ${wanted.key}: ${describeSameRules(other, idOfRule(wanted.rule, own))}`,
    { hint: `Pause one of them (svc automation pause ${other}), or use --both to keep both.` },
  );
}

async function retireRule({ client }: ApplyContext, wanted: WantedRule, own: RuleRecord): Promise<void> {
  const marked = parseCampaignMark(own.name);
  const name = marked ? nameOfRetiredRecord(marked.name, marked.mark) : own.name;
  await client.update(RULE_DEFINITIONS[wanted.rule].resource, own.id, { paused: true, name });
}

/** @throws CampaignError if it no longer has the content that apply last wrote */
async function rereadRule(
  { client, ...context }: ApplyContext,
  wanted: WantedRule,
  { id = '' }: Step,
): Promise<RuleRecord> {
  const found = await client.get(
    RULE_DEFINITIONS[wanted.rule].resource,
    parseIntegerDigits(id.split(':')[1] ?? ''),
  );
  if (!found) throw new CampaignError('drift', `rule ${id} no longer exists`);
  if (!context.overwrite && !isAsWritten({ client, ...context }, wanted, found)) throw changedByHand(id);
  return found;
}

const changedByHand = (id: string): CampaignError =>
  changedByHandError(`rule ${id} was changed by hand since the plan was made`);

/**
 * Pauses the rule again if another run has paused it and this run's change has activated it.
 * @throws CampaignError if there is such a rule
 */
async function withdrawRule(context: ApplyContext, wanted: WantedRule, own: RuleRecord): Promise<void> {
  const first = await findRuleOfOtherRun(context, wanted);
  if (!first) return;
  await retireRule(context, wanted, own);
  throw otherRunError(`automation ${wanted.key}`, `rule ${idOfRule(first.rule, first.record)}`);
}

/** Returns the body of a PUT without `actiontype` and `actiontarget` if an autoresponder has them (interface, "Automation rules" 8). */
function withoutFixedAttributes({ values }: WantedRule, found: RuleRecord, body: Values): Values {
  const isFixed = [values.actiontype, found.actiontype].some((type) =>
    String(type).endsWith('_autoresponder'),
  );
  const { actiontype: _, actiontarget: __, ...others } = body;
  return isFixed ? others : body;
}

/**
 * Reads the rule and all rules with higher ids directly before the PUT. The service has no conditional PUT, so svc does not notice a change
 * between these two requests.
 * @throws CampaignError if a person or another run has changed the rule, or a person has resumed a newer rule of the item
 */
async function resumeRule(
  context: ApplyContext,
  wanted: WantedRule,
  references: References,
  record: RuleRecord,
): Promise<RuleRecord> {
  const { client, newRecords, overwrite } = context;
  const { name } = bodyOf(context, wanted, references, false);
  const resource = RULE_DEFINITIONS[wanted.rule].resource;
  const resumed = { ...record, paused: false, name };
  let found: RuleRecord | undefined;
  for await (const row of client.list(resource, { sort: 'id', from: record.id }))
    if (row.id === record.id) found = row;
    else if (row.paused === false && newRecords.isRecordOfItem(row, 'automation', wanted.key))
      throw resumedByHandError(idOfRule(wanted.rule, row));
  // Another run already resumed the rule.
  if (found && haveSameContent(context, wanted, found, resumed)) return found;
  if (!found || (!overwrite && !haveSameContent(context, wanted, found, record)))
    throw changedByHandError(
      `rule ${idOfRule(wanted.rule, record)} was ${found ? 'changed' : 'deleted'} by hand before it was resumed`,
    );
  const changed = await resumeCreatedRule(client, resource, record.id, name);
  if (!changed || !haveSameContent(context, wanted, changed, resumed))
    throw changedMeanwhileError(`rule ${idOfRule(wanted.rule, record)}`, 'resuming the rule');
  return changed;
}

/**
 * Actions that they have queued still happen (interface, "States"). Returns whether it found such rules.
 * @throws CampaignError if one of them was changed by hand
 */
async function pauseReplacedRules(
  context: ApplyContext,
  wanted: WantedRule,
  kept: RuleRecord,
): Promise<boolean> {
  const { client, situation, overwrite } = context;
  const isKept = ({ rule, record }: RecordOwnedByCampaign<'automation'>): boolean =>
    rule === wanted.rule && record.id === kept.id;
  let isAny = false;
  for (const own of situation.own('automation', wanted.key)) {
    const { rule } = own;
    if (rule === undefined || isKept(own) || !mustPauseReplacedRule(own)) continue;
    isAny = true;
    const called = `rule ${idOfRule(rule, own.record)}`;
    const found = await client.get(RULE_DEFINITIONS[rule].resource, own.record.id);
    const marked = parseCampaignMark(found?.name);
    if (!found) continue;
    // The earlier rule may still be active, and a second one would do everything twice.
    if (!marked && parseCampaignMark(own.record.name))
      throw new CampaignError(
        'drift',
        `the name of ${called} was changed since the plan was made and no longer ends with the mark by which svc finds the rule`,
        {
          hint: `Run svc plan again to see ${called}. To use that rule for this automation, add --adopt ${wanted.key}=${idOfRule(rule, own.record)}.`,
        },
      );
    if (marked?.mark.contentHashOrReason === REPLACED_RECORD_MARK_LETTER && found.paused === true) continue;
    if (!overwrite && !isAsWritten(context, wanted, found, rule))
      throw changedByHand(idOfRule(rule, own.record));
    const name = nameOfRetiredRecord(readNameWithoutCampaignMark(found), own.mark);
    // The keyword must be unique, so the rule releases it for others (wire, "unique").
    const keyword = rule === 'sms' ? { keyword: null } : {};
    await client.update(RULE_DEFINITIONS[rule].resource, found.id, { paused: true, name, ...keyword });
    await context.note(`automation ${wanted.key}: svc paused ${called}, because another rule replaces it`);
  }
  return isAny;
}

/** @param rule the existing kind, which may differ from the file's */
function isAsWritten(
  context: ApplyContext,
  wanted: WantedRule,
  record: RuleRecord,
  rule: RuleKind = wanted.rule,
): boolean {
  return contentOf(context, { rule }, record) === findLastWrittenHash(context, wanted, record, { rule });
}

/** Compares records, not the hashes in their marks, because the plan's hash does not cover messages that this run created. */
const haveSameContent = (context: ApplyContext, wanted: WantedRule, a: RuleRecord, b: RuleRecord): boolean =>
  a.name === b.name && contentOf(context, wanted, a) === contentOf(context, wanted, b);

const contentOf = (
  { situation }: ApplyContext,
  { rule }: Pick<WantedRule, 'rule'>,
  record: RuleRecord,
): string => hashRuleRecord(rule, readNameWithoutCampaignMark(record), record, situation.identityOf);

function bodyOf(
  context: ApplyContext,
  wanted: WantedRule,
  { values, identities }: References,
  paused: boolean,
): Values & { readonly name: string } {
  const content = computeWantedRuleHash(wanted, identities, paused);
  const name = nameWithMark(context, wanted, content);
  return { ...requiredNulls(wanted), ...wanted.values, ...values, paused, name };
}

function requiredNulls({ rule }: WantedRule): Readonly<Record<string, null>> {
  const { fields, methods } = ruleResource(rule);
  const required = (methods.post?.required ?? []).filter((attribute) => fields[attribute]?.nullable === true);
  return Object.fromEntries(required.map((attribute) => [attribute, null]));
}

const hasReferencedIds = (found: RuleRecord, { values }: References): boolean =>
  Object.entries(values).every(([attribute, id]) => String(found[attribute]) === String(id));

function referencesOf({ situation, versions }: ApplyContext, wanted: WantedRule): References {
  const channels = messageAttributesOfRule(wanted.rule, wanted.values);
  const values: Record<string, number | bigint | string> = {};
  const identities: Record<string, MessageIdentity> = {};
  const blocked = (reason: string): CampaignError =>
    new CampaignError('blocked', `automation ${wanted.key}: ${reason}`);
  for (const [attribute, reference] of Object.entries(wanted.references)) {
    const channel = channels[attribute];
    let id = 'id' in reference ? reference.id : undefined;
    identities[attribute] = `id:${id}`;
    if (channel !== undefined) {
      const found = resolveMessage(situation, reference, channel);
      if ('fault' in found) throw blocked(`${attribute}: ${found.fault}`);
      identities[attribute] = findIdentityOfResolvedMessage(situation, found);
      if ('key' in found && !versions.has(found.key))
        throw blocked(`the message ${found.key} is blocked, so the rule cannot be created`);
      id = 'key' in found ? String(versions.get(found.key)?.id) : found.id;
    }
    if (id === undefined) throw blocked(`${attribute} must be an id`);
    values[attribute] = attribute === 'actiontarget' ? id : parseIntegerDigits(id);
  }
  return { values, identities };
}
