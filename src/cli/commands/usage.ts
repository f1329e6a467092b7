/** Declares `svc usage --month 2026-11` (contract, "Partners and many companies"). */

import { readCreditBalance } from '../../client/sends/cost.ts';
import {
  COUNTED_ATTRIBUTES,
  countSends,
  splitUsageRowByMeasure,
  type UsageCounts,
} from '../../features/insight/usage.ts';
import type { Html } from '../../kit/report/html-page.ts';
import { isMonth, monthBefore } from '../../kit/text/calendar.ts';
import { formatTime } from '../../kit/text/timezone.ts';
import { formatCountWithNoun } from '../../kit/text/words.ts';
import { task } from '../../service/resources/task.ts';
import type { Outcome, Verb } from '../command/command.ts';
import { createReplaceFileFlag, parsedFlag, writtenFileFlag } from '../command/flag.ts';
import { createVerbWithPrepareStep } from '../command/run-verb.ts';
import { EXIT } from '../errors/exit-codes.ts';
import type { Column } from '../output/result.ts';
import { readCompanyIdAndNameColumns, requireCompanyId } from '../request/company-rows.ts';
import { checkNewFile, type NewFile, openNewFile } from '../request/new-file.ts';
import { isResultPrintedForPeople } from '../request/write-outcome.ts';
import type { Clocks, Invocation, Profiles, ServiceAccess } from '../session/ports.ts';

const monthFlag = parsedFlag(
  'month',
  {
    describe: "Month in the company's time zone, such as 2026-11",
    value: 'month',
    defaultText: 'this month',
  },
  (text) =>
    isMonth(text)
      ? { value: text }
      : { fault: { reason: 'is not a month', instead: 'write a month, such as 2026-11 (1970 or later)' } },
);
const htmlFlag = writtenFileFlag('html', {
  writes: 'output',
  describe: 'Also write an HTML page to this file',
});
const forceFlag = createReplaceFileFlag('html');

export const monthlySendUsage: Verb = createVerbWithPrepareStep({
  name: 'usage',
  summary: 'Compare the sends of a month with those of the month before',
  about:
    'Counts each completed task in the month of its scheduled time. The number of sends is the number of subscriptions at the time when the task was created. The balances are the current ones, not those at the end of the month',
  work: 'reads',
  section: 'task',
  example: 'usage --month 2026-11 -o csv',
  flags: [monthFlag, htmlFlag, forceFlag],
  companies: 'reads',
  prepare: async (session, input) => {
    const month = input.get(monthFlag) ?? (await thisMonth(session));
    const name = input.get(htmlFlag);
    const seen: SeenClock = { openZones: new Set(), now: 0 };
    const run: Verb['run'] = (acting) => usageOf(acting, month, seen);
    const told = (outcome: Outcome): Outcome =>
      withNotes(outcome, () => openNotes(month, [...seen.openZones]));
    const isOneForPeople =
      session.globals.companies === undefined && (await isResultPrintedForPeople(session));
    const shown = (outcome: Outcome): Outcome => (isOneForPeople ? lineByLine(outcome, month) : outcome);
    if (name === undefined) return { run, finish: (outcome) => shown(told(outcome)) };
    const file = await checkNewFile(session, name, input.get(forceFlag));
    return { run, finish: (outcome) => shown(alsoToPage(session, told(outcome), file, { month, seen })) };
  },
});

/** For one company, uses the service's clock and the company's time zone. For many, uses this machine's clock and time zone. */
async function thisMonth(session: Invocation & Clocks): Promise<string> {
  const { context, globals } = session;
  const isOne = globals.companies === undefined;
  const now = isOne ? await session.serviceNow() : context.clock.now() / 1000;
  const zone = isOne ? await session.displayZone() : context.machineZone;
  return formatTime(now, zone, 'table').slice(0, 'YYYY-MM'.length);
}

const numbers = (names: readonly string[]): readonly Column[] =>
  names.map((name) => ({ name, kind: 'number' }));

const COLUMNS: readonly Column[] = [
  { name: 'month' },
  ...numbers(COUNTED_ATTRIBUTES),
  ...numbers(['email_balance', 'sms_balance']).map((column) => ({ ...column, keep: true })),
  ...numbers(COUNTED_ATTRIBUTES.map((name) => `${name}_before`)),
];

interface SeenClock {
  /** Time zones in which the month is not over. */
  readonly openZones: Set<string>;
  /** The service's clock, in Unix seconds. */
  now: number;
}

/** @param seen collects what the companies have in common */
async function usageOf(
  session: ServiceAccess & Profiles & Clocks,
  month: string,
  seen: SeenClock,
): Promise<Outcome> {
  await requireCompanyId(session, `svc usage --month ${month} --company 100, or --companies all`);
  const { monthSpan } = await import('../../kit/text/day-span.ts');
  const zone = await session.displayZone();
  const span = monthSpan(month, zone);
  const before = monthSpan(monthBefore(month), zone);
  const completed = (await session.client()).list(task, {
    filters: { completed: true },
    sort: 'scheduledtime',
    from: Math.max(0, before.start),
  });
  const sends = await countSends(completed, before, span);
  const account = await session.account();
  const { columns, values } = await readCompanyIdAndNameColumns(session);
  const row = {
    ...values,
    month,
    ...sends.month,
    email_balance: readCreditBalance(account, 'email') ?? null,
    sms_balance: readCreditBalance(account, 'sms') ?? null,
    ...beforeIn(sends.before),
  };
  seen.now = await session.serviceNow();
  if (seen.now < span.end) seen.openZones.add(zone);
  const { unsized } = sends;
  const notes = [
    ...((await session.companyZone()) !== undefined
      ? []
      : [`${(await session.unknownZone()).reason}. The month starts and ends at midnight in ${zone}.`]),
    ...(unsized > 0
      ? [
          `The number of sends does not include ${formatCountWithNoun(unsized, 'task')} whose size the service does not report.`,
        ]
      : []),
  ];
  return {
    result: {
      kind: 'rows',
      rows: [row],
      columns: [...columns, ...COLUMNS],
      empty: 'Nothing to show.',
      notes: () => notes,
    },
  };
}

function openNotes(month: string, zones: readonly string[]): readonly string[] {
  if (zones.length === 0) return [];
  const more = zones.length > NAMED ? ` and ${zones.length - NAMED} more time zones` : '';
  const where = `${zones.slice(0, NAMED).join(', ')}${more}`;
  return [`${month} is not over in ${where}; svc counts only completed tasks.`];
}

const NAMED = 3;

function withNotes(outcome: Outcome, more: () => readonly string[]): Outcome {
  const { result } = outcome;
  if (result.kind !== 'rows') return outcome;
  return { ...outcome, result: { ...result, notes: () => [...(result.notes?.() ?? []), ...more()] } };
}

const beforeIn = (counts: UsageCounts) =>
  Object.fromEntries(COUNTED_ATTRIBUTES.map((name) => [`${name}_before`, counts[name]]));

/** One long row would not fit a terminal. */
function lineByLine(outcome: Outcome, month: string): Outcome {
  const { result } = outcome;
  if (result.kind !== 'rows') return outcome;
  const columns: readonly Column[] = [
    { name: 'usage', role: 'name' },
    { name: 'month', title: month, kind: 'number', keep: true },
    { name: 'month_before', title: monthBefore(month), kind: 'number', keep: true },
    { name: 'change', kind: 'number' },
  ];
  const { rows: ofCompany } = result;
  async function* rows() {
    for await (const row of ofCompany) yield* splitUsageRowByMeasure(row);
  }
  return { ...outcome, result: { ...result, rows: rows(), columns, attributes: [] } };
}

/** The file appears only after the last row. */
function alsoToPage(
  session: Invocation,
  outcome: Outcome,
  page: NewFile,
  { month, seen }: { readonly month: string; readonly seen: SeenClock },
): Outcome {
  const { result, exit } = outcome;
  if (result.kind !== 'rows') return outcome;
  const { rows: shown } = result;
  const { name } = page;
  const exitCode = () => (typeof exit === 'function' ? exit() : (exit ?? EXIT.done));
  const ownNotes = (): readonly string[] => result.notes?.() ?? [];
  let isWritten = false;
  async function* rows() {
    const { createUsagePageParts } = await import('../../features/insight/usage-page.ts');
    const file = await openNewFile(session, page);
    try {
      const write = (piece: Html): Promise<void> => file.write(piece.html);
      const pieces = createUsagePageParts(month);
      let isEmpty = true;
      for await (const row of shown) {
        if (isEmpty) await write(pieces.beginning(seen.now));
        isEmpty = false;
        await write(pieces.row(row));
        yield row;
      }
      // Without rows, or after an interruption, no page is written.
      if (isEmpty || session.context.signal.aborted) return;
      await write(pieces.ending(ownNotes(), exitCode() === EXIT.done));
      await file.commit();
      isWritten = true;
    } finally {
      if (!isWritten) await file.abort();
    }
  }
  const notes = () => [...ownNotes(), isWritten ? `wrote ${name}` : `${name} was not written`];
  return { ...outcome, result: { ...result, rows: rows(), notes } };
}
