/** A terminal shows one or two lines, else the record (contract, "The everyday screen"). */

import { formatNameInBrackets, formatRecordId, titleOf } from '../../client/requests/record-title.ts';
import { channelOfRecord } from '../../client/sends/cost.ts';
import type { Resource } from '../../kit/schema/resource.ts';
import { escapeForTerminal } from '../../kit/text/terminal.ts';
import { formatTime } from '../../kit/text/timezone.ts';
import { quoteShellWord } from '../../kit/text/words.ts';
import type { Json, JsonObject } from '../../service/protocol/envelope.ts';
import type { Outcome } from '../command/command.ts';
import { columnsOfResource } from '../output/columns.ts';
import type { Clocks, Invocation, Ports, ServiceAccess, Tell } from '../session/ports.ts';

/** True on a terminal, unless flags select a format, fields, a query or `--verbose`. */
export async function shouldSummarizeWriteInOneLine(session: Invocation & Tell): Promise<boolean> {
  const { globals, context } = session;
  const { output, fields, query, jq, verbose, companies } = globals;
  if (!context.stdout.isTTY || verbose || companies !== undefined) return false;
  if (fields !== undefined || query !== undefined || jq !== undefined) return false;
  // SVC_OUTPUT=table is the default, said aloud; -o table asks for the record.
  if (output !== undefined && !(output === 'table' && context.env.SVC_OUTPUT === 'table')) return false;
  return (await session.format()) === 'table';
}

/** Prints nothing if stdout shows a short line, or if svc counts many writes on a terminal. */
export async function printNoteAboutWrite(session: Invocation & Tell, line: string): Promise<void> {
  const { context, globals } = session;
  if (globals.companies !== undefined) {
    const { countsCompaniesOnTerminal } = await import('../session/globals.ts');
    if (countsCompaniesOnTerminal(context, globals)) return;
  }
  if (!(await shouldSummarizeWriteInOneLine(session))) await session.info(line);
}

/** Shows the line on a terminal, else the record. */
export async function createLineOrRecordOutcome(
  session: Invocation & Tell,
  line: string,
  resource: Resource,
  record: JsonObject,
): Promise<Outcome> {
  return (await shouldSummarizeWriteInOneLine(session))
    ? createTextLinesOutcome(session, line)
    : createOutcomeFromRecord(resource, record);
}

/** `participle` is for people: `Created`. */
export async function createWriteOutcome(
  session: Invocation & Tell & Clocks,
  resource: Resource,
  record: JsonObject,
  participle: string,
): Promise<Outcome> {
  if (!(await shouldSummarizeWriteInOneLine(session))) return createOutcomeFromRecord(resource, record);
  const { id } = record;
  const what =
    resource.name === 'task' ? await taskWords(session, record, resource) : nounWords(resource, record);
  return createTextLinesOutcome(session, `${participle} ${what}.`, nextFor(resource, id, participle));
}

/** Prints everything on one line if it fits. */
export async function createTextLinesOutcome(
  { context, globals }: Pick<Ports, 'context' | 'globals'>,
  line: string,
  nextCommand?: string,
  details: readonly string[] = [],
): Promise<Outcome> {
  const [{ displayWidth }, { wrapWithHangingIndent }] = await Promise.all([
    import('../../kit/text/display-width.ts'),
    import('../../kit/text/wrapped.ts'),
  ]);
  const width = context.stdout.columns || 80;
  const hint = nextCommand === undefined ? [] : [nextCommandLine(globals, nextCommand)];
  const both = [line, ...hint].join(' ');
  const isOneLine = details.length === 0 && displayWidth(both) <= width;
  const lines = isOneLine ? [both] : [line, ...details.map((each) => `- ${each}`), ...hint];
  const text = lines.map((each) => `${wrapWithHangingIndent(escapeForTerminal(each), width)}\n`).join('');
  return { result: { kind: 'text', text } };
}

/** Adds the profile of this command. */
export const nextCommandLine = ({ profile }: Pick<Ports['globals'], 'profile'>, command: string): string =>
  `Next: ${command}${profile === undefined ? '' : ` --profile ${quoteShellWord(profile)}`}`;

/** Returns `folder 12 "News"`. */
function nounWords(resource: Resource, record: JsonObject): string {
  const { noun } = resource;
  const { id = null } = record;
  const name = formatNameInBrackets(resource, record);
  if (id === null) return name === '' ? noun : `${noun} ${name.trim()}`;
  return name === ''
    ? titleOf(resource, record)
    : `${noun} ${formatRecordId(resource, id)} "${name.slice(2, -1)}"`;
}

/** Returns `task 5 "Spring": e-mail to 447, Tue 2026-11-24 09:00 (Europe/London)`. */
async function taskWords(session: Clocks, record: JsonObject, resource: Resource): Promise<string> {
  const { size, scheduledtime: time } = record;
  const channel = channelOfRecord(record) === 'sms' ? 'SMS' : 'e-mail';
  const words = [`${channel}${typeof size === 'number' ? ` to ${size}` : ''}`];
  if (typeof time === 'number') words.push(formatTime(time, await session.tableZone(), 'weekday'));
  return `${nounWords(resource, record)}: ${words.join(', ')}`;
}

function nextFor(resource: Resource, recordId: Json | undefined, done: string): string | undefined {
  const id = formatRecordId(resource, recordId);
  if (resource.name === 'task') return done === 'Cancelled' ? undefined : `svc task watch ${id}`;
  if (done !== 'Created') return undefined;
  if (resource.name === 'emailMessage') return `svc email preview ${id}`;
  if (resource.name === 'smsMessage') return `svc task create --channel sms --message ${id} --help`;
  if (resource.variant !== undefined) return `svc automation get ${id}`;
  return undefined;
}

/** A result with `--fields`, `--query` or `--jq`, or of many companies, is data. */
export async function isResultPrintedForPeople(session: Invocation & Tell & ServiceAccess): Promise<boolean> {
  const { fields, query, jq } = session.globals;
  if (session.actsFor !== undefined || (fields ?? query ?? jq) !== undefined) return false;
  return (await session.format()) === 'table';
}

/** `-o table` always prints rows. */
export const isResultPrintedAsText = async (session: Invocation & Tell & ServiceAccess): Promise<boolean> =>
  session.globals.output === undefined && (await isResultPrintedForPeople(session));

export function createOutcomeFromRecord(resource: Resource, value: JsonObject): Outcome {
  const { variant } = resource;
  const shown =
    variant === undefined ? { value } : { value: { kind: variant, ...value }, ofRules: true as const };
  return { result: { kind: 'object', ...shown, ...columnsOfResource(resource) } };
}
