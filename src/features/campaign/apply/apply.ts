/** After an interruption, the user can run the command again: the marks in the names of the records show which steps are done. */

import { ClientError } from '../../../client/requests/errors.ts';
import { isActiveTask } from '../../../client/sends/same-send.ts';
import type { AnyRecord, Json, Resource } from '../../../kit/schema/resource.ts';
import { emailMessageLink } from '../../../service/resources/email-message-link.ts';
import { folder } from '../../../service/resources/folder.ts';
import { ruleResource } from '../../../service/resources/rule-kinds.ts';
import { MESSAGE_RESOURCES, task } from '../../../service/resources/task.ts';
import { computePossibleHashesOfMessage, computeTaskRecordHash } from '../content.ts';
import { CampaignError } from '../errors.ts';
import type { NamedRecord, ObservedCompanyRecords, Step, TaskRecord, WantedItem } from '../model.ts';
import { readNameWithoutCampaignMark } from '../plan/adoption.ts';
import { formatIdWithRuleKind } from '../plan/messages.ts';
import type { CampaignPlan } from '../plan/plan.ts';
import { hashRuleRecord } from '../plan/rule-references.ts';
import type { RecordOwnedByCampaign } from '../plan/situation.ts';
import { type ApplyContext, createNewRecordTracker, type StepResult } from './context.ts';
import { applyFolder, applyMessage } from './messages.ts';
import { applyRule } from './rules.ts';
import { applyTask, cancelCampaignTask } from './tasks.ts';

export interface PerformedStep {
  readonly step: Step;
  /** Undefined if the step writes nothing, because its action is `keep`, `orphaned` or `blocked`. */
  readonly result: StepResult | undefined;
}

export interface CampaignApplyDependencies extends Pick<ApplyContext, 'client' | 'sends' | 'note'> {
  readonly begin: (step: Step, position: { readonly at: number; readonly of: number }) => Promise<void>;
  readonly end: (applied: PerformedStep) => Promise<void>;
}

/** @param plan made from the newest look at the service. @throws CampaignError, ClientError */
export async function applyCampaign(
  { steps, situation, messages }: CampaignPlan,
  dependencies: CampaignApplyDependencies,
): Promise<readonly PerformedStep[]> {
  const { observed, options } = situation;
  const versions: ApplyContext['versions'] = new Map();
  const locked = new Set<string>();
  for (const [key, { current }] of messages) {
    if (!current?.channel) continue;
    const { id } = current.record;
    versions.set(key, { channel: current.channel, id });
    if (current.isAsWritten && Number(current.record.editable) !== 1) locked.add(`${current.channel} ${id}`);
  }
  const newRecords = createNewRecordTracker(dependencies.client, situation.readOwnMark, (resource) =>
    observedRecords(observed, resource),
  );
  const { overwrite } = options;
  const context: ApplyContext = {
    ...dependencies,
    ...{ situation, newRecords, overwrite, versions, locked },
  };
  const doing = steps.filter(isDone);
  const applied: PerformedStep[] = [];
  for (const step of steps) {
    let done: StepResult | undefined;
    if (isDone(step)) {
      await dependencies.begin(step, { at: doing.indexOf(step) + 1, of: doing.length });
      done = await doStep(context, step);
    }
    const each = { step, result: done };
    applied.push(each);
    if (done) await dependencies.end(each);
  }
  return applied;
}

/** For other resources, returns none, because apply never searches for new ones. */
function observedRecords(
  { tasks, rules }: ObservedCompanyRecords,
  { name, variant }: Resource,
): readonly NamedRecord[] {
  if (name === task.name) return tasks;
  return Object.entries(rules).find(([rule]) => rule === variant)?.[1] ?? [];
}

const isDone = ({ action }: Step): boolean => DOING.includes(action);

const DOING: readonly Step['action'][] = ['create', 'change', 'replace', 'rename', 'cancel'];

async function doStep(context: ApplyContext, step: Step): Promise<StepResult> {
  if (step.action === 'cancel') return removeUnnamed(context, step);
  const item = context.situation.campaign.items.find(
    ({ kind, key }) => kind === step.kind && key === step.key,
  );
  if (!item) throw new CampaignError('input', `the file has no ${step.kind} ${step.key}`);
  return doItem(context, item, step);
}

function doItem(context: ApplyContext, item: WantedItem, step: Step): Promise<StepResult> {
  switch (item.kind) {
    case 'folder':
      return applyFolder(context, item, step);
    case 'message':
      return applyMessage(context, item, step);
    case 'task':
      return applyTask(context, item, step);
    case 'automation':
      return applyRule(context, item, step);
  }
}

async function removeUnnamed(context: ApplyContext, step: Step): Promise<StepResult> {
  const { client, situation, overwrite } = context;
  const own = situation.unnamed.find(
    (each) => each.kind === step.kind && formatIdWithRuleKind(each) === step.id,
  );
  if (!own) throw new CampaignError('drift', `${step.kind} ${step.id} no longer exists`);
  const resource = resourceOf(own);
  const found = await client.get(resource, own.record.id);
  if (!found) return { id: null };
  if (own.kind === 'task' && !isActiveTask(found)) return { id: step.id ?? null };
  const { list_count = 0 }: AnyRecord & { readonly list_count?: Json } = found;
  if (own.kind === 'folder' && Number(list_count) > 0)
    throw new CampaignError(
      'drift',
      `folder ${step.id} now contains lists, which would be deleted with the folder`,
    );
  if (!overwrite && !(await isAsPlanned(context, own, found)))
    throw new CampaignError('drift', `${step.kind} ${step.id} was changed by hand since the plan was made`, {
      hint: 'Run svc plan again to see the change, or add --overwrite to delete the record anyway.',
    });
  if (own.kind === 'task') {
    await cancelCampaignTask(context, found as TaskRecord, 'the file no longer contains this task');
    return { id: step.id ?? null };
  }
  try {
    await client.remove(resource, { id: own.record.id });
  } catch (error) {
    // The service may permanently refuse to delete a message that was ever scheduled (interface, "States").
    if (own.kind !== 'message' || !(error instanceof ClientError) || error.status !== 423) throw error;
    await context.note(`message ${step.id} is still in use, so svc does not delete it`);
    return { id: step.id ?? null };
  }
  return { id: null };
}

function resourceOf({ kind, rule, channel }: RecordOwnedByCampaign): Resource {
  if (kind === 'task') return task;
  if (kind === 'folder') return folder;
  return rule ? ruleResource(rule) : MESSAGE_RESOURCES[channel ?? 'email'];
}

async function isAsPlanned(
  { client, situation }: ApplyContext,
  { kind, record, rule, channel, currentHash: planned }: RecordOwnedByCampaign,
  found: AnyRecord,
): Promise<boolean> {
  if (found.name !== record.name) return false;
  if (planned === undefined || kind === 'folder') return true;
  const name = readNameWithoutCampaignMark(found);
  if (kind === 'task') {
    const sent = found as TaskRecord;
    const identity = situation.identityOf(sent.channel, sent.message_id);
    return computeTaskRecordHash(name, sent, identity) === planned;
  }
  if (rule !== undefined) return hashRuleRecord(rule, name, found, situation.identityOf) === planned;
  const links = channel === 'email' ? await client.find(emailMessageLink, { message_id: record.id }) : [];
  return computePossibleHashesOfMessage(channel ?? 'email', name, found, links).includes(planned);
}
