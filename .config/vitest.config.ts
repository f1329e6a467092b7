import { defineConfig } from 'vitest/config';
import { resourceCounts } from '../test/support/resource-counts.ts';
import { rawText } from './raw-text.js';
import { QUICK, ROOT, SETTINGS } from './suites.ts';

/** `npm test` */
export default defineConfig({
  root: ROOT,
  plugins: [rawText()],
  test: { ...SETTINGS, ...QUICK, reporters: ['default', resourceCounts()] },
});
