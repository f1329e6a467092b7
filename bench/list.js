// Measures `svc dnc list -o ndjson` of many rows, compared with a bare undici loop. The loop signs requests, reads the same pages in turn,
// and writes each row as a line. Each side writes to a file, and has a service of its own that responds immediately. Prints the ratio of
// rows per second, and the peak memory.
// Usage: node bench/list.js [rows]
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { address } from './answering-service.js';
import { record } from './report.js';
import { sideBySide, signedHere } from './side-by-side.js';

const ROWS = Number(process.argv[2] ?? 1_000_000);
const PATH = '/v1/doNotContact';
const svc = process.env.SVC_BIN ?? fileURLToPath(new URL('../bin/svc.js', import.meta.url));
const self = fileURLToPath(import.meta.url);

if (process.argv[3] === 'bare') await bare();
else await compare();

async function compare() {
  const { theirs, ours } = await sideBySide(ROWS, {
    theirs: { args: () => [self, String(ROWS), 'bare'], check: checkLines },
    ours: { args: () => [svc, 'dnc', 'list', '-o', 'ndjson'], check: checkLines },
  });
  const [a, b] = [theirs, ours].map(({ ms }) => (1000 * ROWS) / ms);
  console.log(`bare undici loop:        ${a.toFixed(0)} rows/s, ${theirs.peak} MB`);
  console.log(`svc dnc list -o ndjson:  ${b.toFixed(0)} rows/s, ${ours.peak} MB at its peak`);
  record({
    what: 'svc dnc list -o ndjson',
    size: ROWS,
    peer: 'bare undici loop',
    unit: 'rows/s',
    ours: b,
    theirs: a,
    ratio: b / a,
    atLeast: 0.5,
  });
  console.log(
    `${ROWS} rows: ratio ${(b / a).toFixed(2)}, ratio of processor time ${(theirs.cpu / ours.cpu).toFixed(2)}`,
  );
}

async function bare() {
  const pool = new Pool(process.env.SVC_BASE_URL, { connections: 1, pipelining: 1 });
  for (let start = 1; start !== null; ) {
    const { body } = await pool.request({
      method: 'GET',
      path: `${PATH}?sort=id&count=200&start=${start}`,
      headers: signedHere('GET', PATH),
    });
    const { response } = JSON.parse(await body.text());
    process.stdout.write(response.data.map((row) => `${JSON.stringify(row)}\n`).join(''));
    start = response.next;
  }
  await pool.close();
}

/** Checks that the file has a line for each row, and that its last line is the last row. */
function checkLines(out) {
  const file = openSync(out, 'r');
  const piece = Buffer.alloc(1 << 20);
  let lines = 0;
  for (let read = readSync(file, piece); read > 0; read = readSync(file, piece))
    for (let at = piece.indexOf(10); at !== -1 && at < read; at = piece.indexOf(10, at + 1)) lines += 1;
  const tail = piece.toString(
    'utf8',
    0,
    readSync(file, piece, 0, 4096, Math.max(0, fstatSync(file).size - 4096)),
  );
  closeSync(file);
  const last = JSON.parse(tail.trimEnd().split('\n').at(-1));
  if (lines !== ROWS || last.contactdata !== address(ROWS)) throw new Error(`${lines} lines of ${ROWS}`);
}
