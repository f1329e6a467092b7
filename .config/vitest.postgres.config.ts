import { defineConfig } from 'vitest/config';
import { postgresPrograms } from '../test/support/postgres.ts';
import { summary } from '../test/support/summary.ts';
import { rawText } from './raw-text.js';
import { onPostgres, ROOT, WAITING } from './suites.ts';

/** Configures `npm run test:postgres`: repeats the tests of the sandbox, on a separate PostgreSQL server. */
export default defineConfig({
  root: ROOT,
  plugins: [rawText()],
  test: {
    ...WAITING,
    include: onPostgres(),
    reporters: ['default', summary()],
    ...(postgresPrograms() === undefined
      ? { include: [], passWithNoTests: true }
      : { globalSetup: [...WAITING.globalSetup, 'test/support/postgres-setup.ts'] }),
  },
});
