const { Script } = require('node:vm');

/**
 * Returns a loader for the files of dist/, and the scripts of the files that it has loaded. The files may be stored anywhere.
 * @param sourceOf returns the text of a file
 * @param codeOf returns the code that V8 compiled for the file when the executable was built, or undefined
 * @param requireOther loads other modules that a file requires
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
