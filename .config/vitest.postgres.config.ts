import { defineConfig } from 'vitest/config';
import { postgresPrograms } from '../test/support/postgres.ts';
import { rawText } from './raw-text.js';
import { POSTGRES, ROOT, SETTINGS } from './suites.ts';

const isInstalled = postgresPrograms() !== undefined;

/** `npm run test:postgres`: the tests of the sandbox once more, on a PostgreSQL of their own. */
export default defineConfig({
  root: ROOT,
  plugins: [rawText()],
  test: {
    ...SETTINGS,
    ...POSTGRES,
    ...(isInstalled
      ? { globalSetup: [...SETTINGS.globalSetup, 'test/support/postgres-setup.ts'] }
      : { include: [], passWithNoTests: true }),
  },
});
