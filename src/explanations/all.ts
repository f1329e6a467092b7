/** Collects every explanation. Only `svc explain` loads them. */
import type { ResourceName } from '../resources/catalogue.ts';
import { account } from './account.ts';
import { accountFeatures } from './account-features.ts';
import { doNotContact } from './do-not-contact.ts';
import { emailMessage } from './email-message.ts';
import { emailMessageLink } from './email-message-link.ts';
import type { Explanation, FieldExplanation } from './explanation.ts';
import { folder } from './folder.ts';
import { form } from './form.ts';
import { sms } from './sms.ts';
import { smsAutomation } from './sms-automation.ts';
import { smsDestination } from './sms-destination.ts';
import { smsMessage } from './sms-message.ts';
import { subscriberProfileData } from './subscriber-profile-data.ts';
import { task } from './task.ts';
import { timedExplanations } from './timed-kinds.ts';
import { user } from './user.ts';

/** Explanations by resource name. The compiler reports a missing one. */
export const explanations: Readonly<Record<ResourceName, Explanation>> = {
  account,
  accountFeatures,
  user,
  sms,
  smsMessage,
  smsDestination,
  emailMessage,
  emailMessageLink,
  task,
  folder,
  doNotContact,
  form,
  subscriberProfileData,
  ...timedExplanations,
  smsAutomation,
};

/** Returns the explanation of a field. It is empty if the field's line in the declaration says everything. */
export function explanationOf(resource: ResourceName, attribute: string): FieldExplanation {
  const { fields } = explanations[resource];
  return (Object.hasOwn(fields, attribute) ? fields[attribute] : undefined) ?? {};
}

/** Facts about the service as a whole, the most costly first. */
export const generalTraps: readonly string[] = [
  'A past send time means now. The service accepts it, but svc rejects it (svc explain task.scheduledtime).',
  'Adding to Do Not Contact deletes every matching subscriber; a domain matches every address in it (svc explain dnc).',
  'A single SMS without a time is sent at once and cannot be recalled (svc explain sms.senddate).',
  'Deleting a message does not cancel the tasks that send it; deleting a folder deletes its lists (svc explain email, svc explain folder).',
  'An offset of a rule is in minutes for subscription rules and in seconds for the others (svc explain automation.actiontimediff).',
  'Hours of rules are local times in the zone of the company (svc explain account.timezone).',
  'Null often means "all" or "no limit" rather than "nothing": a null limit means no limit, and a null keyword catches everything that no other rule matches (svc explain automation.keyword).',
];
