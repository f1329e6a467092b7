/**
 * Builds a single executable: Node with the files of dist/ and the library of the sandbox's database as assets. The same input gives the
 * same bytes, whatever the folder, the time and the environment.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'postject';
import { rolldown } from 'rolldown';
import { startSandbox } from '../sandbox-process.js';
import { thirdPartyNotices } from '../third-party-notices.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
/** Marks the place where Node looks for an injected blob. All versions of Node use the same text. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

const isChunk = (name) => name.endsWith('.cjs');

/**
 * Writes the files that the executables of all systems share: dist/, libsql and the main script.
 * @returns the license texts of libsql
 */
export async function stageProgram(stage) {
  rmSync(stage, { recursive: true, force: true });
  for (const folder of ['chunk', 'code']) mkdirSync(join(stage, folder), { recursive: true });
  for (const name of readdirSync(join(ROOT, 'dist')).filter(isChunk))
    copyFileSync(join(ROOT, 'dist', name), join(stage, 'chunk', name));
  await bundleLibsql(stage);
  await bundle(here('main.cjs'), join(stage, 'main.cjs'));
  return readFileSync(join(stage, 'chunk', 'THIRD-PARTY-NOTICES.txt'), 'utf8');
}

/**
 * Runs the program against a sandbox, in a clean environment, and saves the code that V8 compiled.
 * @param node path of a Node that runs here. Its version and system are those of the executable, because V8 rejects code of another Node
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
    // This ignores stdout. If learn.cjs fails, the error message includes its stderr.
    execFileSync(node, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  } finally {
    await sandbox.stop();
  }
}

/** Makes V8 reproducible: it uses fixed hashes and keeps all compiled functions. learn.cjs resets these flags before it saves the code. */
const SAME_EVERY_TIME = ['--hash-seed=1', '--random-seed=1', '--no-flush-bytecode'];

/** Sets a control token with many digits. Other code reads JSON with 15 digits in a row, and random keys have these only in some builds. */
function withLongDigits(file) {
  const config = JSON.parse(readFileSync(file, 'utf8'));
  for (const { sandbox } of Object.values(config.profiles)) sandbox.controlToken = '0'.repeat(64);
  writeFileSync(file, JSON.stringify(config));
}

/**
 * Writes the executable of one system. macOS runs it only once `codesign` has signed it.
 * @param system `linux`, `darwin` or `win32`
 * @param node the bytes of that system's Node
 * @param library the path of libsql's library for that system
 * @param hasCode whether the stage has code that this Node compiled
 * @param runner path of a Node of the same version that runs here
 */
export async function writeExecutable(file, { stage, system, node, library, hasCode, runner }) {
  const hash = createHash('sha256').update(readFileSync(library)).digest('hex');
  writeFileSync(join(stage, 'libsql.sha256'), hash);
  writeFileSync(join(stage, 'libsql.node'), readFileSync(library));
  writeFileSync(join(stage, 'sea.json'), JSON.stringify(configuration(stage, hasCode)));
  // Node copies the path of the main file from sea.json to the blob, so this path is relative.
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
    // Node warns if its own code cache does not fit, for example with flags of V8 in NODE_OPTIONS. Our compiled code is in assets.
    useCodeCache: false,
  };
}

/** Hides the injector's warnings about section names, which it does not need. */
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
  await built.write({ file, format: 'cjs', minify: true, charset: 'ascii', codeSplitting: false });
  await built.close();
}

/** Bundles libsql without the code that looks for its library in packages. */
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
      throw new Error(`${id} has changed how it looks for its library`);
    return edited;
  };
  const file = join(stage, 'chunk', 'libsql.cjs');
  await bundle(index, file, [{ name: 'libsql-native', load }, thirdPartyNotices()], ['libsql/native']);
}

/** Returns the notices of the bundle, of libsql and of Node. */
export function noticesOf({ libsql, version, nodeLicense }) {
  const ofNode = nodeLicense === undefined ? '' : `\n\n${nodeLicense.trim()}`;
  return [
    readFileSync(join(ROOT, 'dist', 'THIRD-PARTY-NOTICES.txt'), 'utf8'),
    libsql,
    `The executable is Node.js ${version} with svc inside.\nhttps://github.com/nodejs/node/blob/${version}/LICENSE${ofNode}\n`,
  ].join(`\n${'-'.repeat(80)}\n\n`);
}
