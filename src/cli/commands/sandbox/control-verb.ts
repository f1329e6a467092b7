/** Builds a verb for one operation of the control plane, from its declaration. */

import type { ControlOperation } from '../../../protocol/control/operation.ts';
import { type OperationName, operationOf } from '../../../protocol/control.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { shortMarks } from '../../../text/mark-tag.ts';
import { formatTime } from '../../../text/timezone.ts';
import { counted } from '../../../text/words.ts';
import type { Outcome, Verb } from '../../command/command.ts';
import type { Work } from '../../command/work.ts';
import type { Column, Result } from '../../output/result.ts';
import { confirm } from '../../request/guards.ts';
import { answersInShort, shortResult } from '../../request/written.ts';
import type { SandboxAnswer } from '../../session/sandbox-control.ts';
import type { Session } from '../../session/session.ts';
import { askSandbox, dataFlag } from './connection.ts';
import { flagsOf, positionalsOf, readParameters } from './parameters.ts';

export function controlVerb(name: OperationName): Verb {
  const operation = operationOf(name);
  return {
    ...helpOf(name),
    positionals: positionalsOf(operation),
    flags: [...flagsOf(operation), dataFlag],
    ...(name === 'clock advance' ? { explainUnknown: explainNegative } : {}),
    run: async (session, input) => {
      const args = await readParameters(session, input, operation);
      // The confirmation names the target as it was typed.
      const { destroys } = operation;
      if (destroys !== undefined)
        await confirm(session, destroys.replace(/\{\w+\}/, input.positionals[0] ?? ''));
      const answer = await askSandbox(session, input, name, args);
      return (
        (await saidInShort(session, name, answer)) ?? {
          result: controlResult(answer, operation, (await session.format()) === 'table'),
        }
      );
    },
  };
}

/** Returns the line that tells a person what a write did. */
async function saidInShort(
  session: Session,
  name: OperationName,
  { data, zone }: SandboxAnswer,
): Promise<Outcome | undefined> {
  if ('reads' in operationOf(name) || Array.isArray(data) || !(await answersInShort(session)))
    return undefined;
  const said = writeLine(name, Object(data) as JsonObject, zone);
  return said === undefined ? undefined : shortResult(session, said);
}

/** Returns why a negative duration, which reads as a flag, is refused. */
const explainNegative = (flag: string): string | undefined =>
  /^[0-9]/.test(flag)
    ? 'a clock cannot go back; svc sandbox snapshot restore NAME returns to an earlier state'
    : undefined;

/** Returns the verb's name within its noun, its work, and its help. */
export function helpOf(name: OperationName): Pick<Verb, 'name' | 'summary' | 'about' | 'example' | 'work'> {
  const { summary, about, example, destroys } = operationOf(name);
  return {
    name: name.split(' ').at(-1) ?? name,
    summary,
    example: `sandbox ${example}${destroys === undefined ? '' : ' --yes'}`,
    about,
    work: workOf(name),
  };
}

/** These only read, but their help still names the exit codes of a change. */
const WITH_CODES_OF_A_CHANGE: readonly OperationName[] = ['rule done', 'task show', 'task skipped'];

function workOf(name: OperationName): Work {
  const { reads, parameters } = operationOf(name);
  if ((reads === undefined && name !== 'open') || WITH_CODES_OF_A_CHANGE.includes(name))
    return 'changes the sandbox';
  const isAboutOne = Object.values(parameters).some((each) => each.given === 'place' && each.required);
  return isAboutOne ? 'finds in the sandbox' : 'asks the sandbox';
}

/** Returns the result. A table's times are formatted before, because the company may differ from the profile's. */
export function controlResult(
  { data, zone }: SandboxAnswer,
  { columns, empty }: Pick<ControlOperation, 'columns' | 'empty'>,
  isTable: boolean,
): Result {
  const shown = isTable ? columns.map(asShown) : columns;
  const row = (value: JsonObject): JsonObject =>
    isTable ? withTimes(withoutTasks(value), columns, zone) : value;
  if (Array.isArray(data))
    return {
      kind: 'rows',
      rows: (data as readonly JsonObject[]).map(row),
      columns: shown,
      empty: empty ?? 'No records exist yet.',
    };
  return { kind: 'object', value: row(Object(data) as JsonObject), columns: shown };
}

/** Leaves out the sends that a move of the clock made: a table shows how many steps were done. */
const withoutTasks = ({ tasks: _, ...value }: JsonObject): JsonObject => value;

/** Returns the column for a table. A formatted time is still never truncated. */
function asShown(column: Column): Column {
  if (column.kind === 'timestamp') return { ...column, kind: 'text', role: 'state' };
  return column.kind === undefined ? { ...column, kind: 'text' } : column;
}

function withTimes(value: JsonObject, columns: readonly Column[], zone: string): JsonObject {
  const times = columns.filter((column) => column.kind === 'timestamp');
  const shown = times.flatMap(({ name }): [string, string][] => {
    const time = value[name];
    return typeof time === 'number' ? [[name, formatTime(time, zone, 'table')]] : [];
  });
  return { ...value, ...Object.fromEntries(shown) };
}

/** Past tense of the verbs that write. An operation with another verb shows its record. */
const DONE: Readonly<Record<string, string>> = {
  create: 'Created',
  delete: 'Deleted',
  add: 'Added',
  set: 'Set',
  restrict: 'Restricted',
  save: 'Saved',
  restore: 'Restored',
  revoke: 'Revoked',
  clear: 'Cleared',
};

/** Returns the line, or undefined if the record says more. @param zone the company's */
export function writeLine(name: OperationName, data: JsonObject, zone: string): string | undefined {
  const [noun = '', verb = ''] = name.split(' ');
  if (noun === 'clock') return verb === 'show' ? undefined : clockWords(data, zone);
  const done = DONE[verb];
  if (done === undefined || noun === 'token') return undefined;
  const { id, name: called, ...others } = data;
  if (verb !== 'set' && id !== undefined && id !== null)
    return `${done} ${noun} ${String(id)}${typeof called === 'string' ? ` "${called}"` : ''}.`;
  const values = Object.entries({ ...(called === undefined ? {} : { name: called }), ...others })
    .filter(([, value]) => value !== null && typeof value !== 'object')
    .map(([key, value]) => `${key} ${String(value)}`);
  return `${done} ${noun}${values.length === 0 ? '' : `: ${values.join(', ')}`}.`;
}

/** Returns `Clock: Tue 2026-11-24 10:53 UTC. Task 5 "Spring": sent to 443, 4 left out.` */
function clockWords(data: JsonObject, zone: string): string {
  const { time, done, tasks } = data;
  const shown = typeof time === 'number' ? formatTime(time, zone, 'weekday') : '';
  const sends = Array.isArray(tasks) ? tasks.map((each) => sendWords(Object(each) as JsonObject)) : [];
  const steps = typeof done === 'number' ? done : 0;
  const rest =
    sends.length > 0 ? sends : [steps === 0 ? 'Nothing was due.' : `${counted(steps, 'step')} done.`];
  return [`Clock: ${shown}.`, ...rest].join(' ');
}

function sendWords({ id, name, sent, skipped, completed }: JsonObject): string {
  const title = `Task ${String(id)}${typeof name === 'string' && name !== '' ? ` "${shortMarks(name)}"` : ''}`;
  const left = typeof skipped === 'number' && skipped > 0 ? `, ${skipped} left out` : '';
  return `${title}: ${completed === true ? 'sent' : 'sending, so far'} to ${String(sent)}${left}.`;
}
