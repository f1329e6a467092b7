import { defineConfig } from 'rolldown';

// What answers a TAB is bundled by itself: the chunks of the program would come along with it otherwise.
export default defineConfig({
  input: { complete: 'src/cli/completion/live/entry.ts' },
  platform: 'node',
  output: { dir: 'dist', format: 'cjs', minify: true, entryFileNames: '[name].cjs', codeSplitting: false },
});
