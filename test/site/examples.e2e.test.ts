/**
 * Every example of the documentation site: each line of a shell, and each command of a pipeline. Lines run in this process, against the
 * demo company of a sandbox, page by page and in their order. A list names each line that cannot run here, with its reason or the test
 * that runs it. A new line that is neither fails.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { commentAt } from '../../.config/site/page.ts';
import { siteOf } from '../../.config/site/site.ts';
import about from '../../package.json' with { type: 'json' };
import { nouns } from '../../src/cli/registry/entries.ts';
import { openWorld, type World } from '../support/example-world.ts';
import { makeKey } from '../support/ssh-keys.ts';
import { type Node, nodesIn, parsePage } from '../support/web-page.ts';
import { NOT_RUN, SCENES, type Scene, STANDS_FOR } from './example-scenes.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

interface Example {
  readonly page: string;
  readonly line: string;
}

const attribute = (node: Node, name: string): string | undefined =>
  node.attrs?.find((each) => each.name === name)?.value;

/** Returns the lines of a shell on a page. A line that ends in a backslash continues in the next one. */
function examplesIn(page: string, text: string): readonly Example[] {
  return parsePage(text).nodes.flatMap((node) => {
    const language = node.nodeName === 'code' ? attribute(node, 'data-language') : undefined;
    if (language === undefined || isRunElsewhere(page, language)) return [];
    const code = nodesIn(node)
      .map(({ value = '' }) => value)
      .join('');
    return linesOf(code, language)
      .map((line) => withoutComment(line))
      .flatMap((line) => (line === '' ? [] : [{ page, line }]));
  });
}

function withoutComment(line: string): string {
  const at = commentAt(line);
  return (at < 0 ? line : line.slice(0, at)).trim();
}

function linesOf(code: string, language: string): readonly string[] {
  switch (language) {
    case 'sh':
      return (
        code
          // A here-document belongs to one command.
          .replaceAll(/<<'END'\n([\s\S]*?)\nEND$/gm, (all) => all.replaceAll('\n', '⏎'))
          .replaceAll(/ *\\\n */g, ' ')
          .split('\n')
          .filter((line) => line.trim() !== '')
      );
    case 'console':
      return code.split('\n').flatMap((line) => (line.startsWith('$ ') ? [line.slice(2)] : []));
    case 'yaml':
      return commandsOf(parseYaml(code));
    default:
      return [];
  }
}

/** Returns the commands of svc in a pipeline, which are in `run` and `script`. */
function commandsOf(value: unknown, isScript = false): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each) => commandsOf(each, isScript));
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, each]) =>
      commandsOf(each, key === 'run' || key === 'script'),
    );
  if (!isScript || typeof value !== 'string') return [];
  return value
    .replaceAll(/ *\\\n */g, ' ')
    .split('\n')
    .filter((line) => /^(\w+=\$\()?svc /.test(line.trim()));
}

/** Pages with examples that another test runs completely. */
const RUN_ELSEWHERE = [
  { test: '.ci/run', pages: /^developers\/contributing\.html$/ },
  { test: 'test/e2e/sandbox-examples.test.ts', pages: /^commands\/sandbox\b/ },
  // That test types the blocks of a shell. Pipelines and transcripts are run here.
  { test: 'test/e2e/guides.test.ts', pages: /^guides\//, language: 'sh' },
  {
    // That test runs them with --dry-run, and for an automation of each kind.
    test: 'test/cli/command/examples.test.ts',
    pages: new RegExp(`^commands/(?:${nouns.map(({ name }) => name).join('|')})(?:-[a-z-]+)?\\.html$`),
  },
];

const isRunElsewhere = (page: string, shown: string): boolean =>
  RUN_ELSEWHERE.some(({ pages, language = shown }) => pages.test(page) && language === shown);

const { files } = await siteOf(ROOT);
/** Whole programs in several languages, which tests run unchanged. */
const PROGRAMS = /^examples\/(?:ci|partner|team|clients-\w+)\.html$/;
const examples = [...files].flatMap(([page, text]) =>
  typeof text === 'string' && page.endsWith('.html') && !PROGRAMS.test(page) ? examplesIn(page, text) : [],
);

const isListed = (line: string): boolean => Object.hasOwn(NOT_RUN, line);

const sceneOf = (page: string): Scene => SCENES[page] ?? {};

describe('the examples', () => {
  it('are found', () => {
    expect(examples.length).toBeGreaterThan(100);
    expect(examples.filter(({ line }) => isListed(line)).length).toBeLessThan(10);
  });

  it('are listed only if their line and their test exist', () => {
    const lines = new Set(examples.map(({ line }) => line));
    const named = [...Object.keys(NOT_RUN), ...Object.keys(STANDS_FOR)];
    expect(named.filter((line) => !lines.has(line))).toEqual([]);
    const exits = Object.values(SCENES).flatMap(({ exits = {}, asks = {} }) => [
      ...Object.keys(exits),
      ...Object.keys(asks),
    ]);
    expect(
      exits.filter((line) => !lines.has(line) && !Object.values(STANDS_FOR).flat().includes(line)),
    ).toEqual([]);
    expect(Object.keys(SCENES).filter((page) => !files.has(page))).toEqual([]);
    const reasons = Object.values(NOT_RUN);
    const tests = [...reasons, ...RUN_ELSEWHERE.map(({ test }) => test)].flatMap(
      (reason) => reason.match(/(?:test|\.ci)\/[\w./-]+/g) ?? [],
    );
    expect(tests.filter((path) => !existsSync(new URL(path, `file://${ROOT}`)))).toEqual([]);
  });

  it('of CONTRIBUTING.md use existing scripts', () => {
    const scripts = Object.keys(about.scripts);
    const named = [...readFileSync(`${ROOT}CONTRIBUTING.md`, 'utf8').matchAll(/\bnpm run ([\w:-]+\w)/g)];
    expect(named.length).toBeGreaterThan(15);
    expect(named.map(([, name = '']) => name).filter((name) => !scripts.includes(name))).toEqual([]);
  });

  it('run the programs unchanged', () => {
    const e2e = (name: string): string => readFileSync(`${ROOT}test/e2e/${name}`, 'utf8');
    for (const language of ['bash', 'go', 'php', 'python'])
      expect(e2e('example-clients.test.ts')).toContain(language);
    expect(e2e('ci-examples.test.ts')).toContain('examples/ci');
    expect(e2e('bundle.test.ts')).toContain('examples/partner');
    for (const file of ['client.sh', 'client.py'])
      expect(readFileSync(`${ROOT}docs/team-sandbox.md`, 'utf8')).toContain(file);
  });
});

const pages = [...new Set(examples.map(({ page }) => page))].filter((page) =>
  examples.some((each) => each.page === page && !isListed(each.line)),
);
/** Groups of pages that share a sandbox: the pages of one command and its verbs. */
const groups = new Map<string, string[]>();
for (const page of pages) {
  const name = /^commands\/[a-z]+/.exec(page)?.[0] ?? page;
  groups.set(name, [...(groups.get(name) ?? []), page]);
}

describe.each([...groups])('%s', (_, own) => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld(Object.assign({}, ...own.map((page) => sceneOf(page).files ?? {})));
    await prepare(
      world,
      own.some((page) => sceneOf(page).isCampaign),
    );
  });
  afterAll(async () => {
    await world.close();
  });

  it.each(own)('%s', async (page) => {
    const { before = [], exits = {}, asks = {} } = sceneOf(page);
    for (const line of before)
      expect([line, await world.run(line, { answers: ANSWERS })]).toEqual([
        line,
        expect.objectContaining({ exitCode: 0 }),
      ]);
    for (const { line } of examples.filter((each) => each.page === page && !isListed(each.line)))
      for (const each of STANDS_FOR[line] ?? [line]) {
        const answers = asks[each];
        // A continuing line ends with Ctrl-C.
        const interrupt = new AbortController();
        const timer = exits[each] === 130 ? setTimeout(() => interrupt.abort(), 300) : undefined;
        const run = await world.run(each, {
          ...(answers === undefined ? {} : { answers }),
          signal: interrupt.signal,
        });
        clearTimeout(timer);
        expect([each, run.exitCode, run.stderr]).toEqual([each, exits[each] ?? 0, expect.anything()]);
      }
    expect(world.sandbox().reports).toEqual([]);
  });
});

const ANSWERS = Array<boolean>(9).fill(true);

/** Adds profiles for the demo company and its partner, and the files of a scene. */
async function prepare({ run, sandbox, cwd }: World, isCampaign = false): Promise<void> {
  const { company, partner, baseUrl } = sandbox().ready;
  writeFileSync(join(cwd, 'key.txt'), company.apiKey);
  writeFileSync(join(cwd, 'partner-key.txt'), partner.apiKey);
  if (isCampaign) await putCampaign(cwd);
  const own = `--base-url https://api.example.com --company 1 --user 1 --api-key-stdin < key.txt`;
  const names = ['prod', 'production', 'staging', 'old', 'team'].map((name) => `${name} ${own}`);
  const theirs = `--base-url https://api.example.com --partner 1 --no-check --api-key-stdin < partner-key.txt`;
  const local = own.replace('https://api.example.com', baseUrl);
  const another = `other-company ${theirs.replace('--partner 1', '--partner 1 --company 2')}`;
  for (const line of [`sandbox ${local}`, ...names, `agency ${theirs}`, another])
    expect([line, await run(`svc profile add ${line}`)]).toEqual([
      line,
      expect.objectContaining({ exitCode: 0 }),
    ]);
}

/**
 * Puts the campaign of examples/campaign there under the names that the documents use, and the key of a person who may
 * approve it.
 */
async function putCampaign(cwd: string): Promise<void> {
  for (const folder of ['.', 'campaign', 'campaigns'])
    cpSync('examples/campaign', join(cwd, folder), { recursive: true });
  for (const name of ['spring', 'news'])
    for (const end of ['html', 'txt'])
      cpSync(`examples/campaign/content/spring.${end}`, join(cwd, `${name}.${end}`));
  const { line } = await makeKey(cwd, 'ada');
  mkdirSync(join(cwd, '../.ssh'), { mode: 0o700 });
  for (const end of ['', '.pub']) cpSync(join(cwd, `ada${end}`), join(cwd, `../.ssh/id_ed25519${end}`));
  writeFileSync(join(cwd, 'team.signers'), `ada@example.com ${line}\n`);
}
