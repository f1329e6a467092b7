/** Checks how mail programs and filters treat a subject. */
import type { Draft } from './draft.ts';
import type { EmailRule } from './email-rules.ts';

/** Characters of a subject that common mail programs show. */
const SHOWN = 60;
/** Letters from which capitals count as shouting. One word in capitals, such as a name, does not. */
const LETTERS_OF_A_WORD = 8;

/** Returns the findings of a non-empty subject. Personalisation is removed before the check. */
export function subjectFindings(subject: string): readonly Draft<EmailRule>[] {
  const words = subject.replace(/\{\{[^{}]{0,1000}\}\}|\{%[^%]{0,1000}%\}/g, '').trim();
  const found: Draft<EmailRule>[] = [];
  const letters = [...words.matchAll(/\p{L}/gu)].length;
  const add = (rule: EmailRule, message: string, instead: string): void => {
    found.push({ rule, part: 'subject', message, instead });
  };
  if (letters >= LETTERS_OF_A_WORD && words === words.toUpperCase() && words !== words.toLowerCase())
    add('shouting-subject', 'The subject is all in capital letters.', 'Use lower case.');
  const marks = [...words.matchAll(/[!\u00a1]/g)].length;
  if (/!\s*!/.test(words) || marks > 2)
    add('shouting-subject', `The subject has ${marks} exclamation marks.`, 'Use at most one.');
  const length = [...words].length;
  if (length > SHOWN)
    add(
      'long-subject',
      `The subject has ${length} characters. Many mail programs show only ${SHOWN}.`,
      'Put the important words first.',
    );
  return found;
}
