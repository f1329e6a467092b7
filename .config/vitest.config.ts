import { defineConfig } from 'vitest/config';
import { resourceCounts } from '../test/support/resource-counts.ts';
import { QUICK, ROOT, SETTINGS } from './suites.ts';

/** `npm test` */
export default defineConfig({
  root: ROOT,
  test: { ...SETTINGS, ...QUICK, reporters: ['default', resourceCounts()] },
});
