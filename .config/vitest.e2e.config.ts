import { defineConfig } from 'vitest/config';
import { summary } from '../test/support/summary.ts';
import { rawText } from './raw-text.js';
import { filesOf, ROOT, WAITING } from './suites.ts';

/** Configures `npm run test:e2e`: tests that need processes, shells, terminals or a browser. */
export default defineConfig({
  root: ROOT,
  plugins: [rawText()],
  test: { ...WAITING, include: filesOf('e2e'), reporters: ['default', summary()] },
});
