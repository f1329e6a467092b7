/**
 * Compares the documents in docs/ with the program. Everything that a comment or a test cites exists. The tables of nouns, flags,
 * variables and exit codes match the program.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { documentPages, pathsBySource } from '../.config/site/documents.ts';
import about from '../package.json' with { type: 'json' };
import { isGroup } from '../src/cli/command/command.ts';
import { globalFlags } from '../src/cli/command/globals.ts';
import { EXIT_CODE_MEANINGS } from '../src/cli/command/topics/command-line.ts';
import { EXIT } from '../src/cli/errors/exit-codes.ts';
import { commands, nouns } from '../src/cli/registry/entries.ts';
import { sandboxOnlyResources } from '../src/service/resources/companions.ts';
import {
  citationsIn,
  commentsIn,
  type Document,
  resolves,
  rowIdsIn,
  section,
  tableRows,
  termsOf,
} from './support/citations.ts';

const ROOT = new URL('../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');
const filesOf = (folder: string): readonly string[] =>
  readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' }).map(
    (file) => `${folder}/${file}`,
  );
const sources = ['src', 'test'].flatMap(filesOf).filter((file) => /\.(ts|sh)$/.test(file));

const FILES: Readonly<Record<Exclude<Document, 'README'>, string>> = {
  contract: 'docs/contract.md',
  wire: 'docs/wire.md',
  design: 'docs/design.md',
  acceptance: 'docs/acceptance.md',
  'src/service/protocol/README.md': 'src/service/protocol/README.md',
  'src/cli/README.md': 'src/cli/README.md',
  'src/sandbox/README.md': 'src/sandbox/README.md',
};
const GUIDES = [
  ...[
    'install',
    'commands',
    'sending',
    'campaigns',
    'rehearse',
    'testing',
    'ci',
    'assistants',
    'partners',
    'sandbox',
  ],
  ...[
    'team-sandbox',
    'configuration',
    'exit-codes',
    'performance',
    'tutorial',
    'troubleshooting',
    'from-curl',
  ],
].map((name) => `docs/${name}.md`);
/** Every document that users read, also those that README.md does not link. */
const READ_BY_USERS = [...GUIDES, 'docs/own-client.md', 'docs/reliability.md'];
const own = Object.fromEntries(
  Object.entries(FILES).map(([name, file]) => [name, termsOf(read(file))]),
) as Record<keyof typeof FILES, ReadonlySet<string>>;
const terms: Readonly<Record<Document, ReadonlySet<string>>> = {
  ...own,
  README: new Set([...own['src/service/protocol/README.md'], ...own['src/cli/README.md']]),
};

it('the documents of the site link only to files that the site has', () => {
  const root = fileURLToPath(ROOT);
  const sources = pathsBySource(root);
  // The site makes these by itself.
  const own = ['docs/sandbox-pages.png', 'docs/campaign-tests.svg', 'docs/reference.md'];
  const pathOf = (file: string): string | undefined => (own.includes(file) ? file : sources.get(file));
  expect(documentPages(root, { pathOf, pageNamed: () => undefined }).length).toBeGreaterThan(40);
});

describe('citations', () => {
  /** Files whose citations are only examples. */
  const examples = ['test/docs.test.ts', 'test/support/citations.ts'];
  const cited = [...sources, ...Object.values(FILES), 'docs/README.md', 'src/README.md', 'CONTRIBUTING.md']
    .filter((file) => !examples.includes(file))
    .flatMap((file) => citationsIn(read(file)).map((citation) => ({ file, ...citation })));

  it('are found', () => {
    expect(cited.length).toBeGreaterThan(150);
    for (const name of [
      'contract',
      'wire',
      'design',
      'acceptance',
      'src/service/protocol/README.md',
      'README',
    ])
      expect(cited.map(({ document }) => document)).toContain(name);
  });

  it('lead to a heading, a row or a bold term of the document', () => {
    const lost = cited.filter(
      ({ document, what }) => document === 'none' || !resolves(what, terms[document]),
    );
    expect(lost.map(({ file, text }) => `${file}: ${text}`)).toEqual([]);
  });

  it('ids that begin a title or a comment of a test are rows of docs/acceptance.md', () => {
    const ids = sources
      .filter((file) => file.startsWith('test/') && !examples.includes(file))
      .flatMap((file) => rowIdsIn(read(file)).map((id) => ({ file, id })));
    expect(ids.length).toBeGreaterThan(5);
    expect(ids.filter(({ id }) => !terms.acceptance.has(id.toLowerCase()))).toEqual([]);
  });

  it("name the service's own document with its version", () => {
    const title = '"Marketing Messaging and Automation Service Interface, Version 1.2"';
    expect(read('docs/README.md').replaceAll('\n', ' ')).toContain(title);
  });

  it('of files in documents name existing files', () => {
    const named = [...Object.values(FILES), 'docs/README.md'].flatMap((file) =>
      [...read(file).matchAll(/`((?:src|test|bench|docs|bin|\.ci)\/[\w./-]+)`/g)].map(([, path = '']) => ({
        file,
        path,
      })),
    );
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter(({ path }) => !existsSync(new URL(path, ROOT)))).toEqual([]);
  });

  // When a file is moved or renamed, its name in the comments of other files is easily forgotten.
  it('of files in comments and documents name existing files', () => {
    const here = [...sources, ...['.config', 'bench', 'bin', 'completions'].flatMap(filesOf)];
    const made = ['dist/', 'node_modules/'];
    const exists = (path: string): boolean =>
      made.some((folder) => path.startsWith(folder)) ||
      here.some((file) => file === path || file.endsWith(`/${path}`));
    const others = ['docs/README.md', 'src/README.md', 'bench/README.md', 'CONTRIBUTING.md', 'README.md'];
    const documents = [...Object.values(FILES), ...others];
    const named = [
      ...sources
        .filter((file) => !examples.includes(file))
        .flatMap((file) => commentsIn(read(file)).flatMap((text) => namesIn(file, text))),
      ...documents.flatMap((file) => namesIn(file, read(file))),
    ];
    expect(named.length).toBeGreaterThan(150);
    expect(named.filter(({ path }) => !exists(path))).toEqual([]);
  });

  it('in src/README.md are existing paths', () => {
    const paths = [...read('src/README.md').matchAll(/`([a-z][\w-]*\/[\w./-]*)`/g)].map(
      ([, path = '']) => path,
    );
    expect(paths.length).toBeGreaterThan(60);
    const exists = (path: string): boolean =>
      existsSync(new URL(`src/${path}`, ROOT)) || existsSync(new URL(path, ROOT));
    expect(paths.filter((path) => !exists(path))).toEqual([]);
  });

  it('have existing targets if they are links of documents', () => {
    for (const file of ['README.md', ...GUIDES, 'docs/README.md', ...Object.values(FILES)])
      for (const [, target = ''] of read(file).matchAll(/\]\(([^)#:]+)\)/g))
        expect([file, target, existsSync(new URL(target, new URL(file, ROOT)))]).toEqual([
          file,
          target,
          true,
        ]);
  });
});

describe('README.md and the guides', () => {
  it('README.md has at most 9 kB, a picture and the demo on its first screen, and contributors at its end', () => {
    const text = read('README.md');
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(9000);
    const top = text.split('\n').slice(0, 16).join('\n');
    expect(top).toContain('npm ci && npm run demo');
    expect(top).toMatch(/!\[[^\]]{20,}\]\(docs\/sandbox-pages\.png\)/);
    expect(text.match(/^## .*/gm)?.at(-1)).toBe('## Contribute');
    expect(text.indexOf('npm ci && npm test')).toBeGreaterThan(text.indexOf('## Contribute'));
  });

  // GitHub and the site cut longer lines off on a laptop, and all of them on a phone.
  it.each(['README.md', ...READ_BY_USERS])(
    '%s has no line of code that is longer than 80 columns',
    (file) => {
      const blocks = [...read(file).matchAll(/^ *```(\w*)\n([\s\S]*?)^ *```$/gm)];
      // A test makes the transcript in docs/assistants.md: one row is one line.
      const code = blocks.filter(([, language]) => language !== 'text' || file !== 'docs/assistants.md');
      const long = code.flatMap(([, , text = '']) => text.split('\n').filter((line) => line.length > 80));
      expect(long).toEqual([]);
    },
  );

  // Pasted into a shell, these would be pipelines.
  it.each(['README.md', ...READ_BY_USERS])('%s has no line of a shell with alternatives', (file) => {
    const blocks = [...read(file).matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, text = '']) => text);
    const lines = blocks.flatMap((text) => text.split('\n').filter((line) => line.startsWith('svc ')));
    expect(lines.filter((line) => /\w\|\w| \| (?!head|jq)[a-z]+|…/.test(line))).toEqual([]);
  });

  it.each(GUIDES)('%s is linked from README.md, and its first paragraph says who it is for', (file) => {
    expect(read('README.md')).toContain(`](${file})`);
    expect(read(file).split('\n\n')[1]).toMatch(/^For /);
  });
});

describe('what the guides say', () => {
  it('docs/sandbox.md: --companions serves the resources that the program has', () => {
    const texts = [
      /`--companions` also serves (.*?), where most scripts start/s.exec(read('docs/sandbox.md')),
      /'The sandbox also serves (.*?)\. These/.exec(read('src/cli/commands/sandbox/start.ts')),
    ];
    const named = texts.map((found) =>
      [...(found?.[1] ?? '').matchAll(/\/v1\/(\w+)/g)].map(([, name]) => name).sort(),
    );
    const names = sandboxOnlyResources.map(({ name }) => name).sort();
    expect(named).toEqual([names, names]);
  });

  it('docs/install.md: no global installation leaves libsql out, because npm does not', () => {
    for (const file of READ_BY_USERS) {
      const lines = read(file).split('\n');
      expect(lines.filter((line) => /--global.*--omit|--omit.*--global/.test(line))).toEqual([]);
      if (file !== 'docs/install.md') expect(read(file)).not.toContain('--omit=optional');
    }
  });

  it('docs/install.md: Homebrew gets a formula from a tap, because it refuses a file', () => {
    expect(read('docs/install.md')).not.toMatch(/brew install (--formula )?\S*\.rb/);
    expect(read('docs/install.md')).toContain('brew tap-new');
  });

  it('no guide looks for a key in the output of sandbox start', () => {
    for (const file of READ_BY_USERS) expect(read(file)).not.toMatch(/key [^.]*from its output/);
    expect(read('docs/own-client.md')).toContain('svc sandbox company key 1');
  });

  it('docs/ci.md: actions are pinned, and the job has permissions, as in examples/ci', () => {
    const text = read('docs/ci.md');
    const used = [...text.matchAll(/uses: (\S+)/g)].map(([, name = '']) => name);
    expect(used.length).toBeGreaterThan(0);
    const example = read('examples/ci/github-actions.yml');
    expect(used.filter((name) => !/@[0-9a-f]{40}$/.test(name) || !example.includes(name))).toEqual([]);
    expect(text).toMatch(/^permissions:\n {2}contents: read$/m);
  });

  it('names no Node as the one to install that is not supported any more', () => {
    const [, major] = /You need Node (\d+) or later/.exec(read('README.md')) ?? [];
    expect(Number(major)).toBe(22);
    expect(about.engines.node).toBe('>=20.19');
    expect(read('README.md')).toContain('Node 20.19 still works');
  });

  it('each block of code has a language, so that tests and the site know it', () => {
    for (const file of READ_BY_USERS) {
      const fences = read(file).match(/^ *```.*$/gm) ?? [];
      expect([file, fences.filter((fence, at) => at % 2 === 0 && /^ *```$/.test(fence))]).toEqual([file, []]);
    }
  });

  it('each heading of a guide is there once', () => {
    for (const file of READ_BY_USERS) {
      const headings =
        read(file)
          .match(/^#+ .*$/gm)
          ?.map((line) => line.replace(/^#+ /, '')) ?? [];
      const twice = headings.filter((heading, at) => headings.indexOf(heading) !== at);
      expect([file, twice.filter((heading) => !ALSO_TITLES.includes(heading))]).toEqual([file, []]);
    }
  });
});

/** Titles of guides whose only section has the same name, which tests of tables look up. */
const ALSO_TITLES = ['Configuration', 'Exit codes'];

describe.each([
  ['docs/contract.md', 'Nouns and verbs', 1],
  ['docs/commands.md', 'Nouns', 0],
] as const)('%s, "%s"', (file, heading, nounColumn) => {
  const text = section(read(file), heading);
  const rows = new Map(
    tableRows(text).map((cells) => [word(cells[nounColumn]), wordsIn(cells[2]?.replace(/\(.*?\)/g, ''))]),
  );

  it('has a row for every noun, and for nothing else', () => {
    expect([...rows.keys()].sort()).toEqual(nouns.map(({ name }) => name).sort());
  });

  it.each(nouns.map((noun) => [noun.name, noun] as const))('%s has its verbs', async (name, noun) => {
    const tree = await noun.load();
    const verbs = isGroup(tree) ? tree.commands.filter((verb) => !('announced' in verb)) : [];
    expect(rows.get(name)?.toSorted()).toEqual(verbs.map((verb) => verb.name).sort());
  });

  it('lists the other commands as well', () => {
    const missing = commands.filter(({ name }) => !new RegExp(`\`(svc )?${name}\\b`).test(text));
    expect(missing.map(({ name }) => name)).toEqual([]);
  });
});

describe.each([
  ['docs/contract.md', 'Environment', 'docs/contract.md', 'Output'],
  ['docs/configuration.md', 'Configuration', 'docs/exit-codes.md', 'Exit codes'],
] as const)('%s', (file, variables, codes, output) => {
  it(`"${variables}" has a row for every SVC_ variable that src reads`, () => {
    const used = new Set(
      sources
        .filter((source) => source.startsWith('src/'))
        .flatMap((source) => [...read(source).matchAll(/['"`](SVC_[A-Z_]+)['"`]|env\.(SVC_[A-Z_]+)/g)])
        .map(([, quoted, member]) => quoted ?? member ?? ''),
    );
    expect(used.size).toBeGreaterThan(8);
    const inRows = tableRows(section(read(file), variables)).join(' ');
    expect([...used].filter((name) => !inRows.includes(`\`${name}\``))).toEqual([]);
  });

  it(`${codes}, "${output}" lists the existing exit codes`, () => {
    const listed = tableRows(section(read(codes), output)).map(([code = '']) => Number(code));
    expect(listed).toEqual(Object.values(EXIT).sort((a, b) => a - b));
  });
});

it('docs/exit-codes.md has the table of svc help exit-codes', () => {
  const rows = tableRows(section(read('docs/exit-codes.md'), 'Exit codes')).map(([code, meaning]) => [
    code,
    meaning,
  ]);
  const codes = Object.values(EXIT).sort((a, b) => a - b);
  expect(rows).toEqual(codes.map((code) => [String(code), EXIT_CODE_MEANINGS[code]]));
});

it('docs/contract.md, "Global flags", names every global flag', () => {
  const text = section(read('docs/contract.md'), 'Global flags');
  const missing = globalFlags.filter(({ name }) => !new RegExp(`--${name}\\b(?!-)`).test(text));
  expect(missing.map(({ name }) => name)).toEqual([]);
});

describe('docs/acceptance.md', () => {
  const findings = tableRows(section(read('docs/acceptance.md'), 'What attacks have shown'));

  it('has a row for each finding', () => {
    const ids = [...Array(3)].map((_, at) => `H${at + 1}`);
    ids.push(...[...Array(12)].map((_, at) => `M${at + 1}`), ...[...Array(15)].map((_, at) => `L${at + 1}`));
    expect(findings.map(([id]) => id)).toEqual(ids);
  });

  it.each(findings.map(([id = '', , tests = '']) => [id, tests] as const))(
    '%s is named by each of the tests in its row',
    (id, tests) => {
      const files = [...tests.matchAll(/`(test\/[\w./-]+)`/g)].map(([, path = '']) => path);
      expect(files).not.toEqual([]);
      expect(files.filter((file) => !new RegExp(`\\b${id}\\b`).test(read(file)))).toEqual([]);
    },
  );

  const second = tableRows(section(read('docs/acceptance.md'), 'What the second attack has shown'));

  it('has one row for each finding of the second attack, in their order', () => {
    const ids = [...Array(3)].map((_, at) => `2-H${at + 1}`);
    ids.push(
      ...[...Array(8)].map((_, at) => `2-M${at + 1}`),
      ...[...Array(13)].map((_, at) => `2-L${at + 1}`),
    );
    expect(second.map(([id = '']) => id)).toEqual(ids);
  });

  it.each(second.map(([id = '', , tests = '']) => [id, tests] as const))(
    '%s is named by each of the tests in its row',
    (id, tests) => {
      const files = [...tests.matchAll(/`(test\/[\w./-]+)`/g)].map(([, path = '']) => path);
      expect(files).not.toEqual([]);
      // `M7` of the first attack is not `2-M7`.
      const named = new RegExp(`\\bsecond attack ${id.slice(2)}\\b`, 'i');
      expect(files.filter((file) => !named.test(read(file)))).toEqual([]);
    },
  );

  const rows = tableRows(section(read('docs/acceptance.md'), 'What is promised, and how it is tested'));

  it.each(rows.map((cells) => [cells[0] ?? '', cells.join(' ')] as const))(
    '%s: a file of the row reads its numbers from the environment',
    (_, row) => {
      const files = [...row.matchAll(/`((?:test|bench)\/[\w./-]+\.[jt]s)`/g)].map(([, path = '']) =>
        read(path),
      );
      const lost = [...row.matchAll(/`(SVC_[A-Z_]+)`/g)].filter(
        ([, name = '']) => !files.some((text) => text.includes(name)),
      );
      expect(lost.map(([, name]) => name)).toEqual([]);
    },
  );
});

/** Finds `name.ts` and `folder/name.ts`, but no pattern such as `*.deep.test.ts`. */
function namesIn(file: string, text: string): readonly { readonly file: string; readonly path: string }[] {
  return [...text.matchAll(/(?<![\w.*<>/…-])((?:\.{1,2}\/)*)([\w.][\w./-]*\.(?:d\.)?(?:m?ts|js))\b/g)].map(
    ([, , path = '']) => ({ file, path }),
  );
}

function word(cell: string | undefined): string {
  return (cell ?? '').replace(/`/g, '').trim();
}

function wordsIn(cell: string | undefined): readonly string[] {
  return word(cell)
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

describe('reading citations', () => {
  const DOCUMENT = [
    '# Wire',
    '## Requests',
    '| matter | convention |',
    '| --- | --- |',
    '| trailing slash | is the collection |',
    '| 404 / 405 | not there |',
    '- **Times.** Unix seconds',
    '| id | promise |',
    '| --- | --- |',
    '| A1 | signed |',
  ].join('\n');

  it('finds terms: headings, first cells and bold text', () => {
    expect([...termsOf(DOCUMENT)].sort()).toEqual(
      ['404', '404 / 405', '405', 'a1', 'requests', 'times', 'trailing slash', 'wire'].sort(),
    );
  });

  it.each([
    ['/** Refused (wire, "Requests"). */', ['Requests']],
    ['/** So (wire, "Requests",\n * "trailing slash"). */', ['Requests', 'trailing slash']],
    ["// wire.md, 'trailing slash': one", ['trailing slash']],
    ['// wire, "Requests", and the row of 404.', ['Requests', '404']],
    ['// wire, the rows of 404 and 405', ['404', '405']],
    ['// acceptance, A1 to A3', ['A1', 'A3']],
    ['// (attack M8)', ['M8']],
    ['describe(\'names (wire, "Requests")\', …', ['Requests']],
    ['// on the wire, twice', []],
    ['send(wire, signal)', []],
    ['// reliability 1.4', ['reliability 1']],
    ['// Issue 4: none', ['Issue 4']],
    ["describe('issue 2: none', …", ['issue 2']],
  ])('%j', (source, words) => {
    expect(citationsIn(source).map(({ what }) => what.words)).toEqual(words);
  });

  it('resolves a citation by its words, and no other', () => {
    const terms = termsOf(DOCUMENT);
    const whole = (words: string): boolean => resolves({ words, isPrefix: false }, terms);
    expect(['`Trailing slash`', 'Requests', '405', 'slash'].map(whole)).toEqual([true, true, true, true]);
    expect(['Answers', 'Request', 'A2', '40'].map(whole)).toEqual([false, false, false, false]);
    const prefix = (words: string): boolean => resolves({ words, isPrefix: true }, terms);
    expect([prefix('Times: a local time'), prefix('Time and again')]).toEqual([true, false]);
  });
});
