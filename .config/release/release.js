/**
 * `npm run release`: everything that a release has, from this commit. The workflow runs it, and so does a person by hand.
 *
 *     --out FOLDER          where the files go; build/release without it
 *     --target A,B          which systems, as linux-x64, or `here`; all without it
 *     --only executables    writes the executables alone, as svc-linux-x64
 *     --executables FOLDER  takes the executables from there, as other systems have built and signed them
 *     --base-url URL        where the files will be, for the Homebrew formula and the Scoop manifest
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { learnCode, noticesOf, stageProgram, writeExecutable } from '../binary/executable.js';
import { commitOf } from '../build-facts.js';
import { runTypescript } from '../run-typescript.js';
import { gzipped, readTgz, tarOf, zipOf } from './archives.js';
import { withoutSymbols } from './elf.js';
import { debianPackage, hasRpm, hasXz, rpmPackage } from './linux.js';
import { managerFiles } from './managers.js';
import { HERE, NODE, nodeToRun, partsOf, TARGETS } from './parts.js';
import { billOfMaterials, provenance } from './statements.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path) => readFileSync(join(ROOT, path), 'utf8');
const { values: asked } = parseArgs({
  options: {
    out: { type: 'string', default: join(ROOT, 'build', 'release') },
    target: { type: 'string', default: Object.keys(TARGETS).join(',') },
    only: { type: 'string' },
    executables: { type: 'string' },
    'base-url': { type: 'string' },
  },
});
const out = resolve(asked.out);
const targets = asked.target.split(',').map((each) => (each === 'here' ? HERE : each));
const unknown = targets.find((target) => TARGETS[target] === undefined);
if (unknown !== undefined) throw new Error(`no target ${unknown}: one of ${Object.keys(TARGETS).join(', ')}`);
if (![undefined, 'executables'].includes(asked.only)) throw new Error('--only takes executables');

process.umask(0o022);
const { version } = JSON.parse(read('package.json'));
const source = commitHere();
const cache = resolve(process.env.SVC_RELEASE_CACHE ?? join(ROOT, 'build', 'parts'));
const work = join(out, 'work');
rmSync(out, { recursive: true, force: true });
mkdirSync(work, { recursive: true });
mkdirSync(cache, { recursive: true });
const kept = [];
const keep = (name, octets, mode = 0o644) => {
  writeFileSync(join(out, name), octets, { mode });
  const sha256 = createHash('sha256').update(octets).digest('hex');
  kept.push({ name, sha256 });
  console.log(`${sha256.slice(0, 12)}  ${(octets.length / 1e6).toFixed(1).padStart(6)} MB  ${name}`);
  return { name, sha256 };
};

const keepNamed = ({ name, octets }) => keep(name, octets);
const asJson = (value) => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
const nameOf = (target) => `svc-${target}${TARGETS[target].system === 'win32' ? '.exe' : ''}`;
/** The first line of a part of THIRD-PARTY-NOTICES.txt. */
const TITLE = /^-{80}\n\n(\S+)@(\S+) \(.+\)$/gm;

npm('run', '--silent', 'build');
const executables = await executablesOf(targets);
if (asked.only === undefined) await rest();
else for (const [target, octets] of executables) keep(nameOf(target), octets, 0o755);
rmSync(work, { recursive: true });

async function rest() {
  keepPacked();
  const pages = await manualPages();
  const about = { version, ...source, license: read('LICENSE'), changelog: read('CHANGELOG.md') };
  const root = (path) => read(path);
  const libsql = await stageProgram(join(work, 'notices'));
  const nodeLicense = partsOf(HERE, cache).license;
  const notices = noticesOf({ libsql, version: `v${NODE}`, nodeLicense });
  const archives = new Map();
  for (const [target, executable] of executables) {
    archives.set(target, keepArchive(target, executable, { pages, notices }));
    if (TARGETS[target].system !== 'linux') continue;
    const parts = { executable, root, pages, notices };
    if (hasXz()) keepNamed(debianPackage(target, about, parts));
    else console.log('no Debian package: there is no xz here');
    if (hasRpm()) keepNamed(rpmPackage(target, about, parts, join(work, 'rpm')));
    else console.log('no RPM package: there is no rpmbuild here');
  }
  const baseUrl = asked['base-url'] ?? `https://svc.example/releases/v${version}`;
  for (const [name, text] of managerFiles({ version, baseUrl, archives })) keep(name, Buffer.from(text));
  keep('Containerfile', Buffer.from(read('.config/release/Containerfile')));
  const facts = { version, ...source, targets, files: [...kept] };
  keep(`svc-${version}.cdx.json`, asJson(billOfMaterials({ ...facts, packages: bundledPackages(libsql) })));
  const builder = process.env.GITHUB_WORKFLOW_REF
    ? `https://github.com/${process.env.GITHUB_WORKFLOW_REF}`
    : 'https://svc.example/builders/by-hand';
  const repository = process.env.GITHUB_REPOSITORY
    ? `https://github.com/${process.env.GITHUB_REPOSITORY}`
    : 'https://svc.example/source';
  keep(
    `svc-${version}.intoto.json`,
    asJson(provenance({ ...facts, files: [...kept], builder, source: repository })),
  );
  const sums = [...kept].sort((a, b) => (a.name < b.name ? -1 : 1));
  writeFileSync(join(out, 'SHA256SUMS'), sums.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join(''));
}

/** The commit and its time, which is the time of every file. */
function commitHere() {
  const found = commitOf(ROOT);
  if (found === undefined) throw new Error('a release needs the commit of its source: there is no git here');
  if (found.isModified) console.log('the work tree has changes that the commit does not have');
  return found;
}

async function executablesOf(wanted) {
  if (asked.executables !== undefined)
    return new Map(
      wanted.map((target) => [target, readFileSync(join(resolve(asked.executables), nameOf(target)))]),
    );
  const stage = join(work, 'stage');
  await stageProgram(stage);
  const runner = nodeToRun(cache);
  if (wanted.includes(HERE)) await learnCode(stage, runner);
  const built = new Map();
  for (const target of wanted) {
    const { system } = TARGETS[target];
    const { node, library } = partsOf(target, cache);
    const file = join(work, nameOf(target));
    const smaller = system === 'linux' ? withoutSymbols(node) : node;
    const hasCode = target === HERE;
    await writeExecutable(file, { stage, system, node: smaller, library, hasCode, runner });
    if (system === 'darwin') sign(file);
    built.set(target, readFileSync(file));
  }
  return built;
}

/** macOS runs only what is signed, if only by nobody. */
function sign(file) {
  if (process.platform === 'darwin') execFileSync('codesign', ['--force', '--sign', '-', file]);
  else console.log(`${file.slice(work.length + 1)} has no signature: only macOS has codesign`);
}

/** npm's own file, with modes that do not depend on who checked the files out. */
function keepPacked() {
  const docs = (step) => execFileSync(process.execPath, [join(ROOT, '.config/docs.js'), step], { cwd: ROOT });
  docs('prepack');
  try {
    npm('pack', '--silent', '--ignore-scripts', '--pack-destination', work);
  } finally {
    docs('postpack');
  }
  const files = readTgz(readFileSync(join(work, `svc-${version}.tgz`)));
  const entries = files
    .map(({ path, data }) => ({ path, data, mode: path === 'package/bin/svc.js' ? 0o755 : 0o644 }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  keep(`svc-${version}.tgz`, gzipped(tarOf(entries, source.seconds)));
}

/** The manual pages by their names. Makes docs/man, and lists it for npm. */
async function manualPages() {
  const { documents } = await runTypescript(join(ROOT, '.config/all-commands.ts'));
  const found = [...(await documents())].filter(([path]) => path.startsWith('docs/man/'));
  return new Map(found.map(([path, text]) => [path.slice('docs/man/'.length), text]));
}

/** What Homebrew and Scoop unpack, and a person where there is no package. */
function keepArchive(target, executable, { pages, notices }) {
  const name = `svc-${version}-${target}`;
  const isWindows = TARGETS[target].system === 'win32';
  const completions = isWindows ? ['svc.ps1'] : ['_svc', 'svc.bash', 'svc.fish'];
  const entries = [
    { path: isWindows ? 'svc.exe' : 'svc', data: executable, mode: 0o755 },
    { path: 'LICENSE', data: read('LICENSE') },
    { path: 'THIRD-PARTY-NOTICES.txt', data: notices },
    ...completions.map((file) => ({ path: `completions/${file}`, data: read(`completions/${file}`) })),
    ...(isWindows
      ? []
      : [...pages].map(([page, text]) => ({ path: `man/man${page.at(-1)}/${page}`, data: text }))),
  ].map((entry) => ({ ...entry, path: `${name}/${entry.path}` }));
  const { seconds } = source;
  return isWindows
    ? keep(`${name}.zip`, zipOf(entries, seconds))
    : keep(`${name}.tar.gz`, gzipped(tarOf(entries, seconds), 6));
}

/** The packages with code in dist/ or in the executable: those whose notices the bundler wrote. */
function bundledPackages(libsql) {
  const { packages } = JSON.parse(read('package-lock.json'));
  const titles = [read('dist/THIRD-PARTY-NOTICES.txt'), libsql].flatMap((text) =>
    [...text.matchAll(TITLE)].map(([, name, its]) => `${name}@${its}`),
  );
  const found = [...new Set(titles)].map((title) => {
    const [at, entry] =
      Object.entries(packages).find(
        ([path, { version: its }]) => `${path.replace(/^.*node_modules\//, '')}@${its}` === title,
      ) ?? [];
    if (at === undefined) throw new Error(`package-lock.json has no ${title}`);
    return { name: at.replace(/^.*node_modules\//, ''), ...entry };
  });
  const libraries = targets.map((target) => {
    const { library } = TARGETS[target];
    return { name: library, ...packages[`node_modules/${library}`] };
  });
  return [...found, ...libraries];
}

function npm(...words) {
  execFileSync('npm', words, {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
}
