import { readFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';
import { rolldown } from 'rolldown';

/**
 * Returns a plug-in that imports a file as text, in the bundle and in tests:
 * - `import text from './style.css?text'`: the text itself
 * - `import packed from 'a-package/large.wasm?brotli'`: the compressed file in base64
 * - `import script from './thread.ts?script'`: the file and everything that it imports, as one CommonJS script
 *
 * @param quality brotli's, from 0 to 11; the best takes two seconds
 */
export function rawText({ quality = constants.BROTLI_MAX_QUALITY } = {}) {
  return {
    name: 'raw-text',
    enforce: 'pre',
    async resolveId(source, importer) {
      const [kind] = Object.keys(KINDS).filter((each) => source.endsWith(`?${each}`));
      if (kind === undefined) return null;
      const found = await this.resolve(source.slice(0, -kind.length - 1), importer);
      // With this end, no bundler of style sheets processes the file.
      return found && { id: `${found.id.replace(/\?.*$/, '')}.${kind}` };
    },
    async load(id) {
      const kind = endOf(id);
      if (kind === undefined) return null;
      const text = await KINDS[kind](id.slice(0, -kind.length - 1), quality);
      return { code: `export default ${JSON.stringify(text)};`, moduleType: 'js', map: null };
    },
  };
}

const endOf = (id) => Object.keys(KINDS).find((kind) => id.endsWith(`.${kind}`));

const KINDS = {
  text: (file) => readFileSync(file, 'utf8'),
  brotli: (file, quality) => {
    const params = {
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_QUALITY]: quality,
    };
    return brotliCompressSync(readFileSync(file), { params }).toString('base64');
  },
  script: async (file) => {
    const bundle = await rolldown({ input: file, platform: 'node', logLevel: 'warn' });
    // Functions keep their names, because a script may look for one by its name.
    const minify = { compress: true, mangle: false, codegen: { removeWhitespace: true } };
    const { output } = await bundle.generate({ format: 'cjs', codeSplitting: false, minify });
    await bundle.close();
    return output[0].code;
  },
};
