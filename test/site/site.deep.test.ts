/** The documentation site (`npm run docs`): the contents of its pages, the target of every link, and the absence of external files. */
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { commandsOf } from '../../.config/commands.ts';
import { audienceOfCommand } from '../../.config/site/audience.ts';
import { missingPage } from '../../.config/site/layout.ts';
import { convert } from '../../.config/site/markdown.ts';
import { commentAt, linkBetween, slugger } from '../../.config/site/page.ts';
import { type Site, siteOf } from '../../.config/site/site.ts';
import { HEADINGS } from '../../src/cli/command/command.ts';
import { TOPIC_NAMES } from '../../src/cli/command/words.ts';
import { topLevelCommandEntries } from '../../src/cli/registry/entries.ts';
import { EXPLAIN_TOPIC_FIRST_WORDS } from '../../src/features/explain/find.ts';
import { type Node, nodesIn, parsePage, textOf } from '../support/web-page.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

interface Parsed {
  readonly path: string;
  readonly nodes: readonly Node[];
  readonly faults: readonly string[];
  readonly ids: readonly string[];
}

let site: Site;
let parsed: readonly Parsed[];

beforeAll(async () => {
  site = await siteOf(ROOT);
  parsed = [...site.files].flatMap(([path, content]): Parsed[] => {
    if (!path.endsWith('.html') || typeof content !== 'string') return [];
    const { nodes, faults } = parsePage(content);
    return [{ path, nodes, faults, ids: nodes.flatMap((node) => attribute(node, 'id') ?? []) }];
  });
});

const attribute = (node: Node, name: string): string | undefined =>
  node.attrs?.find((each) => each.name === name)?.value;
const linksIn = ({ nodes }: Parsed): readonly string[] =>
  nodes.flatMap((node) => (node.nodeName === 'a' ? (attribute(node, 'href') ?? []) : []));
const codeOf = (node: Node): string =>
  nodesIn(node)
    .map(({ value = '' }) => value)
    .join('');
const named = (page: Parsed, name: string): readonly Node[] =>
  page.nodes.filter(({ nodeName }) => nodeName === name);

describe('every page', () => {
  it('is valid HTML', () => {
    expect(parsed.length).toBeGreaterThan(300);
    expect(
      parsed.filter(({ faults }) => faults.length > 0).map(({ path, faults }) => [path, faults]),
    ).toEqual([]);
  });

  it('begins with a paragraph that says who it is for', () => {
    const first = parsed.map((page) => {
      const main = named(page, 'main')[0];
      const at = main === undefined ? -1 : page.nodes.indexOf(main);
      const paragraph = page.nodes.slice(at).find(({ nodeName }) => nodeName === 'p');
      return [page.path, paragraph === undefined ? '' : textOf(paragraph)] as const;
    });
    expect(first.filter(([, text]) => !/^For [a-z]/.test(text)).map(([path]) => path)).toEqual([]);
  });

  it('has one heading of the first level, skips no level, and repeats no id', () => {
    const wrong = parsed.filter(({ nodes, ids }) => {
      const levels = nodes.flatMap(({ nodeName }) => /^h([1-6])$/.exec(nodeName)?.[1] ?? []).map(Number);
      const isSkipped = levels.some((level, at) => level > (levels[at - 1] ?? 0) + 1);
      return (
        levels.filter((level) => level === 1).length !== 1 || isSkipped || new Set(ids).size !== ids.length
      );
    });
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it('has its own title', () => {
    const titles = parsed.map((page) => textOf(named(page, 'title')[0] ?? { nodeName: '' }));
    const twice = titles.filter((title, at) => titles.indexOf(title) !== at);
    expect(twice).toEqual([]);
  });

  it('has breadcrumbs, the page before and the page after', () => {
    const labelled = (page: Parsed, label: string): boolean =>
      page.nodes.some((node) => attribute(node, 'aria-label') === label);
    const without = parsed.filter(
      (page) => !labelled(page, 'Breadcrumbs') || !labelled(page, 'Previous and next page'),
    );
    expect(without.map(({ path }) => path).sort()).toEqual(['404.html', 'index.html']);
    const turns = site.pages.map((page) => {
      const links = parsed
        .find(({ path }) => path === page.path)
        ?.nodes.filter((node) => attribute(node, 'rel'));
      return links
        ?.map((node) => [attribute(node, 'rel'), attribute(node, 'href')])
        .filter(([rel]) => rel !== 'icon' && rel !== 'stylesheet');
    });
    const expected = site.pages.map((page, at) => [
      ...[site.pages[at - 1]].flatMap((each) => (each ? [['prev', linkBetween(page.path, each.path)]] : [])),
      ...[site.pages[at + 1]].flatMap((each) => (each ? [['next', linkBetween(page.path, each.path)]] : [])),
    ]);
    expect(turns).toEqual(expected);
  });

  it('has an anchor at each heading of its body', () => {
    const without = parsed.flatMap((page) =>
      page.nodes
        .filter(({ nodeName }) => /^h[2-6]$/.test(nodeName))
        .filter(
          (node) => !node.childNodes?.some((each) => attribute(each, 'href') === `#${attribute(node, 'id')}`),
        )
        .map((node) => [page.path, textOf(node)]),
    );
    expect(without).toEqual([]);
  });
});

it('has no broken link or anchor', () => {
  const ids = new Map(parsed.map((page) => [page.path, page.ids]));
  const internal = parsed.flatMap((page) =>
    linksIn(page)
      .filter((href) => !/^[a-z]+:/.test(href))
      .map((href) => ({ page: page.path, href })),
  );
  const lost = internal.filter(({ page, href }) => {
    const [file = '', anchor] = href.split('#');
    const path = file === '' ? page : posix.join(posix.dirname(page), file);
    return (
      !site.files.has(path) || (anchor !== undefined && !ids.get(path)?.includes(decodeURIComponent(anchor)))
    );
  });
  expect(internal.length).toBeGreaterThan(10_000);
  expect(lost).toEqual([]);
});

it('can be reached from the start page', () => {
  const byPath = new Map(parsed.map((page) => [page.path, page]));
  const reached = new Set(['index.html']);
  for (const path of reached) {
    const page = byPath.get(path);
    for (const href of page === undefined ? [] : linksIn(page)) {
      const [file = ''] = href.split('#');
      if (file !== '' && !/^[a-z]+:/.test(file)) reached.add(posix.join(posix.dirname(path), file));
    }
  }
  expect(parsed.map(({ path }) => path).filter((path) => !reached.has(path))).toEqual(['404.html']);
});

describe('nothing is loaded from outside', () => {
  /** Attributes that make a page load a file. */
  const LOADING = ['src', 'srcset', 'data', 'poster', 'action', 'formaction', 'background', 'ping'];

  it('on every page, which loads only files of the site', () => {
    const loads = parsed.flatMap((page) =>
      page.nodes.flatMap((node) =>
        (node.attrs ?? [])
          .filter(({ name }) => LOADING.includes(name) || (name === 'href' && node.nodeName === 'link'))
          .map(({ value }) => ({ page: page.path, value })),
      ),
    );
    const isOwn = ({ page, value }: (typeof loads)[number]): boolean =>
      site.files.has(posix.join(posix.dirname(page), value));
    expect(loads.length).toBeGreaterThan(900);
    // `data:,` is an empty picture, so that a browser requests no icon.
    expect(loads.filter((each) => each.value !== 'data:,' && !isOwn(each))).toEqual([]);
  });

  it('every page forbids everything else, and has neither inline scripts nor inline styles', () => {
    for (const page of parsed) {
      const policy = page.nodes.find((node) => attribute(node, 'http-equiv') === 'Content-Security-Policy');
      const rules = policy === undefined ? '' : (attribute(policy, 'content') ?? '');
      expect(rules).toContain("default-src 'none'");
      expect(rules).not.toMatch(/unsafe|https?:|\*/);
      expect(named(page, 'script').filter((node) => textOf(node) !== '')).toEqual([]);
      expect(named(page, 'style')).toEqual([]);
      const attributes = page.nodes.flatMap(({ attrs = [] }) => attrs.map(({ name }) => name));
      expect(attributes.filter((name) => name === 'style' || name.startsWith('on'))).toEqual([]);
    }
  });

  it('the style and the script have no address', () => {
    for (const file of ['assets/site.css', 'assets/site.js'])
      expect(site.files.get(file)).not.toMatch(/https?:|@import|url\(|fetch\(/);
  });
});

describe('the contents of the site', () => {
  it('include a page for every command, resource and topic', async () => {
    const paths = new Set(site.pages.map(({ path }) => path));
    const commands = (await commandsOf(topLevelCommandEntries)).map(
      ({ path }) => `commands/${path.replaceAll(' ', '-')}.html`,
    );
    const resources = EXPLAIN_TOPIC_FIRST_WORDS.map((name) => `resources/${name}.html`);
    const topics = TOPIC_NAMES.map((name) => `topics/${name}.html`);
    expect([...commands, ...resources, ...topics].filter((path) => !paths.has(path))).toEqual([]);
    expect(commands.length).toBeGreaterThan(200);
  });

  it('include for a command its usage, its flags, its exit codes and an example', () => {
    const page = parsed.find(({ path }) => path === 'commands/task-create.html');
    const text =
      page === undefined
        ? ''
        : page.nodes
            .map(({ value = '' }) => value)
            .join(' ')
            .replaceAll(/\s+/g, ' ');
    for (const each of [
      'svc task create [flags]',
      '--expect-size',
      'Exit codes',
      'svc task create --channel email',
    ])
      expect(text).toContain(each);
  });

  it('include the output of an example under its command, as svc prints it', () => {
    const codes = parsed
      .filter(({ path }) => path.startsWith('commands/'))
      .flatMap((page) =>
        named(page, 'code').filter((node) => attribute(node, 'data-language') === 'console'),
      );
    const shown = codes.map((node) => codeOf(node));
    expect(shown.filter((text) => !/^\$ svc \S.*\n\s*\S/.test(text))).toEqual([]);
    // The others print nothing, or have no example that the demo company can run.
    expect(shown.length).toBeGreaterThan(140);
    expect(shown).toContain(
      '$ svc task create --channel email --message 1 --name Q4 --list 1 --at +1d\nScheduled task 5 "Q4": e-mail to 447, Wed 2026-12-02 09:00 Europe/London.\nNext: svc task watch 5',
    );
  });

  it('include the required flags of a command before all others, and no meaning twice', () => {
    const text = (path: string): string => String(site.files.get(path));
    const titles = [...text('commands/task-create.html').matchAll(/<h2 id="([^"]+)"/g)].map(([, id]) => id);
    expect(titles.slice(0, 3)).toEqual(['example', 'required-flags', 'attributes']);
    expect(parsed.filter(({ path }) => text(path).includes('(repeatable). Repeatable.'))).toEqual([]);
  });

  it('include the documents that the documents list', () => {
    const sources = site.pages.flatMap(({ source }) => source ?? []);
    for (const source of [
      'README.md',
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'docs/glossary.md',
      'docs/exit-codes.md',
    ])
      expect(sources).toContain(source);
  });

  it('include the readers of each heading of help, but none for a command without a heading', () => {
    for (const heading of HEADINGS)
      expect(audienceOfCommand('no-such-command', heading)).toMatch(/^For [a-z].*\.$/);
  });

  it('include a start page with three doors, each with links to three documents', () => {
    const start = parsed.find(({ path }) => path === 'index.html');
    const doors = start?.nodes.find((node) => attribute(node, 'class') === 'doors');
    const items = (doors?.childNodes ?? []).filter(({ nodeName }) => nodeName === 'li');
    expect(
      items.map((item) => textOf(nodesIn(item).find(({ nodeName }) => nodeName === 'b') as Node)),
    ).toEqual(['Send safely', 'Rehearse', 'Test a client']);
    for (const item of items)
      expect(nodesIn(item).filter(({ nodeName }) => nodeName === 'a')).toHaveLength(4);
  });

  it('include for each page a description, for previews of links', () => {
    const without = parsed.filter(
      (page) =>
        page.path !== '404.html' &&
        !page.nodes.some(
          (node) =>
            attribute(node, 'property') === 'og:description' &&
            /^For [a-z].{10,200}$/.test(attribute(node, 'content') ?? ''),
        ),
    );
    expect(without.map(({ path }) => path)).toEqual([]);
  });

  it('include a link to edit each document, if its repository is known', async () => {
    expect(site.files.get('guides/sending.html')).not.toContain('Edit this page');
    const edited = await siteOf(ROOT, { edit: 'https://github.com/team/svc/edit/main' });
    expect(edited.files.get('guides/sending.html')).toContain(
      '<a href="https://github.com/team/svc/edit/main/docs/sending.md">Edit this page</a>',
    );
    // Nobody can edit a page that is made from declarations, or a folder.
    for (const path of ['commands/task-create.html', 'examples/campaign.html'])
      expect(edited.files.get(path)).not.toContain('Edit this page');
  });

  it('name their published address, and are in a sitemap, if the address of the site is known', async () => {
    expect(site.files.has('sitemap.xml')).toBe(false);
    expect([...site.files.values()].filter((text) => String(text).includes('rel="canonical"'))).toEqual([]);
    const { files, pages } = await siteOf(ROOT, { url: 'https://team.github.io/svc/' });
    expect(files.get('guides/sending.html')).toContain(
      '<link rel="canonical" href="https://team.github.io/svc/guides/sending.html">',
    );
    expect(files.get('index.html')).toContain('<link rel="canonical" href="https://team.github.io/svc/">');
    const listed = [
      ...String(files.get('sitemap.xml')).matchAll(/<loc>https:\/\/team\.github\.io\/svc\/([^<]*)<\/loc>/g),
    ];
    expect(listed.map(([, path = '']) => path || 'index.html')).toEqual(pages.map(({ path }) => path));
    expect(files.get('404.html')).not.toContain('canonical');
  });

  it('include a page for missing addresses whose links work under any path', () => {
    const page = missingPage('/svc/', site.pages);
    expect(page).toContain('href="/svc/index.html"');
    expect(page).toContain('src="/svc/assets/site.js"');
    expect(page).not.toMatch(/(?:href|src)="(?!\/svc\/|#|data:)/);
  });
});

describe('the parts of a document', () => {
  const bodyOf = (text: string): string =>
    convert(text, 'docs/a.md', 'guides/a.html', { pathOf: () => undefined, pageNamed: () => undefined }).body
      .html;

  it('include notes and warnings in the syntax of GitHub, and plain quotations', () => {
    const warning = bodyOf('> [!WARNING]\n> Never `do` it.\n>\n> Twice.');
    expect(warning).toContain('<div class="callout warning" role="note" aria-label="Warning">');
    expect(warning).toMatch(
      /<p class="kind">Warning<\/p>\n<p>Never <code class="whole">do<\/code> it\.<\/p>\n<p>Twice\.<\/p>/,
    );
    expect(bodyOf('> [!NOTE]\n> Fine.')).toContain('class="callout note"');
    expect(bodyOf('> Fine.')).toBe('<blockquote>\n<p>Fine.</p>\n</blockquote>\n');
    // GitHub does not know it, so the site shows it as it is.
    expect(bodyOf('> [!OTHER]\n> Fine.')).toContain('[!OTHER]');
  });

  it('include tabs between two comments, with a heading for each', () => {
    const body = bodyOf(
      '<!-- tabs -->\n\n### Linux\n\nOne.\n\n### Windows\n\nTwo.\n\n<!-- /tabs -->\n\nThree.',
    );
    expect(parsePage(`<!doctype html><title>t</title>${body}`).faults).toEqual([]);
    expect(body).toMatch(
      /^<div class="tabs">\n<h3 id="linux">[\s\S]*Two\.<\/p>\n<\/div>\n<p>Three\.<\/p>\n$/,
    );
  });
});

describe('the parts of a page', () => {
  it.each([
    ['guides/a.html', 'index.html', '../index.html'],
    ['index.html', 'guides/a.html#b', 'guides/a.html#b'],
    ['guides/a.html', 'guides/a.html#b', '#b'],
    ['guides/a.html', 'guides/b.html', 'b.html'],
  ])('from %s to %s is %s', (from, to, link) => {
    expect(linkBetween(from, to)).toBe(link);
  });

  it('include ids of headings as on GitHub, with a number for the second one of a name', () => {
    const slug = slugger();
    expect(['Set a budget', 'Numbers, ids and names, once more', 'Set a budget', '`svc`'].map(slug)).toEqual([
      'set-a-budget',
      'numbers-ids-and-names-once-more',
      'set-a-budget-1',
      'svc',
    ]);
  });

  it.each([
    ['svc task list   # lists', 16],
    ['echo \'# no\' "# no"', -1],
    ['# all', 0],
    ['svc log#1', -1],
  ])('%j has a comment at %i', (line, at) => {
    expect(commentAt(line)).toBe(at);
  });
});
