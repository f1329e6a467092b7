import { defineConfig } from 'rolldown';
import { completionTree } from './completion-tree.js';

// The code that answers a TAB is a bundle of its own, so that it does not load the program.
export default defineConfig({
  input: { complete: 'src/cli/completion/entry.ts' },
  platform: 'node',
  plugins: [completionTree()],
  // The plugin builds the tree, so its time is not worth a warning.
  checks: { pluginTimings: false },
  output: { dir: 'dist', format: 'cjs', minify: true, entryFileNames: '[name].cjs', codeSplitting: false },
});
