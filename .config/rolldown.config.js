import { defineConfig } from 'rolldown';
import { buildFacts } from './build-facts.js';
import { chunkNames } from './chunks.js';
import { inAscii } from './in-ascii.js';
import { lazyBuiltins } from './lazy-builtins.js';
import { ownSourceMaps } from './own-source-maps.js';
import { rawText } from './raw-text.js';
import { thirdPartyNotices } from './third-party-notices.js';
import { withoutUnused } from './without-unused.js';

// The bundle contains all packages in pure JavaScript. libsql has a native binary and stays outside.
export default defineConfig({
  input: { main: 'src/main.ts' },
  platform: 'node',
  external: ['libsql'],
  // The main file of jsonc-parser is UMD, whose calls of require no bundler can follow.
  resolve: { alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' } },
  // Required by `includeDependenciesRecursively: false`.
  preserveEntrySignatures: 'allow-extension',
  checks: { pluginTimings: false },
  plugins: [
    rawText(),
    buildFacts(),
    withoutUnused(),
    lazyBuiltins(),
    thirdPartyNotices(),
    inAscii(),
    ownSourceMaps(),
  ],
  output: {
    dir: 'dist',
    // CommonJS starts 10 ms sooner, mainly because Node need not create facades for its own modules.
    format: 'cjs',
    cleanDir: true,
    minify: true,
    charset: 'ascii',
    sourcemap: true,
    sourcemapExcludeSources: true,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    codeSplitting: { groups: [{ name: chunkNames() }], includeDependenciesRecursively: false },
  },
});
