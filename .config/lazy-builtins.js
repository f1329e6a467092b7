/**
 * Returns a plug-in that delays loading a module of Node until its first use. `crypto` takes 3 ms, and `net` and `child_process` take 5 ms.
 * Most commands that only print need none of them. Rolldown writes each `require` as a statement on its own line, so the source map stays
 * right for all other code.
 */
export function lazyBuiltins() {
  return {
    name: 'lazy-builtins',
    renderChunk(code) {
      const lazy = code.replaceAll(REQUIRED, (whole, name, from) => {
        const used = [
          ...new Set([...code.matchAll(new RegExp(`\\b${name}\\.([\\w$]+)`, 'g'))].map(([, key]) => key)),
        ];
        // Code that passes on the whole module, such as the bundler's `__toESM`, cannot use these getters.
        const uses = code.match(new RegExp(`\\b${name}\\b(?!\\.)`, 'g'))?.length ?? 0;
        if (uses !== 1) return whole;
        const getters = used.map((key) => `get ${key}() { return (module ??= require("${from}")).${key}; }`);
        return `let ${name} = ((module) => ({ ${getters.join(', ')} }))();`;
      });
      // `import()` starts Node's loader of ECMAScript modules, which takes 3 ms and which cached code cannot use.
      const required = lazy.replaceAll(
        IMPORTED,
        (_, from) => `Promise.resolve().then(() => require("${from}"))`,
      );
      return required === code ? null : { code: required, map: null };
    },
  };
}

/** Matches a `require` of a module of Node. Leaves out modules such as `fs` and `path`, which Node loads before svc starts. */
const REQUIRED = /^let (node_\w+) = require\("(node:(?!(?:fs|path|url|events|buffer|util)")[\w/]+)"\);$/gm;

const IMPORTED = /\bimport\("(node:[\w/]+)"\)/g;
