/** Declares `svc sandbox event …`, which simulates an event such as a click, and shows the rules that the event triggered. */

import { escapeForTerminal } from '../../../kit/text/terminal.ts';
import {
  type ControlOperationName,
  type ControlRequest,
  controlOperationNamed,
} from '../../../service/protocol/control.ts';
import type { Verb } from '../../command/command.ts';
import { UsageError } from '../../errors/errors.ts';
import { isResultPrintedForPeople } from '../../request/write-outcome.ts';
import { requestSandboxOperation } from './connection.ts';
import { convertOperationResponse, createOperationVerb } from './control-verb.ts';
import { readOperationParameters } from './parameters.ts';

export type EventName = Extract<ControlOperationName, `event ${string}`>;

/** People get sentences, and programs get an object. */
export function createEventVerb(name: EventName): Verb {
  const operation = controlOperationNamed(name);
  return {
    ...createOperationVerb(name),
    section: 'Events',
    run: async (session, input) => {
      const args = await readOperationParameters(session, input, name);
      refuseContradiction(args, operation.parameters);
      const answer = await requestSandboxOperation(session, input, name, args);
      if (!(await isResultPrintedForPeople(session)))
        return { result: await convertOperationResponse(session, answer, operation) };
      const event = answer.data;
      // The response names the company of an SMS, and the times are shown in the time zone of this company.
      const company = ('company' in event && event.company) || undefined;
      const { data } = await requestSandboxOperation(
        session,
        input,
        'clock show',
        company ? { company } : {},
      );
      const { clock, zone, time: now } = data;
      const { eventText, formatHintToAdvanceClock } = await import('./event-text.ts');
      const lines = eventText(event, args, { now, zone });
      const next = formatHintToAdvanceClock(event, clock === 'manual', now);
      if (next !== undefined) await session.info(next);
      return { result: { kind: 'text', text: lines.map((line) => `${escapeForTerminal(line)}\n`).join('') } };
    },
  };
}

type ShareArguments = Partial<ControlRequest<'event open'> & ControlRequest<'event click'>>;

/**
 * One subscriber, or a share (a percentage) of a task's recipients, causes the event.
 * @throws UsageError if the arguments contradict each other, or if one is missing
 */
function refuseContradiction(args: ShareArguments, parameters: object): void {
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
