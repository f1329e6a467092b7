import { decode, encode } from '@jridgewell/sourcemap-codec';
import { inAscii, segmentsInAscii } from './in-ascii.js';

/**
 * Writes the chunks in ASCII.
 * Source maps of our own modules alone, without their text: what a stack needs to say `readGlobalFlags (src/cli/command/globals.ts:83)`.
 * Node reads them with `--debug` and never else, so they cost nothing but their place in the package.
 */
export function ownSourceMaps() {
  return {
    name: 'own-source-maps',
    generateBundle(_, bundle) {
      for (const asset of Object.values(bundle)) {
        if (!asset.fileName.endsWith('.cjs.map')) continue;
        const chunk = bundle[asset.fileName.replace(/\.map$/, '')];
        const map = ownPartOf(JSON.parse(asset.source), chunk.code);
        if (map) asset.source = JSON.stringify(map);
        else leaveOut(asset.fileName, chunk, bundle);
      }
      for (const chunk of Object.values(bundle)) if (chunk.type === 'chunk') chunk.code = inAscii(chunk.code);
    },
  };
}

/** Of a chunk of other packages nothing is left. */
function ownPartOf({ sources, names, mappings }, code) {
  const own = sources.map((path) =>
    path.includes('node_modules/') ? undefined : /(?:^|\/)(src\/.*)$/.exec(path)?.[1],
  );
  if (own.every((path) => path === undefined)) return undefined;
  const texts = code.split('\n');
  const called = createNames(names);
  const lines = decode(mappings).map((segments, index) => {
    const text = texts[index] ?? '';
    return segmentsInAscii(text, ownSegments(segments, own, functionsOf(text, segments), called));
  });
  return {
    version: 3,
    sources: own.map((path) => (path === undefined ? '' : `../${path}`)),
    names: called.list,
    mappings: encode(lines),
  };
}

/** One segment for each line of the source that code comes from, and each function; where ours ends, one that says so. */
function ownSegments(segments, own, functions, called) {
  const kept = [];
  let before;
  for (const [column, source, line, character] of withStarts(segments, functions)) {
    const here = source !== undefined && own[source] !== undefined ? `${source}:${line}` : undefined;
    const name = functions.get(column);
    if (here === undefined && before !== undefined) kept.push([column]);
    else if (here !== undefined && name !== undefined)
      kept.push([column, source, line, character, called.indexOf(name)]);
    else if (here !== undefined && (here !== before || functions.has(kept.at(-1)?.[0])))
      kept.push([column, source, line, character]);
    before = here;
  }
  return kept;
}

/** A function may begin where no segment does: it is of the source that stands there. */
function withStarts(segments, functions) {
  const there = new Set(segments.map(([column]) => column));
  const starts = [...functions.keys()].filter((column) => !there.has(column));
  const added = starts.flatMap((column) => {
    const under = segments.findLast((segment) => segment[0] < column);
    return under === undefined || under.length === 1 ? [] : [[column, ...under.slice(1, 4)]];
  });
  return [...segments, ...added].sort(([a], [b]) => a - b);
}

/** Node looks for the name of a function where it begins, and the bundler gives it where the name stands. */
function functionsOf(text, segments) {
  const named = new Map(
    segments.filter(({ length }) => length === 5).map((segment) => [segment[0], segment[4]]),
  );
  const found = new Map();
  for (const match of text.matchAll(DECLARED)) {
    const name = named.get(match.index + match[0].indexOf(match.groups.name, match.groups.keyword.length));
    if (name === undefined) continue;
    found.set(match.index, name);
    // Of an `async` one some versions of V8 take the word after it.
    found.set(match.index + match[0].indexOf('function'), name);
  }
  for (const match of text.matchAll(ASSIGNED)) {
    const name = named.get(match.index);
    if (name === undefined) continue;
    found.set(match.index + match.groups.before.length, name);
    found.set(match.index + match.groups.before.length + (match.groups.async ?? '').length, name);
  }
  return found;
}

const DECLARED = /(?<keyword>(?:async )?function\*? ?)(?<name>[\w$]+)(?=\()/g;
const ASSIGNED = /(?<![\w$.])(?<before>[\w$]+=)(?<async>async ?)?(?:\([^()]*\)|[\w$]+)=>/g;

/** The names that are used, each once. */
function createNames(all) {
  const list = [];
  const places = new Map();
  return {
    list,
    indexOf: (name) => {
      if (!places.has(name)) places.set(name, list.push(all[name]) - 1);
      return places.get(name);
    },
  };
}

function leaveOut(fileName, chunk, bundle) {
  chunk.code = chunk.code.replace(/\n?\/\/# sourceMappingURL=\S+\n?$/, '\n');
  delete bundle[fileName];
}
