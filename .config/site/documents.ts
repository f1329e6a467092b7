/** Lists the files of the repository that the site shows, and makes their pages. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { html } from '../../src/kit/report/html-page.ts';
import { writer } from './command-pages.ts';
import { convert, type Links } from './markdown.ts';
import { codeBlock, type Page, type SectionName } from './page.ts';

interface Shown {
  /** File or folder of the repository. */
  readonly source: string;
  readonly path: string;
  readonly section: SectionName;
  /** Name in the navigation, if the title is too long for it. */
  readonly name?: string;
  /** Title that replaces that of the document. */
  readonly title?: string;
}

const guides = (section: SectionName, ...names: readonly string[]): readonly Shown[] =>
  names.map((name) => ({ source: `docs/${name}.md`, path: `guides/${name}.html`, section }));

const developers = (source: string, path: string, name: string): Shown => ({
  source,
  path: `developers/${path}.html`,
  section: 'For developers',
  name,
});

/** Markdown documents in the order of the navigation. */
const DOCUMENTS: readonly Shown[] = [
  { source: 'README.md', path: 'guides/about.html', section: 'Start', title: 'What svc is' },
  ...guides('Start', 'tutorial', 'install', 'commands'),
  ...guides(
    'Guides',
    'sending',
    'campaigns',
    'rehearse',
    'testing',
    'sandbox',
    'team-sandbox',
    'ci',
    'assistants',
    'partners',
  ),
  ...guides(
    'Guides',
    'configuration',
    'from-curl',
    'own-client',
    'troubleshooting',
    'reliability',
    'performance',
  ),
  { source: 'docs/exit-codes.md', path: 'reference/exit-codes.html', section: 'Reference' },
  { source: 'docs/glossary.md', path: 'reference/glossary.html', section: 'Reference' },
  { source: 'CHANGELOG.md', path: 'reference/changelog.html', section: 'Reference' },
  { source: 'SECURITY.md', path: 'reference/security.html', section: 'Reference' },
  {
    source: 'examples/clients/README.md',
    path: 'examples/clients.html',
    section: 'Examples',
    name: 'Clients',
  },
  developers('docs/README.md', 'index', 'Documents'),
  developers('docs/contract.md', 'contract', 'Contract'),
  developers('CONTRIBUTING.md', 'contributing', 'Contributing'),
  developers('src/README.md', 'source', 'How svc is built'),
  developers('docs/design.md', 'design', 'Design'),
  developers('docs/wire.md', 'wire', 'Wire conventions'),
  developers('src/service/protocol/README.md', 'protocol', 'Decisions on the wire'),
  developers('src/cli/README.md', 'command-line', 'Decisions of the command line'),
  developers('src/features/campaign/README.md', 'campaigns', 'Campaigns as files'),
  developers('src/client/sends/README.md', 'same-send', 'The same send'),
  developers('src/sandbox/README.md', 'sandbox', 'The floor of the sandbox'),
  developers('src/sandbox/pages/README.md', 'sandbox-pages', 'Pages of the sandbox'),
  developers('docs/acceptance.md', 'acceptance', 'Promises and tests'),
  developers('docs/statements.md', 'statements', 'Statements'),
  developers('bench/README.md', 'measurements', 'Measurements'),
  developers('test/upgrades/README.md', 'upgrades', 'Stored formats'),
];

interface Folder extends Shown {
  readonly title: string;
  /** First paragraph. */
  readonly lead: string;
}

const client = (name: string, language: string): Folder => ({
  source: `examples/clients/${name}`,
  path: `examples/clients-${name}.html`,
  section: 'Examples',
  name: `Client in ${language}`,
  title: `A client in ${language}`,
  lead: `For developers who write a client in ${language}. Copy the files and add what you need.`,
});

/** Folders and files whose content is shown on one page, each file under a heading. */
const FOLDERS: readonly Folder[] = [
  {
    source: 'examples/campaign',
    path: 'examples/campaign.html',
    section: 'Examples',
    name: 'Campaign',
    title: 'A campaign as files',
    lead: 'For teams that keep campaigns in files. This campaign works with the demo company of the sandbox.',
  },
  {
    source: 'examples/sequence',
    path: 'examples/sequence.html',
    section: 'Examples',
    name: 'Sequence',
    title: 'Messages that follow each other',
    lead: 'For teams that welcome new subscribers. Each message is sent some days after the one before it.',
  },
  {
    source: 'examples/series',
    path: 'examples/series.html',
    section: 'Examples',
    name: 'Series',
    title: 'A newsletter that repeats',
    lead: 'For teams that send the same kind of message every week. svc creates the tasks of the next weeks.',
  },
  {
    source: 'examples/partner',
    path: 'examples/partner.html',
    section: 'Examples',
    name: 'Many companies',
    title: 'One campaign for many companies',
    lead: 'For partners who send one campaign for several companies, with other lists and texts in each.',
  },
  {
    source: 'examples/ci',
    path: 'examples/ci.html',
    section: 'Examples',
    name: 'Pipelines',
    title: 'Pipelines',
    lead: 'For teams that lint, plan, rehearse and apply campaigns in GitHub Actions or GitLab.',
  },
  {
    source: 'examples/team',
    path: 'examples/team.html',
    section: 'Examples',
    name: 'Team sandbox',
    title: 'A sandbox for a team',
    lead: 'For administrators who run one sandbox for a team, in a container or with clients of their own.',
  },
  client('bash', 'bash'),
  client('go', 'Go'),
  client('php', 'PHP'),
  client('python', 'Python'),
  {
    source: 'LICENSE',
    path: 'reference/license.html',
    section: 'Reference',
    title: 'License',
    lead: 'For everybody who uses or copies svc.',
  },
];

/** Maps each file and folder of the repository to its page. A file in a folder has a heading on the page of the folder. */
export function pathsBySource(root: string): ReadonlyMap<string, string> {
  const files = FOLDERS.flatMap(({ source, path }) =>
    filesIn(root, source).map((file) => [file, `${path}#${anchorOf(file)}`] as const),
  );
  const shown = [...DOCUMENTS, ...FOLDERS].map(({ source, path }) => [source, path] as const);
  return new Map([...files, ...shown, ['docs', 'developers/index.html'], ['src', 'developers/source.html']]);
}

/** Returns the pages of all documents and folders. @param root folder of the repository */
export function documentPages(root: string, links: Links): readonly Page[] {
  const documents = DOCUMENTS.map(({ source, path, section, name, title }): Page => {
    const text = readFileSync(join(root, source), 'utf8');
    const { title: own, body, headings } = convert(text, source, path, links);
    return {
      path,
      title: title ?? own,
      section,
      source,
      body,
      headings,
      ...(name === undefined ? {} : { name }),
    };
  });
  return [...documents, ...FOLDERS.map((folder) => folderPage(root, folder))];
}

function folderPage(root: string, { source, path, section, name, title, lead }: Folder): Page {
  const page = writer(path);
  const files = filesIn(root, source);
  const body = [
    html`<p>${lead}</p>
`,
    ...files.flatMap((file) => [
      ...(file === source ? [] : [page.section(posix.relative(source, file))]),
      codeBlock(readFileSync(join(root, file), 'utf8'), languageOf(file)),
    ]),
  ];
  return { ...page.done(body), title, section, source, ...(name === undefined ? {} : { name }) };
}

function filesIn(root: string, source: string): readonly string[] {
  const isFolder = !/\.\w+$|LICENSE$/.test(source);
  if (!isFolder) return [source];
  return readdirSync(join(root, source), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      posix.join(entry.parentPath.slice(join(root, '/').length).replaceAll('\\', '/'), entry.name),
    )
    .filter((file) => !file.includes('/tls/'))
    .sort();
}

/** Returns the anchor that `writer` gives to the heading of a file. */
const anchorOf = (file: string): string =>
  posix
    .relative(FOLDERS.find(({ source }) => file.startsWith(`${source}/`))?.source ?? '', file)
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]/g, '');

const LANGUAGES: Readonly<Record<string, string>> = { yml: 'yaml', py: 'python', mod: 'go' };

function languageOf(file: string): string {
  const end = posix.extname(file).slice(1);
  return LANGUAGES[end] ?? (end === '' ? 'text' : end);
}
