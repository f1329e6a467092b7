/** Searches the index of the site. The build bundles this file with the library, so that the pages load one script. */
import MiniSearch from 'minisearch';
import options, { inOurWords } from '../search-options.js';

globalThis.svcSearch = {
  /** Reads the index. If not every word is found, `search` returns pages that have any of them. */
  open(text) {
    const index = MiniSearch.loadJSON(text, options);
    return {
      search(words) {
        const queries = [...new Set([words, inOurWords(words)])].map((text) => ({
          queries: [text],
          combineWith: 'AND',
        }));
        const all = index.search({ queries, combineWith: 'OR' });
        return all.length > 0 ? all : index.search(words, { combineWith: 'OR' });
      },
    };
  },
};
