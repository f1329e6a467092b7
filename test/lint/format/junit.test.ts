/** JUnit as an independent reader sees it: Debian's python3-junitparser. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { junitReport } from '../../../src/service/lint/ci-formats.ts';
import { FINDINGS } from './findings.ts';

/** The system's Python, which sees Debian's packages. */
const PYTHON = '/usr/bin/python3';
const isInstalled = spawnSync(PYTHON, ['-c', 'import junitparser']).status === 0;
if (!isInstalled) console.warn('python3-junitparser is not installed, so no JUnit reader is asked.');

const READER = `
import json, sys
from junitparser import JUnitXml
xml = JUnitXml.fromstring(sys.stdin.buffer.read())
print(json.dumps([dict(name=s.name, tests=s.tests, failures=s.failures, errors=s.errors, cases=[
  dict(name=c.name, classname=c.classname, failed=[[r.type, r.message, r.text] for r in c.result], out=c.system_out) for c in s
]) for s in xml]))
`;

function readByJunitparser(xml: string) {
  const { stdout, stderr, status } = spawnSync(PYTHON, ['-c', READER], { input: xml, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

const options = { suite: 'svc email lint', strict: false };

describe('findings as JUnit', () => {
  it.runIf(isInstalled)('are read by junitparser: errors are failures', () => {
    const [suite] = readByJunitparser(junitReport(FINDINGS, options));
    expect(suite).toMatchObject({ name: 'svc email lint', tests: 4, failures: 1, errors: 0 });
    const [image, sender, ...others] = suite.cases;
    expect(image).toEqual({
      name: 'image-without-alt mails/spring sale, 100%.html:12:5',
      classname: 'svc email lint',
      failed: [],
      out: 'warning: mails/spring sale, 100%.html:12:5: The image has no alt.\nWrite alt="".',
    });
    // Characters that XML cannot have become U+FFFD, and all others come back unchanged.
    const message = 'Ends in 100%\r\n::error::no, "<b>" & ]]> \ufffd\ufffd,:';
    expect(sender).toMatchObject({ name: 'sender', failed: [['error', message, message]] });
    expect(others.map(({ failed }: { failed: unknown }) => failed)).toEqual([[], []]);
  });

  // Contract, "Insight": warnings only with `--strict`.
  it.runIf(isInstalled)('are failures for warnings with strict, and never for infos', () => {
    const [suite] = readByJunitparser(junitReport(FINDINGS, { ...options, strict: true }));
    expect(suite).toMatchObject({ tests: 4, failures: 3 });
    const failed = suite.cases.map(
      ({ failed }: { failed: readonly (readonly string[])[] }) => failed[0]?.[0],
    );
    expect(failed).toEqual(['warning', 'error', 'warning', undefined]);
  });

  it.runIf(isInstalled)('have one passing case if there are none', () => {
    const [suite] = readByJunitparser(junitReport([], options));
    expect(suite).toMatchObject({ tests: 1, failures: 0 });
    expect(suite.cases).toMatchObject([{ name: 'no findings', failed: [] }]);
  });

  it('have counts that agree with the list, also without a reader', () => {
    const xml = junitReport(FINDINGS, options);
    expect(xml.match(/<testcase /g)).toHaveLength(4);
    expect(xml.match(/<failure /g)).toHaveLength(1);
    expect(xml).toContain('<testsuites name="svc email lint" tests="4" failures="1" errors="0">');
  });
});
