/**
 * Keeps one active automation rule for each `--key`: the one with the lowest id. A rule is created paused, under an unfinished name, and
 * resumed after the look for others, so that two runs at once never leave two active rules.
 */

import type { BodyOf } from '../../kit/schema/resource.ts';
import { RULE_KINDS, type RuleRecord, type RuleResource } from '../../service/resources/rule-kinds.ts';
import { ClientError } from '../requests/errors.ts';
import { titleOf, unfinishedName } from '../requests/record-title.ts';
import { SendError } from './errors.ts';
import { type KeyedCreation, lookedAfterCreation, nameOfKeyed, type RecordUnderKey } from './keyed-record.ts';
import { findDifferences, findRecordsUnderKey, nothingDone, refuseDifferences } from './keys.ts';
import { resumeCreatedRule } from './resume-rule.ts';
import { findSameRules } from './rivals.ts';
import { listEarlier } from './same-send.ts';

export interface KeyedRule extends KeyedCreation {
  readonly resource: RuleResource;
  readonly body: BodyOf<RuleResource>;
  /** True if the user allows a rule that does the same as one of another key or campaign (`--both`). */
  readonly both: boolean;
}

const isActive = ({ paused }: RuleRecord): boolean => !paused;

/**
 * Returns the rule of an earlier run with the same key, or undefined. Pauses further active rules under the key, and resumes a rule whose
 * run ended before it could.
 * @throws SendError exit 5 if the rule has other content, or if someone paused it and another one is active; ClientError
 */
export async function findRuleOfEarlierRun(rule: KeyedRule): Promise<RuleRecord | undefined> {
  const { look, resource } = rule;
  const records = await findRecordsUnderKey(look, resource, nameOfKeyed(rule));
  const finished = records.filter(({ name }) => name === nameOfKeyed(rule));
  const stays = finished.find(isActive) ?? finished[0] ?? records[0];
  if (stays === undefined) return undefined;
  const pausedByHand = listEarlier(finished, stays)[0];
  if (pausedByHand !== undefined) {
    // A person may have paused one of two. A rule that was created after that must not replace the paused one.
    const active = records.filter(isActive);
    const [kept, ...twins] = active.filter(({ cdate }) => cdate < pausedByHand.mdate);
    for (const each of active)
      if (each.cdate >= pausedByHand.mdate)
        await withdraw(
          rule,
          each,
          `${titleOf(resource, pausedByHand)} with the same --key was paused before`,
        );
    for (const each of twins)
      await withdraw(rule, each, `${titleOf(resource, kept ?? {})} exists under the same --key`);
    throw pausedError(rule, pausedByHand, stays);
  }
  const twins = records
    .filter((each) => each !== stays && isActive(each))
    .map((each) => titleOf(resource, each));
  refuseDifferences(resource, stays, findDifferences(resource, rule.body, stays), nothingDone(twins));
  for (const other of records)
    if (other !== stays)
      await withdraw(rule, other, `${titleOf(resource, stays)} exists under the same --key`);
  const ids = records.map(({ id }) => id);
  const rivals = await findOthers(rule, (each) => isActive(each) && !ids.includes(each.id));
  if (!finished.includes(stays)) {
    await refuseSameRule(rule, rivals);
    return resume(rule, stays);
  }
  const isOlder = isActive(stays) && listEarlier(rivals, stays).length > 0;
  if (isOlder) await withdraw(rule, stays, `${titleOf(resource, rivals[0] ?? {})} does the same`);
  const done = isOlder ? 'svc has paused the rule of this key' : `${titleOf(resource, stays)} is unchanged`;
  await refuseSameRule(rule, rivals, done);
  return stays;
}

/**
 * Creates the rule. If a concurrent run created one under the same key first, deletes the own one and returns that of the other run.
 * @throws SendError exit 5 if another rule does the same, exit 10 if svc could not look; ClientError
 */
export async function createRuleUnderKey(rule: KeyedRule): Promise<RecordUnderKey> {
  const { client, resource, body, look } = rule;
  const known = await findOthers(rule, () => true);
  await refuseSameRule(rule, known.filter(isActive));
  const staysPaused = body.paused === true;
  const name = staysPaused ? nameOfKeyed(rule) : unfinishedName(nameOfKeyed(rule));
  const own = await client.create(resource, { ...body, name, paused: true }).catch(async (error: unknown) => {
    // The keyword of an SMS rule is unique, so the service refuses the rule of a second run (wire, "unique").
    if (error instanceof ClientError && error.status === 409) return error;
    throw error;
  });
  if (own instanceof Error) {
    const first = await findRuleOfEarlierRun(rule);
    if (first === undefined) throw own;
    return { record: first, isNew: false };
  }
  const { first, rivals, others } = await lookedAfterCreation(resource, own, async () => {
    const alike = await findRecordsUnderKey(look, resource, nameOfKeyed(rule));
    const ids = [...alike, own].map(({ id }) => id);
    const before = known.map(({ id }) => id);
    const isRival = (each: RuleRecord): boolean =>
      !ids.includes(each.id) &&
      (isActive(each) || (!before.includes(each.id) && listEarlier([each], own).length > 0));
    const others = alike.filter((each) => isActive(each) && each.id !== own.id);
    return { first: listEarlier(alike, own)[0], rivals: await findOthers(rule, isRival), others };
  });
  if (first !== undefined || rivals.length > 0) await client.remove(resource, { id: own.id });
  await refuseSameRule(rule, rivals, 'svc has deleted the rule of this run');
  if (first === undefined) {
    // The run of a later rule may be gone.
    for (const each of others)
      await withdraw(rule, each, `${titleOf(resource, own)} exists under the same --key`);
    return { record: staysPaused ? own : await resume(rule, own), isNew: true };
  }
  const differences = findDifferences(resource, body, first);
  refuseDifferences(resource, first, differences, 'svc has deleted the rule of this run');
  const isUnfinished = first.name === unfinishedName(nameOfKeyed(rule));
  return { record: isUnfinished ? await resume(rule, first) : first, isNew: false };
}

/** Returns none with `--both`. */
async function findOthers(
  { client, resource, body, both }: KeyedRule,
  isWanted: (record: RuleRecord) => boolean,
): Promise<readonly RuleRecord[]> {
  const kind = RULE_KINDS.find((each) => each === resource.variant);
  if (both || kind === undefined) return [];
  return (await findSameRules(client, kind, body)).filter(isWanted);
}

/** @throws SendError exit 5 */
async function refuseSameRule(
  { resource }: KeyedRule,
  [other]: readonly RuleRecord[],
  done = 'nothing was created',
): Promise<void> {
  if (other === undefined) return;
  throw new SendError(
    'same-send',
    `${titleOf(resource, other)} has the same trigger, action, target and delay; ${done}`,
    {
      outcome: 'conflict',
      hint: `To keep both rules active, add --both. To keep ${titleOf(resource, other)} alone, change nothing.`,
    },
  );
}

async function resume({ client, resource, body }: KeyedRule, record: RuleRecord): Promise<RuleRecord> {
  const resumed = await resumeCreatedRule(client, resource, record.id, String(body.name));
  if (resumed !== undefined) return resumed;
  throw new SendError('drift', `${titleOf(resource, record)} was deleted before svc could resume it`, {
    outcome: 'conflict',
    hint: 'Run the same command again to create the rule.',
  });
}

/** Pauses a further active rule under the key. Deletes a rule that was never resumed. */
async function withdraw(
  { client, resource, body, warn }: KeyedRule,
  record: RuleRecord,
  why: string,
): Promise<void> {
  const isUnfinished = record.name === unfinishedName(String(body.name));
  if (isUnfinished && !isActive(record)) {
    await client.remove(resource, { id: record.id });
    await warn(`${why}; ${titleOf(resource, record)}, which never acted, is deleted`);
  } else if (isActive(record)) {
    await client.update(resource, record.id, { paused: true });
    await warn(`${why}; ${titleOf(resource, record)} is paused`);
  }
}

function pausedError({ resource }: KeyedRule, paused: RuleRecord, active: RuleRecord): SendError {
  const id = `${resource.variant}:${active.id}`;
  return new SendError(
    'cancelled-before',
    `${titleOf(resource, paused)}, the first rule with this --key, is paused, and svc has created ${titleOf(resource, active)} with the same --key`,
    {
      outcome: 'conflict',
      hint: `svc automation get ${id} shows whether it is active. To create another rule, use another --key.`,
    },
  );
}
