/** Declares `svc sandbox event …`, which simulates an event such as a click, and shows the rules that the event triggered. */
import { type ControlOperationName, controlOperationNamed } from '../../../protocol/control.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { escapeForTerminal } from '../../../text/terminal.ts';
import type { Verb } from '../../command/command.ts';
import { UsageError } from '../../errors/errors.ts';
import { isResultPrintedForPeople } from '../../request/write-outcome.ts';
import { requestSandboxOperation } from './connection.ts';
import { convertOperationResponse, createOperationVerb } from './control-verb.ts';
import { readOperationParameters } from './parameters.ts';

/** Creates the verb of `svc sandbox event` that simulates one kind of event. People get sentences, and programs get an object. */
export function createEventVerb(name: ControlOperationName): Verb {
  const operation = controlOperationNamed(name);
  return {
    ...createOperationVerb(name),
    section: 'Events',
    run: async (session, input) => {
      const args = await readOperationParameters(session, input, operation);
      refuseContradiction(args, operation.parameters);
      const answer = await requestSandboxOperation(session, input, name, args);
      if (!(await isResultPrintedForPeople(session)))
        return { result: await convertOperationResponse(session, answer, operation) };
      const found = Object(answer.data) as JsonObject;
      const { company } = found;
      // The response names the company of an SMS, and the times are shown in the time zone of this company.
      const shown = await requestSandboxOperation(
        session,
        input,
        'clock show',
        typeof company === 'number' ? { company } : {},
      );
      const { clock, zone } = shown.data;
      const now = Number(shown.data.time);
      const { eventText, formatHintToAdvanceClock } = await import('./event-text.ts');
      const said = { ...args, ...found };
      const lines = eventText(said, { now, zone: String(zone) });
      const next = formatHintToAdvanceClock(said, clock === 'manual', now);
      if (next !== undefined) await session.info(next);
      return {
        result: { kind: 'text', text: lines.map((line) => `${escapeForTerminal(line)}\n`).join('') },
      };
    },
  };
}

/**
 * Checks that the arguments name either one subscriber, or a share (a percentage) of a task's recipients. Also checks that the other
 * arguments match this choice. Does nothing for an operation without the parameter `share`.
 * @throws UsageError if the arguments contradict each other, or if one is missing
 */
function refuseContradiction(args: JsonObject, parameters: object): void {
  if (!('share' in parameters)) return;
  const { share, subscriber, task, over, seed } = args;
  if (share !== undefined && subscriber !== undefined)
    throw new UsageError('cannot combine --share with --subscriber', {
      hint: 'leave out --share or --subscriber',
    });
  if (share !== undefined && task === undefined)
    throw new UsageError('--share needs a task', {
      hint: 'add --task <id|name>; to see the tasks, run svc task list',
    });
  if (share !== undefined) return;
  if (subscriber === undefined)
    throw new UsageError('--subscriber or --share must be given', {
      hint: 'give --task <id|name> --share 35%, or --subscriber <id|address|number>',
    });
  if (over !== undefined || seed !== undefined)
    throw new UsageError(`--${over === undefined ? 'seed' : 'over'} needs --share`, {
      hint: 'use --share 35% without --subscriber',
    });
  const what = 'link' in parameters ? 'link' : 'message' in parameters ? 'message' : undefined;
  if (what !== undefined && task === undefined && args[what] === undefined)
    throw new UsageError(`--task or --${what} must be given`, {
      hint: `give --task <id|name> or --${what} <id>`,
    });
}
