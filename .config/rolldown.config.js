import { readFileSync } from 'node:fs';
import { defineConfig } from 'rolldown';
import { ownSourceMaps } from './own-source-maps.js';
import { thirdPartyNotices } from './third-party-notices.js';

// Everything in pure JavaScript is inside the bundle; libsql carries a native binary and stays outside.
export default defineConfig({
  input: { main: 'src/main.ts' },
  platform: 'node',
  external: ['libsql'],
  plugins: [{ name: 'without-http2', load: loadWithoutHttp2 }, thirdPartyNotices(), ownSourceMaps()],
  output: {
    dir: 'dist',
    // Of the two formats the one that starts sooner: 10 ms, most of it for the facades of Node's own modules.
    format: 'cjs',
    cleanDir: true,
    minify: true,
    sourcemap: true,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    codeSplitting: { groups: [{ name: 'svc', test: isOnEveryPath, includeDependenciesRecursively: false }] },
  },
});

/** The client asks for HTTP/1.1 alone (`allowH2: false`), and loading `node:http2` takes 7 ms. */
function loadWithoutHttp2(id) {
  if (!id.endsWith('/undici/lib/dispatcher/client-h2.js')) return undefined;
  return 'module.exports = () => { throw new Error("HTTP/2 is left out of this bundle"); };';
}

/**
 * Our own modules in one file: opening thirty small ones takes longer than reading one large one. Left out are the
 * sandbox and the commands beside the nouns, and every module that imports a package, which would come along with it.
 */
function isOnEveryPath(id) {
  const [, dependency] = id.split('/node_modules/');
  if (dependency !== undefined) return /^(commander|get-east-asian-width)\//.test(dependency);
  return !LATER.test(id) && !BULK_WORK.test(id) && !importsPackage(readFileSync(id, 'utf8'));
}

/** Rooms that are loaded when they are needed, but for the files of them that every run reads. */
const LATER =
  /\/src\/(sandbox|journal\/(?!(errors|raw-request)\.ts)|bulk\/(?!(errors|opened-file)\.ts)|cli\/(commands|completion|fleet|bulk(?!\/flags))|fleet|resources\/explanations|text\/(page|near))\b/;

/** What nouns load only for a file of rows. */
const BULK_WORK =
  /\/cli\/nouns\/(dnc\/(.*contacts|import-dry-run)|sms\/send-file|subscriber-data\/set-file)\.ts$/;

/** Whether the source imports a package as soon as it is loaded; commander is on every path, the other 5 kB. */
function importsPackage(source) {
  const imports = source.matchAll(/^import (?!type )[^;]*? from '([^']+)'/gm);
  return [...imports].some(([, from]) => !/^(\.|node:|commander$|get-east-asian-width$)/.test(from));
}
