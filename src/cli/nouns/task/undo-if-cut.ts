/** Making a task that is to be cancelled again when something ends the run early. */
import { task } from '../../../resources/task.ts';
import type { Input, Verb } from '../../command/command.ts';
import { CliError } from '../../errors/errors.ts';
import { sureClient, withstanding } from '../../session/sure-client.ts';
import { type Creation, createVerb } from '../generic/create.ts';
import { cancelSurely } from './cancel-and-confirm.ts';

/**
 * The verb that makes a task, where `isUndone` says so as one piece of work: once the POST may have been sent, it is
 * found out whether there is a task, and whatever ends the run before it is told to stay cancels it.
 */
export function undoneIfCut(creation: Creation, isUndone: (input: Input) => boolean): Verb {
  const plain = createVerb(task, creation);
  const sure = createVerb(task, {
    ...creation,
    client: sureClient,
    after: async (session, input, record) => {
      try {
        return await creation.after?.(session, input, record);
      } catch (error) {
        // One with words of its own says what became of the task.
        if (!(error instanceof CliError)) await cancelSurely(session, record);
        throw error;
      }
    },
  });
  return {
    ...plain,
    run: (session, input) =>
      isUndone(input) ? withstanding(session, () => sure.run(session, input)) : plain.run(session, input),
  };
}
