import { defineConfig } from 'vitest/config';
import { POSTGRES, ROOT, SETTINGS } from './suites.ts';

/** `npm run test:postgres`: the tests of the sandbox once more, on a PostgreSQL of their own. */
export default defineConfig({
  root: ROOT,
  test: { ...SETTINGS, ...POSTGRES, globalSetup: ['test/support/postgres-setup.ts'] },
});
