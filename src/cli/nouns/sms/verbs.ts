/** Verbs of `sms` in addition to those of its declaration. */
import type { Verb } from '../../command/command.ts';
import { smsEstimate } from './estimate.ts';
import { smsSend } from './send.ts';

export const smsVerbs: readonly Verb[] = [smsSend, smsEstimate];
