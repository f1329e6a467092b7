/** Tells how many people got each step of a sequence in a rehearsal, and on which days. */

import { formatTime } from '../../kit/text/timezone.ts';
import type { Db } from '../../sandbox/store/open.ts';
import { listRuleMessages, type RuleMessagesInTime } from '../../sandbox/store/rehearsal.ts';
import { SEQUENCE_RULE_KIND } from '../../service/resources/step-names.ts';
import type { Campaign } from '../campaign/model.ts';
import { createItemFinder } from '../campaign/renames.ts';
import { listSequences, timingOfStep } from '../campaign/sequences.ts';
import type { RehearsedRuleCounts, RehearsedSequence, RehearsedStep } from './rehearsal-result.ts';

interface Rehearsed {
  readonly campaigns: readonly Campaign[];
  readonly runs: readonly RehearsedRuleCounts[];
  /** All rules of the copy. */
  readonly rules: readonly { readonly kind: string; readonly id: unknown; readonly name: unknown }[];
  /** Unix seconds at which the rehearsal begins. */
  readonly since: number;
  readonly zone: string;
}

export async function rehearsedSequences(
  db: Db,
  companyId: number,
  { campaigns, runs, rules, since, zone }: Rehearsed,
): Promise<readonly RehearsedSequence[]> {
  const sequences = campaigns.flatMap((campaign) => {
    const findItem = createItemFinder(campaign);
    return listSequences(campaign.items).map((sequence) => ({ findItem, sequence }));
  });
  if (sequences.length === 0) return [];
  const messages = await listRuleMessages(db, companyId, SEQUENCE_RULE_KIND, since);
  return sequences.map(({ findItem, sequence: { key, name, list, steps } }) => ({
    ...{ key, name, list: Number(list) },
    steps: steps.map((step): RehearsedStep => {
      // A rule that another one has replaced still performs its queued actions.
      const isOfStep = ({ kind, name: ruleName }: Rehearsed['rules'][number]): boolean =>
        kind === SEQUENCE_RULE_KIND && findItem('automation', ruleName)?.key === step.rule.key;
      const ids = rules.filter(isOfStep).map(({ id }) => Number(id));
      const refs = ids.map((id) => `${SEQUENCE_RULE_KIND}:${id}`);
      const own = runs.filter(({ rule }) => refs.includes(rule));
      return {
        key: step.key,
        rule: refs.at(-1) ?? null,
        ...timingOfStep(step.rule),
        sent: own.reduce((sum, { sent }) => sum + sent, 0),
        queued: own.reduce((sum, { queued }) => sum + queued, 0),
        days: daysOf(
          messages.filter(({ id }) => ids.includes(Number(id))),
          zone,
        ),
      };
    }),
  }));
}

function daysOf(messages: readonly RuleMessagesInTime[], zone: string): RehearsedStep['days'] {
  const days: { day: string; first: number; last: number; sent: number }[] = [];
  for (const { first, last, sent } of messages) {
    const day = formatTime(Number(first), zone, 'table').slice(0, 10);
    const known = days.at(-1);
    if (known?.day === day) {
      known.last = Math.max(known.last, Number(last));
      known.sent += Number(sent);
    } else days.push({ day, first: Number(first), last: Number(last), sent: Number(sent) });
  }
  return days;
}
