import { defineConfig } from 'vitest/config';
import { summary } from '../test/support/summary.ts';
import { rawText } from './raw-text.js';
import { deepFiles, ROOT, WAITING } from './suites.ts';

/** Configures `npm run test:deep`. Variables such as `SVC_KILLS` change its numbers: see docs/acceptance.md. */
export default defineConfig({
  root: ROOT,
  plugins: [rawText()],
  test: {
    ...WAITING,
    include: deepFiles(),
    env: { SVC_DEPTH: process.env['SVC_DEPTH'] ?? 'full' },
    // Prints the counts of tests that repeat.
    silent: false,
    reporters: ['default', summary()],
  },
});
