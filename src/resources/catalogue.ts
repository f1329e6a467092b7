/** The eighteen resources of the interface. */
import type { Resource } from '../schema/resource.ts';
import { account } from './account.ts';
import { accountFeatures } from './account-features.ts';
import type { TimedKind } from './automation.ts';
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

/** All resources, in the order in which help shows their nouns. */
const resources = [
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
] as const;

/** Name of a resource. Tables with a row for each resource use it as their key, so that the compiler reports a missing row. */
export type ResourceName = (typeof resources)[number]['name'];
export type CatalogueResource = Resource<string, ResourceName>;

export const catalogue: readonly CatalogueResource[] = resources;

const byName: ReadonlyMap<string, CatalogueResource> = new Map(catalogue.map((each) => [each.name, each]));

/** Returns the resource of that name. Names are case-sensitive (interface, "General conventions"). */
export function resourceNamed(name: string): CatalogueResource | undefined {
  return byName.get(name);
}

/** The declaration of each kind of rule that has an action and an offset. */
export const timedRules = {
  click: clickAutomation,
  open: openAutomation,
  subscription: subscriptionAutomation,
  date: dateAutomation,
} satisfies Readonly<Record<TimedKind, CatalogueResource>>;

/** Descriptions of nouns that stand for several resources. */
export const sharedNouns: Readonly<Record<string, string>> = {
  automation: 'A rule that acts on a click, open, subscription, date or SMS',
};

/** The five kinds of rule, as `automation` shows them. */
export const automations: readonly CatalogueResource[] = catalogue.filter(
  (each) => each.noun === 'automation',
);
