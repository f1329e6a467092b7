/**
 * `npm run build:binary`: one executable for the system that it runs on, with Node, dist/ and the sandbox's database inside.
 * Node's single executable applications, with what V8 made of the code in a run beside it; no startup snapshot, with which
 * it refuses to start at all with a flag for V8 in NODE_OPTIONS. `npm run release` builds those that people install.
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
// Without a signature macOS does not run it.
if (platform === 'darwin') execFileSync('codesign', ['--force', '--sign', '-', file]);
writeFileSync(join(out, 'THIRD-PARTY-NOTICES.txt'), noticesOf({ libsql, version, nodeLicense: license() }));
rmSync(stage, { recursive: true });
console.log(`${file}: ${Math.round(readFileSync(file).length / 1e6)} MB, Node ${version}`);

/** A signature holds for what was signed. */
function unsigned(octets) {
  if (platform !== 'darwin') return octets;
  writeFileSync(file, octets, { mode: 0o755 });
  execFileSync('codesign', ['--remove-signature', file]);
  return readFileSync(file);
}

/** The library of this system, as npm has installed it. */
function nativeLibrary() {
  const require = createRequire(createRequire(import.meta.url).resolve('libsql'));
  const { currentTarget } = require('@neon-rs/load');
  const { familySync, GLIBC } = require('detect-libc');
  const target = currentTarget();
  return require.resolve(`@libsql/${familySync() === GLIBC ? target.replace(/-musl$/, '-gnu') : target}`);
}

/** Node's releases have it beside them. */
function license() {
  const places = [join(dirname(node), '..', 'LICENSE'), join(dirname(node), 'LICENSE')];
  const found = places.find(existsSync);
  return found && readFileSync(found, 'utf8');
}
