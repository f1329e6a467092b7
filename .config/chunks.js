import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SRC = fileURLToPath(new URL('../src/', import.meta.url));

/**
 * Which file a module goes into, where that is not left to the bundler. Opening thirty small files takes longer than reading
 * a large one; but what is in it is made at every start, needed or not. So there is one for each step of a start:
 * `main` says what was asked and prints help, `verbs` has what nouns share, `run` and `undici-client` what asks the service.
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

/** What a command beside the nouns reads too would be a file by itself, opened at every start of a task. */
const OF_A_NOUN = /\/src\/cli\/nouns\/(?!generic\/|task\/(schedule|credits)\.ts)/;

/** Verbs of the nouns that have their own. Each noun is a file by itself. */
const verbsOfNouns = (modules) =>
  modules.getModuleInfo(`${SRC}cli/registry/verbs-by-noun.ts`)?.dynamicallyImportedIds ?? [];

/** The modules that are made with these, whatever asks for them. */
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

/** But for proxies, which need the whole of it. */
function undiciOfOneCall(modules) {
  const later =
    modules.getModuleInfo(`${SRC}client/transport/undici-transport.ts`)?.dynamicallyImportedIds ?? [];
  return later.filter((id) => /\/undici\/lib\/(dispatcher\/client|core\/connect)\.js$/.test(id));
}

/**
 * Our own modules that are loaded while one call is made. Left out are the sandbox, the commands beside the nouns, and every
 * module that imports a package, which would come along with it.
 */
function isForOneCall(id) {
  if (id.includes('/node_modules/get-east-asian-width/')) return true;
  return (
    id.startsWith(SRC) && !LATER.test(id) && !OF_A_NOUN.test(id) && !importsPackage(readFileSync(id, 'utf8'))
  );
}

/** Rooms that are loaded when they are needed, but for the files of them that every run reads. */
const LATER =
  /\/src\/(sandbox|rehearse|automations|lint|campaign\/(?!errors\.ts)|protocol\/(control|naming-fields)|schema\/value-schema|journal\/(?!raw-request\.ts)|bulk\/(?!(errors|opened-file)\.ts)|cli\/(commands|completion|companies|bulk(?!\/flags)|command\/topics\/lint)|companies|files\/own-files|explanations|report|why|forecast|usage|doctor|explain|resources\/companions|text\/(html-\w+|day-span|sms-characters)|cli\/session\/sandbox-control|cli\/request\/sms-words|client\/transport\/certificate)\b/;

/** Whether the source imports a package as soon as it is loaded; the one that measures characters is 5 kB. */
function importsPackage(source) {
  const imports = source.matchAll(/^import (?!type )[^;]*? from '([^']+)'/gm);
  return [...imports].some(([, from]) => !/^(\.|node:|get-east-asian-width$)/.test(from));
}
