/** The topics of `svc help`: the names that they must contain, and the check that every command in them can be typed. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isGroup } from '../../../src/cli/command/command.ts';
import type { HelpPage } from '../../../src/cli/command/help-page.ts';
import { topicHelp } from '../../../src/cli/command/help-topics.ts';
import { readCommandLine } from '../../../src/cli/command/program.ts';
import { TOPIC_NAMES } from '../../../src/cli/command/words.ts';
import { FORMAT_NAMES } from '../../../src/cli/output/result.ts';
import { topLevelCommandEntries } from '../../../src/cli/registry/entries.ts';
import { section, tableRows } from '../../support/citations.ts';
import { argvOf } from '../../support/examples.ts';
import { NOBODY, runCli } from '../../support/run-cli.ts';

const ROOT = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');
const contract = read('docs/contract.md');
const pages = new Map<string, HelpPage>(
  await Promise.all(
    TOPIC_NAMES.map(async (name) => [name, await topicHelp(name, topLevelCommandEntries)] as const),
  ),
);
const pageOf = async (topic: string): Promise<string> =>
  (await runCli(['help', topic], { env: NOBODY })).stdout;

describe('every topic', () => {
  it.each(TOPIC_NAMES)('%s prints its own page on stdout', async (topic) => {
    const run = await runCli(['help', topic], { env: NOBODY });
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
    expect(run.stdout).toContain(pages.get(topic)?.summary);
  });

  it('is named by svc help commands', async () => {
    const { stdout } = await runCli(['help', 'commands'], { env: NOBODY });
    expect(stdout.replaceAll('\n', ' ')).toContain(`Help topics: ${TOPIC_NAMES.join(', ')}.`);
  });

  it.each([
    ['times', 'time'],
    ['env', 'environment'],
    ['exit-code', 'exit-codes'],
    ['formats', 'output'],
  ])('svc help %s is svc help %s', async (word, topic) => {
    expect(await pageOf(word)).toBe(await pageOf(topic));
  });

  it.each([
    ['tim', 'svc help time'],
    ['exitcodes', 'svc help exit-codes'],
    ['saftey', 'svc help safety'],
    ['enviroment', 'svc help environment'],
    // A command has the nearer name.
    ['tsk', 'svc task list'],
  ])('svc help %s: did you mean %s?', async (word, meant) => {
    const run = await runCli(['help', word], { env: NOBODY });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain(`Hint: did you mean ${meant}?`);
  });
});

describe('environment', () => {
  it('lists every variable of the contract', async () => {
    const named = section(contract, 'Environment').match(/`[A-Z][A-Z_]+`|`%[A-Z]+%`/g) ?? [];
    const names = [...new Set(named.map((name) => name.replaceAll('`', '')))];
    expect(names.length).toBeGreaterThan(25);
    const page = await pageOf('environment');
    expect(names.filter((name) => !page.includes(name))).toEqual([]);
  });

  it('lists every variable that the program reads', async () => {
    const files = ['src', 'bin'].flatMap((folder) =>
      readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.(ts|js)$/.test(file))
        .map((file) => `${folder}/${file}`),
    );
    const names = files.flatMap((file) =>
      [...read(file).matchAll(/\benv(?:\.|\[['"])([A-Z][A-Z_]+)|['"`](SVC_[A-Z_]+)['"`]/g)].map(
        ([, asked, quoted]) => asked ?? quoted ?? '',
      ),
    );
    expect(new Set(names).size).toBeGreaterThan(20);
    const page = await pageOf('environment');
    // The system and the shells set these variables, not svc. NAME is a placeholder in a message.
    const systems = [
      'HOME',
      'SHELL',
      'BASH_COMPLETION_USER_DIR',
      'FPATH',
      'ZDOTDIR',
      'PATHEXT',
      'LOGNAME',
      'USERNAME',
      'PATH',
      'TMPDIR',
      'NAME',
      // completions/svc.ps1 sets this variable, and no person does.
      'SVC_COMPLETE_LINE',
    ];
    expect([...new Set(names)].filter((name) => !systems.includes(name) && !page.includes(name))).toEqual([]);
  });
});

it("exit-codes lists every code of the contract's table", async () => {
  const codes = tableRows(section(contract, 'Output')).map(([code = '']) => code);
  expect(codes.length).toBeGreaterThan(10);
  const shown = [...(await pageOf('exit-codes')).matchAll(/^ {2}(\d+) +\S/gm)].map(([, code]) => code);
  expect(shown).toEqual(codes);
});

it('output lists every format', async () => {
  const terms = (pages.get('output')?.sections[0]?.items ?? []).flatMap(({ term }) => term.split(', '));
  expect(terms.sort()).toEqual([...FORMAT_NAMES].sort());
});

// Contract, "Safety": each guard flag, and each command that asks.
it.each([
  ...[
    '--dry-run',
    '--no-validate',
    '--now',
    '--yes',
    '--domain-ok',
    '--expect-size',
    '--hold',
    '--key',
    '--settle',
  ],
  ...['2 minutes', '2 years', '5 minutes', 'dnc add, dnc import', 'dnc remove', 'task cancel', 'read-only'],
  ...['require-company', '429, 502, 503', 'Ctrl-C', 'journal', 'only to the origin'],
])('safety names %s', async (what) => {
  expect((await pageOf('safety')).replaceAll(/\s+/g, ' ')).toContain(what);
});

describe('the commands in a topic', () => {
  const lines = [...pages].flatMap(([topic, { examples, sections }]) =>
    [...examples, ...sections.flatMap(({ code = [] }) => commandsIn(code))]
      .flatMap((line) => line.split(' || '))
      .map((line) => [topic, line] as const),
  );

  it('are found', () => expect(lines.length).toBeGreaterThan(20));

  it.each(lines)('%s works: %s', async (_, line) => {
    const argv = argvOf(line.replace(/^(\w+=\S+ )*svc /, ''));
    const parsed = await readCommandLine(argv, topLevelCommandEntries, { version: '0', columns: 80 });
    expect(parsed.kind).toBe('run');
  });

  it('a sentence of a topic names only commands and topics that exist', async () => {
    // Excludes the words of other tools, which other tests cover.
    const own = [...pages].filter(([topic]) => topic !== 'aliases').map(([, page]) => page);
    const texts = own.flatMap(({ sections, notes }) => [
      ...notes,
      ...sections.flatMap(({ items = [], paragraphs = [] }) => [
        ...items.flatMap(({ term, text }) => [term, text]),
        ...paragraphs,
      ]),
    ]);
    const named = texts.flatMap((text) => [
      ...text.matchAll(/(?<![/\w])svc ((?:[a-z][a-z-]*)(?: [a-z][a-z-]*)*)/g),
    ]);
    expect(named.length).toBeGreaterThan(15);
    // Sentences about the program, such as "svc reads a local time …".
    const prose =
      /^(accepts|acts|adds|applies|always|asks|assumes|blocks|caches|cannot|checks|continues|converts|exits|finishes|ignores|makes|only|protects|refused|repeats|sends|sent|shows|then|walks|does|finds|hides|looks|never|prints|puts|reads|refuses|rejects|reports|schedules|shortens|uses|waits)\b/;
    for (const words of named.map(([, each = '']) => each).filter((each) => !prose.test(each)))
      expect([words, await leadsSomewhere(words.split(' '))]).toEqual([words, true]);
  });
});

/** Returns the commands in lines of a shell or of YAML. A command may continue in lines that begin with a flag. */
function commandsIn(code: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (const line of code.map((each) => each.trim())) {
    if (line.startsWith('svc ')) found.push(line);
    else if (line.startsWith('--')) found.push(`${found.pop()} ${line}`);
  }
  return found;
}

async function leadsSomewhere([first = '', ...rest]: readonly string[]): Promise<boolean> {
  if (first === 'help') return TOPIC_NAMES.some((topic) => topic === rest[0]);
  let node = await topLevelCommandEntries.find(({ name }) => name === first)?.load();
  for (const word of rest) {
    if (node === undefined || !isGroup(node)) break;
    node = node.commands.find(({ name }) => name === word);
  }
  return node !== undefined;
}
