/** Declares `svc sandbox task skipped`, which lists the recipients whom a task left out. */
import { controlOperationNamed } from '../../../protocol/control.ts';
import type { Verb } from '../../command/command.ts';
import { dataFlag } from './connection.ts';
import { operationVerbHelp } from './control-verb.ts';
import { ROW_LIMIT_FLAGS, readRowsInPages, readSandboxRowLimit } from './pages.ts';
import {
  operationParameterFlags,
  operationParameterPositionals,
  readOperationParameters,
} from './parameters.ts';

const OPERATION = controlOperationNamed('task skipped');

export const listSkippedRecipients: Verb = {
  ...operationVerbHelp('task skipped'),
  positionals: operationParameterPositionals(OPERATION),
  flags: [...operationParameterFlags(OPERATION), ...ROW_LIMIT_FLAGS, dataFlag],
  run: async (session, input) => ({
    result: await readRowsInPages(session, input, {
      operation: 'task skipped',
      args: await readOperationParameters(session, input, OPERATION),
      first: 0,
      limit: await readSandboxRowLimit(session, input),
      cursorOf: ({ subscriber }) => subscriber,
    }),
  }),
};
