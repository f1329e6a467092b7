// Runs all benchmarks in turn and prints one table, as Markdown or with --json as JSON. Progress goes to stderr. --save writes both to
// bench/results.md and bench/results.json, and puts the main rows into docs/performance.md.
// Usage: node bench/all.js [--json] [--save]
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const binary = at('../build/svc');

/** Scripts and their arguments. All of them together take about thirteen minutes on two cores. */
const RUNS = [
  ['startup.js', '30', ...(existsSync(binary) ? [binary] : [])],
  ['serve.js', '2', '5'],
  ['growth.js', '100000,1000000', '41'],
  ['import.js', '1000'],
  ['import.js', '100000'],
  ['import.js', '1000000', { BENCH_ROUNDS: '1' }],
  ['list.js', '1000'],
  ['list.js', '100000'],
  ['list.js', '1000000'],
  ['send.js', '100000', '3'],
  ['send.js', '1000000', '1'],
  ['rehearse.js', '100000', '3'],
  ['rehearse.js', '1000000', '1'],
  ['test.js', '100', '20', '3'],
  ['companies.js', '500', '5'],
  ['campaign.js', '200'],
];

const begun = Date.now();
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-all-'));
const kept = join(folder, 'results.ndjson');
try {
  writeFileSync(kept, '');
  for (const run of RUNS) {
    const words = run.filter((word) => typeof word === 'string');
    const env = { ...process.env, ...run.find((word) => typeof word === 'object'), SVC_BENCH_RESULTS: kept };
    process.stderr.write(`\n${words.join(' ')}\n`);
    const [script, ...args] = words;
    const { status } = spawnSync(process.execPath, [at(script), ...args], { env, stdio: ['ignore', 2, 2] });
    if (status !== 0) throw new Error(`${words.join(' ')} exited with ${status}`);
  }
  const rows = readFileSync(kept, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const report = { machine: machine(), rows: rows.map((row) => ({ ...row, meetsAim: meetsAim(row) })) };
  const json = `${JSON.stringify(report, undefined, 1)}\n`;
  const markdown = `${described(report.machine)}\n\n${table(report.rows)}\n`;
  process.stdout.write(process.argv.includes('--json') ? json : markdown);
  if (process.argv.includes('--save')) save(json, markdown, report);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function machine() {
  const git = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: at('..'), encoding: 'utf8' });
  return {
    processor: cpus()[0]?.model ?? 'unknown',
    processors: cpus().length,
    memoryGB: Math.round(totalmem() / 1e9),
    system: `${process.platform} ${process.arch}`,
    node: process.version,
    svc: JSON.parse(readFileSync(at('../package.json'), 'utf8')).version,
    commit: git.status === 0 ? git.stdout.trim() : null,
    packages: Object.fromEntries(['hono', 'undici', 'libsql'].map((name) => [name, versionOf(name)])),
    gh: firstLine('gh'),
    curl: firstLine('curl'),
    load: loadavg().map((load) => Number(load.toFixed(1))),
    date: new Date(begun).toISOString().slice(0, 10),
    minutes: Math.round((Date.now() - begun) / 6_000) / 10,
  };
}

function versionOf(name) {
  return JSON.parse(readFileSync(at(`../node_modules/${name}/package.json`), 'utf8')).version;
}

/** Returns the first three words that a program prints for `--version`, or null if it is not installed. */
function firstLine(program) {
  const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return status === 0 ? stdout.split('\n')[0].split(' ').slice(0, 3).join(' ') : null;
}

function described({
  processor,
  processors,
  memoryGB,
  system,
  node,
  packages,
  gh,
  curl,
  load,
  date,
  minutes,
}) {
  const versions = [...Object.entries(packages).map(([name, version]) => `${name} ${version}`), gh, curl];
  return (
    `${date}, ${system}, ${processors} × ${processor}, ${memoryGB} GB, Node ${node}, ` +
    `${versions.filter((version) => version !== null).join(', ')}. ` +
    `All measurements took ${minutes} minutes. Load average at the end: ${load.join(' ')}.`
  );
}

function table(rows) {
  const lines = rows.map((row) => {
    const size = row.size === undefined ? '' : row.size.toLocaleString('en');
    const figures = [row.ours, row.theirs].map((figure) => shown(figure));
    const cells = [row.what, size, row.peer, ...figures, row.unit, row.ratio.toFixed(2), aim(row)];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return `| measurement | rows | compared with | svc | peer | unit | ratio | aim |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n${lines.join('\n')}`;
}

function shown(figure) {
  return figure < 100 ? figure.toFixed(1) : Math.round(figure).toLocaleString('en');
}

function meetsAim({ ratio, atLeast, atMost }) {
  if (atLeast === undefined && atMost === undefined) return null;
  return ratio >= (atLeast ?? Number.NEGATIVE_INFINITY) && ratio <= (atMost ?? Number.POSITIVE_INFINITY);
}

function aim(row) {
  const words = row.atLeast === undefined ? `at most ${row.atMost}` : `at least ${row.atLeast}`;
  if (row.meetsAim === null) return '';
  return row.meetsAim ? words : `${words}: missed`;
}

function save(json, markdown, { machine, rows }) {
  writeFileSync(at('results.json'), json);
  writeFileSync(
    at('results.md'),
    `# Figures of one run\n\nWritten by \`npm run bench -- --save\`. [README.md](README.md) explains each row and the attempts to improve it.\n\n${markdown}`,
  );
  const guide = at('../docs/performance.md');
  const text = readFileSync(guide, 'utf8');
  const [before, rest] = text.split('<!-- bench -->\n');
  const [, after] = (rest ?? '').split('<!-- /bench -->');
  if (after === undefined)
    throw new Error('docs/performance.md has no place for the table: <!-- bench --> … <!-- /bench -->');
  const short = `${described(machine)}\n\n${table(rows.filter(isQuoted))}`;
  writeFileSync(guide, `${before}<!-- bench -->\n${short}\n<!-- /bench -->${after}`);
}

/** Selects the rows for the guide: the largest run of each measurement, but only two pages: the first, and the one that slows down most. */
function isQuoted({ what, size, peer }, _at, rows) {
  const same = rows.filter((row) => row.what === what && row.peer === peer);
  if (size !== Math.max(...same.map((row) => row.size))) return size === undefined;
  if (!peer.startsWith('the same')) return true;
  const pages = rows.filter((row) => row.peer === peer && row.size === size);
  const worst = pages.reduce((a, b) => (b.ratio > a.ratio ? b : a));
  return what === pages[0].what || what === worst.what;
}
