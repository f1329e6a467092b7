import type { LintFinding } from '../../../service/lint/finding.ts';
import type { Json } from '../../../service/protocol/envelope.ts';
import { choiceFlag, repeatableTextFlag, switchFlag } from '../../command/flag.ts';
import { EXIT, type ExitCode } from '../../errors/exit-codes.ts';

export const lintFormatFlag = choiceFlag('format', ['text', 'json', 'github', 'sarif', 'junit'], {
  describe: 'Output format',
});
export const strictFlag = switchFlag('strict', { describe: 'Exit with 11 on warnings too' });
export const ignoredLintRulesFlag = repeatableTextFlag('ignore', {
  describe: 'Lint rule to skip (see svc help lint)',
  value: 'rule',
});

/** Flag of `email pull --watch` and `email push --watch`. */
export const openFlag = switchFlag('open', { describe: 'Open the preview in the browser (with --watch)' });

/** Has the id of the message if several messages were checked. */
export type MessageLintFinding = LintFinding & { readonly id?: Json };

export interface MessageLintResult {
  readonly findings: readonly MessageLintFinding[];
  /** All messages of the channel were checked. */
  readonly isOfAll?: true;
  /** Size and cost of the message, or the number of messages, in one line. */
  readonly summary: string | undefined;
}

/** 11 on errors, with `--strict` on warnings too (contract, "Insight"). */
export function lintExitCode(findings: readonly LintFinding[], strict: boolean): ExitCode {
  const fails = findings.some(({ severity }) => severity === 'error' || (strict && severity === 'warning'));
  return fails ? EXIT.unmet : EXIT.done;
}
