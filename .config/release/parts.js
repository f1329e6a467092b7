/**
 * Downloads the parts of a release from the npm registry: Node for each system, and libsql's library. Compares each package with its hash
 * in this repository, so that nobody can replace it.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTgz } from './archives.js';

/** The version of Node, and each target with the names that package formats have for its processor. */
export const { node: NODE, targets: TARGETS } = JSON.parse(
  readFileSync(new URL('targets.json', import.meta.url), 'utf8'),
);
/** package-lock.json, which has the hash of each package of libsql. */
const LOCK = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'));

/** The target of this machine, such as `linux-x64`. It may be missing in `TARGETS`. */
export const HERE = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

/**
 * Returns `{ node, license, library }` of a target: the bytes of Node, its license, and the path of libsql's library.
 * @param cache a folder that keeps packages between releases
 */
export function partsOf(target, cache) {
  const { package: name, integrity, node, library } = TARGETS[target];
  const files = contentsOf({ name, version: NODE, integrity }, cache);
  const { version, integrity: hash } = LOCK.packages[`node_modules/${library}`];
  const path = join(cache, `libsql-${target}-${version}.node`);
  writeFileSync(path, contentsOf({ name: library, version, integrity: hash }, cache).get('index.node'));
  return { node: files.get(node), license: files.get('LICENSE')?.toString(), library: path };
}

/** Returns the path of a Node that runs on this machine. */
export function nodeToRun(cache) {
  if (TARGETS[HERE] === undefined) throw new Error(`cannot build a release on ${HERE}`);
  const path = join(cache, `node-${NODE}-${HERE}${process.platform === 'win32' ? '.exe' : ''}`);
  writeFileSync(`${path}.new`, partsOf(HERE, cache).node, { mode: 0o755 });
  chmodSync(`${path}.new`, 0o755);
  renameSync(`${path}.new`, path);
  return path;
}

function contentsOf({ name, version, integrity }, cache) {
  mkdirSync(cache, { recursive: true });
  const file = join(cache, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
  if (existsSync(file) && hashOf(file, integrity) !== integrity) rmSync(file);
  if (!existsSync(file)) {
    const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', cache, `${name}@${version}`];
    execFileSync('npm', args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: process.platform === 'win32',
    });
  }
  const found = hashOf(file, integrity);
  if (found !== integrity) {
    rmSync(file);
    throw new Error(`${name}@${version} has a wrong hash: ${found} instead of ${integrity}`);
  }
  return new Map(readTgz(readFileSync(file)).map(({ path, data }) => [path.replace(/^[^/]+\//, ''), data]));
}

function hashOf(file, integrity) {
  const [algorithm] = integrity.split('-');
  return `${algorithm}-${createHash(algorithm).update(readFileSync(file)).digest('base64')}`;
}
