/**
 * A vitest reporter. At the end of a run it prints how many sandbox scenarios each method of each resource has, how many command line
 * tests, and one line of totals. A run of the whole suite prints the table, and fails if a supported method has no scenario.
 *
 * A test under test/sandbox belongs to a resource if the title of a `describe` around it begins with the resource's name: `user PUT:
 * "sub-users can read and modify only their own record"`. Its methods are those in this title, or else those in the titles below it. The
 * same applies to a test under test/cli, which also belongs to a resource if a title says `svc <noun>`.
 */
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';
import { METHODS, type Method, supports } from '../../src/kit/schema/resource.ts';
import { catalogue } from '../../src/service/resources/catalogue.ts';

/** A test by its file and its titles: those of its describes, and its own title last. */
export interface Titled {
  /** The path relative to the project: `test/sandbox/behaviours/user.test.ts`. */
  readonly file: string;
  readonly titles: readonly string[];
}

export interface Counts {
  readonly resource: string;
  readonly methods: Readonly<Record<Method, number>>;
  readonly cli: number;
}

export function resourceCounts(): Reporter {
  let vitest: Vitest | undefined;
  return {
    onInit: (started) => {
      vitest = started;
    },
    onTestRunEnd: async (modules, errors, reason) => {
      if (!vitest) return;
      const tests = modules.flatMap((module) => [...module.children.allTests()]);
      const ran = tests.filter((test) => test.result().state === 'passed');
      const counts = countByResource(ran.map((test) => titled(test, vitest?.config.root ?? '')));
      const whole = (await isWhole(vitest, modules)) && reason !== 'interrupted';
      const gaps = whole ? gapsOf(counts) : [];
      if (gaps.length > 0) process.exitCode = 1;
      const lines = [
        ...(whole ? tableOf(counts) : []),
        ...gaps.map((gap) => `no sandbox scenario: ${gap}`),
        totalsOf(tests, errors.length),
      ];
      vitest.logger.log(`\n${lines.join('\n')}`);
    },
  };
}

export function countByResource(tests: readonly Titled[]): readonly Counts[] {
  return catalogue.map(({ name, noun }) => {
    const ofCommand = new RegExp(`(^|: )svc ${noun}(?![a-z-])`);
    const methods = { GET: 0, HEAD: 0, POST: 0, PUT: 0, DELETE: 0 };
    let cli = 0;
    for (const { file, titles } of tests) {
      if (file.startsWith('test/sandbox/'))
        for (const method of methodsUnder(name, titles)) methods[method] += 1;
      else if (file.startsWith('test/cli/') && isOfCommand(name, ofCommand, titles)) cli += 1;
    }
    return { resource: name, methods, cli };
  });
}

/** Returns `PUT folder` for each supported method without a scenario. */
export function gapsOf(counts: readonly Counts[]): readonly string[] {
  return catalogue.flatMap((resource) => {
    const own = counts.find((each) => each.resource === resource.name)?.methods;
    return METHODS.filter((method) => supports(resource, method) && !own?.[method]).map(
      (method) => `${method} ${resource.name}`,
    );
  });
}

function methodsUnder(resource: string, titles: readonly string[]): readonly Method[] {
  const describes = titles.slice(0, -1);
  const at = describes.findIndex((title) => beginsWith(title, resource));
  if (at < 0) return [];
  const own = methodsIn(unquoted(titles[at] ?? ''));
  return own.length > 0
    ? own
    : methodsIn(
        titles
          .slice(at + 1)
          .map(unquoted)
          .join(' '),
      );
}

function isOfCommand(resource: string, ofCommand: RegExp, titles: readonly string[]): boolean {
  return titles.some((title) => beginsWith(title, resource) || ofCommand.test(title));
}

const beginsWith = (title: string, name: string): boolean =>
  title.startsWith(name) && !/^[A-Za-z]/.test(title.slice(name.length));
const methodsIn = (title: string): readonly Method[] =>
  METHODS.filter((method) => new RegExp(`\\b${method}\\b`).test(title));
/** Removes quotations of the document from a title, because they name no methods. */
const unquoted = (title: string): string => title.replaceAll(/"[^"]*"/g, '');

function tableOf(counts: readonly Counts[]): readonly string[] {
  const head = ['sandbox scenarios', ...METHODS, 'all', 'cli'];
  const rows = counts.map(({ resource, methods, cli }) => [
    resource,
    ...METHODS.map((method) => {
      const declared = catalogue.find(({ name }) => name === resource);
      return declared && !supports(declared, method) && methods[method] === 0 ? '-' : String(methods[method]);
    }),
    String(METHODS.reduce((sum, method) => sum + methods[method], 0)),
    String(cli),
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  return [head, ...rows].map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
}

function totalsOf(tests: readonly TestCase[], errors: number): string {
  const in_ = (state: string): number => tests.filter((test) => test.result().state === state).length;
  const skipped = in_('skipped') + in_('pending');
  return `${in_('passed')} passed, ${in_('failed') + errors} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** Returns whether every test of every test file ran, without a chosen file, name or shard. */
async function isWhole(vitest: Vitest, modules: readonly TestModule[]): Promise<boolean> {
  if (vitest.config.testNamePattern !== undefined || vitest.config.shard !== undefined) return false;
  return modules.length === (await vitest.globTestSpecifications()).length;
}

function titled(test: TestCase, root: string): Titled {
  const titles = [test.name];
  for (let parent = test.parent; parent.type === 'suite'; parent = parent.parent) titles.unshift(parent.name);
  const file = test.module.moduleId;
  return { file: file.startsWith(root) ? file.slice(root.length).replace(/^\//, '') : file, titles };
}
