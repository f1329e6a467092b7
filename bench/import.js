// Measures `svc dnc import` of many rows, compared with a bare undici loop. The loop signs and posts as many rows at the same concurrency,
// and parses the responses. Each side has a service of its own that responds immediately. Prints the ratio of rows per second, and the peak
// memory.
// Usage: node bench/import.js [rows]
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { address } from './answering-service.js';
import { record } from './report.js';
import { sideBySide, signedHere } from './side-by-side.js';

const ROWS = Number(process.argv[2] ?? 100_000);
const AT_ONCE = 16;
const PATH = '/v1/doNotContact';
const svc = process.env.SVC_BIN ?? fileURLToPath(new URL('../bin/svc.js', import.meta.url));
const self = fileURLToPath(import.meta.url);

if (process.argv[3] === 'bare') await bare();
else await compare();

async function compare() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const file = join(folder, 'rows.csv');
  try {
    await writeRows(file);
    const flags = ['--yes', '--quiet', '-o', 'json', '--concurrency', String(AT_ONCE)];
    const { theirs, ours } = await sideBySide(ROWS, {
      theirs: { args: () => [self, String(ROWS), 'bare'], check: () => undefined },
      ours: { args: () => [svc, 'dnc', 'import', file, ...flags], check: checkReport },
    });
    const [a, b] = [theirs, ours].map(({ ms }) => (1000 * ROWS) / ms);
    console.log(`bare undici loop: ${a.toFixed(0)} rows/s, ${theirs.peak} MB`);
    console.log(`svc dnc import:   ${b.toFixed(0)} rows/s, ${ours.peak} MB at its peak`);
    record({
      what: 'svc dnc import',
      size: ROWS,
      peer: 'bare undici loop',
      unit: 'rows/s',
      ours: b,
      theirs: a,
      ratio: b / a,
      atLeast: 0.7,
    });
    console.log(
      `${ROWS} rows, ${AT_ONCE} at once: ratio ${(b / a).toFixed(2)}, ratio of processor time ${(theirs.cpu / ours.cpu).toFixed(2)}`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function checkReport(out) {
  const { added } = JSON.parse(readFileSync(out, 'utf8'));
  if (added !== ROWS) throw new Error(`added ${added} of ${ROWS}`);
}

async function bare() {
  const pool = new Pool(process.env.SVC_BASE_URL, { connections: AT_ONCE, pipelining: 1 });
  let next = 0;
  const worker = async () => {
    for (;;) {
      const row = next++;
      if (row >= ROWS) return;
      const { statusCode, body } = await pool.request({
        method: 'POST',
        path: PATH,
        headers: { ...signedHere('POST', PATH), 'content-type': 'application/json' },
        body: JSON.stringify({ contactdata: address(row) }),
      });
      const { response } = JSON.parse(await body.text());
      if (statusCode !== 202 || response.data.id === undefined) throw new Error(`status ${statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  await pool.close();
}

async function writeRows(file) {
  const out = createWriteStream(file);
  out.write('email\n');
  for (let row = 0; row < ROWS; row++)
    if (!out.write(`${address(row)}\n`)) await new Promise((resolve) => out.once('drain', resolve));
  await new Promise((resolve) => out.end(resolve));
}
