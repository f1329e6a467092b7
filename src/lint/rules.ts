/** All rules of lint, by the noun whose `lint` uses them. */
import { EMAIL_RULES } from './email-rules.ts';
import type { LintRule } from './rule.ts';
import { SMS_RULES } from './sms.ts';

export const RULES_BY_NOUN: Readonly<Record<'email' | 'sms-message', readonly LintRule[]>> = {
  email: EMAIL_RULES,
  'sms-message': SMS_RULES,
};
