/**
 * `npm run build:binary`: one executable for the system that it runs on, with Node, dist/ and the sandbox's database inside.
 * Node's single executable applications, with what V8 made of the code in a run beside it; no startup snapshot, with which
 * it refuses to start at all with a flag for V8 in NODE_OPTIONS.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'postject';
import { rolldown } from 'rolldown';
import { startSandbox } from '../sandbox-process.js';
import { thirdPartyNotices } from '../third-party-notices.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const out = process.argv[2] ?? join(ROOT, 'build');
const stage = join(out, 'stage');
const binary = join(out, process.platform === 'win32' ? 'svc.exe' : 'svc');
/** By which Node knows that something was put into it; the same for all its versions. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

const isChunk = (name) => name.endsWith('.cjs');

rmSync(stage, { recursive: true, force: true });
for (const folder of ['chunk', 'code']) mkdirSync(join(stage, folder), { recursive: true });
for (const name of readdirSync(join(ROOT, 'dist')).filter(isChunk))
  writeFileSync(join(stage, 'chunk', name), inAscii(readFileSync(join(ROOT, 'dist', name), 'utf8')));
await bundleLibsql();
await bundle(here('main.cjs'), join(stage, 'main.cjs'));
await learn();
const library = nativeLibrary();
writeFileSync(join(stage, 'libsql.sha256'), createHash('sha256').update(readFileSync(library)).digest('hex'));
writeFileSync(join(stage, 'sea.json'), JSON.stringify(configuration(library)));
node('--experimental-sea-config', join(stage, 'sea.json'));
await build();
writeFileSync(join(out, 'THIRD-PARTY-NOTICES.txt'), notices());
rmSync(stage, { recursive: true });
console.log(`${binary}: ${Math.round(readFileSync(binary).length / 1e6)} MB, Node ${process.version}`);

function configuration(library) {
  const assets = { 'libsql.node': library, 'libsql.sha256': join(stage, 'libsql.sha256') };
  for (const folder of ['chunk', 'code'])
    for (const name of readdirSync(join(stage, folder)).filter(isChunk))
      assets[`${folder}/${name}`] = join(stage, folder, name);
  const output = join(stage, 'sea.blob');
  const main = join(stage, 'main.cjs');
  return {
    main,
    output,
    assets,
    disableExperimentalSEAWarning: true,
    useSnapshot: false,
    // Of its own code cache Node complains where it doesn't fit, for instance with flags for V8 in NODE_OPTIONS; ours are assets.
    useCodeCache: false,
  };
}

async function build() {
  rmSync(binary, { force: true });
  copyFileSync(process.execPath, binary);
  chmodSync(binary, 0o755);
  const isMac = process.platform === 'darwin';
  // A signature holds for what was signed; without any macOS does not run it.
  if (isMac) execFileSync('codesign', ['--remove-signature', binary]);
  await inject(binary, 'NODE_SEA_BLOB', readFileSync(join(stage, 'sea.blob')), {
    sentinelFuse: FUSE,
    ...(isMac ? { machoSegmentName: 'NODE_SEA' } : {}),
  });
  if (isMac) execFileSync('codesign', ['--sign', '-', binary]);
}

/** A file in which every character is one octet is half as large in memory, and read without decoding. */
function inAscii(text) {
  return text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

async function bundle(input, file, plugins = [], external = []) {
  const built = await rolldown({ input, platform: 'node', external, plugins, logLevel: 'warn' });
  await built.write({ file, format: 'cjs', minify: true, codeSplitting: false });
  await built.close();
}

/** libsql without the part that looks for its library in packages. */
async function bundleLibsql() {
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

/** The library of this system, as npm has installed it. */
function nativeLibrary() {
  const require = createRequire(createRequire(import.meta.url).resolve('libsql'));
  const { currentTarget } = require('@neon-rs/load');
  const { familySync, GLIBC } = require('detect-libc');
  const target = currentTarget();
  return require.resolve(`@libsql/${familySync() === GLIBC ? target.replace(/-musl$/, '-gnu') : target}`);
}

/** Against a sandbox, in an environment where nobody has set anything. */
async function learn() {
  const home = join(stage, 'home');
  mkdirSync(home, { mode: 0o700 });
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    SVC_CONFIG_DIR: join(home, 'config'),
    SystemRoot: process.env.SystemRoot,
  };
  const svc = join(ROOT, 'bin', 'svc.js');
  const sandbox = await startSandbox(svc, { data: join(home, 'data'), env, more: ['--seed', 'demo'] });
  try {
    // What it prints is nobody's.
    execFileSync(process.execPath, [here('learn.cjs'), join(stage, 'chunk'), join(stage, 'code')], {
      env,
      stdio: 'ignore',
    });
  } finally {
    await sandbox.stop();
  }
}

function node(...args) {
  execFileSync(process.execPath, ['--no-warnings', ...args], { stdio: 'inherit' });
}

/** Those of the bundle, of libsql, and of Node, which releases have beside them. */
function notices() {
  const license = [
    join(dirname(process.execPath), '..', 'LICENSE'),
    join(dirname(process.execPath), 'LICENSE'),
  ].find(existsSync);
  const ofNode = license === undefined ? '' : `\n\n${readFileSync(license, 'utf8').trim()}`;
  return [
    readFileSync(join(ROOT, 'dist', 'THIRD-PARTY-NOTICES.txt'), 'utf8'),
    readFileSync(join(stage, 'chunk', 'THIRD-PARTY-NOTICES.txt'), 'utf8'),
    `The executable is Node.js ${process.version} with svc inside.\nhttps://github.com/nodejs/node/blob/${process.version}/LICENSE${ofNode}\n`,
  ].join(`\n${'-'.repeat(80)}\n\n`);
}
