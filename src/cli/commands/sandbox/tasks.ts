/** Declares `svc sandbox task skipped`, which lists the recipients whom a task left out. */
import { operationOf } from '../../../protocol/control.ts';
import type { Verb } from '../../command/command.ts';
import { dataFlag } from './connection.ts';
import { operationHelp } from './control-verb.ts';
import { PAGING_FLAGS, readLimit, readRowsInPages } from './pages.ts';
import { parameterFlags, parameterPositionals, readParameters } from './parameters.ts';

const OPERATION = operationOf('task skipped');

export const listSkippedRecipients: Verb = {
  ...operationHelp('task skipped'),
  positionals: parameterPositionals(OPERATION),
  flags: [...parameterFlags(OPERATION), ...PAGING_FLAGS, dataFlag],
  run: async (session, input) => ({
    result: await readRowsInPages(session, input, {
      operation: 'task skipped',
      args: await readParameters(session, input, OPERATION),
      first: 0,
      limit: await readLimit(session, input),
      cursorOf: ({ subscriber }) => subscriber,
    }),
  }),
};
