/** Contract, "Numbers, ids and names, once more": `features` and `account` take their id, which is the id of the company. */
import { describe, expect, it } from 'vitest';
import { PARTNER, runCli, serviceOf, writesIn } from '../../../support/run-cli.ts';
import { createTestSandbox } from '../../../support/sandbox.ts';

describe("the id of a company's only record", () => {
  it.each([
    [['account', 'get', '2'], 'GET /v1/account'],
    [['features', 'get', '2'], 'GET /v1/accountFeatures'],
    [['account', 'exists', '2'], 'HEAD /v1/account'],
  ])('%j requests that company, as --company does', async (argv, request) => {
    const { transport, sent } = serviceOf(await createTestSandbox());
    const run = await runCli([...argv, '-o', 'json'], { transport, env: PARTNER });
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
    expect(`${sent[0]?.method} ${sent[0]?.path}`).toBe(request);
    const headers = Object.entries(sent[0]?.headers ?? {}).map(([name, value]) => [
      name.toLowerCase(),
      value,
    ]);
    expect(headers).toContainEqual([expect.stringMatching(/cid$/), '2']);
  });

  it('features set changes that company', async () => {
    const { transport, sent } = serviceOf(await createTestSandbox());
    const run = await runCli(['features', 'set', '2', '--list-limit', '9'], { transport, env: PARTNER });
    expect(run.exitCode).toBe(0);
    expect(writesIn(sent)).toEqual(['PUT /v1/accountFeatures/2']);
  });

  it.each([
    [['account', 'get', 'two'], 'is not a company id'],
    [['account', 'get', '2', '--company', '1'], 'the argument 2 and --company 1 name different companies'],
  ])('%j is rejected, and nothing is sent', async (argv, message) => {
    const { transport, sent } = serviceOf(await createTestSandbox());
    const run = await runCli(argv, { transport, env: PARTNER });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain(message);
    expect(sent).toEqual([]);
  });

  it('requires a separate key for another company, as with --company', async () => {
    const { transport, sent } = serviceOf(await createTestSandbox());
    const run = await runCli(['account', 'get', '2', '--company', '2'], { transport });
    const same = await runCli(['account', 'get', '2'], { transport });
    expect(same).toEqual(run);
    expect(sent.length % 2).toBe(0);
  });
});
