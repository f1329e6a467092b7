/** Says in a line what a write to the sandbox did, for a person on a terminal (contract, "The everyday screen"). */
import type { OperationName } from '../../../protocol/control.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { shortMarks } from '../../../text/mark-tag.ts';
import { formatTime } from '../../../text/timezone.ts';
import { counted } from '../../../text/words.ts';

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
export function saidOf(name: OperationName, data: JsonObject, zone: string): string | undefined {
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
