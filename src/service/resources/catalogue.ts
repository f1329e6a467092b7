/** The eighteen resources of the interface. */
import type { Resource } from '../../kit/schema/resource.ts';
import { account } from './account.ts';
import { accountFeatures } from './account-features.ts';
import { doNotContact } from './do-not-contact.ts';
import { emailMessage } from './email-message.ts';
import { emailMessageLink } from './email-message-link.ts';
import { folder } from './folder.ts';
import { form } from './form.ts';
import { RULE_DEFINITIONS } from './rule-kinds.ts';
import { sms } from './sms.ts';
import { smsDestination } from './sms-destination.ts';
import { smsMessage } from './sms-message.ts';
import { subscriberProfileData } from './subscriber-profile-data.ts';
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
  ...Object.values(RULE_DEFINITIONS).map(({ resource }) => resource),
] as const;

/** A resource with the types of its fields. */
export type Declaration = (typeof resources)[number];
/** Name of a resource. Tables with a row for each resource use it as their key, so that the compiler reports a missing row. */
export type ResourceName = Declaration['name'];
export type CatalogueResource = Resource<string, ResourceName>;

export const catalogue: readonly CatalogueResource[] = resources;

const byName: ReadonlyMap<string, CatalogueResource> = new Map(catalogue.map((each) => [each.name, each]));

/** Returns the resource of that name. Names are case-sensitive (interface, "General conventions"). */
export function resourceNamed(name: string): CatalogueResource | undefined {
  return byName.get(name);
}
