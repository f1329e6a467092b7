/** A vitest reporter. At the end of a run it prints the skipped tests with their reasons, and the slowest files if `SVC_SLOWEST` is set. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join, relative } from 'node:path';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

/** Programs that some tests need. .ci/run installs them. */
const TOOLS = [
  'chromium',
  'faketime',
  'fish',
  'mandoc',
  'openssl',
  'php',
  'python3',
  'script',
  'ssh-keygen',
  'strace',
  'zsh',
];

export function summary(): Reporter {
  let vitest: Vitest | undefined;
  return {
    onInit: (started) => {
      vitest = started;
    },
    onTestRunEnd: (modules) => {
      const root = vitest?.config.root ?? '';
      const lines = [
        ...skippedIn(modules, root),
        ...slowestOf(modules, root, Number(process.env['SVC_SLOWEST'] ?? 0)),
      ];
      if (lines.length > 0) vitest?.logger.log(`\n${lines.join('\n')}`);
    },
  };
}

function skippedIn(modules: readonly TestModule[], root: string): readonly string[] {
  // If a test name was chosen, all other tests are skipped.
  const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')]);
  if (skipped.length === 0 || process.argv.some((word) => /^(-t|--testNamePattern)/.test(word))) return [];
  const counts = new Map<string, number>();
  for (const test of skipped) {
    const line = `${nameOf(test.module, root)}: ${reasonOf(test)}`;
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  const missing = TOOLS.filter((tool) => !isInstalled(tool));
  return [
    `skipped tests: ${skipped.length}${missing.length > 0 ? `; not installed here: ${missing.join(', ')}` : ''}`,
    ...[...counts].sort().map(([line, count]) => `${String(count).padStart(5)}  ${line}`),
  ];
}

/** Returns the reason that a test gave, or the title of its group. */
function reasonOf(test: TestCase): string {
  const result = test.result();
  if (result.state === 'skipped' && result.note !== undefined) return result.note;
  return test.parent.type === 'suite' ? test.parent.name : test.name;
}

/** Returns the lines of `npm run test:slow`. */
function slowestOf(modules: readonly TestModule[], root: string, most: number): readonly string[] {
  const files = modules.map((module) => ({ name: nameOf(module, root), ...module.diagnostic() }));
  return files
    .sort((a, b) => b.duration + b.collectDuration - a.duration - a.collectDuration)
    .slice(0, most)
    .map(
      ({ name, duration, collectDuration }) =>
        `${seconds(duration + collectDuration).padStart(8)} s  ${name} (${seconds(collectDuration)} s until its tests were known)`,
    );
}

const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(1);
const nameOf = (module: TestModule, root: string): string => relative(root, module.moduleId);

function isInstalled(tool: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, tool), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
