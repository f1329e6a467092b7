/** `--format sarif` against the schema of SARIF 2.1.0 (OASIS). */
import { readFileSync } from 'node:fs';
import Ajv from 'ajv-draft-04';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { createSarifLog } from '../../../src/service/lint/ci-formats.ts';
import { EMAIL_LINT_RULES } from '../../../src/service/lint/email-rules.ts';
import { SMS_RULES } from '../../../src/service/lint/sms.ts';
import { FINDINGS } from './findings.ts';

const schema = JSON.parse(
  readFileSync(new URL('../../data/sarif-2.1.0-rtm.5.json', import.meta.url), 'utf8'),
) as object;
const ajv = addFormats.default(new Ajv.default({ strict: false, allErrors: true, unicodeRegExp: false }));
const validate = ajv.compile(schema);
const faultsOf = (log: unknown): unknown =>
  validate(JSON.parse(JSON.stringify(log))) ? [] : validate.errors;

describe('findings as SARIF', () => {
  it.each([
    ['of an e-mail', FINDINGS, EMAIL_LINT_RULES],
    ['of an SMS', [], SMS_RULES],
  ])('%s are valid', (_, findings, rules) => {
    expect(faultsOf(createSarifLog(findings, rules, '0.1.0'))).toEqual([]);
  });

  it('are checked by a schema that rejects faults', () => {
    const log = createSarifLog(FINDINGS, EMAIL_LINT_RULES, '0.1.0') as {
      runs: { results: { level: string }[] }[];
    };
    const [run] = log.runs;
    const [first] = run?.results ?? [];
    if (first) first.level = 'info';
    expect(faultsOf(log)).toEqual([expect.objectContaining({ instancePath: '/runs/0/results/0/level' })]);
  });

  it('name the rule by its place in the list, and the file as a URI', () => {
    const { runs } = createSarifLog(FINDINGS, EMAIL_LINT_RULES, '0.1.0') as {
      runs: {
        tool: { driver: { rules: { id: string }[] } };
        results: { ruleId: string; ruleIndex: number; level: string; locations?: unknown }[];
      }[];
    };
    const [{ tool, results } = { tool: { driver: { rules: [] } }, results: [] }] = runs;
    expect(results.map(({ ruleIndex }) => tool.driver.rules[ruleIndex]?.id)).toEqual(
      FINDINGS.map(({ rule }) => rule),
    );
    expect(results.map(({ level }) => level)).toEqual(['warning', 'error', 'warning', 'note']);
    expect(results.map(({ locations }) => locations)).toEqual([
      [
        {
          physicalLocation: {
            artifactLocation: { uri: 'mails/spring%20sale%2C%20100%25.html' },
            region: { startLine: 12, startColumn: 5 },
          },
        },
      ],
      undefined,
      [{ physicalLocation: { artifactLocation: { uri: 'a.txt' } } }],
      undefined,
    ]);
  });

  it.each([
    ['/home/ada/a b.html', 'file:///home/ada/a%20b.html'],
    ['C:\\mails\\a.html', 'file:///C:/mails/a.html'],
    ['..\\a.html', '../a.html'],
    ['a:b.html', 'a%3Ab.html'],
  ])('write the path %s as %s', (file, uri) => {
    const [finding] = FINDINGS.map((each) => ({ ...each, file }));
    expect(JSON.stringify(createSarifLog(finding ? [finding] : [], EMAIL_LINT_RULES, '1'))).toContain(
      `"uri":"${uri}"`,
    );
  });
});
