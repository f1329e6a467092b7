/** The behaviour of each resource that has one of its own. */
import type { Behaviours } from '../behaviour.ts';
import { accountFeatures } from './account-features.ts';
import { doNotContact } from './do-not-contact.ts';
import { folder } from './folder.ts';
import { form } from './form.ts';
import { smsDestination } from './sms-destination.ts';
import { subscriberProfileData } from './subscriber-profile-data.ts';
import { user } from './user.ts';

export const behaviours: Behaviours = {
  accountFeatures,
  doNotContact,
  form,
  smsDestination,
  subscriberProfileData,
  user,
  folder,
};
