import { defineConfig } from 'vitest/config';
import { rawText } from './raw-text.js';
import { deepFiles, ROOT, SETTINGS } from './suites.ts';

/** `npm run test:deep`; `SVC_KILLS` and the others say more, see docs/acceptance.md. */
export default defineConfig({
  root: ROOT,
  plugins: [rawText()],
  test: { ...SETTINGS, include: [...deepFiles()], env: { SVC_DEPTH: 'full' } },
});
