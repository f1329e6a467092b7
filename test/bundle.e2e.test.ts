/**
 * Design, "The package is bundled": the chunks that the built program loads before it knows the command. Chunks can be loaded in any
 * order.
 */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type OutputChunk, type OutputOptions, type RolldownOptions, rolldown } from 'rolldown';
import { beforeAll, describe, expect, it } from 'vitest';
import { EDITED_VERSIONS } from '../.config/without-unused.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const warnings: string[] = [];
let chunks: ReadonlyMap<string, OutputChunk>;
beforeAll(async () => {
  const file = '../.config/rolldown.config.js';
  const config = (await import(file)).default as RolldownOptions & { readonly output: OutputOptions };
  const bundle = await rolldown({
    ...config,
    logLevel: 'warn',
    onLog: (_level, { message }) => warnings.push(message),
  });
  const { output } = await bundle.generate(config.output);
  await bundle.close();
  chunks = new Map(output.flatMap((each) => (each.type === 'chunk' ? [[each.fileName, each]] : [])));
});

/** The chunks that a start loads, step by step, and their contents. */
const STEPS: readonly (readonly [start: string, ...holding: readonly string[]])[] = [
  ['svc --help', 'src/main.ts'],
  ['svc folder --help', 'src/main.ts', 'src/cli/registry/verbs-by-noun.ts'],
  [
    'svc task create --help',
    'src/main.ts',
    'src/cli/registry/verbs-by-noun.ts',
    'src/cli/nouns/task/verbs.ts',
  ],
  [
    'svc folder list -o json',
    ...['src/main.ts', 'src/cli/registry/verbs-by-noun.ts', 'src/run.ts'],
    ...['src/client/requests/transport/undici-transport.ts', 'node_modules/undici/lib/dispatcher/client.js'],
  ],
];

it.each(Object.entries(EDITED_VERSIONS))('changes only the text of %s %s', (name, version) => {
  // The client also imports internal files of undici, which can change with any version.
  const manifest = JSON.parse(readFileSync(`${ROOT}node_modules/${name}/package.json`, 'utf8'));
  expect(manifest.version).toBe(version);
});

it('is built without warnings', () => expect(warnings).toEqual([]));

it('each chunk is in ASCII, as bin/compiled-code.js requires', () => {
  const others = [...chunks.values()].filter(({ code }) => /[^\0-\x7f]/.test(code));
  expect(others.map(({ fileName }) => fileName)).toEqual([]);
});

describe.each(STEPS)('the code that %s loads', (start, ...holding) => {
  const read = (): readonly string[] => modulesIn(holding.map(chunkOf));

  it('is in few files', () => {
    const files = new Set(holding.map(chunkOf).flatMap((name) => [...requiredBy(name)]));
    expect(files.size).toBeLessThanOrEqual(holding.length + 2);
  });

  it('contains everything that it needs', () => {
    expect(read()).toEqual(expect.arrayContaining([...holding]));
    expect(read().length).toBeGreaterThan(50);
  });

  it.each([
    ['the sandbox', /^src\/(sandbox|protocol\/control)\//],
    ['the commands beside the nouns', /^src\/cli\/commands\//],
    ['the shell completion', /^src\/cli\/completion\//],
    ['help for programs and the outputs of examples', /^src\/cli\/command\/(help-json|example-outputs)/],
    ['the checks of messages', /^src\/(lint\/|text\/html-|cli\/command\/topics\/lint)/],
    ['the OpenAPI document', /^src\/(explain\/openapi\/|schema\/value-schema\.ts$)/],
    ['the texts of svc explain', /^src\/(explanations\/|report\/text-page\.ts$)/],
    // Except the part of it that help and messages need.
    ['work on files of rows', /^src\/(cli\/)?bulk\/(?!(flags|errors|opened-file)\.ts$)/],
    ['the log of changes', /^src\/(cli\/)?journal\/(?!raw-request\.ts$)/],
    [
      'zod, conf, prompts, JMESPath, time zones, YAML, HTML',
      /node_modules\/(zod|conf|@inquirer|@jmespath-community|luxon|yaml|parse5)\//,
    ],
    [
      'proxies and the rest of undici',
      /node_modules\/undici\/lib\/(mock|cache|interceptor|dispatcher\/(agent|pool|.*proxy))/,
    ],
  ])('has no code of %s', (_, unwanted) => {
    expect(read().filter((path) => unwanted.test(path))).toEqual([]);
  });

  it.runIf(start.endsWith('--help'))('for help has no code of sessions, clients, profiles and output', () => {
    const unwanted =
      /^src\/(run\.ts|auth\/|profiles\/(?!errors)|client\/(client|call|attempt|transport)|cli\/(output\/(render|table)|session\/session))/;
    expect(read().filter((path) => unwanted.test(path))).toEqual([]);
    const packages = read().flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
    expect([...new Set(packages)]).toEqual(['commander']);
  });
});

it('the OpenAPI document is in a separate file', () => {
  const file = chunkOf('src/features/explain/openapi/document.ts');
  expect(modulesIn([chunkOf('src/cli/commands/explain.ts')])).not.toContain(
    'src/features/explain/openapi/document.ts',
  );
  expect(modulesIn([file])).toContain('src/features/explain/openapi/operations.ts');
});

it('a starting sandbox loads only the entrance of its pages', () => {
  const read = modulesIn([chunkOf('src/sandbox/start.ts')]);
  const pages = read.filter((path) => /^src\/sandbox\/pages\//.test(path));
  expect(pages).toEqual(['src/sandbox/pages/routes.ts']);
  expect(read.filter((path) => /^src\/(lint|report)\//.test(path))).toEqual([]);
});

it('the bundle that completes a TAB is small and has no packages', async () => {
  const file = '../.config/rolldown.complete.config.js';
  const config = (await import(file)).default as RolldownOptions & { readonly output: OutputOptions };
  const bundle = await rolldown({ ...config, logLevel: 'silent' });
  const { output } = await bundle.generate(config.output);
  await bundle.close();
  const modules = output.flatMap((each) => (each.type === 'chunk' ? each.moduleIds : []));
  expect(output).toHaveLength(1);
  // The tokenizer of a command line has 47 lines and imports nothing. No declaration of a command is among the modules.
  // The names of records are shown without their marks, by a file that imports nothing.
  const heavy = /node_modules|resources\/(?!campaign-mark\.ts$)|cli\/(command\/(?!tokens\.ts$)|session)/;
  expect(modules.filter((id) => heavy.test(id))).toEqual([]);
  expect(modules.length).toBeLessThan(30);
});

it('a sandbox loads nothing of PostgreSQL until it uses one', () => {
  const ofPostgres = /node_modules\/(pg|pg-[a-z-]+|pgpass|postgres-[a-z]+)\//;
  const started = modulesIn([chunkOf('src/sandbox/start.ts')]);
  expect(started).toContain('src/sandbox/store/driver/sqlite.ts');
  expect(started.filter((path) => ofPostgres.test(path))).toEqual([]);
  const given = modulesIn([chunkOf('src/sandbox/store/driver/postgres.ts')]);
  expect(given).toContain('node_modules/pg/lib/client.js');
});

// In a cycle of `require`, a caller that enters at one chunk gets an unfinished chunk: `r is not a function`.
it('no chunk requires itself, not even indirectly', () => {
  const circular = [...chunks.keys()].filter((name) =>
    (chunks.get(name)?.imports ?? []).some((next) => requiredBy(next).has(name)),
  );
  expect(circular).toEqual([]);
});

/** Returns the chunk and all chunks that it requires when it is loaded. */
function requiredBy(name: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(name) || !chunks.has(name)) return found;
  found.add(name);
  for (const next of chunks.get(name)?.imports ?? []) requiredBy(next, found);
  return found;
}

/** Returns the file that contains a module. */
function chunkOf(path: string): string {
  for (const [name, { moduleIds }] of chunks) if (inRepository(moduleIds).includes(path)) return name;
  throw new Error(`${path} is in no chunk`);
}

/** Returns the repository paths of the modules in these chunks, and in those that they require at once. */
const modulesIn = (names: readonly string[]): readonly string[] =>
  [...new Set(names.flatMap((name) => [...requiredBy(name)]))].flatMap((name) =>
    inRepository(chunks.get(name)?.moduleIds ?? []),
  );

const inRepository = (ids: readonly string[]): readonly string[] =>
  ids.map((id) => relative(ROOT, id).replaceAll('\\', '/'));
