import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { resourceCounts } from '../test/support/resource-counts.ts';

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'threads',
    // One core less is the default: of two, the one that is left does little but wait for real processes.
    maxWorkers: '100%',
    // Tests with real processes share two cores with all the others.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default', resourceCounts()],
  },
});
