/**
 * What a release takes from npm's registry: Node for each system, and libsql's library. Each package is compared with the hash that
 * this repository has of it, so that nobody can hand us another one.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTgz } from './archives.js';

/** Node of one version for each target, with the names that others have for its processor. */
export const { node: NODE, targets: TARGETS } = JSON.parse(
  readFileSync(new URL('targets.json', import.meta.url), 'utf8'),
);
/** Only of whole dependencies: the lock has the hash of each. */
const LOCK = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'));

/** The target of this machine, as `linux-x64`; not all are in `TARGETS`. */
export const HERE = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

/**
 * @param cache a folder that keeps packages between releases
 * @returns `{ node, license, library }` of a target: the octets of Node, its license, and the path of libsql's library
 */
export function partsOf(target, cache) {
  const { package: name, integrity, node, library } = TARGETS[target];
  const files = contentsOf({ name, version: NODE, integrity }, cache);
  const { version, integrity: hash } = LOCK.packages[`node_modules/${library}`];
  const path = join(cache, `libsql-${target}-${version}.node`);
  writeFileSync(path, contentsOf({ name: library, version, integrity: hash }, cache).get('index.node'));
  return { node: files.get(node), license: files.get('LICENSE')?.toString(), library: path };
}

/** @returns the path of Node for this machine, which it can run */
export function nodeToRun(cache) {
  if (TARGETS[HERE] === undefined) throw new Error(`releases are not built on ${HERE}`);
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
    const words = ['pack', '--silent', '--ignore-scripts', '--pack-destination', cache, `${name}@${version}`];
    execFileSync('npm', words, {
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: process.platform === 'win32',
    });
  }
  const found = hashOf(file, integrity);
  if (found !== integrity) {
    rmSync(file);
    throw new Error(`${name}@${version} is not the package that is known: ${found} in place of ${integrity}`);
  }
  return new Map(readTgz(readFileSync(file)).map(({ path, data }) => [path.replace(/^[^/]+\//, ''), data]));
}

function hashOf(file, integrity) {
  const [algorithm] = integrity.split('-');
  return `${algorithm}-${createHash(algorithm).update(readFileSync(file)).digest('base64')}`;
}
