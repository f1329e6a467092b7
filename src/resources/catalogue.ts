/** The eighteen resources of the interface. */
import type { Resource } from '../schema/resource.ts';
import { account } from './account.ts';
import { accountFeatures } from './account-features.ts';
import { clickAutomation } from './click-automation.ts';
import { dateAutomation } from './date-automation.ts';
import { doNotContact } from './do-not-contact.ts';
import { emailMessage } from './email-message.ts';
import { emailMessageLink } from './email-message-link.ts';
import { folder } from './folder.ts';
import { form } from './form.ts';
import { openAutomation } from './open-automation.ts';
import { sms } from './sms.ts';
import { smsAutomation } from './sms-automation.ts';
import { smsDestination } from './sms-destination.ts';
import { smsMessage } from './sms-message.ts';
import { subscriberProfileData } from './subscriber-profile-data.ts';
import { subscriptionAutomation } from './subscription-automation.ts';
import { task } from './task.ts';
import { user } from './user.ts';

/** In the order in which help shows their nouns. */
export const catalogue: readonly Resource[] = [
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
  clickAutomation,
  openAutomation,
  subscriptionAutomation,
  dateAutomation,
  smsAutomation,
];

const byName: ReadonlyMap<string, Resource> = new Map(catalogue.map((each) => [each.name, each]));

/** The resource of that name; names are case-sensitive (interface, "General conventions"). */
export function resourceNamed(name: string): Resource | undefined {
  return byName.get(name);
}

/** The five kinds of rule, as `automation` shows them. */
export const automations: readonly Resource[] = catalogue.filter((each) => each.noun === 'automation');
