/** Runs lint on the messages of a campaign file. */
import { dirname, join } from 'node:path';
import type {
  Campaign,
  ObservedCompanyRecords,
  Step,
  WantedItem,
  WantedMessage,
} from '../../../features/campaign/model.ts';
import type { Plan } from '../../../features/campaign/plan-file/plan-file.ts';
import type { ReportSection } from '../../../kit/report/report.ts';
import type { ContentMarkupNames } from '../../../kit/schema/resource.ts';
import type { LintFinding } from '../../../service/lint/finding.ts';
import { namingWithOverrides } from '../../../service/protocol/naming.ts';
import { type FileFinding, InvalidInputError } from '../../errors/errors.ts';
import { withoutStop } from '../../request/message-lint.ts';
import { formatLintFindings } from './page.ts';
import { replaceLineBreaks } from './quoting.ts';

/** @param path the campaign file, in whose folder the paths in findings begin */
export async function lintCampaign(
  { items }: Pick<Campaign, 'items'>,
  { account }: Pick<ObservedCompanyRecords, 'account'>,
  path: string,
  contentWords: ContentMarkupNames,
): Promise<readonly LintFinding[]> {
  const lint = await createCampaignMessageLinter(account, path, contentWords);
  const found = items.flatMap((item) => (item.kind === 'message' ? lint(item) : []));
  return found.filter(({ severity }) => severity !== 'info');
}

export async function createCampaignMessageLinter(
  { address }: ObservedCompanyRecords['account'],
  path: string,
  words: ContentMarkupNames,
): Promise<(message: WantedMessage) => readonly LintFinding[]> {
  const [{ lintSms }, { lintEmail }] = await Promise.all([
    import('../../../service/lint/sms.ts'),
    import('../../../service/lint/email.ts'),
  ]);
  const known = typeof address === 'string' && address !== '' ? { postalAddress: address } : {};
  return ({ channel, name, values, files }) => {
    const named: { readonly message?: string; readonly [attribute: string]: string } = Object.fromEntries(
      Object.entries(files).map(([attribute, file]) => [attribute, join(dirname(path), file)]),
    );
    const content = { ...values, name };
    if (channel === 'sms') return lintSms(content, { file: named.message ?? null });
    return lintEmail(content, { files: named, stored: new Set(), words, ...known });
  };
}

/** Returns the lint errors of a plan's messages as sections of the plan's page. `svc apply` refuses messages with lint errors. */
export async function collectLintErrorSections({
  inputs,
  naming,
}: Pick<Plan, 'inputs' | 'naming'>): Promise<readonly ReportSection[]> {
  const found = await lintCampaign(inputs.wanted, { account: {} }, inputs.file, namingWithOverrides(naming));
  const errors = found.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return [];
  // A finding may quote text of the message.
  const lines = formatLintFindings(errors).map(replaceLineBreaks);
  return [{ title: 'Lint errors', blocks: [{ kind: 'unbroken', lines }] }];
}

/** @throws InvalidInputError exit 2 with all errors of `findLintErrorsOfSteps`, and with their positions if svc knows them */
export async function requireNoLintErrors(...given: Parameters<typeof findLintErrorsOfSteps>): Promise<void> {
  const findings = await findLintErrorsOfSteps(...given);
  if (findings.length > 0) throw lintErrorsOf(findings);
}

export const lintErrorsOf = (findings: readonly FileFinding[]): InvalidInputError =>
  new InvalidInputError(
    findings,
    'nothing was sent',
    'Fix the content and plan again, or add --allow-lint-errors. For the rules, see svc help lint.',
  );

/** Skips unchanged messages, and messages of tasks that will be cancelled. */
export async function findLintErrorsOfSteps(
  { items }: Pick<Campaign, 'items'>,
  steps: readonly Step[],
  { account }: Pick<ObservedCompanyRecords, 'account'>,
  path: string,
  contentWords: ContentMarkupNames,
): Promise<readonly FileFinding[]> {
  const used = messagesOf(items, steps);
  if (used.length === 0) return [];
  const lint = await createCampaignMessageLinter(account, path, contentWords);
  return used.flatMap((message): readonly FileFinding[] =>
    lint(message)
      .filter(({ severity }) => severity === 'error')
      .map(({ file, line, column, message: reason, rule, instead }) => ({
        file: file ?? path,
        // Within a subject, line and column count from the start of the subject.
        ...(file === null || line === null ? {} : { line }),
        ...(file === null || column === null ? {} : { column }),
        attribute: '',
        reason: `message ${message.key}: ${withoutStop(reason)} [${rule}]`,
        ...(instead === null ? {} : { instead: withoutStop(instead) }),
      })),
  );
}

/** Includes the messages that tasks and rules send which the steps create. */
function messagesOf(items: readonly WantedItem[], steps: readonly Step[]): readonly WantedMessage[] {
  const keys = new Set<string>();
  for (const { kind, key, action } of steps) {
    const item = items.find((each) => each.kind === kind && each.key === key);
    const isMade = action === 'create' || action === 'replace';
    if (item?.kind === 'message' && (isMade || action === 'change')) keys.add(item.key);
    if (item && isMade) for (const each of referencesOf(item)) keys.add(each);
  }
  return items.filter((item): item is WantedMessage => item.kind === 'message' && keys.has(item.key));
}

function referencesOf(item: WantedItem): readonly string[] {
  const references =
    item.kind === 'task' ? [item.message] : item.kind === 'automation' ? Object.values(item.references) : [];
  return references.flatMap((each) => ('key' in each ? [each.key] : []));
}
