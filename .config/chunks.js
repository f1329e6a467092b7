import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SRC = fileURLToPath(new URL('../src/', import.meta.url));

/**
 * Returns a function that names the chunk of a module, or returns null to let the bundler decide. Opening thirty small files takes longer
 * than reading a large one. But a start evaluates every module of a chunk, needed or not. So each step of a start has one chunk. `main`
 * parses the command line and prints help, `verbs` has the code that nouns share, and `run` and `undici-client` send requests.
 */
export function chunkNames() {
  let reached;
  return (id, modules) => {
    reached ??= {
      main: reachedFrom(['main.ts'], modules),
      verbs: reachedFrom(['cli/registry/verbs-by-noun.ts'], modules, verbsOfNouns(modules)),
      run: reachedFrom(['run.ts'], modules),
      undici: reachedFrom([], modules, undiciOfOneCall(modules)),
    };
    if (reached.main.has(id) || id.includes('rolldown/runtime')) return 'main';
    if (reached.verbs.has(id)) return OF_A_NOUN.test(id) ? null : 'verbs';
    if (reached.undici.has(id)) return 'undici-client';
    return reached.run.has(id) || isForOneCall(id) ? 'run' : null;
  };
}

/** Matches the modules of one noun. Leaves out modules that other commands also import, because each would be one more file to open. */
const OF_A_NOUN = /\/src\/cli\/nouns\/(?!generic\/|task\/credits\.ts)/;

/** Returns the modules of nouns with verbs of their own. The bundler makes one file for each noun. */
const verbsOfNouns = (modules) =>
  modules.getModuleInfo(`${SRC}cli/registry/verbs-by-noun.ts`)?.dynamicallyImportedIds ?? [];

/** Returns the ids of these modules, and of all modules that they import statically. */
function reachedFrom(files, modules, others = []) {
  const found = new Set();
  const queue = [...files.map((file) => SRC + file), ...others];
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    queue.push(...(modules.getModuleInfo(id)?.importedIds ?? []));
  }
  return found;
}

/** Returns the modules of undici that a direct connection needs. Proxies need all of undici. */
function undiciOfOneCall(modules) {
  const later =
    modules.getModuleInfo(`${SRC}client/requests/transport/undici-transport.ts`)?.dynamicallyImportedIds ??
    [];
  return later.filter((id) => /\/undici\/lib\/(dispatcher\/client|core\/connect)\.js$/.test(id));
}

/**
 * Reports whether a module of ours is loaded for a single call. Excludes the sandbox and the commands that are not nouns. Also excludes
 * modules that import a package, because the chunk would then include the package.
 */
function isForOneCall(id) {
  if (id.includes('/node_modules/get-east-asian-width/')) return true;
  return (
    id.startsWith(SRC) && !LATER.test(id) && !OF_A_NOUN.test(id) && !importsPackage(readFileSync(id, 'utf8'))
  );
}

/** Matches folders and files that svc loads only when it needs them. Leaves out those files in these folders that every run reads. */
const LATER =
  /\/src\/(sandbox|features\/(?!campaign\/errors\.ts)|service\/(automations|explanations|lint|protocol\/(control|naming-fields)|resources\/companions)|kit\/(schema\/value-schema|files\/own-files|report|text\/(html-\w+|css(-effects)?|dynamic-markup|day-span|sms-characters))|client\/(journal\/(?!raw-request\.ts)|bulk\/(?!(errors|opened-file)\.ts)|companies|sends\/(keyed-\w+|keys|resume-rule|rivals|same-\w+|visible-content)|requests\/transport\/certificate)|cli\/(commands|completion|companies|bulk(?!\/flags)|command\/(topics\/lint|help-json|effect|example-outputs|version-info)|session\/sandbox-control|output\/jq|request\/(sms-words|lint-errors)))\b/;

/** Reports whether the source imports a package statically. Ignores `get-east-asian-width`, which has only 5 kB. */
function importsPackage(source) {
  const imports = source.matchAll(/^import (?!type )[^;]*? from '([^']+)'/gm);
  return [...imports].some(([, from]) => !/^(\.|node:|get-east-asian-width$)/.test(from));
}
