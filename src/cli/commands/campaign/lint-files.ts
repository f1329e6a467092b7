/** Defines `svc lint FILE…`, which checks campaign files, their messages and their test files without a request (contract, "Campaigns as files"). */

import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { positionOf } from '../../../features/campaign/file/read.ts';
import { isTestFileName } from '../../../features/campaign/test-file/test-file.ts';
import { sayReason } from '../../../kit/schema/reason.ts';
import type { ContentMarkupNames } from '../../../kit/schema/resource.ts';
import { EMAIL_LINT_RULES } from '../../../service/lint/email-rules.ts';
import type { LintFinding, LintRule } from '../../../service/lint/finding.ts';
import { SMS_RULES } from '../../../service/lint/sms.ts';
import type { Input, Verb } from '../../command/command.ts';
import { type FileFinding, UsageError } from '../../errors/errors.ts';
import {
  checkIgnoredRulesExist,
  formatLintOutcome,
  refuseFormatConflicts,
} from '../../nouns/message/lint.ts';
import { ignoredLintRulesFlag, lintFormatFlag, strictFlag } from '../../nouns/message/lint-flags.ts';
import { CAMPAIGN_VALUE_FLAGS } from '../../request/campaign-value-flags.ts';
import type { Invocation, Ports, Profiles } from '../../session/ports.ts';
import { createCampaignMessageLinter } from './lint.ts';
import { readCampaignFiles, sorted } from './read.ts';
import { mergeCompanyFindings, readGivenValues, valuesFor } from './values.ts';

export const campaignLint: Verb = {
  name: 'lint',
  summary: 'Lint campaign files and their messages; exit 11 on errors',
  about:
    'Sends no request and needs no key, so it runs for each pull request. Checks *.test.yaml files, too. svc plan also checks what only the service knows: ids, times and the company. For a stored message, run svc email lint',
  work: 'local',
  exits: { 11: 'errors found' },
  section: 'emailMessage',
  example: 'lint spring.yaml --format github',
  positionals: [{ name: 'file', describe: 'Campaign file', variadic: true, completes: 'file' }],
  flags: [lintFormatFlag, strictFlag, ignoredLintRulesFlag, ...CAMPAIGN_VALUE_FLAGS],
  run: async (session, input) => {
    refuseFormatConflicts(session, input);
    checkIgnoredRulesExist(MESSAGE_RULES, input);
    for (const path of input.positionals) await requireFile(session, path);
    const words = await session.naming();
    const read = await readForCompanies(session, input, words);
    const ignored = input.get(ignoredLintRulesFlag);
    const faults = [...read.faults, ...(await faultsOfTestFiles(session, input))];
    const findings: LintFinding[] = sorted(faults).map(findingOf);
    for (const { path, parsed } of read.files) {
      const lint = await createCampaignMessageLinter({}, path, words);
      for (const item of parsed?.campaign.items ?? []) {
        if (item.kind !== 'message' || parsed === undefined) continue;
        const place = { file: path, line: null, column: null, ...positionOf(parsed, 'message', item.key) };
        const found = lint(item).filter(({ rule }) => !ignored.includes(rule));
        // A finding in an attribute of the campaign file, such as the subject, has no place of its own.
        findings.push(...found.map((each) => (each.file === null ? { ...each, ...place } : each)));
      }
    }
    // Files can share content.
    const unique = [...new Map(findings.map((each) => [JSON.stringify(each), each])).values()];
    const rules = [CAMPAIGN_RULE, ...MESSAGE_RULES];
    return formatLintOutcome(session, input, rules, { findings: unique, summary: undefined });
  },
};

async function faultsOfTestFiles(session: Ports, input: Input): Promise<readonly FileFinding[]> {
  const paths = input.positionals.filter(isTestFileName);
  if (paths.length === 0) return [];
  const { findTestFileFaults } = await import('../test/read-tests.ts');
  const found = await Promise.all(paths.map((path) => findTestFileFaults(session, input, path)));
  return found.flat();
}

/** Reads the campaign files once for each company of `--values`, because no request tells for which company the files are. */
async function readForCompanies(session: Invocation & Profiles, input: Input, words: ContentMarkupNames) {
  const given = await readGivenValues(session, input);
  const companies = [...(given.file?.companies.keys() ?? [])];
  const campaigns = input.positionals.filter((path) => !isTestFileName(path));
  const readFor = (company?: string) =>
    readCampaignFiles(session, campaigns, words, valuesFor(given, company));
  if (companies.length === 0) return readFor();
  const all = await Promise.all(companies.map(readFor));
  const found = all.map(({ faults }, at) => ({ company: companies[at] ?? '', findings: faults }));
  return { files: all.flatMap(({ files }) => files), faults: mergeCompanyFindings(found) };
}

const MESSAGE_RULES: readonly LintRule[] = [
  ...EMAIL_LINT_RULES,
  ...SMS_RULES.filter(({ rule }) => !EMAIL_LINT_RULES.some((other) => other.rule === rule)),
];

const CAMPAIGN_RULE: LintRule = {
  rule: 'campaign-file',
  severity: 'error',
  finds: 'a fault in a campaign or test file',
  instead: 'Run svc explain campaign to see all attributes',
};

const findingOf = ({ file, line, column, reason }: FileFinding): LintFinding => ({
  ...{ rule: CAMPAIGN_RULE.rule, severity: CAMPAIGN_RULE.severity, message: asSentence(sayReason(reason)) },
  ...{ file, line: line ?? null, column: column ?? null, instead: null },
});

const asSentence = (text: string): string => (text.endsWith('?') ? text : `${text}.`);

async function requireFile({ context: { cwd } }: Invocation, path: string): Promise<void> {
  const found = await stat(resolve(cwd, path)).catch(() => undefined);
  if (found?.isFile()) return;
  throw new UsageError(found ? `${path} is not a file` : `file ${path} not found`, {
    hint: 'give campaign files; for a stored message, run svc email lint or svc sms-message lint',
  });
}
