import type { JsonObject } from '../../../protocol/envelope.ts';
import { emailMessage } from '../../../resources/email-message.ts';
import type { Finding } from '../../../schema/resource.ts';
import { lintVerb } from './lint.ts';

type Values = Readonly<Record<string, unknown>>;

/** What common mail programs show of a subject. */
const SHOWN_OF_A_SUBJECT = 60;

export const emailLint = lintVerb(emailMessage, {
  example: 'email lint --subject "Spring sale" --html-file sale.html --text-file sale.txt',
  about: 'Windows-1252, line lengths, opt-in elements, subject and parts',
  content: ['customoptin', 'fromemail', 'fromname', 'html', 'name', 'replyemail', 'subject', 'text'],
  faults: (values) => ['subject', 'html', 'text'].flatMap((attribute) => emptiness(values, attribute)),
  rows: (values) => [subjectRow(values), partRow(values, 'html'), partRow(values, 'text')],
});

function emptiness(values: Values, attribute: string): readonly Finding[] {
  const value = values[attribute];
  return typeof value === 'string' && value.trim() === '' ? [{ attribute, reason: 'is empty' }] : [];
}

function subjectRow({ subject }: Values): JsonObject {
  if (typeof subject !== 'string') return { check: 'subject', result: 'advice', detail: 'not given' };
  const length = [...subject].length;
  const long = length > SHOWN_OF_A_SUBJECT;
  return {
    check: 'subject',
    result: long ? 'advice' : 'ok',
    detail: long
      ? `${length} characters; many mail programs show ${SHOWN_OF_A_SUBJECT}`
      : `${length} characters`,
  };
}

function partRow(values: Values, part: 'html' | 'text'): JsonObject {
  const value = values[part];
  if (typeof value !== 'string') return { check: part, result: 'advice', detail: 'not given' };
  return { check: part, result: 'ok', detail: `${[...value].length} characters` };
}
