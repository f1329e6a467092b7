import { readFileSync } from 'node:fs';
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
    codeSplitting: { groups: [{ name: 'svc', test: isOnEveryPath, includeDependenciesRecursively: false }] },
  },
});

/**
 * Our own modules in one file: opening thirty small ones takes longer than reading one large one. Left out are the
 * sandbox and the commands beside the nouns, and every module that imports a package, which would come along with it.
 */
function isOnEveryPath(id) {
  const [, dependency] = id.split('/node_modules/');
  if (dependency !== undefined) return dependency.startsWith('commander/');
  return (
    !/\/src\/(sandbox|cli\/commands|cli\/completion)\//.test(id) && !importsPackage(readFileSync(id, 'utf8'))
  );
}

/** Whether the source imports a package as soon as it is loaded; commander is on every path. */
function importsPackage(source) {
  const imports = source.matchAll(/^import (?!type )[^;]*? from '([^']+)'/gm);
  return [...imports].some(([, from]) => !/^(\.|node:|commander$)/.test(from));
}
