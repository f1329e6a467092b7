/** Declares `sandbox task skipped`: the recipients that a task leaves out, page by page. */
import { operationOf } from '../../../protocol/control.ts';
import type { Verb } from '../../command/command.ts';
import { dataFlag } from './connection.ts';
import { helpOf } from './control-verb.ts';
import { PAGING_FLAGS, pagedRows, readLimit } from './pages.ts';
import { flagsOf, positionalsOf, readParameters } from './parameters.ts';

const OPERATION = operationOf('task skipped');

export const listSkipped: Verb = {
  ...helpOf('task skipped'),
  positionals: positionalsOf(OPERATION),
  flags: [...flagsOf(OPERATION), ...PAGING_FLAGS, dataFlag],
  run: async (session, input) => ({
    result: await pagedRows(session, input, {
      operation: 'task skipped',
      args: await readParameters(session, input, OPERATION),
      first: 0,
      limit: await readLimit(session, input),
      cursorOf: ({ subscriber }) => subscriber,
    }),
  }),
};
