/** Builds the HTML page of `svc usage --html`. */
import {
  type Html,
  html,
  htmlPageEnd,
  htmlPageStart,
  htmlSection,
  htmlTableEnd,
  htmlTableRow,
  htmlTableStart,
} from '../../kit/report/html-page.ts';
import type { ReportCell } from '../../kit/report/report.ts';
import { monthBefore } from '../../kit/text/calendar.ts';
import { formatTime } from '../../kit/text/timezone.ts';
import { groupThousands } from '../../kit/text/words.ts';
import { USAGE_MEASURES, type UsageRow } from './usage.ts';

/** The caller can write each part at once, to save memory. */
export function createUsagePageParts(month: string) {
  const total: UsageTotal = {};
  let count = 0;
  return {
    /** @param now Unix seconds, shown on the page */
    beginning: (now: number): Html => beginning(month, now),
    /** Also adds the counts of the company to the total. */
    row: (row: UsageRow): Html => {
      count += 1;
      for (const { attribute, before } of USAGE_MEASURES)
        for (const name of before === undefined ? [attribute] : [attribute, before])
          total[name] = (total[name] ?? 0) + (typeof row[name] === 'number' ? row[name] : 0);
      return htmlTableRow(COLUMNS, cellsOf(row, nameIn(row)));
    },
    /** @param isWhole false if some companies are missing */
    ending: (notes: readonly string[], isWhole: boolean): Html => {
      const texts = isWhole ? notes : [...notes, MISSING];
      const all = count > 1 ? htmlTableRow(COLUMNS, cellsOf(total, 'All of them')) : undefined;
      return html`${htmlTableEnd(all)}${texts.length === 0 ? null : htmlSection({ title: 'Notes', blocks: [{ kind: 'points', texts }] })}${htmlPageEnd}`;
    },
  };
}

const MISSING = 'Some companies are missing, because they could not be read.';

type UsageTotal = { -readonly [attribute in keyof UsageRow]: number };

const COLUMNS = [{ title: 'Company' }, ...USAGE_MEASURES.map(({ title }) => ({ title, isNumber: true }))];

const beginning = (month: string, now: number): Html =>
  html`${htmlPageStart(
    {
      title: `Usage in ${month}`,
      facts: [
        { term: 'Made', text: `${formatTime(now, 'UTC', 'table')} UTC` },
        {
          term: 'Counted',
          text: 'Completed tasks by their send time, in the time zone of each company. A task counts as many sent messages as it had subscriptions when it was created.',
        },
        { term: 'Credits', text: 'The balance when the page was made.' },
      ],
    },
    true,
  )}${htmlTableStart({
    caption: 'Sends of each company',
    columns: COLUMNS,
    legend: [month, `${monthBefore(month)}, the smaller number`],
  })}`;

function nameIn({ company, company_id }: UsageRow): ReportCell {
  const id = String(company_id ?? '');
  return typeof company === 'string' && company !== '' ? { lines: [company, id] } : id;
}

const cellsOf = (row: UsageRow, name: ReportCell): readonly ReportCell[] => [
  name,
  ...USAGE_MEASURES.map(({ attribute, before }) => {
    const values = (before === undefined ? [attribute] : [attribute, before]).map((each) => row[each]);
    const numbers = values.map((value) => (typeof value === 'number' ? value : 0));
    const most = Math.max(1, ...numbers);
    // A bar is compared with the other month, because the largest company is known only after the last row.
    const bars = before === undefined ? {} : { bars: numbers.map((number) => number / most) };
    return { lines: values.map(numberText), ...bars };
  }),
];

const numberText = (value: unknown): string => (typeof value === 'number' ? groupThousands(value) : '-');
