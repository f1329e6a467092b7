/** Usual spellings of values of rules, which flags and campaign files accept besides those of the interface. */
import type { Field } from '../schema/field.ts';

const ACTIONS: Readonly<Record<string, string>> = {
  'add-to-list': 'addtolist',
  'copy-to-list': 'copytolist',
  'move-to-list': 'movetolist',
  'remove-from-list': 'removefromlist',
  autoresponder: 'email_autoresponder',
  'email-autoresponder': 'email_autoresponder',
  'sms-autoresponder': 'sms_autoresponder',
};

/** Returns the usual spellings of the field's values. */
export const usualSpellings = ({ values }: Field): readonly string[] =>
  Object.entries(ACTIONS).flatMap(([word, action]) => (values?.includes(action) ? [word] : []));

/** Returns `addtolist` for `add-to-list`, and `09:00:00` for `9`. Any other text is checked later. */
export function interfaceSpelling({ format, values }: Field, text: string): string {
  const word = text.toLowerCase();
  const action = Object.hasOwn(ACTIONS, word) ? ACTIONS[word] : undefined;
  if (action !== undefined && values?.includes(action)) return action;
  if (format !== 'actionhour') return text;
  const hour = /^([0-9]{1,2})(?::00){0,2}$/.exec(text)?.[1];
  return hour === undefined ? text : `${hour.padStart(2, '0')}:00:00`;
}
