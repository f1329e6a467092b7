const { Script } = require('node:vm');

/**
 * Loads the files of dist/ from wherever they are kept.
 * @param sourceOf the text of a file
 * @param codeOf what V8 made of it when the binary was built, or undefined
 * @param requireOther what a file requires that is none of them
 */
function createChunks({ sourceOf, codeOf, requireOther }) {
  const loaded = new Map();
  const scripts = new Map();
  const load = (name) => {
    const known = loaded.get(name);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    loaded.set(name, module);
    const source = `(function (exports, require, module) { ${sourceOf(name)}\n})`;
    const script = new Script(source, { filename: name, cachedData: codeOf(name) });
    scripts.set(name, script);
    const requireHere = (id) => (/^\.\/.*\.cjs$/.test(id) ? load(id.slice(2)) : requireOther(id, load));
    script.runInThisContext().call(module.exports, module.exports, requireHere, module);
    return module.exports;
  };
  return { load, scripts };
}

module.exports = { createChunks };
