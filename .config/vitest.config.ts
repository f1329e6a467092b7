import { defineConfig } from 'vitest/config';
import { resourceCounts } from '../test/support/resource-counts.ts';
import { summary } from '../test/support/summary.ts';
import { rawText } from './raw-text.js';
import { filesOf, ROOT, SETTINGS } from './suites.ts';

// By default, glibc keeps memory for each of up to eight times as many threads as cores. Workers begin with this environment.
process.env['MALLOC_ARENA_MAX'] ??= '2';

const IS_NODE_20 = process.versions.node.startsWith('20.');

/** Configures `npm test`. */
export default defineConfig({
  root: ROOT,
  // Compressing well takes longer than the tests of what is compressed.
  plugins: [rawText({ quality: 1 })],
  test: {
    ...SETTINGS,
    // Threads share one heap limit and take twice the memory of processes.
    pool: 'forks',
    // Three processes stay below 1.5 GB; without a limit V8 lets a worker's heap grow to 600 MB before it collects.
    // On Node 20, V8 optimizes functions only after eight times its usual budget, because most tests are too short to repay it.
    // Later versions of Node do not have this flag.
    execArgv: ['--max-old-space-size=432', ...(IS_NODE_20 ? ['--interrupt-budget=540672'] : [])],
    provide: { filesInMemory: true },
    include: filesOf('quick'),
    reporters: ['default', resourceCounts(), summary()],
  },
});
