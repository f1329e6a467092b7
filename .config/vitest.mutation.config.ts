import { defineConfig } from 'vitest/config';
import { rawText } from './raw-text.js';
import { ROOT } from './suites.ts';

/** The tests that `.config/mutation.js` names. Mutants are switched on while a module is loaded, so files share none. */
export default defineConfig({
  root: ROOT,
  plugins: [rawText()],
  test: { include: (process.env['SVC_MUTATION_TESTS'] ?? '').split(','), testTimeout: 60_000 },
});
