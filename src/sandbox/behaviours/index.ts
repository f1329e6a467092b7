/** The behaviour of each resource. An empty one uses only the generic operations. */

import { forEachTimedKind } from '../../resources/rule-kinds.ts';
import { accountFeatures } from './account-features.ts';
import type { Behaviours } from './behaviour.ts';
import { doNotContact } from './do-not-contact.ts';
import { emailMessage } from './email-message.ts';
import { emailOptIn } from './email-opt-in.ts';
import { folder } from './folder.ts';
import { form } from './form.ts';
import { list } from './list.ts';
import { sms, smsDestination, smsMessage } from './sms.ts';
import { smsAutomation } from './sms-automation.ts';
import { subscriber } from './subscriber.ts';
import { subscriberProfileData } from './subscriber-profile-data.ts';
import { subscriberProfileField } from './subscriber-profile-field.ts';
import { subscription } from './subscription.ts';
import { task } from './task.ts';
import { timedAutomation } from './timed-automation.ts';
import { user } from './user.ts';

export const behaviours = {
  ...forEachTimedKind(timedAutomation),
  smsAutomation,
  account: {},
  accountFeatures,
  doNotContact,
  emailMessage,
  emailMessageLink: {},
  form,
  sms,
  smsDestination,
  smsMessage,
  subscriberProfileData,
  task,
  user,
  folder,
  list,
  subscriber,
  subscription,
  subscriberProfileField,
  // `request/log-in.ts` handles POST of this resource, because the request is not signed.
  token: {},
  emailOptIn,
} satisfies Behaviours;
