/** Builds the verbs of `svc sandbox` from the operations of the sandbox's control plane. */

import { formatTime } from '../../../kit/text/timezone.ts';
import { formatCountWithNoun } from '../../../kit/text/words.ts';
import type { Answer } from '../../../sandbox/control/all.ts';
import type { ControlOperation } from '../../../service/protocol/control/operation.ts';
import { type ControlOperationName, controlOperationNamed } from '../../../service/protocol/control.ts';
import { replaceMarksBySigns } from '../../../service/resources/campaign-mark.ts';
import type { Outcome, Verb, VerbActionKind } from '../../command/command.ts';
import type { Column, Result } from '../../output/result.ts';
import { confirm } from '../../request/guards.ts';
import { createTextLinesOutcome, shouldSummarizeWriteInOneLine } from '../../request/write-outcome.ts';
import type { Invocation, Tell } from '../../session/ports.ts';
import type { SandboxResponse } from '../../session/sandbox-control.ts';
import { dataFlag, requestSandboxOperation } from './connection.ts';
import {
  operationParameterFlags,
  operationParameterPositionals,
  readOperationParameters,
} from './parameters.ts';

export function createOperationVerb(name: ControlOperationName): Verb {
  const operation = controlOperationNamed(name);
  return {
    ...operationVerbHelp(name),
    positionals: operationParameterPositionals(operation),
    flags: [...operationParameterFlags(operation), dataFlag],
    ...(name === 'clock advance' ? { explainUnknown: explainNegative } : {}),
    run: async (session, input) => {
      const args = await readOperationParameters(session, input, name);
      // The confirmation names the target as it was typed.
      const { destroys } = operation;
      if (destroys !== undefined)
        await confirm(session, destroys.replace(/\{\w+\}/, input.positionals[0] ?? ''));
      const answer = await requestSandboxOperation(session, input, name, args);
      return (
        (await shortOutcome(session, name, answer)) ?? {
          result: await convertOperationResponse(session, answer, operation),
        }
      );
    },
  };
}

/** Undefined if the full result must be shown. */
async function shortOutcome(
  session: Invocation & Tell,
  name: ControlOperationName,
  { data, zone }: SandboxResponse,
): Promise<Outcome | undefined> {
  if (
    'reads' in controlOperationNamed(name) ||
    Array.isArray(data) ||
    !(await shouldSummarizeWriteInOneLine(session))
  )
    return undefined;
  const said = describeSandboxWrite(name, data, zone);
  return said === undefined ? undefined : createTextLinesOutcome(session, said);
}

/** A negative duration looks like a flag to the parser. */
const explainNegative = (flag: string): string | undefined =>
  /^[0-9]/.test(flag)
    ? "the sandbox's clock cannot go back; to restore an earlier state, run svc sandbox snapshot restore NAME"
    : undefined;

export function operationVerbHelp(
  name: ControlOperationName,
): Pick<Verb, 'name' | 'summary' | 'about' | 'example' | 'work' | 'asks'> {
  const { summary, about, example, destroys } = controlOperationNamed(name);
  return {
    name: name.split(' ').at(-1) ?? name,
    summary,
    example: `sandbox ${example}${destroys === undefined ? '' : ' --yes'}`,
    about,
    work: workOf(name),
    ...(destroys === undefined ? {} : { asks: true }),
  };
}

/** Operations that only read, but that can end with the same exit codes as operations that change something. */
const WITH_CODES_OF_A_CHANGE: readonly ControlOperationName[] = ['rule done', 'task show', 'task skipped'];

function workOf(name: ControlOperationName): VerbActionKind {
  const { reads, parameters } = controlOperationNamed(name);
  if ((reads === undefined && name !== 'open') || WITH_CODES_OF_A_CHANGE.includes(name))
    return 'changes sandbox';
  const isAboutOne = Object.values(parameters).some((each) => each.given === 'place' && each.required);
  return isAboutOne ? 'finds in sandbox' : 'reads sandbox';
}

/** Times in a table are in the time zone of the company that the response names, which may differ from that of the profile. */
export async function convertOperationResponse(
  session: Tell,
  { data, zone }: { readonly data: object; readonly zone: string },
  { columns, empty = 'No records exist yet.' }: ControlOperation,
): Promise<Result> {
  const isTable = (await session.format()) === 'table';
  const shown = isTable ? layOutForTable(columns, zone) : { columns, row: (value: object) => value };
  return Array.isArray(data)
    ? { kind: 'rows', rows: data.map(shown.row), columns: shown.columns, empty }
    : { kind: 'object', value: shown.row(data), columns: shown.columns };
}

/**
 * Turns timestamp columns into text columns of formatted times, which the role `state` keeps from being truncated. Rows lose the list of
 * completed tasks, which `done` counts.
 */
export function layOutForTable(columns: readonly Column[], zone: string) {
  const times = columns.filter(({ kind }) => kind === 'timestamp').map(({ name }) => name);
  const cell = (name: string, value: unknown): unknown =>
    times.includes(name) && typeof value === 'number' ? formatTime(value, zone, 'table') : value;
  return {
    columns: columns.map((column): Column => {
      if (column.kind === 'timestamp') return { ...column, kind: 'text', role: 'state' };
      return { kind: 'text', ...column };
    }),
    row: ({ tasks: _, ...row }: { readonly tasks?: unknown }): object =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cell(name, value)])),
  };
}

/** Past tense of the verbs that write, for a line such as `Created list 3.` Other verbs show the record. */
const DONE: Readonly<Record<string, string>> = {
  create: 'Created',
  delete: 'Deleted',
  add: 'Added',
  set: 'Set',
  restrict: 'Restricted',
  unlock: 'Unlocked',
  save: 'Saved',
  restore: 'Restored',
  revoke: 'Revoked',
  clear: 'Cleared',
};

type WriteResult = { readonly id?: unknown; readonly name?: unknown; readonly [attribute: string]: unknown };

/** Returns `Created list 3 "News".`, or undefined if the record must be shown instead. */
export function describeSandboxWrite(
  name: ControlOperationName,
  data: WriteResult,
  zone: string,
): string | undefined {
  const [noun = '', verb = ''] = name.split(' ');
  if (noun === 'clock') return isMove(data) ? clockWords(data, zone) : undefined;
  const done = DONE[verb];
  if (done === undefined || noun === 'token') return undefined;
  const { id, name: called, ...others } = data;
  // A destination has no name. Its number stands in the attribute with the noun's own name.
  const title = called ?? data[noun];
  if (verb !== 'set' && id !== undefined && id !== null)
    return `${done} ${noun} ${String(id)}${typeof title === 'string' ? ` "${title}"` : ''}.`;
  const values = Object.entries({ ...(called === undefined ? {} : { name: called }), ...others })
    .filter(([, value]) => value !== null && typeof value !== 'object')
    .map(([key, value]) => `${key} ${String(value)}`);
  return `${done} ${noun}${values.length === 0 ? '' : `: ${values.join(', ')}`}.`;
}

type ClockMove = Answer<'clock run'>;

const isMove = (data: object): data is ClockMove => 'done' in data && 'tasks' in data;

/** Returns `Clock: Tue 2026-11-24 10:53 UTC. Task 5 "Spring": sent to 443, 4 left out.` */
function clockWords({ time, done, tasks }: ClockMove, zone: string): string {
  const steps = done === 0 ? 'Nothing was due.' : `${formatCountWithNoun(done, 'step')} done.`;
  const rest = tasks.length > 0 ? tasks.map(sendWords) : [steps];
  return [`Clock: ${formatTime(time, zone, 'weekday')}.`, ...rest].join(' ');
}

function sendWords({ id, name, sent, skipped, completed }: ClockMove['tasks'][number]): string {
  const title = `Task ${id}${name === '' ? '' : ` "${replaceMarksBySigns(name)}"`}`;
  const left = skipped > 0 ? `, ${skipped} left out` : '';
  return `${title}: sent to ${sent}${completed ? '' : ' so far'}${left}.`;
}
