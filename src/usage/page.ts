/** Builds the HTML page of `svc usage --html`. */
import type { JsonObject } from '../protocol/envelope.ts';
import {
  type Html,
  html,
  htmlPageEnd,
  htmlPageStart,
  htmlTableEnd,
  htmlTableRow,
  htmlTableStart,
} from '../report/html-page.ts';
import { monthBefore } from '../text/calendar.ts';
import { formatTime } from '../text/timezone.ts';
import { groupThousands } from '../text/words.ts';
import { USAGE_MEASURES } from './counts.ts';

/**
 * Returns functions that build `beginning`, a `row` for each company, and `ending`. The caller can write each part at once, to save memory.
 * @param month month whose usage the page shows, such as `2026-11`
 * @param createdAt Unix seconds, shown on the page
 */
export function createUsagePageParts(month: string, createdAt: number) {
  const total: Record<string, number> = {};
  let count = 0;
  return {
    beginning: beginning(month, createdAt),
    /** Returns the row of a company as HTML, and adds the counts of the company to the total. */
    row: (row: JsonObject): Html => {
      count += 1;
      for (const each of COLUMNS) addTo(total, row, each);
      return htmlTableRow(COLUMNS, cellsOf(row, nameIn(row)));
    },
    isEmpty: () => count === 0,
    /**
     * Returns the end of the page: the total and the notes.
     * @param isWhole false if some companies are missing
     */
    ending: (notes: readonly string[], isWhole: boolean): Html =>
      html`${htmlTableEnd(count > 1 ? htmlTableRow(COLUMNS, cellsOf(total, 'All of them')) : undefined)}${ending(isWhole ? notes : [...notes, MISSING])}`,
  };
}

const MISSING = 'Some companies are missing, because they could not be read.';

interface PageColumn {
  readonly title: string;
  readonly isNumber?: boolean;
  readonly attribute?: string;
  /** True if a row also has this measure for the month before. */
  readonly hasBefore?: boolean;
}

const COLUMNS: readonly PageColumn[] = [
  { title: 'Company' },
  ...USAGE_MEASURES.map((measure) => ({ ...measure, isNumber: true })),
];

const beginning = (month: string, createdAt: number): Html => html`${htmlPageStart(`Usage in ${month}`, true)}
<p>Created ${formatTime(createdAt, 'UTC', 'table')} UTC. The page counts completed tasks by their send time, in the time zone of each
company. A task counts as many sent messages as it had subscriptions when it was created. Credits are the balance when the page was made.</p>
${htmlTableStart(`${month}; the smaller number below is that of ${monthBefore(month)}`, COLUMNS)}`;

const ending = (notes: readonly string[]): Html =>
  html`${notes.length === 0 ? null : html`<ul>${notes.map((note) => html`<li>${note}</li>`)}</ul>\n`}${htmlPageEnd}`;

/** Returns the company's name, or its id if it has no name. */
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

/** Returns the number of an attribute as text, or `-` if the number is unknown. */
function numberIn(row: JsonObject, attribute: string): string {
  const value = row[attribute];
  return typeof value === 'number' ? groupThousands(value) : '-';
}

function addTo(total: Record<string, number>, row: JsonObject, { attribute, hasBefore }: PageColumn): void {
  if (attribute === undefined) return;
  for (const name of hasBefore ? [attribute, `${attribute}_before`] : [attribute])
    total[name] = (total[name] ?? 0) + (typeof row[name] === 'number' ? row[name] : 0);
}
