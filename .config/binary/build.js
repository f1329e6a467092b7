/**
 * `npm run build:binary` writes one executable for this system, with Node, dist/ and the sandbox's database inside. The executable is a
 * single executable application of Node. It also contains the code that V8 compiled in a run. It has no startup snapshot, because with one
 * it refuses to start if NODE_OPTIONS has a flag of V8. `npm run release` builds the executables that people install.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { learnCode, noticesOf, stageProgram, writeExecutable } from './executable.js';

const { platform, execPath: node, version } = process;
const out = resolve(process.argv[2] ?? fileURLToPath(new URL('../../build', import.meta.url)));
const stage = join(out, 'stage');
const file = join(out, platform === 'win32' ? 'svc.exe' : 'svc');

mkdirSync(out, { recursive: true });
const libsql = await stageProgram(stage);
await learnCode(stage, node);
const parts = { system: platform, node: unsigned(readFileSync(node)), library: nativeLibrary() };
await writeExecutable(file, { stage, ...parts, hasCode: true, runner: node });
// macOS runs only signed executables.
if (platform === 'darwin') execFileSync('codesign', ['--force', '--sign', '-', file]);
writeFileSync(join(out, 'THIRD-PARTY-NOTICES.txt'), noticesOf({ libsql, version, nodeLicense: license() }));
rmSync(stage, { recursive: true });
console.log(`${file}: ${Math.round(readFileSync(file).length / 1e6)} MB, Node ${version}`);

/** Returns Node without its macOS signature, which would not match the changed file. */
function unsigned(octets) {
  if (platform !== 'darwin') return octets;
  writeFileSync(file, octets, { mode: 0o755 });
  execFileSync('codesign', ['--remove-signature', file]);
  return readFileSync(file);
}

/** Returns the path of libsql's library for this system, as npm installed it. */
function nativeLibrary() {
  const require = createRequire(createRequire(import.meta.url).resolve('libsql'));
  const { currentTarget } = require('@neon-rs/load');
  const { familySync, GLIBC } = require('detect-libc');
  const target = currentTarget();
  return require.resolve(`@libsql/${familySync() === GLIBC ? target.replace(/-musl$/, '-gnu') : target}`);
}

/** Returns the license that Node's releases include, or undefined if this Node has none. */
function license() {
  const places = [join(dirname(node), '..', 'LICENSE'), join(dirname(node), 'LICENSE')];
  const found = places.find(existsSync);
  return found && readFileSync(found, 'utf8');
}
