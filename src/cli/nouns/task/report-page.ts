/** Writes a self-contained page, with bars as inline SVG. */

import {
  barChart,
  type ChartBar,
  type Html,
  type HtmlTableColumn,
  html,
  htmlPageEnd,
  htmlPageStart,
  htmlTableEnd,
  htmlTableRow,
  htmlTableStart,
} from '../../../kit/report/html-page.ts';
import { formatTime } from '../../../kit/text/timezone.ts';
import { capitalizeFirstLetter, groupThousands } from '../../../kit/text/words.ts';
import { formatTaskName, type TaskRecord, task } from '../../../service/resources/task.ts';
import { lookUpNamesForCells } from '../../output/cell.ts';
import { columnsOfResource } from '../../output/columns.ts';
import { type NewFile, writeNewFile } from '../../request/new-file.ts';
import type { Clocks, Ports, ServiceAccess } from '../../session/ports.ts';
import { sizeOf, type TaskAndComparedTask } from './report-figures.ts';
import {
  buildComparisonLines,
  buildTaskReportLines,
  explainTaskReport,
  formatTaskState,
  readSendCounts,
  type SendCounts,
} from './report-words.ts';

export async function writeTaskReportPage(
  session: Ports,
  file: NewFile,
  [record, other]: TaskAndComparedTask,
): Promise<void> {
  const now = await session.serviceNow();
  const shown = other === undefined ? [record] : [record, other];
  const messageIn = await messagesOf(session, shown);
  const facts = await Promise.all(shown.map((each) => factsOf(session, each, messageIn(each))));
  const reached = other === undefined ? await readSendCounts(session, record) : undefined;
  const numbers = other === undefined ? funnelOf(record, now, reached) : comparisonOf(record, other, now);
  const made = `Made ${formatTime(now, 'UTC', 'table')} UTC.`;
  const page = [
    htmlPageStart(shown.map(formatTaskName).join(' and ')),
    ...facts,
    ...numbers,
    ...[...explainTaskReport([record, other], now, reached), made].map((text) => html`<p>${text}</p>\n`),
    htmlPageEnd,
  ];
  await writeNewFile(session, file, page.map((piece) => piece.html).join(''));
  await session.info(`wrote ${file.name}`);
}

async function factsOf(session: Clocks, record: TaskRecord, message: string): Promise<Html> {
  const { list_id, search_id } = record;
  const facts = [
    ['Task', `${String(record.id)}, ${formatTaskName(record)}`],
    ['Message', message],
    [list_id == null && search_id != null ? 'Search' : 'List', String(list_id ?? search_id ?? '-')],
    ['Send', await formatTaskState(session, record)],
  ];
  return html`<dl>
${facts.map(([term, text]) => html`<dt>${term}</dt><dd>${text}</dd>\n`)}</dl>
`;
}

/** Names a message `Spring sale (3)`, or only by its id if the name can't be read. */
async function messagesOf(
  session: ServiceAccess,
  records: readonly TaskRecord[],
): Promise<(record: TaskRecord) => string> {
  const columns = columnsOfResource(task).attributes.filter(({ name }) => name === 'message_id');
  const nameIn = await lookUpNamesForCells(columns, records, session.names);
  return (record) => {
    const names = columns.flatMap((column) => nameIn(column, record) ?? []);
    return names[0] ?? String(record.message_id ?? '-');
  };
}

function funnelOf(record: TaskRecord, now: number, reached: SendCounts | undefined): readonly Html[] {
  const size = sizeOf(record) ?? 0;
  const lines = buildTaskReportLines(record, now, reached);
  const bars = lines.map(
    ({ label, count, share }): ChartBar => ({
      label: capitalizeFirstLetter(label),
      value: chartValue([groupThousands(count), share]),
      share: size > 0 ? count / size : 0,
    }),
  );
  const columns = [
    { title: 'What' },
    { title: 'Count', isNumber: true },
    { title: 'Share of subscriptions', isNumber: true },
  ];
  return [
    barChart(`Report on ${formatTaskName(record)}`, bars),
    htmlTableStart('The data of the chart as numbers', columns),
    ...lines.map(({ label, count, share }) =>
      htmlTableRow(columns, [capitalizeFirstLetter(label), groupThousands(count), share]),
    ),
    htmlTableEnd(),
  ];
}

function comparisonOf(record: TaskRecord, other: TaskRecord, now: number): readonly Html[] {
  const lines = buildComparisonLines(record, other, now);
  const [one, two] = [`Task ${String(record.id)}`, `Task ${String(other.id)}`];
  const sizes = [sizeOf(record) ?? 0, sizeOf(other) ?? 0];
  const most = Math.max(...sizes);
  const bars = lines.flatMap(({ figure, label, values }): readonly ChartBar[] => {
    const counts = [figure.task_count, figure.other_count];
    return [one, two].map((name, at): ChartBar => {
      const count = counts[at] ?? 0;
      // Sizes are compared with each other, other counts with the size of their task.
      const of = figure.statistic === 'size' ? most : (sizes[at] ?? 0);
      return {
        label: `${capitalizeFirstLetter(label)}, ${name.toLowerCase()}`,
        value: chartValue(values[at] ?? ['-', '']),
        share: of > 0 ? count / of : 0,
        isSecondOfPair: at === 1,
        isCloseToPrevious: at === 1,
      };
    });
  });
  const columns: readonly HtmlTableColumn[] = [
    { title: 'What' },
    { title: one, isNumber: true },
    { title: two, isNumber: true },
    { title: 'Points', isNumber: true },
  ];
  return [
    barChart(`${formatTaskName(record)} beside ${formatTaskName(other)}`, bars),
    htmlTableStart('The data of the chart as numbers', columns),
    ...lines.map(({ label, values, points, chance }) =>
      htmlTableRow(columns, [
        capitalizeFirstLetter(label),
        ...values.map(([count, share]) => html`${count}<small>${share}</small>`),
        points === '' ? '' : html`${points}<small>${chance}</small>`,
      ]),
    ),
    htmlTableEnd(),
  ];
}

const chartValue = (texts: readonly [count: string, share: string]): string =>
  texts.filter((text) => text !== '').join(' · ');
