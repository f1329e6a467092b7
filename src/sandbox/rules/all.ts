/** The behaviour of each resource that has one of its own. */
import type { Behaviours } from '../behaviour.ts';
import { accountFeatures } from './account-features.ts';
import { doNotContact } from './do-not-contact.ts';
import { emailMessage } from './email-message.ts';
import { folder } from './folder.ts';
import { form } from './form.ts';
import { sms } from './sms.ts';
import { smsAutomation } from './sms-automation.ts';
import { smsDestination } from './sms-destination.ts';
import { smsMessage } from './sms-message.ts';
import { subscriberProfileData } from './subscriber-profile-data.ts';
import { task } from './task.ts';
import { timedAutomation } from './timed-automation.ts';
import { user } from './user.ts';

export const behaviours: Behaviours = {
  clickAutomation: timedAutomation('click'),
  openAutomation: timedAutomation('open'),
  subscriptionAutomation: timedAutomation('subscription'),
  dateAutomation: timedAutomation('date'),
  smsAutomation,
  accountFeatures,
  doNotContact,
  emailMessage,
  form,
  sms,
  smsDestination,
  smsMessage,
  subscriberProfileData,
  task,
  user,
  folder,
};
