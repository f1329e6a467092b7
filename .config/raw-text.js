import { readFileSync } from 'node:fs';

/** `import text from './style.css?raw'`: the text of a file, as the tests' bundler has it too. */
export function rawText() {
  return {
    name: 'raw-text',
    async resolveId(source, importer) {
      if (!source.endsWith(END)) return null;
      const found = await this.resolve(source.slice(0, -END.length), importer);
      return found && { id: found.id + END };
    },
    load(id) {
      if (!id.endsWith(END)) return null;
      const text = readFileSync(id.slice(0, -END.length), 'utf8');
      return { code: `export default ${JSON.stringify(text)};`, moduleType: 'js' };
    },
  };
}

const END = '?raw';
