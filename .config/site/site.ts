/** Makes the documentation site from the declarations and the documents of the repository. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOPIC_NAMES } from '../../src/cli/command/words.ts';
import { topLevelCommandEntries } from '../../src/cli/registry/entries.ts';
import { commandsOf } from '../commands.ts';
import { COMMANDS_PATH, commandPages, commandPath } from './command-pages.ts';
import { documentPages, pathsBySource } from './documents.ts';
import { RESOURCE_TOPICS, resourcePages, resourcePath, topicPages, topicPath } from './explained-pages.ts';
import { missingPage, sitemap, wholePage } from './layout.ts';
import { namedPages } from './named-pages.ts';
import { type Page, SECTIONS } from './page.ts';
import { searchIndex } from './search-index.ts';
import { startPage } from './start-page.ts';

export interface Site {
  /** Pages in the order of the navigation. */
  readonly pages: readonly Page[];
  /** All files by their path in the site, except `assets/search.js`, which is bundled. */
  readonly files: ReadonlyMap<string, string | Uint8Array>;
}

export interface SiteAddresses {
  /** Path of the site on its server, for the 404 page. */
  readonly base?: string | undefined;
  /** Address of the folder of the repository in an editor: `https://github.com/team/svc/edit/main`. Without it, pages have no link to edit. */
  readonly edit?: string | undefined;
  /** Address of the published site, such as `https://team.github.io/svc`. Without it, there are no canonical links and no sitemap. */
  readonly url?: string | undefined;
}

/**
 * Returns the pages and files of the site.
 * @param root folder of the repository
 */
export async function siteOf(root: string, { base = '', edit, url }: SiteAddresses = {}): Promise<Site> {
  const names = namedPages(await pathsByName());
  const sources = pathsBySource(root);
  const links = {
    pageNamed: names.pageNamed,
    pathOf: (file: string): string | undefined =>
      PICTURES.get(file) ?? (file === 'docs/reference.md' ? COMMANDS_PATH : sources.get(file)),
  };
  const unordered = [
    startPage(links, PICTURE_PATH),
    ...documentPages(root, links),
    ...(await commandPages(topLevelCommandEntries, names)),
    ...(await resourcePages(topLevelCommandEntries, names)),
    ...(await topicPages(topLevelCommandEntries, names)),
  ];
  const pages = SECTIONS.flatMap((section) => unordered.filter((page) => page.section === section));
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const asset = (name: string): string => readFileSync(join(root, '.config/site/assets', name), 'utf8');
  return {
    pages,
    files: new Map<string, string | Uint8Array>([
      ...pages.map((page) => [page.path, wholePage({ page, pages, version, edit, url })] as const),
      ['404.html', missingPage(base, pages)],
      ...(url === undefined ? [] : [['sitemap.xml', sitemap(url, pages)] as const]),
      ['assets/site.css', asset('site.css')],
      ['assets/site.js', asset('site.js')],
      ['assets/search-index.js', searchIndex(pages)],
      ...[...PICTURES].map(([file, path]) => [path, readFileSync(join(root, file))] as const),
    ]),
  };
}

const PICTURE_PATH = 'assets/sandbox-pages.png';

/** Maps the pictures of documents to their paths on the site. */
const PICTURES: ReadonlyMap<string, string> = new Map([
  ['docs/sandbox-pages.png', PICTURE_PATH],
  ['docs/campaign-tests.svg', 'assets/campaign-tests.svg'],
]);

/** Maps each name that texts use to the path of its page: `task create`, `help time`, `explain task`. */
async function pathsByName(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ...(await commandsOf(topLevelCommandEntries)).map(({ path }) => [path, commandPath(path)] as const),
    ...TOPIC_NAMES.map((topic) => [`help ${topic}`, topicPath(topic)] as const),
    ...RESOURCE_TOPICS.map((topic) => [`explain ${topic}`, resourcePath(topic)] as const),
  ]);
}
