/** Contract, "Clients and documents": `svc explain --openapi` as YAML. */
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { NOBODY, runCli } from '../../support/run-cli.ts';

it('svc explain --openapi prints the same document as YAML with -o yaml', async () => {
  const explain = (...words: readonly string[]) =>
    runCli(['explain', '--openapi', ...words], { env: NOBODY });
  expect(parse((await explain('-o', 'yaml')).stdout)).toEqual(JSON.parse((await explain()).stdout));
});
