/** Declares `sandbox event …`: acts as a recipient, and shows the rules that it triggered. */
import { type OperationName, operationOf } from '../../../protocol/control.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { escapeForTerminal } from '../../../text/terminal.ts';
import type { Verb } from '../../command/command.ts';
import { UsageError } from '../../errors/errors.ts';
import { isForPeople } from '../../session/for-people.ts';
import { askSandbox } from './connection.ts';
import { controlResult, controlVerb } from './control-verb.ts';
import { readParameters } from './parameters.ts';

/** Declares the verb of an event. A table shows the event and its rules as text. Other formats show an object. */
export function eventVerb(name: OperationName): Verb {
  return {
    ...controlVerb(name),
    section: 'Events',
    run: async (session, input) => {
      const args = await readParameters(session, input, operationOf(name));
      refuseContradiction(args, operationOf(name).parameters);
      const answer = await askSandbox(session, input, name, args);
      if (!(await isForPeople(session)))
        return { result: controlResult(answer, operationOf(name), (await session.format()) === 'table') };
      const found = Object(answer.data) as JsonObject;
      const { company } = found;
      // The response names the company of an SMS, and this company decides the zone of its times.
      const shown = await askSandbox(
        session,
        input,
        'clock show',
        typeof company === 'number' ? { company } : {},
      );
      const clock = Object(shown.data) as JsonObject;
      const { eventText, nextClockCommand } = await import('./event-text.ts');
      const said = { ...args, ...found };
      const lines = eventText(said, { now: Number(clock['time']), zone: String(clock['zone']) });
      const next = nextClockCommand(said, clock['clock'] === 'manual', Number(clock['time']));
      if (next !== undefined) await session.info(next);
      return {
        result: { kind: 'text', text: lines.map((line) => `${escapeForTerminal(line)}\n`).join('') },
      };
    },
  };
}

/** Refuses arguments without a recipient, and arguments with both a subscriber and a share. @throws UsageError */
function refuseContradiction(args: JsonObject, parameters: object): void {
  if (!('share' in parameters)) return;
  const { share, subscriber, task, over, seed } = args;
  if (share !== undefined && subscriber !== undefined)
    throw new UsageError('cannot combine --share with --subscriber', { hint: 'leave one of them out' });
  if (share !== undefined && task === undefined)
    throw new UsageError('--share needs a task', { hint: 'give --task <id|name>: svc task list shows them' });
  if (share !== undefined) return;
  if (subscriber === undefined)
    throw new UsageError('--subscriber or --share must be given', {
      hint: 'give --task <id|name> --share 35%, or --subscriber <id|address|number>',
    });
  if (over !== undefined || seed !== undefined)
    throw new UsageError(`--${over === undefined ? 'seed' : 'over'} belongs to --share`, {
      hint: 'use --share 35% without --subscriber',
    });
  const what = 'link' in parameters ? 'link' : 'message' in parameters ? 'message' : undefined;
  if (what !== undefined && task === undefined && args[what] === undefined)
    throw new UsageError(`--task or --${what} must be given`, {
      hint: `give --task <id|name> or --${what} <id>`,
    });
}
