import { defineConfig } from 'vitest/config';
import { resourceCounts } from '/work/main/test/support/resource-counts.ts';
export default defineConfig({
  root: '/work/main/',
  test: { include: ['test/**/*.test.ts'], pool: 'threads', testTimeout: 20_000, reporters: ['dot', resourceCounts()] },
});
