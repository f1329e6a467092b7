/** Compares the outputs of examples in help with what the examples print (`npm run generate` writes them). */
import { expect, it } from 'vitest';
import { collectExampleOutputs } from '../../support/example-outputs.ts';

it('src/cli/command/example-outputs.json has what the examples print in the demo company', async () => {
  const text = `${JSON.stringify(await collectExampleOutputs(), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot('../../../src/cli/command/example-outputs.json');
}, 120_000);
