/** Makes the page of `svc task report --html`. */
import { htmlPage } from '../../../kit/report/html-page.ts';
import type { Report, ReportTable, TermWithText } from '../../../kit/report/report.ts';
import { formatTime } from '../../../kit/text/timezone.ts';
import { capitalizeFirstLetter, groupThousands } from '../../../kit/text/words.ts';
import { removeMarks } from '../../../service/resources/campaign-mark.ts';
import { formatTaskName, type TaskRecord, task } from '../../../service/resources/task.ts';
import { lookUpNamesForCells } from '../../output/cell.ts';
import { columnsOfResource } from '../../output/columns.ts';
import { readListNames } from '../../request/list-names.ts';
import { type NewFile, writeNewFile } from '../../request/new-file.ts';
import type { Ports } from '../../session/ports.ts';
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
  const reached = other === undefined ? await readSendCounts(session, record) : undefined;
  const explained = explainTaskReport([record, other], now, reached);
  const report: Report = {
    title: shown.map(formatTaskName).join(' and '),
    facts: [
      ...(await factsOf(session, shown)),
      { term: 'Made', text: `${formatTime(now, 'UTC', 'table')} UTC` },
    ],
    sections: [
      {
        title: 'Results',
        blocks: [
          other === undefined ? figureTable(record, now, reached) : comparisonTable(record, other, now),
          ...explained.map((text) => ({ kind: 'paragraph', text }) as const),
        ],
      },
    ],
  };
  await writeNewFile(session, file, htmlPage(report));
  await session.info(`wrote ${file.name}`);
}

/** A message or a list is named `Spring sale (3)`, or only by its id if its name can't be read. */
async function factsOf(session: Ports, records: readonly TaskRecord[]): Promise<readonly TermWithText[]> {
  const columns = columnsOfResource(task).attributes.filter(({ name }) => name === 'message_id');
  const nameIn = await lookUpNamesForCells(columns, records, session.names);
  const listNames = await readListNames(session);
  const facts: TermWithText[] = [];
  for (const record of records) {
    const { id, list_id: list, search_id: search, message_id: message } = record;
    const listName = listNames.get(String(list));
    facts.push(
      { term: 'Task', text: `${String(id)}, ${formatTaskName(record)}` },
      {
        term: 'Message',
        text: removeMarks(
          columns.flatMap((column) => nameIn(column, record) ?? [])[0] ?? String(message ?? '-'),
        ),
      },
      list === null && search !== null
        ? { term: 'Search', text: String(search) }
        : {
            term: 'List',
            text: listName === undefined ? String(list ?? '-') : `${listName} (${String(list)})`,
          },
      { term: 'Send', text: await formatTaskState(session, record) },
    );
  }
  return facts;
}

function figureTable(record: TaskRecord, now: number, reached: SendCounts | undefined): ReportTable {
  const size = sizeOf(record) ?? 0;
  return {
    kind: 'table',
    caption: 'How many people did what',
    columns: columnsOf('Count', 'Share of subscriptions'),
    rows: buildTaskReportLines(record, now, reached).map(({ label, count, share }) => [
      capitalizeFirstLetter(label),
      groupThousands(count),
      { lines: [share], bars: [size > 0 ? count / size : 0] },
    ]),
  };
}

const columnsOf = (...numbers: readonly string[]): ReportTable['columns'] => [
  { title: 'What' },
  ...numbers.map((title) => ({ title, isNumber: true })),
];

function comparisonTable(record: TaskRecord, other: TaskRecord, now: number): ReportTable {
  const sizes = [sizeOf(record) ?? 0, sizeOf(other) ?? 0];
  const most = Math.max(...sizes);
  return {
    kind: 'table',
    caption: `${formatTaskName(record)} beside ${formatTaskName(other)}`,
    columns: columnsOf(`Task ${String(record.id)}`, `Task ${String(other.id)}`, 'Points'),
    rows: buildComparisonLines(record, other, now).map(({ figure, label, values, points, chance }) => [
      capitalizeFirstLetter(label),
      ...values.map((lines, at) => {
        const count = [figure.task_count, figure.other_count][at] ?? 0;
        // Sizes are compared with each other, other counts with the size of their task.
        const of = figure.statistic === 'size' ? most : (sizes[at] ?? 0);
        return { lines, bars: [of > 0 ? count / of : 0] };
      }),
      { lines: [points, chance] },
    ]),
  };
}
