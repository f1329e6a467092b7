/**
 * P1: the tests under each supported Node. `npm run test:node-versions` runs all of `npm test` under each version, which takes long.
 * Otherwise only the tests run that use the platform most. Node comes from the package registry, and an unavailable version is reported.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INNER_RUN, tried } from './support/depth.ts';
import { makeTemporaryFolder, removeFolder } from './support/temporary-folder.ts';

/** `engines` of package.json begins with the first of these. */
const MAJORS = [20, 22, 24, 26];
const isWhole = process.env['SVC_NODE_SUITE'] === 'whole';
const PART = [
  'auth',
  'bulk',
  'client',
  'files',
  'journal',
  'profiles',
  'protocol',
  'sandbox',
  'schema',
  'text',
];

describe('the tests', { timeout: 3_600_000 }, () => {
  let folder: string;
  beforeAll(async () => {
    folder = await makeTemporaryFolder('nodes');
  });
  afterAll(() => removeFolder(folder));

  const unavailable: number[] = [];
  it.each(MAJORS)('pass on Node %i', async (major) => {
    const node = await installed(major);
    if (node === undefined) {
      unavailable.push(major);
      return;
    }
    const { stdout: version } = await execa(node, ['--version']);
    expect(version).toMatch(new RegExp(`^v${major}\\.`));
    const files = isWhole ? [] : PART.map((name) => `test/${name}/`);
    const words = ['run', '--config', '.config/vitest.config.ts', '--reporter=json', ...files];
    const { stdout, stderr } = await execa(node, [resolve('node_modules/vitest/vitest.mjs'), ...words], {
      reject: false,
      env: INNER_RUN,
    });
    const line = stdout.split('\n').find((each) => each.startsWith('{"numTotalTestSuites"'));
    if (line === undefined) throw new Error(`no result: ${stdout.slice(-500)} ${stderr.slice(-2_000)}`);
    const { numFailedTests, numPassedTests, numFailedTestSuites, testResults } = JSON.parse(line);
    console.log(`Node ${version}: ${numPassedTests} tests passed, ${numFailedTests} failed`);
    const failed = testResults.flatMap(
      ({
        name,
        assertionResults,
      }: {
        name: string;
        assertionResults: { status: string; fullName: string }[];
      }) =>
        assertionResults
          .filter(({ status }) => status === 'failed')
          .map(({ fullName }) => `${name}: ${fullName}`),
    );
    expect([failed, numFailedTestSuites]).toEqual([[], 0]);
    expect(numPassedTests).toBeGreaterThan(1_000);
    tried('P1', numPassedTests);
  });

  it('name the unavailable versions', () => {
    if (unavailable.length > 0) console.log(`not available here: Node ${unavailable.join(', ')}`);
    expect(unavailable.length).toBeLessThan(MAJORS.length);
  });

  /** Returns the path of a Node of this version, or undefined if the registry does not have one. */
  async function installed(major: number): Promise<string | undefined> {
    const home = join(folder, String(major));
    await mkdir(home);
    await writeFile(join(home, 'package.json'), '{"private":true}\n');
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
    const { exitCode } = await execa('npm', ['install', ...quiet, `node@${major}`], {
      cwd: home,
      reject: false,
    });
    return exitCode === 0 ? join(home, 'node_modules/node/bin/node') : undefined;
  }
});
