/** Declares `sandbox event …`: acts as a recipient, and shows the rules that it triggered. */
import { type OperationName, operationOf } from '../../../protocol/control.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { escapeForTerminal } from '../../../text/terminal.ts';
import type { Verb } from '../../command/command.ts';
import { isForPeople } from '../../request/page.ts';
import { askSandbox } from './connection.ts';
import { controlVerb, resultOf } from './control-verb.ts';
import { readParameters } from './parameters.ts';

/** Declares the verb. Its result is an object in every format except a table, which shows the event and its rules as text. */
export function eventVerb(name: OperationName): Verb {
  return {
    ...controlVerb(name),
    run: async (session, input) => {
      const args = await readParameters(session, input, operationOf(name));
      const answer = await askSandbox(session, input, name, args);
      if (!(await isForPeople(session)))
        return { result: resultOf(answer, operationOf(name), (await session.format()) === 'table') };
      const found = Object(answer.data) as JsonObject;
      const { company } = found;
      // The response shows which company an SMS is for, and so the zone of its times.
      const shown = await askSandbox(
        session,
        input,
        'clock show',
        typeof company === 'number' ? { company } : {},
      );
      const clock = Object(shown.data) as JsonObject;
      const { eventText, whatIsNext } = await import('./event-text.ts');
      const said = { ...args, ...found };
      const lines = eventText(said, { now: Number(clock['time']), zone: String(clock['zone']) });
      const next = whatIsNext(said, clock['clock'] === 'manual', Number(clock['time']));
      if (next !== undefined) await session.info(next);
      return {
        result: { kind: 'text', text: lines.map((line) => `${escapeForTerminal(line)}\n`).join('') },
      };
    },
  };
}
