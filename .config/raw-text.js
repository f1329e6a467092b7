import { readFileSync } from 'node:fs';

/** `import text from './style.css?text'`: the text of a file, the same in the bundle and in tests. */
export function rawText() {
  return {
    name: 'raw-text',
    enforce: 'pre',
    async resolveId(source, importer) {
      if (!source.endsWith(ASKED)) return null;
      const found = await this.resolve(source.slice(0, -ASKED.length), importer);
      // No name that a bundler of style sheets takes for its own.
      return found && { id: found.id + END };
    },
    load(id) {
      if (!id.endsWith(END)) return null;
      const text = readFileSync(id.slice(0, -END.length), 'utf8');
      return { code: `export default ${JSON.stringify(text)};`, moduleType: 'js', map: null };
    },
  };
}

const ASKED = '?text';
const END = '.text';
