/**
 * Sequences of a campaign file: messages that subscribers of a list get one after the other. The file's reader makes a rule of each step, so
 * that plans, marks and approvals treat steps as they treat any rule. The key and name of such a rule contain those of the sequence.
 */

import { parseStepName } from '../../service/resources/step-names.ts';
import type { Channel } from '../../service/resources/task.ts';
import type { MessageReference, WantedItem, WantedRule } from './model.ts';

export interface CampaignSequence {
  readonly key: string;
  readonly name: string;
  /** Id of the list whose new subscribers get the messages. */
  readonly list: string;
  /** Sorted as in the file. */
  readonly steps: readonly SequenceStep[];
}

export interface SequenceStep {
  /** Key or number of the step in its sequence. */
  readonly key: string;
  readonly rule: WantedRule;
}

/** The key of an item has no slash, so no other rule of the file has this key. */
export const formatStepItemKey = (sequence: string, step: string): string => `${sequence}/${step}`;

/** Undefined for a rule that is no step of a sequence. */
export function parseStepItemKey(
  key: string | null | undefined,
): { readonly sequence: string; readonly step: string } | undefined {
  const [sequence = '', step, ...others] = (key ?? '').split('/');
  return step === undefined || others.length > 0 ? undefined : { sequence, step };
}

export function listSequences(items: readonly WantedItem[]): readonly CampaignSequence[] {
  const found = new Map<string, SequenceStep[]>();
  for (const item of items) {
    const parsed = item.kind === 'automation' ? parseStepItemKey(item.key) : undefined;
    if (item.kind !== 'automation' || !parsed) continue;
    found.set(parsed.sequence, [...(found.get(parsed.sequence) ?? []), { key: parsed.step, rule: item }]);
  }
  return [...found].flatMap(([key, steps]) => {
    const [first] = steps;
    const list = first?.rule.references['list_id'];
    if (!first || !list || !('id' in list)) return [];
    const name = parseStepName(first.rule.name)?.sequence ?? first.rule.name;
    return [{ key, name, list: list.id, steps }];
  });
}

/** When a step sends what, as results in JSON have it. */
export interface SequenceStepTiming {
  readonly channel: Channel;
  readonly message: MessageReference;
  /** Minutes from the subscription. */
  readonly minutes: number;
  /** Local time, such as `09:00:00`. */
  readonly hour: string | null;
  readonly weekends: boolean;
}

export function timingOfStep({ values, references }: WantedRule): SequenceStepTiming {
  const { actiontype, actiontimediff, actionhour, actiononweekend } = values;
  return {
    channel: actiontype === 'sms_autoresponder' ? 'sms' : 'email',
    message: references['actiontarget'] ?? { key: '' },
    minutes: typeof actiontimediff === 'number' ? actiontimediff : 0,
    hour: typeof actionhour === 'string' ? actionhour : null,
    weekends: actiononweekend !== false,
  };
}
