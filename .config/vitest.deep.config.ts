import { defineConfig } from 'vitest/config';
import { deepFiles, ROOT, SETTINGS } from './suites.ts';

/** `npm run test:deep`; `SVC_KILLS` and the others say more, see docs/acceptance.md. */
export default defineConfig({
  root: ROOT,
  test: { ...SETTINGS, include: [...deepFiles()], env: { SVC_DEPTH: 'full' } },
});
