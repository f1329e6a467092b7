/** Says the sentences of a rehearsal: puts in the names of rules and tasks. */

import type {
  RehearsalFinding,
  RehearsalResult,
  Sentence,
} from '../../../features/rehearse/rehearsal-result.ts';
import type { ReportFinding } from '../../../kit/report/report.ts';

export type SayRehearsed = (sentence: Sentence) => string;

/** @param sayRule gets the kind and id of a rule: `click:3` */
export const saySentence = (sentence: Sentence, sayRule: (rule: string) => string): string =>
  sentence
    .map((part) => {
      if (typeof part === 'string') return part;
      if ('rule' in part) return sayRule(part.rule);
      return 'task' in part ? `task ${part.task} (${part.name})` : part.title;
    })
    .join('');

export const sayWithIds: SayRehearsed = (sentence) => saySentence(sentence, (rule) => rule);

/** Operators find a rule by its id, which others do not need. */
export function sayWithNames(
  { rules, idleRules }: Pick<RehearsalResult, 'rules' | 'idleRules'>,
  readers: 'operators' | 'others',
): SayRehearsed {
  const names = new Map([...rules, ...idleRules].map(({ rule, name }) => [rule, name]));
  return (sentence) =>
    saySentence(sentence, (rule) => {
      const name = names.get(rule);
      if (name === undefined) return rule;
      return readers === 'operators' ? `${rule} (${name})` : `“${name}”`;
    });
}

export const reportFinding = (
  { rule, severity, message, at }: RehearsalFinding,
  say: SayRehearsed,
): ReportFinding => ({
  severity,
  // The message of a lint finding already ends with the name of its rule.
  text: `${at === null ? '' : `${at}: `}${say(message)}${rule === 'lint' ? '' : ` [${rule}]`}`,
});
