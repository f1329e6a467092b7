/** Design, "The package is bundled": what the built program reads before it knows what was asked, and that its chunks can be read in any order. */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type OutputChunk, type OutputOptions, type RolldownOptions, rolldown } from 'rolldown';
import { beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

let chunks: ReadonlyMap<string, OutputChunk>;
/** Paths in the repository of the modules in `main.cjs` and in the chunks that it requires at once. */
let atStart: readonly string[];
beforeAll(async () => {
  const file = '../.config/rolldown.config.js';
  const config = (await import(file)).default as RolldownOptions & { readonly output: OutputOptions };
  const bundle = await rolldown({ ...config, logLevel: 'silent' });
  const { output } = await bundle.generate(config.output);
  await bundle.close();
  chunks = new Map(output.flatMap((each) => (each.type === 'chunk' ? [[each.fileName, each]] : [])));
  atStart = [...requiredBy('main.cjs')]
    .flatMap((name) => chunks.get(name)?.moduleIds ?? [])
    .map((id) => relative(ROOT, id).replaceAll('\\', '/'));
}, 60_000);

describe('what is read at every start', () => {
  it('is our own code that every command needs, commander, and what measures characters', () => {
    expect(atStart).toEqual(expect.arrayContaining(['src/main.ts', 'src/cli/command/program.ts']));
    expect(atStart.length).toBeGreaterThan(100);
    const packages = atStart.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
    expect([...new Set(packages)].sort()).toEqual(['commander', 'get-east-asian-width']);
  });

  it.each([
    ['the sandbox', /^src\/sandbox\//],
    ['the commands beside the nouns', /^src\/cli\/commands\//],
    ['what completes words in shells', /^src\/cli\/completion\//],
    ['the words of svc explain', /^src\/(resources\/explanations\/|text\/(page|near)\.ts$)/],
    // But what help and messages need of it.
    ['work on files of rows', /^src\/(cli\/)?bulk\/(?!(flags|errors|opened-file)\.ts$)/],
    ['the log of changes', /^src\/(cli\/)?journal\/(?!(errors|raw-request)\.ts$)/],
    ['undici', /node_modules\/undici\//],
    [
      'zod, conf, prompts, JMESPath, time zones, YAML',
      /node_modules\/(zod|conf|@inquirer|@jmespath-community|luxon|yaml)\//,
    ],
  ])('has nothing of %s', (_, unwanted) => {
    expect(atStart.filter((path) => unwanted.test(path))).toEqual([]);
  });
});

it('what answers a TAB is small, and has no packages', async () => {
  const file = '../.config/rolldown.complete.config.js';
  const config = (await import(file)).default as RolldownOptions & { readonly output: OutputOptions };
  const bundle = await rolldown({ ...config, logLevel: 'silent' });
  const { output } = await bundle.generate(config.output);
  await bundle.close();
  const modules = output.flatMap((each) => (each.type === 'chunk' ? each.moduleIds : []));
  expect(output).toHaveLength(1);
  expect(modules.filter((id) => /node_modules|resources|cli\/(command|session)/.test(id))).toEqual([]);
  expect(modules.length).toBeLessThan(20);
});

// In a circle of `require` one chunk is handed over half made: `r is not a function`, for whoever comes in at that door.
it('no chunk requires itself, by whatever way', () => {
  const circular = [...chunks.keys()].filter((name) =>
    (chunks.get(name)?.imports ?? []).some((next) => requiredBy(next).has(name)),
  );
  expect(circular).toEqual([]);
});

/** The chunk and all that it requires when it is read. */
function requiredBy(name: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(name) || !chunks.has(name)) return found;
  found.add(name);
  for (const next of chunks.get(name)?.imports ?? []) requiredBy(next, found);
  return found;
}
