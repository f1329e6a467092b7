/** Implements `svc usage --html`: writes the rows to a page while they are printed. */
import { writeBeside } from '../../../bulk/write-beside.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import {
  type Html,
  html,
  pageEnd,
  pageHead,
  tableEnd,
  tableHead,
  tableRow,
} from '../../../report/html-page.ts';
import { monthBefore } from '../../../text/month.ts';
import { formatTime } from '../../../text/timezone.ts';
import { grouped } from '../../../text/words.ts';
import type { Outcome } from '../../command/command.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import type { NewFile } from '../../request/new-file.ts';
import type { Session } from '../../session/session.ts';
import { MEASURES } from './line-by-line.ts';

export interface UsagePage extends NewFile {
  readonly month: string;
}

/** Returns the same outcome. The page is written atomically after its rows have been read. */
export function withPage(session: Session, outcome: Outcome, page: UsagePage): Outcome {
  const { result, exit } = outcome;
  if (result.kind !== 'rows') return outcome;
  const { name, path, force } = page;
  const exitCode = () => (typeof exit === 'function' ? exit() : (exit ?? EXIT.done));
  let isWritten = false;
  async function* rows(): AsyncGenerator<JsonObject> {
    const file = await writeBeside(path, name, force);
    try {
      const write = (piece: Html): Promise<void> => file.write(piece.html);
      const total: Record<string, number> = {};
      let count = 0;
      await write(beginning(page.month, session.context.clock.now() / 1000));
      for await (const row of result.kind === 'rows' ? result.rows : []) {
        count += 1;
        for (const each of COLUMNS) addTo(total, row, each);
        await write(tableRow(COLUMNS, cellsOf(row, nameIn(row))));
        yield row;
      }
      // Without rows, or after an interruption, no page is written.
      if (count === 0 || session.context.signal.aborted) return;
      await write(tableEnd(count > 1 ? tableRow(COLUMNS, cellsOf(total, 'All of them')) : undefined));
      const notes = result.kind === 'rows' ? (result.notes?.() ?? []) : [];
      await write(ending(exitCode() === EXIT.done ? notes : [...notes, MISSING]));
      await file.commit();
      isWritten = true;
    } finally {
      if (!isWritten) await file.abort();
    }
  }
  const notes = () => [...(result.notes?.() ?? []), isWritten ? `wrote ${name}` : `${name} was not written`];
  return { ...outcome, result: { ...result, rows: rows(), notes } };
}

const MISSING = 'Not all companies are here: some could not be read.';

interface PageColumn {
  readonly title: string;
  readonly isNumber?: boolean;
  readonly attribute?: string;
  /** Set if the month before has a count too. */
  readonly hasBefore?: boolean;
}

const COLUMNS: readonly PageColumn[] = [
  { title: 'Company' },
  ...MEASURES.map((measure) => ({ ...measure, isNumber: true })),
];

const beginning = (month: string, now: number): Html => html`${pageHead(`Usage in ${month}`, true)}
<p>Made ${formatTime(now, 'UTC', 'table')} UTC. Completed tasks by the time they were scheduled for, on the clocks of each company; what
was sent is the number of subscriptions that the tasks were made with. Credits are those held when the page was made.</p>
${tableHead(`${month}, and below each number that of ${monthBefore(month)}`, COLUMNS)}`;

const ending = (notes: readonly string[]): Html =>
  html`${notes.length === 0 ? null : html`<ul>${notes.map((note) => html`<li>${note}</li>`)}</ul>\n`}${pageEnd}`;

/** Returns the name, or the id if none exists. */
function nameIn({ company, company_id }: JsonObject): Html {
  const id = String(company_id ?? '');
  return typeof company === 'string' && company !== '' ? html`${company}<small>${id}</small>` : html`${id}`;
}

const cellsOf = (row: JsonObject, name: Html | string) =>
  COLUMNS.map(({ attribute, hasBefore }) => {
    if (attribute === undefined) return name;
    const before = hasBefore ? html`<small>${numberIn(row, `${attribute}_before`)}</small>` : null;
    return html`${numberIn(row, attribute)}${before}`;
  });

/** Returns the number, or `-` if it is unknown. */
function numberIn(row: JsonObject, attribute: string): string {
  const value = row[attribute];
  return typeof value === 'number' ? grouped(value) : '-';
}

function addTo(total: Record<string, number>, row: JsonObject, { attribute, hasBefore }: PageColumn): void {
  if (attribute === undefined) return;
  for (const name of hasBefore ? [attribute, `${attribute}_before`] : [attribute])
    total[name] = (total[name] ?? 0) + (typeof row[name] === 'number' ? row[name] : 0);
}
