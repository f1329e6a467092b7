/** Declares the verbs of `sms` that its resource does not declare. */
import type { Verb } from '../../command/command.ts';
import { smsEstimate } from './estimate.ts';
import { smsSend } from './send.ts';

export const smsVerbs: readonly Verb[] = [smsSend, smsEstimate];
