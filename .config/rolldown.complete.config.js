import { defineConfig } from 'rolldown';
import { completionTree } from './completion-tree.js';

// Completion has a separate bundle, so that a TAB does not load the whole program.
export default defineConfig({
  input: { complete: 'src/cli/completion/entry.ts' },
  platform: 'node',
  plugins: [completionTree()],
  // The plug-in builds the tree, so its long time needs no warning.
  checks: { pluginTimings: false },
  output: {
    dir: 'dist',
    format: 'cjs',
    minify: true,
    charset: 'ascii',
    entryFileNames: '[name].cjs',
    codeSplitting: false,
  },
});
