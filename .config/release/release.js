/**
 * `npm run release` makes all files of a release from this commit. The workflow runs it, and you can run it by hand.
 *
 *     --out FOLDER          folder for the files (default: build/release)
 *     --target A,B          systems such as linux-x64, or `here` (default: all)
 *     --only executables    writes only the executables, such as svc-linux-x64
 *     --executables FOLDER  takes the executables from this folder, after other systems have built and signed them
 *     --base-url URL        address of the published files, for the Homebrew formula and the Scoop manifest
 *     --trial               accepts placeholder addresses, for files that nobody publishes
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { learnCode, noticesOf, stageProgram, writeExecutable } from '../binary/executable.js';
import { commitOf } from '../build-facts.js';
import { runTypescript } from '../run-typescript.js';
import { gzipped, readTgz, tarOf, zipOf } from './archives.js';
import { withoutSymbols } from './elf.js';
import { debianPackage, hasRpm, hasXz, rpmPackage } from './linux.js';
import { containerFile, managerFiles } from './managers.js';
import { HERE, NODE, nodeToRun, partsOf, TARGETS } from './parts.js';
import { publisherOf } from './publisher.js';
import { billOfMaterials, provenance } from './statements.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path) => readFileSync(join(ROOT, path), 'utf8');
const { values: flags } = parseArgs({
  options: {
    out: { type: 'string', default: join(ROOT, 'build', 'release') },
    target: { type: 'string', default: Object.keys(TARGETS).join(',') },
    only: { type: 'string' },
    executables: { type: 'string' },
    'base-url': { type: 'string' },
    trial: { type: 'boolean', default: false },
  },
});
const out = resolve(flags.out);
const targets = flags.target.split(',').map((each) => (each === 'here' ? HERE : each));
const unknown = targets.find((target) => TARGETS[target] === undefined);
if (unknown !== undefined)
  throw new Error(`no target ${unknown}: choose from ${Object.keys(TARGETS).join(', ')}`);
if (![undefined, 'executables'].includes(flags.only)) throw new Error('--only accepts executables');

process.umask(0o022);
const manifest = JSON.parse(read('package.json'));
const { version } = manifest;
const NAMING = ['.github/CODEOWNERS', 'examples/ci/github-actions.yml', 'examples/ci/gitlab-ci.yml'];
// Before anything is built, because a build takes minutes. An executable contains no address.
const publisher =
  flags.only === undefined
    ? publisherOf(manifest, {
        baseUrl: flags['base-url'],
        naming: Object.fromEntries(NAMING.map((path) => [path, read(path).toString()])),
        isTrial: flags.trial,
      })
    : undefined;
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
/** Matches the first line about a package in THIRD-PARTY-NOTICES.txt. */
const TITLE = /^-{80}\n\n(\S+)@(\S+) \(.+\)$/gm;

npm('run', '--silent', 'build');
const executables = await executablesOf(targets);
if (flags.only === undefined) await rest();
else for (const [target, octets] of executables) keep(nameOf(target), octets, 0o755);
rmSync(work, { recursive: true });

async function rest() {
  keepPacked();
  const pages = await manualPages();
  const { homepage, maintainer, baseUrl } = publisher;
  const about = {
    version,
    ...source,
    homepage,
    maintainer,
    license: read('LICENSE'),
    changelog: read('CHANGELOG.md'),
  };
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
    else console.log('no Debian package: xz is not installed');
    if (hasRpm()) keepNamed(rpmPackage(target, about, parts, join(work, 'rpm')));
    else console.log('no RPM package: rpmbuild is not installed');
  }
  const managers = managerFiles({ version, homepage, baseUrl, archives });
  for (const [name, text] of managers) keep(name, Buffer.from(text));
  for (const name of ['svc.rb', 'svc.json'].filter((each) => !managers.has(each)))
    console.log(`no ${name}: it needs the archives of all its systems`);
  const image = { version, homepage, commit: source.commit };
  keep('Containerfile', Buffer.from(containerFile(read('.config/release/Containerfile').toString(), image)));
  const facts = { version, ...source, targets, files: [...kept] };
  keep(`svc-${version}.cdx.json`, asJson(billOfMaterials({ ...facts, packages: bundledPackages(libsql) })));
  const builder = process.env.GITHUB_WORKFLOW_REF
    ? `https://github.com/${process.env.GITHUB_WORKFLOW_REF}`
    : `${homepage}/builders/by-hand`;
  const repository = process.env.GITHUB_REPOSITORY
    ? `https://github.com/${process.env.GITHUB_REPOSITORY}`
    : `${homepage}/source`;
  keep(
    `svc-${version}.intoto.json`,
    asJson(provenance({ ...facts, files: [...kept], builder, source: repository })),
  );
  const sums = [...kept].sort((a, b) => (a.name < b.name ? -1 : 1));
  writeFileSync(join(out, 'SHA256SUMS'), sums.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join(''));
}

/** Returns the commit and its time, which every file of the release gets. */
function commitHere() {
  const found = commitOf(ROOT);
  if (found === undefined) throw new Error('a release needs the commit of its source, but git found none');
  if (found.isModified) console.log('the work tree has uncommitted changes');
  return found;
}

async function executablesOf(wanted) {
  if (flags.executables !== undefined)
    return new Map(
      wanted.map((target) => [target, readFileSync(join(resolve(flags.executables), nameOf(target)))]),
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

/** Signs an executable for macOS, which runs only signed programs. A signature without an identity is enough. */
function sign(file) {
  if (process.platform === 'darwin') execFileSync('codesign', ['--force', '--sign', '-', file]);
  else console.log(`${file.slice(work.length + 1)} has no signature, because only macOS has codesign`);
}

/** Writes the package for npm, with file modes that do not depend on the checkout. */
function keepPacked() {
  const docs = (step) => execFileSync(process.execPath, [join(ROOT, '.config/docs.js'), step], { cwd: ROOT });
  docs('prepack');
  try {
    npm('pack', '--silent', '--ignore-scripts', '--pack-destination', work);
  } finally {
    docs('postpack');
  }
  // A package with a scope has another name.
  const packed = readdirSync(work).find((name) => name.endsWith('.tgz'));
  const files = readTgz(readFileSync(join(work, packed)));
  const entries = files
    .map(({ path, data }) => ({ path, data, mode: path === 'package/bin/svc.js' ? 0o755 : 0o644 }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  keep(`svc-${version}.tgz`, gzipped(tarOf(entries, source.seconds)));
}

/** Returns the manual pages by name, such as `svc.1`. */
async function manualPages() {
  const { documents } = await runTypescript(join(ROOT, '.config/all-commands.ts'));
  const found = [...(await documents())].filter(([path]) => path.startsWith('docs/man/'));
  return new Map(found.map(([path, text]) => [path.slice('docs/man/'.length), text]));
}

/** Writes the archive for Homebrew, Scoop, and people whose system has no package. */
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

/** Returns the packages with code in dist/ or in the executable: all packages that have a notice, and libsql's libraries. */
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
