/**
 * Builds a single executable: Node's own with the files of dist/ and the sandbox's database as assets. The same input gives the same
 * bytes, whatever the folder, the time and the environment.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'postject';
import { rolldown } from 'rolldown';
import { inAscii } from '../in-ascii.js';
import { startSandbox } from '../sandbox-process.js';
import { thirdPartyNotices } from '../third-party-notices.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
/** Node finds by it that something was injected. It is the same in all versions. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

const isChunk = (name) => name.endsWith('.cjs');

/**
 * Writes what the executables of all systems share: the files of dist/, libsql and what runs first.
 * @returns the texts of the licenses of libsql
 */
export async function stageProgram(stage) {
  rmSync(stage, { recursive: true, force: true });
  for (const folder of ['chunk', 'code']) mkdirSync(join(stage, folder), { recursive: true });
  for (const name of readdirSync(join(ROOT, 'dist')).filter(isChunk))
    writeFileSync(join(stage, 'chunk', name), inAscii(readFileSync(join(ROOT, 'dist', name), 'utf8')));
  await bundleLibsql(stage);
  await bundle(here('main.cjs'), join(stage, 'main.cjs'));
  return readFileSync(join(stage, 'chunk', 'THIRD-PARTY-NOTICES.txt'), 'utf8');
}

/**
 * Runs the program against a sandbox, in an environment where nobody has set anything, and keeps the code that V8 compiled.
 * @param node runs here, and is of the version and the system of the executable: V8 rejects the code of another one
 */
export async function learnCode(stage, node) {
  const home = join(stage, 'home');
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { mode: 0o700 });
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    SVC_CONFIG_DIR: join(home, 'config'),
    SystemRoot: process.env.SystemRoot,
    TZ: 'UTC',
  };
  const svc = join(ROOT, 'bin', 'svc.js');
  const sandbox = await startSandbox(svc, { node, data: join(home, 'data'), env, more: ['--seed', 'demo'] });
  try {
    withLongDigits(join(env.SVC_CONFIG_DIR, 'config.json'));
    const args = [...SAME_EVERY_TIME, here('learn.cjs'), join(stage, 'chunk'), join(stage, 'code')];
    // Nobody needs its output. If it fails, the error message has what it wrote to stderr.
    execFileSync(node, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  } finally {
    await sandbox.stop();
  }
}

/** Without them V8's hashes are random, and it forgets compiled functions at a time of its own; learn.cjs takes them back. */
const SAME_EVERY_TIME = ['--hash-seed=1', '--random-seed=1', '--no-flush-bytecode'];

/** JSON with 15 digits in a row is read in another way. Random keys have them in some builds only, so that one has them always. */
function withLongDigits(file) {
  const config = JSON.parse(readFileSync(file, 'utf8'));
  for (const { sandbox } of Object.values(config.profiles)) sandbox.controlToken = '0'.repeat(64);
  writeFileSync(file, JSON.stringify(config));
}

/**
 * Writes the executable of one system. macOS runs it only once `codesign` has signed it.
 * @param system `linux`, `darwin` or `win32`
 * @param node the octets of that system's Node
 * @param library the path of libsql's library for that system
 * @param hasCode whether the stage has code that this Node compiled
 * @param runner Node of the same version that runs here
 */
export async function writeExecutable(file, { stage, system, node, library, hasCode, runner }) {
  const hash = createHash('sha256').update(readFileSync(library)).digest('hex');
  writeFileSync(join(stage, 'libsql.sha256'), hash);
  writeFileSync(join(stage, 'libsql.node'), readFileSync(library));
  writeFileSync(join(stage, 'sea.json'), JSON.stringify(configuration(stage, hasCode)));
  // Node writes the path of the main file into the blob as it stands there.
  execFileSync(runner, ['--no-warnings', '--experimental-sea-config', 'sea.json'], {
    cwd: stage,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  rmSync(file, { force: true });
  writeFileSync(file, node, { mode: 0o755 });
  const segment = system === 'darwin' ? { machoSegmentName: 'NODE_SEA' } : {};
  await quietly(() =>
    inject(file, 'NODE_SEA_BLOB', readFileSync(join(stage, 'sea.blob')), { sentinelFuse: FUSE, ...segment }),
  );
  chmodSync(file, 0o755);
}

function configuration(stage, hasCode) {
  const assets = { 'libsql.node': 'libsql.node', 'libsql.sha256': 'libsql.sha256' };
  for (const folder of ['chunk', ...(hasCode ? ['code'] : [])])
    for (const name of readdirSync(join(stage, folder)).filter(isChunk).sort())
      assets[`${folder}/${name}`] = `${folder}/${name}`;
  return {
    main: 'main.cjs',
    output: 'sea.blob',
    assets,
    disableExperimentalSEAWarning: true,
    useSnapshot: false,
    // Of its own code cache Node complains where it doesn't fit, for instance with flags for V8 in NODE_OPTIONS; ours are assets.
    useCodeCache: false,
  };
}

/** The injector warns of names of sections that it doesn't need. */
async function quietly(work) {
  const { error, warn } = console;
  console.error = console.warn = (...words) => {
    if (!/string offset for section name/.test(String(words[0]))) error(...words);
  };
  try {
    await work();
  } finally {
    Object.assign(console, { error, warn });
  }
}

async function bundle(input, file, plugins = [], external = []) {
  const built = await rolldown({ input, cwd: ROOT, platform: 'node', external, plugins, logLevel: 'warn' });
  await built.write({ file, format: 'cjs', minify: true, codeSplitting: false });
  await built.close();
}

/** libsql without the part that looks for its library in packages. */
async function bundleLibsql(stage) {
  const index = createRequire(import.meta.url).resolve('libsql');
  const load = (id) => {
    if (id !== index) return undefined;
    const text = readFileSync(id, 'utf8');
    const edited = text
      .replace(/^const \{[^}]*\} = require\("(@neon-rs\/load|detect-libc)"\);$/gm, '')
      .replace(
        /^function requireNative\(\) \{\n.*?^\}$/ms,
        'function requireNative() { return require("libsql/native"); }',
      );
    if (/@neon-rs|detect-libc|@libsql/.test(edited))
      throw new Error(`${id} looks for its library in another way`);
    return edited;
  };
  const file = join(stage, 'chunk', 'libsql.cjs');
  await bundle(index, file, [{ name: 'libsql-native', load }, thirdPartyNotices()], ['libsql/native']);
  writeFileSync(file, inAscii(readFileSync(file, 'utf8')));
}

/** Those of the bundle, of libsql, and of Node. */
export function noticesOf({ libsql, version, nodeLicense }) {
  const ofNode = nodeLicense === undefined ? '' : `\n\n${nodeLicense.trim()}`;
  return [
    readFileSync(join(ROOT, 'dist', 'THIRD-PARTY-NOTICES.txt'), 'utf8'),
    libsql,
    `The executable is Node.js ${version} with svc inside.\nhttps://github.com/nodejs/node/blob/${version}/LICENSE${ofNode}\n`,
  ].join(`\n${'-'.repeat(80)}\n\n`);
}
