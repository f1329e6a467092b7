/** Page of `svc help lint`: every rule, its severity and the remedy. */

import { EMAIL_LINT_RULES } from '../../../service/lint/email-rules.ts';
import { asSentence, type LintRule } from '../../../service/lint/finding.ts';
import { SMS_RULES } from '../../../service/lint/sms.ts';
import type { HelpPage, HelpSection } from '../help-page.ts';

const RULES_BY_NOUN: Readonly<Record<'email' | 'sms-message', readonly LintRule[]>> = {
  email: EMAIL_LINT_RULES,
  'sms-message': SMS_RULES,
};

// Contract, "Insight".
export const LINT_TOPIC: HelpPage = {
  summary: 'Rules of svc lint, svc email lint and svc sms-message lint',
  usage: 'svc lint <file...> [flags]',
  sections: Object.entries(RULES_BY_NOUN).flatMap(([noun, rules]) => sectionsOf(noun, rules)),
  examples: ['svc email lint --html-file news.html --text-file news.txt --format github --strict'],
  notes: [
    'lint exits with 11 if it finds errors; with --strict, also if it finds warnings. To skip a rule, use --ignore RULE.',
    'svc assumes that the service adds an unsubscribe link and the postal address. If your service adds only the link, run svc profile set NAME naming.footer link. If it adds nothing, run svc profile set NAME naming.footer none.',
    'The data on mail clients is from https://www.caniemail.com, as of 2025-09-09.',
  ],
};

function sectionsOf(noun: string, rules: readonly LintRule[]): readonly HelpSection[] {
  return (['error', 'warning', 'info'] as const).map((severity) => ({
    heading: `${noun} lint: ${severity}`,
    items: rules
      .filter((each) => each.severity === severity)
      .map(({ rule, finds, instead }) => ({
        term: rule,
        text: `${asSentence(finds)} ${asSentence(instead)}`,
      })),
  }));
}
