import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { summary } from '../test/support/summary.ts';
import { rawText } from './raw-text.js';
import { filesOf, ROOT, WAITING } from './suites.ts';

/** A file that takes minutes must not be the last one, when the other workers have nothing left to do. */
const LONGEST = ['gym', 'e2e/ci-examples', 'e2e/bundle', 'site/examples', 'troubleshooting'];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const at = LONGEST.findIndex((name) => moduleId.includes(`/test/${name}.`));
      return at < 0 ? LONGEST.length : at;
    };
    return (await super.sort(files)).sort((one, other) => rankOf(one) - rankOf(other));
  }
}

/** Configures `npm run test:e2e`: tests that need processes, shells, terminals or a browser. */
export default defineConfig({
  root: ROOT,
  plugins: [rawText()],
  test: {
    ...WAITING,
    include: filesOf('e2e'),
    sequence: { sequencer: LongestFirst },
    reporters: ['default', summary()],
  },
});
