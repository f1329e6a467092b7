import { readFileSync } from 'node:fs';

/** Returns a plug-in for `import text from './style.css?text'`. It imports the text of a file, in the bundle and in tests. */
export function rawText() {
  return {
    name: 'raw-text',
    enforce: 'pre',
    async resolveId(source, importer) {
      if (!source.endsWith(QUERY)) return null;
      const found = await this.resolve(source.slice(0, -QUERY.length), importer);
      // With this end, no bundler of style sheets processes the file.
      return found && { id: found.id + SUFFIX };
    },
    load(id) {
      if (!id.endsWith(SUFFIX)) return null;
      const text = readFileSync(id.slice(0, -SUFFIX.length), 'utf8');
      return { code: `export default ${JSON.stringify(text)};`, moduleType: 'js', map: null };
    },
  };
}

const QUERY = '?text';
const SUFFIX = '.text';
