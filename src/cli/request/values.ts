/** Converts the text of one flag to the value of its attribute. */
import { type Field, flagName } from '../../schema/field.ts';
import type { Finding } from '../../schema/resource.ts';
import { parseFieldText } from '../../schema/text-value.ts';
import type { ServiceAccess } from '../session/access.ts';
import type { Session } from '../session/session.ts';
import { recordsHaveName, resolveReferenceId } from './references.ts';
import { type FlagReadResult, readDurationFlag, readTimeFlag } from './times.ts';

/**
 * Converts the text of a flag to the value of the attribute. @param typedValue the text that the user typed, or true or false for a switch
 */
export async function readAttributeFlagValue(
  session: Session,
  attribute: string,
  field: Field,
  typedValue: string | boolean,
): Promise<FlagReadResult> {
  if (typeof typedValue === 'boolean') return { value: typedValue };
  const given = asInterfaceValue(attribute, field, typedValue);
  const { refersTo } = field;
  if (given === '' && (field.nullable || refersTo !== undefined))
    return { finding: emptyValueFinding(attribute, field) };
  if (field.format === 'timestamp') return readTimeFlag(session, attribute, given);
  if (field.unit !== undefined && /^[0-9.]+ *[a-z]/i.test(given))
    return readDurationFlag(attribute, field, given, 1);
  if (refersTo !== undefined && !/^[+-]?[0-9]+$/.test(given)) {
    if (recordsHaveName(refersTo)) return byName(session, refersTo, given);
    const finding = { attribute, value: given, reason: `must be the id of a ${refersTo}` };
    return { finding };
  }
  const parsed = parseFieldText(field, given);
  if (parsed.ok) return { value: parsed.value };
  const instead = field.kind === 'bool' ? { instead: `write --${flagName(attribute)}=true` } : {};
  return { finding: { attribute, value: given, reason: parsed.reason, ...instead } };
}

/**
 * Returns the finding for an empty value. svc does not read an empty value as null, because the value may come from an unset variable. A
 * filter by null may match all records.
 */
export function emptyValueFinding(attribute: string, { nullable }: Field): Finding {
  // Omitting the flag does not help here: a required, nullable attribute would become null too.
  const instead = nullable
    ? `give a value; if null is meant, say --null ${attribute}`
    : 'give a value, or leave the flag out';
  return { attribute, value: '', reason: 'is empty', instead };
}

const byName = (session: ServiceAccess, refersTo: string, name: string): FlagReadResult => ({
  placeholder: 1,
  lookUp: async (values) => ({ value: await resolveReferenceId(session, refersTo, name, values['channel']) }),
});

/** Maps the usual spelling of a rule's action, such as `add-to-list`, to the value in requests: `addtolist`. */
const ACTIONS: Readonly<Record<string, string>> = {
  'add-to-list': 'addtolist',
  'copy-to-list': 'copytolist',
  'move-to-list': 'movetolist',
  'remove-from-list': 'removefromlist',
  autoresponder: 'email_autoresponder',
  'email-autoresponder': 'email_autoresponder',
  'sms-autoresponder': 'sms_autoresponder',
};

/**
 * Returns the value in the form that requests use: `addtolist` for `add-to-list`, `09:00:00` for `9`. Any other text stays as it is, and is
 * checked later.
 */
function asInterfaceValue(attribute: string, { format }: Field, text: string): string {
  const word = text.toLowerCase();
  if (attribute === 'actiontype') return Object.hasOwn(ACTIONS, word) ? (ACTIONS[word] ?? text) : text;
  if (format !== 'actionhour') return text;
  const hour = /^([0-9]{1,2})(?::00){0,2}$/.exec(text)?.[1];
  return hour === undefined ? text : `${hour.padStart(2, '0')}:00:00`;
}
