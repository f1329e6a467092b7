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

/** Returns the outcome with a short line about a write, for people. Returns undefined if the full result must be shown. */
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

/** Returns the hint for a negative duration, which the parser takes for a flag. Returns undefined for any other flag. */
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

/** Operations that only read, but whose help lists the exit codes of a change. */
const WITH_CODES_OF_A_CHANGE: readonly OperationName[] = ['rule done', 'task show', 'task skipped'];

function workOf(name: OperationName): Work {
  const { reads, parameters } = operationOf(name);
  if ((reads === undefined && name !== 'open') || WITH_CODES_OF_A_CHANGE.includes(name))
    return 'changes the sandbox';
  const isAboutOne = Object.values(parameters).some((each) => each.given === 'place' && each.required);
  return isAboutOne ? 'finds in the sandbox' : 'asks the sandbox';
}

/**
 * Returns the answer of a sandbox as a result. For a table, formats its times in the zone of the answer's company, which may differ from
 * the profile's company.
 */
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

/** Returns the object without `tasks`. A table shows only the number of steps after the clock was moved. */
const withoutTasks = ({ tasks: _, ...value }: JsonObject): JsonObject => value;

/** Returns the column for a table whose times are formatted texts. The table never truncates a time. */
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

/** Past tense of the writing verbs. For any other verb, the result is the record. */
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

/** Returns the line about a write, or undefined if the record must be shown instead. @param zone the company's time zone */
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
