import { decode, encode } from '@jridgewell/sourcemap-codec';
import { inAscii, segmentsInAscii } from './in-ascii.js';

/**
 * Returns a plug-in that writes the chunks in ASCII, and reduces source maps to our own modules without their text. A stack then says
 * `readGlobalFlags (src/cli/command/globals.ts:83)`. Node reads the maps only with `--debug`, so they cost only space in the package.
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

/** Returns the source map of our own modules in a chunk, or undefined if the chunk has none of them. */
function ownPartOf({ sources, names, mappings }, code) {
  const own = sources.map((path) =>
    path.includes('node_modules/') ? undefined : /(?:^|\/)(src\/.*)$/.exec(path)?.[1],
  );
  if (own.every((path) => path === undefined)) return undefined;
  const texts = code.split('\n');
  const usedNames = createNames(names);
  const lines = decode(mappings).map((segments, index) => {
    const text = texts[index] ?? '';
    return segmentsInAscii(text, ownSegments(segments, own, functionsOf(text, segments), usedNames));
  });
  return {
    version: 3,
    sources: own.map((path) => (path === undefined ? '' : `../${path}`)),
    names: usedNames.list,
    mappings: encode(lines),
  };
}

/** Keeps one segment for each source line and each function. Adds a segment without a source where our code ends. */
function ownSegments(segments, own, functions, usedNames) {
  const kept = [];
  let previous;
  for (const [column, source, line, character] of withStarts(segments, functions)) {
    const here = source !== undefined && own[source] !== undefined ? `${source}:${line}` : undefined;
    const name = functions.get(column);
    if (here === undefined && previous !== undefined) kept.push([column]);
    else if (here !== undefined && name !== undefined)
      kept.push([column, source, line, character, usedNames.indexOf(name)]);
    else if (here !== undefined && (here !== previous || functions.has(kept.at(-1)?.[0])))
      kept.push([column, source, line, character]);
    previous = here;
  }
  return kept;
}

/** Adds a segment for each function that begins without one. Its source position is that of the segment before it. */
function withStarts(segments, functions) {
  const there = new Set(segments.map(([column]) => column));
  const starts = [...functions.keys()].filter((column) => !there.has(column));
  const added = starts.flatMap((column) => {
    const under = segments.findLast((segment) => segment[0] < column);
    return under === undefined || under.length === 1 ? [] : [[column, ...under.slice(1, 4)]];
  });
  return [...segments, ...added].sort(([a], [b]) => a - b);
}

/** Maps the column where a function begins to its name. Node looks for the name there, but the bundler puts it at the name itself. */
function functionsOf(text, segments) {
  const named = new Map(
    segments.filter(({ length }) => length === 5).map((segment) => [segment[0], segment[4]]),
  );
  const found = new Map();
  for (const match of text.matchAll(DECLARED)) {
    const name = named.get(match.index + match[0].indexOf(match.groups.name, match.groups.keyword.length));
    if (name === undefined) continue;
    found.set(match.index, name);
    // For an `async` function, some versions of V8 use the column of the word after `async`.
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

/** Collects the names that segments use, each once. */
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
