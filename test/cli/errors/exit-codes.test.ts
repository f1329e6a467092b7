/** Contract, "Output" and "Partners and many companies": the exit code of work over many. */
import { expect, it } from 'vitest';
import { combineExitCodes, EXIT, type ExitCode } from '../../../src/cli/errors/exit-codes.ts';

const { done, denied, notFound, partial, unmet } = EXIT;

it.each<[string, readonly ExitCode[], ExitCode]>([
  ['nothing to do', [], done],
  ['all went well', [done, done], done],
  ['all failed alike', [denied, denied], denied],
  ['some failed', [done, denied], partial],
  ['they failed in different ways', [notFound, denied], partial],
  // "The exit code is 11 if a balance falls below 0", whatever the others have left.
  ['a check that holds of one alone', [done, unmet, done], unmet],
  ['a check that no record passes', [unmet, unmet], unmet],
  // "8 if another company also fails"
  ['a check that does not hold, and another that failed', [done, unmet, denied], partial],
])('%s', (_, exits, exit) => {
  expect(combineExitCodes(exits)).toBe(exit);
});
