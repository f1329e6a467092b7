/** Reads values of rules as people write them: `add-to-list` for `addtolist`, and `9` for `09:00:00`. */
import type { Field } from '../../schema/field.ts';

const ACTIONS: Readonly<Record<string, string>> = {
  'add-to-list': 'addtolist',
  'copy-to-list': 'copytolist',
  'move-to-list': 'movetolist',
  'remove-from-list': 'removefromlist',
  autoresponder: 'email_autoresponder',
  'email-autoresponder': 'email_autoresponder',
  'sms-autoresponder': 'sms_autoresponder',
};

/** Returns the value in the interface's form. Any other text stays as it is, and is checked later. */
export function asInterfaceValue(attribute: string, { format }: Field, text: string): string {
  const word = text.toLowerCase();
  if (attribute === 'actiontype') return Object.hasOwn(ACTIONS, word) ? (ACTIONS[word] ?? text) : text;
  if (format !== 'actionhour') return text;
  const hour = /^([0-9]{1,2})(?::00){0,2}$/.exec(text)?.[1];
  return hour === undefined ? text : `${hour.padStart(2, '0')}:00:00`;
}
