/** Contract, "Output" and "Partners and many companies": the combined exit code of many companies or records. */
import { expect, it } from 'vitest';
import { combineExitCodes, EXIT, type ExitCode } from '../../../src/cli/errors/exit-codes.ts';

const { done, denied, notFound, partial, unmet } = EXIT;

it.each<[string, readonly ExitCode[], ExitCode]>([
  ['nothing to do', [], done],
  ['all succeeded', [done, done], done],
  ['all failed in the same way', [denied, denied], denied],
  ['some failed', [done, denied], partial],
  ['they failed in different ways', [notFound, denied], partial],
  // "The exit code is 11 if a balance falls below 0", whatever balances the other companies have.
  ['a check that one of them does not pass', [done, unmet, done], unmet],
  ['a check that no record passes', [unmet, unmet], unmet],
  // "8 if another company also fails"
  ['a check that did not pass, and a company that failed', [done, unmet, denied], partial],
])('%s', (_, exits, exit) => {
  expect(combineExitCodes(exits)).toBe(exit);
});
