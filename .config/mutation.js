/**
 * `npm run test:mutation [-- FOLDER|FILE…]` makes many small changes in the code of a folder or of one file in it. It prints each change
 * that no test of the folder detects, and the share of detected changes. It takes minutes and is not part of `.ci/run`.
 */
import { fileURLToPath } from 'node:url';
import { Stryker } from '@stryker-mutator/core';

/** Maps each folder or file to its tests. These are few, so that a run stays short. */
const FOLDERS = {
  'src/service/auth': ['test/auth'],
  'src/service/automations': ['test/automations'],
  'src/features/campaign/plan': ['test/campaign/plan'],
  'src/cli/output/redact.ts': ['test/cli/output/redact.test.ts'],
  'src/client/requests/recovery': ['test/client/recovery', 'test/client/large-ids.test.ts'],
  'src/client/journal/file.ts': ['test/journal/file.test.ts'],
  'src/service/protocol': ['test/protocol'],
  'src/kit/schema': ['test/schema', 'test/resources'],
  'src/client/sends/send-time.ts': ['test/sends/send-time.test.ts'],
};

const COUNTED = ['Killed', 'Timeout', 'Survived', 'NoCoverage'];

const paths = process.argv.slice(2).map((folder) => folder.replace(/\/$/, ''));
const unknown = paths.find((path) => folderOf(path) === undefined);
if (unknown !== undefined) {
  process.stderr.write(
    `${unknown} has no mutation tests\nHint: choose from ${Object.keys(FOLDERS).join(', ')}\n`,
  );
  process.exitCode = 2;
} else {
  const scores = [];
  for (const path of paths.length > 0 ? paths : Object.keys(FOLDERS)) scores.push(await scoreOf(path));
  process.stdout.write(`\n${scores.join('\n')}\n`);
}

/** Returns the folder of `FOLDERS` that is `path` or holds it, or undefined. */
function folderOf(path) {
  return Object.keys(FOLDERS).find((folder) => path === folder || path.startsWith(`${folder}/`));
}

/** Returns a line such as `src/service/auth: 91 % of 240 changes were detected`. */
async function scoreOf(path) {
  process.env.SVC_MUTATION_TESTS = FOLDERS[folderOf(path)].join(',');
  const results = await new Stryker({
    mutate: [path.endsWith('.ts') ? path : `${path}/**/*.ts`],
    testRunner: 'in-process',
    plugins: [fileURLToPath(new URL('mutation-runner.js', import.meta.url))],
    // Each run leaves the in-memory stores of its sandboxes open, so a process must end after some runs.
    maxTestRunnerReuse: 200,
    concurrency: Number(process.env.SVC_MUTATION_WORKERS ?? 1),
    ignoreStatic: true,
    disableTypeChecks: false,
    allowEmpty: false,
    // No file has this name. Stryker cannot read a tsconfig file with TypeScript 7, and these tests need none.
    tsconfigFile: '.tmp/tsconfig.json',
    tempDirName: '.tmp/stryker',
    ignorePatterns: ['/dist', '/build', '/docs', '/examples', '/bench'],
    reporters: ['clear-text', 'progress-append-only'],
    clearTextReporter: {
      allowColor: process.stdout.isTTY,
      logTests: false,
      reportTests: false,
      reportScoreTable: false,
    },
    logLevel: 'error',
  }).runMutationTest();
  const counted = results.filter(({ status }) => COUNTED.includes(status));
  const detected = counted.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
  const share = Math.floor((100 * detected) / Math.max(1, counted.length));
  return `${path}: ${share} % of ${counted.length} changes were detected`;
}
