import { escapeForTerminal } from '../../../kit/text/terminal.ts';
import { capitalizeFirstLetter } from '../../../kit/text/words.ts';
import { formatFindingCounts, formatFindingsAsText, type LintRule } from '../../../service/lint/finding.ts';
import type { Json } from '../../../service/protocol/envelope.ts';
import type { Input } from '../../command/command.ts';
import { isColourWanted, loadColourPainter } from '../../output/colour.ts';
import { formatJsonText } from '../../output/json.ts';
import type { Result } from '../../output/result.ts';
import type { Invocation, Tell } from '../../session/ports.ts';
import { lintFormatFlag, type MessageLintResult, strictFlag } from './lint-flags.ts';

/** Contract, "Insight". */
const COLUMNS = ['rule', 'severity', 'message', 'file', 'line', 'column', 'instead'];

export function createLintFindingRows({ findings, isOfAll }: MessageLintResult): Result {
  const names = isOfAll ? ['id', ...COLUMNS] : COLUMNS;
  return {
    kind: 'rows',
    rows: findings.map((finding) => ({ ...finding })),
    columns: names.map((name) => (name === 'message' ? { name, keep: true, wraps: true } : { name })),
    empty: 'No problems found.',
  };
}

export async function formatLintResult(
  session: Invocation & Tell,
  input: Input,
  rules: readonly LintRule[],
  linted: MessageLintResult,
): Promise<Result> {
  const { findings } = linted;
  const { stdout } = session.context;
  const json = (value: Json): Result => ({ kind: 'text', text: formatJsonText(value, 'json', stdout) });
  const plain = (text: string, isExact = false): Result => ({
    kind: 'text',
    text: stdout.isTTY ? escapeForTerminal(text, { newlines: true }) : text,
    isExact,
  });
  switch (input.get(lintFormatFlag)) {
    case 'json':
      return json(findings.map((finding): Json => ({ ...finding })));
    case 'sarif': {
      const [{ createSarifLog }, { VERSION }] = await Promise.all([
        import('../../../service/lint/ci-formats.ts'),
        import('../../outside/version.ts'),
      ]);
      return json(createSarifLog(findings, rules, VERSION) as Json);
    }
    case 'junit': {
      const { junitReport } = await import('../../../service/lint/ci-formats.ts');
      const options = { suite: `svc ${session.command}`, strict: input.get(strictFlag) };
      return plain(junitReport(findings, options));
    }
    case 'github': {
      const { formatFindingsForGithub } = await import('../../../service/lint/ci-formats.ts');
      // Its lines are commands for the job. Their texts are escaped.
      return plain(formatFindingsForGithub(findings), true);
    }
    default:
      await printLintFindings(session, linted);
      return { kind: 'nothing' };
  }
}

/** Prints the findings on stdout, then their count and the message's summary on stderr. */
export async function printLintFindings(
  session: Invocation & Tell,
  { findings, summary }: MessageLintResult,
): Promise<void> {
  const { context, globals } = session;
  const paint = await loadColourPainter(isColourWanted(context.env, context.stdout, !globals.color));
  const tones = { error: paint.error, warning: paint.warning, info: paint.info };
  if (findings.length > 0)
    await context.stdout.write(formatFindingsAsText(findings, (severity, text) => tones[severity](text)));
  const sentence = capitalizeFirstLetter(formatFindingCounts(findings));
  await session.info(summary ? `${sentence}: ${summary}.` : `${sentence}.`);
}
