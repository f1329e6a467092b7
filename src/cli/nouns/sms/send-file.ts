/** Checks every row before the first is sent, and never sends a row twice. */

import type { NewRecordBounds } from '../../../client/bulk/checkpoint-file.ts';
import {
  type RowByColumnName,
  readRowsByColumnName,
  type WantedColumn,
} from '../../../client/bulk/columns.ts';
import { createTextFingerprintSet } from '../../../client/bulk/fingerprints.ts';
import { type CheckedRow, RowError, type RowOperation } from '../../../client/bulk/row.ts';
import { type InputSource, openInputSource } from '../../../client/bulk/source.ts';
import type { Client } from '../../../client/requests/client.ts';
import type { PlannedSend } from '../../../client/sends/budget.ts';
import { countSmsParts } from '../../../client/sends/cost.ts';
import { SEND_TIME_MARGINS } from '../../../client/sends/send-time.ts';
import type { Scalar } from '../../../kit/schema/field.ts';
import { idNumber } from '../../../kit/schema/integer.ts';
import { sayFinding } from '../../../kit/schema/reason.ts';
import { type Finding, fieldOf, type Values } from '../../../kit/schema/resource.ts';
import { groupThousands, quoteShellWord } from '../../../kit/text/words.ts';
import { formatJson } from '../../../service/protocol/json.ts';
import { type SmsBody, sms } from '../../../service/resources/sms.ts';
import { runBulkJob } from '../../bulk/job.ts';
import { hasEarlierCheckpoint } from '../../bulk/job-files.ts';
import { checkingRowsNotice, withWaitNotice } from '../../bulk/waiting.ts';
import type { Input, Outcome } from '../../command/command.ts';
import { InvalidInputError, UsageError } from '../../errors/errors.ts';
import { readUnparsedAttributeFlagValue } from '../../request/attribute-flags.ts';
import { lookUpPendingValues, readBody } from '../../request/body.ts';
import { checkSmsCredits, formatCreditPrice } from '../../request/credits.ts';
import { confirmActionWithAccountShown, requireYesFlagOrTerminal } from '../../request/guards.ts';
import {
  findSendTimeFaultByBothClocks,
  missingSendTime,
  printSendTime,
  warnAboutNight,
} from '../../request/send-time.ts';
import { readAttributeFlagValue } from '../../request/values.ts';
import { readJournalEntriesOfSessionUser } from '../../session/own-entries.ts';
import type { Clocks, Invocation, Ports, ServiceAccess, Tell } from '../../session/ports.ts';

const COLUMNS: readonly (WantedColumn & { readonly attribute: string })[] = [
  { name: 'to', attribute: 'msisdn', names: ['to', 'msisdn', 'number', 'mobile', 'phone'] },
  { name: 'from', attribute: 'fromaddress', names: ['from', 'fromaddress', 'sender'], optional: true },
  { name: 'message', attribute: 'message', names: ['message', 'text'], optional: true },
  { name: 'senddate', attribute: 'senddate', names: ['senddate', 'at'], optional: true },
];

const MAX_FAULTS = 50;
/**
 * After a crash, svc may not know whether the service received these rows, and does not send them again,
 * because a person could get an SMS twice. The value 1 limits this to one row.
 */
const ROWS_PER_CHECKPOINT = 1;

export async function sendSmsFromFile(
  session: Ports,
  input: Input,
  file: string,
  { isNow, again }: { readonly isNow: boolean; readonly again: boolean },
): Promise<Outcome> {
  if (file === '-')
    throw new UsageError(
      'cannot send SMS from standard input: svc checks all rows before it sends the first',
      { hint: 'give a file' },
    );
  const source = openInputSource(
    session.context,
    file,
    'save the rows to a file: svc checks all rows before it sends any of them',
  );
  const defaults = await defaultsOf(session, input, isNow);
  const begun = await hasEarlierCheckpoint(session, input, source);
  const survey = await withWaitNotice(session, checkingRowsNotice(source), () =>
    surveyRows(session, source, defaults, !begun),
  );
  requireYesFlagOrTerminal(session, `send the SMS of ${file}`);
  await printSendTimes(session, survey);
  await session.info(survey.cost);
  if (!begun && !again) await warnAboutSameFile(session, survey);
  // The rows that an earlier run sent are already paid for.
  if (!begun) await checkSmsCredits(session, input, source.name, survey.credits);
  if (session.globals.dryRun) return dryRunResult(survey);
  if (!begun) await checkFitsBudget(session, survey.byMinute);
  const price = await formatCreditPrice(session, survey.credits);
  await confirmActionWithAccountShown(
    session,
    `send ${groupThousands(survey.sms)} SMS from ${source.name} for ${price}`,
  );
  return runBulkJob(session, input, {
    command: 'sms send',
    resource: sms,
    verb: 'sent',
    source,
    survey,
    options: { defaults },
    readRows: () => checkedRows(session, source, defaults),
    readStart: readHighestId,
    operation: sendingOf,
    rowsPerCheckpoint: ROWS_PER_CHECKPOINT,
    isRepeatable: false,
    onceOnly: {
      flag: '--again',
      again,
      lookUpCommand: `svc sms list --to NUMBER${session.accountFlags}`,
      commandFor: (name) =>
        `svc sms send --file ${quoteShellWord(name)}${isNow ? ' --now' : ''}${session.accountFlags}`,
      columns: COLUMNS.map(({ name }) => name),
      cellsOf: (body) => COLUMNS.map(({ attribute }) => cellOf(attribute, body[attribute])),
    },
  });
}

/** svc reads the cell as the same value. A time becomes ISO 8601 in UTC. */
function cellOf(attribute: string, value: Values[string] | undefined): string | null {
  if (value === null || value === undefined) return null;
  return attribute === 'senddate' ? new Date(Number(value) * 1000).toISOString() : String(value);
}

/** The values of the flags apply to rows that have no values of their own. */
async function defaultsOf(session: Ports, input: Input, isNow: boolean): Promise<SmsBody> {
  const draft = await readBody(session, sms, 'POST', input);
  if (draft.body['msisdn'] !== undefined) throw new UsageError('cannot combine --to with --file');
  if (draft.findings.length > 0) throw new InvalidInputError(draft.findings);
  const time = readUnparsedAttributeFlagValue(input, sms, 'senddate');
  if (isNow && time !== undefined) throw new UsageError('cannot combine --at with --now');
  if (time !== undefined && !isAbsolute(String(time))) throw new InvalidInputError([relative(String(time))]);
  const settled = await lookUpPendingValues(draft.body, draft.lookUps);
  return isNow ? { ...settled, senddate: null } : settled;
}

/** Accepts a date or Unix seconds. In a resumed run, a relative time such as `tomorrow` would mean another time. */
const isAbsolute = (text: string): boolean => /^\s*([0-9]{1,15}\s*$|[0-9]{4}-[0-9]{2}-[0-9]{2})/.test(text);

const relative = (value: string): Finding => ({
  attribute: 'senddate',
  value,
  reason: { kind: 'form', form: 'a fixed time' },
  instead: 'write a date and a time, or use --now to send at once',
});

type Survey = Awaited<ReturnType<typeof surveyRows>>;

/** `requiresFuture` is false for a file that an earlier run began. */
async function surveyRows(session: Ports, source: InputSource, defaults: SmsBody, requiresFuture: boolean) {
  const counts = { rows: 0, sms: 0, duplicates: 0, atOnce: 0 };
  const { createSmsCostCounter } = await import('./cost-text.ts');
  const cost = createSmsCostCounter();
  const faults: Finding[] = [];
  let more = 0;
  /** Rows that svc sends immediately do not count. */
  let earliest: number | undefined;
  let latest: number | undefined;
  const fault = (line: number, finding: Finding): void => {
    if (faults.length < MAX_FAULTS)
      faults.push({ ...finding, attribute: `line ${line}: ${finding.attribute}` });
    else more += 1;
  };
  /** Keys are Unix seconds rounded down to the minute; `undefined` for rows that are sent at once. */
  const byMinute = new Map<number | undefined, PlannedSend>();
  const seen = createTextFingerprintSet(session.context.random(16));
  for await (const named of readRowsByColumnName(source, COLUMNS)) {
    counts.rows += 1;
    const { body, findings } = await bodyOf(session, named, defaults);
    const time = body.senddate;
    const late =
      requiresFuture && typeof time === 'number' && findings.length === 0
        ? await findSendTimeFaultByBothClocks(session, 'senddate', time, await session.latestNow())
        : undefined;
    for (const finding of late ? [late] : findings) fault(named.line, finding);
    if (late || findings.length > 0) continue;
    if (seen.add(keyOf(body)) < 0) {
      counts.duplicates += 1;
      continue;
    }
    counts.sms += 1;
    cost.add(String(body.message));
    const due = typeof time === 'number' ? Math.floor(time / 60) * 60 : undefined;
    const before = byMinute.get(due);
    byMinute.set(due, {
      due: due ?? 0,
      recipients: (before?.recipients ?? 0) + 1,
      credits: (before?.credits ?? 0) + (countSmsParts(body) ?? 1),
      tasks: 0,
    });
    if (typeof time !== 'number') counts.atOnce += 1;
    else {
      earliest = Math.min(earliest ?? time, time);
      latest = Math.max(latest ?? time, time);
    }
  }
  if (faults.length > 0)
    throw new InvalidInputError(faults, `${more > 0 ? `${more} more; ` : ''}nothing was sent`);
  const sha256 = source.digest();
  if (sha256 === undefined || counts.rows === 0) throw new UsageError(`${source.name} has no rows`);
  return { ...counts, sha256, byMinute, earliest, latest, credits: cost.credits(), cost: cost.line() };
}

/** A checkpoint belongs to the name of a file, so a copy of the file, or a file without its checkpoint, is sent again. */
async function warnAboutSameFile(session: Ports, { sha256 }: Survey): Promise<void> {
  if (!session.globals.validate) return;
  const entries = await readJournalEntriesOfSessionUser(session).catch(() => []);
  const earlier = entries.findLast(
    ({ resource, state, sent }) => resource === sms.name && state !== 'failed' && sent?.['sha256'] === sha256,
  );
  if (earlier === undefined) return;
  await session.warn(
    `Careful: an earlier run sent SMS from a file with the same content, ${quoteShellWord(String(earlier.sent?.['file']))}: svc log show ${earlier.n}`,
  );
}

/** Checks all rows together. @throws SendError */
async function checkFitsBudget(session: ServiceAccess & Clocks, byMinute: Survey['byMinute']): Promise<void> {
  const counter = await session.counter();
  if (counter === undefined) return;
  const now = await session.latestNow();
  const sends = [...byMinute].map(([due, send]) => ({ ...send, due: due ?? now }));
  await counter.checkFits(await session.client(), sends);
}

async function printSendTimes(
  session: Invocation & Tell & Clocks,
  { earliest, latest, atOnce }: Survey,
): Promise<void> {
  const now = await session.latestNow();
  if (atOnce > 0) await printSendTime(session, await session.serviceNow());
  if (earliest !== undefined) await printSendTime(session, earliest, now);
  if (latest !== undefined && latest !== earliest) await printSendTime(session, latest, now);
  const starts = new Set([...(atOnce > 0 ? [await session.serviceNow()] : []), earliest, latest]);
  await warnAboutNight(
    session,
    [...starts].filter((time) => time !== undefined),
  );
}

function dryRunResult({ rows, sms: send, duplicates: skipped, credits, atOnce, ...survey }: Survey): Outcome {
  const times = { earliest: survey.earliest ?? null, latest: survey.latest ?? null };
  const value = { rows, send, skipped, credits, at_once: atOnce, ...times };
  const columns = Object.keys(value).map((name) =>
    name in times ? { name, kind: 'timestamp' as const } : { name },
  );
  return { result: { kind: 'object', value, columns } };
}

async function* checkedRows(
  session: Ports,
  source: InputSource,
  defaults: SmsBody,
): AsyncGenerator<CheckedRow<Values>> {
  const seen = createTextFingerprintSet(session.context.random(16));
  for await (const named of readRowsByColumnName(source, COLUMNS)) {
    const { row, line, cells } = named;
    const { body, findings } = await bodyOf(session, named, defaults);
    const [first] = findings;
    const value = cells.get('to') ?? '';
    if (first !== undefined) yield { kind: 'rejected', row, line, value, reason: sayFinding(first) };
    // The same text to the same number at the same time can't be distinguished from a copy.
    else if (seen.add(keyOf(body)) < 0) yield { kind: 'duplicate', row };
    else yield { kind: 'good', row, line, value, body };
  }
}

const keyOf = ({ msisdn, fromaddress, message, senddate }: SmsBody): string =>
  formatJson([msisdn, fromaddress, message, senddate]);

async function bodyOf(
  session: Ports,
  { cells }: RowByColumnName,
  defaults: SmsBody,
): Promise<{ readonly body: SmsBody; readonly findings: readonly Finding[] }> {
  const findings: Finding[] = [];
  const body: Record<string, Scalar> = { ...defaults };
  for (const { name, attribute } of COLUMNS) {
    const cell = cells.get(name);
    if (cell === undefined) continue;
    if (attribute !== 'senddate') body[attribute] = cell;
    else if (!isAbsolute(cell)) findings.push(relative(cell));
    else {
      const reading = await readAttributeFlagValue(session, attribute, fieldOf(sms, attribute), cell.trim());
      const read = 'lookUp' in reading ? await reading.lookUp(body) : reading;
      if ('finding' in read) findings.push(read.finding);
      else body[attribute] = read.value;
    }
  }
  if (body['senddate'] === undefined && findings.length === 0)
    findings.push(missingSendTime('senddate', 'is missing'));
  const [{ checkPayload }, { credentials, naming }] = await Promise.all([
    import('../../../kit/schema/validator.ts'),
    session.resolved(),
  ]);
  const checked = checkPayload(sms, 'POST', credentials.kind, body, naming);
  return { body: checked.values, findings: [...findings, ...checked.findings] };
}

/** Returns 0 if there are no SMS. Later SMS may come from this job. */
async function readHighestId(client: Client): Promise<NewRecordBounds> {
  let above: number | bigint = 0;
  for await (const row of client.list(sms, { sort: 'id', reverse: true, limit: 1 })) above = idNumber(row);
  const since = client.serviceTime();
  return { above, ...(since === undefined ? {} : { since }) };
}

function sendingOf(client: Client, start: () => Promise<NewRecordBounds>): RowOperation<Values> {
  return {
    sendAgain: false,
    send: async (body) => {
      await client.create(sms, body, {
        ifOutcomeUnknown: 'give-up',
        stateBefore: await start(),
        beforeAttempt: () => checkStillAhead(client, body),
      });
      return 'added';
    },
    lookUp: async (body) => {
      const found = await client.findCreated(sms, body, await start());
      return found.length > 0 ? 'added' : undefined;
    },
  };
}

/** The service sends an SMS with a past time at once (contract, "Safety"). */
function checkStillAhead(client: Client, { senddate }: Values): void {
  const now = client.latestTime();
  if (typeof senddate !== 'number' || now === undefined) return;
  if (senddate - now >= SEND_TIME_MARGINS.minSecondsLeftAtRequest) return;
  throw new RowError(
    `senddate ${senddate} is too soon: it is less than a minute from now; the SMS was not sent`,
  );
}
