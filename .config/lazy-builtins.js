/**
 * Modules of Node itself are loaded when something of them is first used: `crypto` takes 3 ms, `net` and `child_process`
 * 5 ms, and most commands that only print need none of them. Rolldown writes each as one statement on a line of its own,
 * so columns and lines of all other code stay where the source map says.
 */
export function lazyBuiltins() {
  return {
    name: 'lazy-builtins',
    renderChunk(code) {
      const lazy = code.replaceAll(REQUIRED, (whole, name, from) => {
        const used = [
          ...new Set([...code.matchAll(new RegExp(`\\b${name}\\.([\\w$]+)`, 'g'))].map(([, key]) => key)),
        ];
        // Handed on as a whole, for instance to the bundler's own `__toESM`.
        const uses = code.match(new RegExp(`\\b${name}\\b(?!\\.)`, 'g'))?.length ?? 0;
        if (uses !== 1) return whole;
        const getters = used.map((key) => `get ${key}() { return (module ??= require("${from}")).${key}; }`);
        return `let ${name} = ((module) => ({ ${getters.join(', ')} }))();`;
      });
      // Node's loader of ECMAScript modules is another 3 ms, and code kept from an earlier run can't ask for it.
      const required = lazy.replaceAll(
        IMPORTED,
        (_, from) => `Promise.resolve().then(() => require("${from}"))`,
      );
      return required === code ? null : { code: required, map: null };
    },
  };
}

/** Node itself has loaded `fs`, `path` and some more before our first line. */
const REQUIRED = /^let (node_\w+) = require\("(node:(?!(?:fs|path|url|events|buffer|util)")[\w/]+)"\);$/gm;

const IMPORTED = /\bimport\("(node:[\w/]+)"\)/g;
