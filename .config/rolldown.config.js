import { defineConfig } from 'rolldown';

// Everything in pure JavaScript is inside the bundle; libsql carries a native binary and stays outside.
export default defineConfig({
  input: { main: 'src/main.ts' },
  platform: 'node',
  external: ['libsql'],
  output: {
    dir: 'dist',
    format: 'esm',
    cleanDir: true,
    minify: true,
    sourcemap: false,
    chunkFileNames: '[name]-[hash].js',
  },
});
