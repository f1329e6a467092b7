/** Lists the channels of messages and tasks. Interface, "task": `channel`. */
import type { Resource } from '../schema/resource.ts';
import { emailMessage } from './email-message.ts';
import { smsMessage } from './sms-message.ts';

export type Channel = 'email' | 'sms';

export const CHANNELS: readonly Channel[] = ['email', 'sms'];

/** Resource that stores the messages of each channel. */
export const MESSAGE_RESOURCES: Readonly<Record<Channel, Resource>> = {
  email: emailMessage,
  sms: smsMessage,
};
