import { defineConfig } from 'vitest/config';
import { summary } from '../test/support/summary.ts';
import { rawText } from './raw-text.js';
import { deepFiles, ROOT, WAITING } from './suites.ts';

/** `npm run test:deep`; `SVC_KILLS` and the others say more, see docs/acceptance.md. */
export default defineConfig({
  root: ROOT,
  plugins: [rawText()],
  test: {
    ...WAITING,
    include: deepFiles(),
    env: { SVC_DEPTH: 'full' },
    // What was counted over all repetitions is worth reading.
    silent: false,
    reporters: ['default', summary()],
  },
});
