/** Options of the search index. The build and the browser need the same values. */
const FILLERS = new Set(
  'a an and are as at be by do for from how i in is it my of on or svc that the to what with you your'.split(
    ' ',
  ),
);

export default {
  fields: ['title', 'page', 'flags', 'lead', 'text'],
  storeFields: ['path', 'title', 'page', 'section', 'lead'],
  // Fillers are on each page, so they would only change the order of the results.
  processTerm: (term) => (FILLERS.has(term.toLowerCase()) ? null : term.toLowerCase()),
  searchOptions: {
    boost: { title: 4, page: 2, flags: 8, lead: 3 },
    prefix: (term) => term.length > 1,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    combineWith: 'AND',
    // People look for commands and guides more often than for documents about the code.
    boostDocument: (_id, _term, stored) => (stored.section === 'For developers' ? 0.2 : 1),
  },
};

/** Words that people bring from other tools, and the words of the documents. */
const SYNONYMS = {
  timezone: 'time zone',
  webhook: 'notifyurl',
  schedule: 'task create',
  uninstall: 'remove',
};

/** Returns the query in the words of the documents. */
export const inOurWords = (query) =>
  query
    .split(/\s+/)
    .map((word) => SYNONYMS[word.toLowerCase()] ?? word)
    .join(' ');
