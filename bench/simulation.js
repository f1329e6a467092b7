// Runs the simulation of test/client/simulation-session.ts for many seeds, on all processors.
// Usage: node bench/simulation.js [number of seeds, 1,000,000] [first seed, 1]
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const BATCH = 10_000;

if (isMainThread) {
  const seeds = Number(process.argv[2] ?? 1_000_000);
  const first = Number(process.argv[3] ?? 1);
  const begin = Date.now();
  const dir = mkdtempSync(fileURLToPath(new URL('../node_modules/.simulation-', import.meta.url)));
  try {
    await bundle(dir);
    const total = await runAll(`${dir}/simulation.mjs`, first, first + seeds);
    const share = ((100 * total.unknown) / total.creates).toFixed(2);
    console.log(`${seeds} seeds from ${first} in ${((Date.now() - begin) / 1000).toFixed(0)} s`);
    console.log(JSON.stringify(total), `unknown ${share} %`);
    if (total.doubles + total.falseSuccesses > 0) process.exitCode = 1;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
} else {
  const { runSession, emptyTally, BAD_DAY } = await import(workerData);
  parentPort.on('message', async ({ from, to }) => {
    const tally = emptyTally();
    for (let seed = from; seed < to; seed += 1) await runSession(seed, { mix: BAD_DAY }, tally);
    parentPort.postMessage({ from, to, tally });
  });
}

async function bundle(dir) {
  const { rolldown } = await import('rolldown');
  const source = (name) => fileURLToPath(new URL(`../test/client/simulation-${name}.ts`, import.meta.url));
  const entry = `export * from ${JSON.stringify(source('session'))}; export * from ${JSON.stringify(source('network'))};`;
  const built = await rolldown({
    input: 'simulation',
    platform: 'node',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === 'simulation' ? id : undefined),
        load: (id) => (id === 'simulation' ? entry : undefined),
      },
    ],
  });
  await built.write({ dir, entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' });
}

/** Runs all seeds in batches, so that no processor waits for another. Returns the sums of all counts. */
function runAll(file, first, end) {
  const total = {};
  let next = first;
  const work = () =>
    new Promise((resolve, reject) => {
      const worker = new Worker(new URL(import.meta.url), { workerData: file });
      const feed = () => {
        if (next >= end) {
          worker.terminate().then(resolve, reject);
          return;
        }
        const from = next;
        next = Math.min(end, from + BATCH);
        worker.postMessage({ from, to: next });
      };
      worker.on('error', reject);
      worker.on('message', ({ from, to, tally }) => {
        for (const [name, count] of Object.entries(tally)) total[name] = (total[name] ?? 0) + count;
        if (tally.doubles + tally.falseSuccesses > 0) console.log(`unsafe: seeds ${from} to ${to - 1}`);
        feed();
      });
      feed();
    });
  return Promise.all(Array.from({ length: availableParallelism() }, work)).then(() => total);
}
