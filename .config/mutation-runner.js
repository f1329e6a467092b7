/**
 * Runs tests inside the process of Stryker, with vitest's `describe`, `it` and `expect`, but without vitest's workers. Bundles all tests of
 * a folder once. For each change, it evaluates the bundle again, which takes about 40 ms.
 */
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import * as jest from '@vitest/expect';
import * as runner from '@vitest/runner';
import { rolldown } from 'rolldown';
import { rawText } from './raw-text.js';

export const strykerPlugins = [
  { kind: 'TestRunner', name: 'in-process', factory: () => new InProcessRunner() },
];

/** Returns the global object that the instrumented code reads and writes. */
const stryker = () => (globalThis.__stryker__ ??= {});

class InProcessRunner {
  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    this.root = process.cwd();
    this.files = process.env.SVC_MUTATION_TESTS.split(',').flatMap((path) => filesIn(join(this.root, path)));
    this.evaluate = await bundle(this.files);
  }

  async dryRun() {
    const state = stryker();
    const files = await this.start(
      this.files.map((filepath) => ({ filepath })),
      {
        onBeforeTryTask: (test) => {
          state.currentTestId = idOf(test);
        },
        onAfterTryTask: () => {
          state.currentTestId = undefined;
        },
      },
    );
    const broken = files.find(({ result, tasks }) => result?.state === 'fail' && tasks.length === 0);
    if (broken) return { status: 'error', errorMessage: messageOf(broken) };
    const timeOf = (tests) => tests.reduce((sum, { result }) => sum + (result?.duration ?? 0), 0);
    const own = files.map((file) => testsOf([file]));
    // Stryker runs tests in the order of the coverage. Quick files detect most changes, so they come first and the slow ones seldom run.
    const tests = own.sort((a, b) => timeOf(a) - timeOf(b)).flat();
    const { perTest } = state.mutantCoverage;
    const ordered = tests.map(idOf).filter((id) => Object.hasOwn(perTest, id));
    return {
      status: 'complete',
      tests: tests.map(resultOf),
      mutantCoverage: {
        ...state.mutantCoverage,
        perTest: Object.fromEntries(ordered.map((id) => [id, perTest[id]])),
      },
    };
  }

  async mutantRun({ activeMutant, testFilter, hitLimit }) {
    const state = stryker();
    const requested = new Map(testFilter ? [] : this.files.map((file) => [file, undefined]));
    for (const each of testFilter ?? []) {
      const [filepath, id] = each.split('#');
      requested.set(filepath, [...(requested.get(filepath) ?? []), id]);
    }
    Object.assign(state, { hitLimit, hitCount: 0, activeMutant: undefined });
    let failed;
    let count = 0;
    try {
      await this.start(
        [...requested].map(([filepath, testIds]) => ({ filepath, testIds })),
        {
          onBeforeRunFiles: () => {
            state.activeMutant = activeMutant.id;
          },
          onBeforeRunTask: (test) => {
            // The first failure decides, so the other tests need not run.
            if (failed) test.mode = 'skip';
            else if (test.mode === 'run') count += 1;
          },
          onAfterRunTask: (test) => {
            if (test.result?.state === 'fail') failed ??= test;
          },
          onAfterRunSuite: (suite) => {
            if (suite.result?.state === 'fail') failed ??= testsOf([suite])[0];
          },
        },
      );
    } finally {
      state.activeMutant = undefined;
    }
    if (state.hitCount > hitLimit) return { status: 'timeout', reason: 'hit limit' };
    if (!failed) return { status: 'survived', nrOfTests: count };
    return {
      status: 'killed',
      killedBy: [idOf(failed)],
      failureMessage: messageOf(failed),
      nrOfTests: count,
    };
  }

  /** Runs test files in new instances of all modules. */
  async start(specs, hooks) {
    const importOf = this.evaluate();
    const files = await runner.startTests(specs, {
      config: CONFIG,
      pool: 'in-process',
      importFile: (file) => importOf[file](),
      ...hooks,
    });
    this.testIds ??= new Map(files.map((file) => [file.filepath, testsOf([file]).map(({ id }) => id)]));
    return files;
  }

  dispose() {}
}

/** Returns the test files of a folder that `npm test` runs, or the file itself. */
const filesIn = (path) =>
  path.endsWith('.ts')
    ? [path]
    : readdirSync(path, { recursive: true })
        .filter((file) => file.endsWith('.test.ts') && !/\.(e2e|deep|postgres)\./.test(file))
        .map((file) => join(path, file))
        .sort();

/** Returns an id that includes the file, because a new process does not know the tests yet. */
const idOf = (test) => `${test.file.filepath}#${test.id}`;

/** Returns the result of a test in the format of Stryker. */
function resultOf(test) {
  const { state, duration = 0 } = test.result ?? {};
  const name = `${relative(process.cwd(), test.file.filepath)}: ${test.fullTestName}`;
  const about = { id: idOf(test), name, fileName: test.file.filepath, timeSpentMs: duration };
  if (state === 'fail') return { ...about, status: FAILED, failureMessage: messageOf(test) };
  return { ...about, status: state === 'pass' ? PASSED : SKIPPED };
}

/** Numbers by which Stryker identifies the result of a test. */
const PASSED = 0;
const FAILED = 1;
const SKIPPED = 2;

const CONFIG = {
  root: process.cwd(),
  setupFiles: [],
  sequence: { shuffle: false, concurrent: false, hooks: 'stack', setupFiles: 'list', seed: 1 },
  tags: [],
  maxConcurrency: 1,
  testTimeout: 60_000,
  hookTimeout: 60_000,
  retry: 0,
  allowOnly: false,
  passWithNoTests: true,
};

const testsOf = (tasks) => tasks.flatMap((task) => (task.type === 'test' ? [task] : testsOf(task.tasks)));
const messageOf = ({ result }) => result?.errors?.[0]?.message ?? 'failed';

/** Returns a function that evaluates all modules again, and returns a function to import each test file. */
async function bundle(files) {
  const entry = files.map((file) => `${JSON.stringify(file)}: () => import(${JSON.stringify(file)}),`);
  const built = await rolldown({
    input: 'entry',
    platform: 'node',
    external: (id) => !/^[./]|^entry$|^@oxc-project\/runtime/.test(id),
    logLevel: 'silent',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === 'entry' ? { id } : null),
        load: (id) => (id === 'entry' ? `export default {${entry.join('\n')}};` : null),
        transform: (code, id) =>
          code.includes('import.meta.url')
            ? {
                code: code.replaceAll('import.meta.url', JSON.stringify(String(pathToFileURL(id)))),
                map: null,
              }
            : null,
      },
      rawText(),
    ],
  });
  const { output } = await built.generate({ format: 'cjs', codeSplitting: false });
  await built.close();
  const script = new Script(`(function (module, exports, require) {${output[0].code}\n})`, {
    filename: 'tests.cjs',
  });
  const require = createRequire(join(process.cwd(), 'package.json'));
  const load = (id) => (id === 'vitest' || id === 'vitest/suite' ? VITEST : require(id));
  return () => {
    const module = { exports: {} };
    script.runInThisContext()(module, module.exports, load);
    return module.exports.default ?? module.exports;
  };
}

/** Returns `expect` with the matchers of vitest that need no state of vitest. */
function createExpect() {
  const { chai } = jest;
  chai.use(jest.JestExtend);
  chai.use(jest.JestChaiExpect);
  chai.use(jest.JestAsymmetricMatchers);
  const expect = (value, message) => {
    const test = runner.getCurrentTest();
    const assertion = chai.expect(value, message);
    return test ? assertion.withTest(test) : assertion;
  };
  Object.assign(expect, chai.expect, globalThis[jest.ASYMMETRIC_MATCHERS_OBJECT]);
  expect.getState = () => jest.getState(expect);
  expect.setState = (state) => jest.setState(state, expect);
  jest.setState({ assertionCalls: 0, isExpectingAssertions: false, expectedAssertionsNumber: null }, expect);
  Object.defineProperty(globalThis, jest.GLOBAL_EXPECT, {
    value: expect,
    writable: true,
    configurable: true,
  });
  expect.extend = (matchers) => chai.expect.extend(expect, matchers);
  expect.extend(jest.customMatchers);
  return expect;
}

const VITEST = { ...runner, expect: createExpect(), inject: () => undefined };
