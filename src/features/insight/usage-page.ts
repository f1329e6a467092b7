/** Builds the HTML page of `svc usage --html`. */
import {
  type Html,
  html,
  htmlPageEnd,
  htmlPageStart,
  htmlTableEnd,
  htmlTableRow,
  htmlTableStart,
} from '../../kit/report/html-page.ts';
import { monthBefore } from '../../kit/text/calendar.ts';
import { formatTime } from '../../kit/text/timezone.ts';
import { groupThousands } from '../../kit/text/words.ts';
import { USAGE_MEASURES, type UsageRow } from './usage.ts';

/** The caller can write each part at once, to save memory. @param createdAt Unix seconds, shown on the page */
export function createUsagePageParts(month: string, createdAt: number) {
  const total: UsageTotal = {};
  let count = 0;
  return {
    beginning: beginning(month, createdAt),
    /** Also adds the counts of the company to the total. */
    row: (row: UsageRow): Html => {
      count += 1;
      for (const { attribute, before } of USAGE_MEASURES)
        for (const name of before === undefined ? [attribute] : [attribute, before])
          total[name] = (total[name] ?? 0) + (typeof row[name] === 'number' ? row[name] : 0);
      return htmlTableRow(COLUMNS, cellsOf(row, nameIn(row)));
    },
    isEmpty: () => count === 0,
    /** @param isWhole false if some companies are missing */
    ending: (notes: readonly string[], isWhole: boolean): Html =>
      html`${htmlTableEnd(count > 1 ? htmlTableRow(COLUMNS, cellsOf(total, 'All of them')) : undefined)}${ending(isWhole ? notes : [...notes, MISSING])}`,
  };
}

const MISSING = 'Some companies are missing, because they could not be read.';

type UsageTotal = { -readonly [attribute in keyof UsageRow]: number };

const COLUMNS = [{ title: 'Company' }, ...USAGE_MEASURES.map(({ title }) => ({ title, isNumber: true }))];

const beginning = (month: string, createdAt: number): Html => html`${htmlPageStart(`Usage in ${month}`, true)}
<p>Created ${formatTime(createdAt, 'UTC', 'table')} UTC. The page counts completed tasks by their send time, in the time zone of each
company. A task counts as many sent messages as it had subscriptions when it was created. Credits are the balance when the page was made.</p>
${htmlTableStart(`${month}; the smaller number below is that of ${monthBefore(month)}`, COLUMNS)}`;

const ending = (notes: readonly string[]): Html =>
  html`${notes.length === 0 ? null : html`<ul>${notes.map((note) => html`<li>${note}</li>`)}</ul>\n`}${htmlPageEnd}`;

function nameIn({ company, company_id }: UsageRow): Html {
  const id = String(company_id ?? '');
  return typeof company === 'string' && company !== '' ? html`${company}<small>${id}</small>` : html`${id}`;
}

const cellsOf = (row: UsageRow, name: Html | string) => [
  name,
  ...USAGE_MEASURES.map(({ attribute, before }) => {
    const small = before === undefined ? null : html`<small>${numberText(row[before])}</small>`;
    return html`${numberText(row[attribute])}${small}`;
  }),
];

const numberText = (value: unknown): string => (typeof value === 'number' ? groupThousands(value) : '-');
