import { titleOf } from '../../../client/requests/record-title.ts';
import {
  alignColumns,
  displayWidth,
  truncateToWidth,
  wrapLinesBreakingWords,
} from '../../../kit/text/display-width.ts';
import { escapeForTerminal } from '../../../kit/text/terminal.ts';
import { groupThousands } from '../../../kit/text/words.ts';
import { type TaskRecord, task } from '../../../service/resources/task.ts';
import { appendProgressBar, chooseProgressBarGlyphs, type ProgressBarGlyphs } from '../../output/bar.ts';
import { type ColourPainter, isColourWanted, loadColourPainter } from '../../output/colour.ts';
import { usableTerminalColumns } from '../../output/redraw.ts';
import type { Clocks, Invocation, Profiles, Tell } from '../../session/ports.ts';
import { sizeOf, type TaskAndComparedTask } from './report-figures.ts';
import {
  buildComparisonLines,
  buildTaskReportLines,
  explainTaskReport,
  formatTaskState,
  readSendCounts,
  type SendCounts,
} from './report-words.ts';

interface ReportLayout {
  readonly width: number;
  readonly paint: ColourPainter;
  /** Omitted if no bars are drawn. */
  readonly glyphs?: ProgressBarGlyphs;
  /** Unix seconds, by the service. */
  readonly now: number;
}

export async function formatTaskReport(
  session: Invocation & Tell & Profiles & Clocks,
  [record, other]: TaskAndComparedTask,
): Promise<string> {
  const { stdout, env, platform } = session.context;
  const { plain, color } = session.globals;
  const { wrapLinesKeepingCommands: wrap } = await import('../../../kit/text/wrapped.ts');
  const layout: ReportLayout = {
    width: usableTerminalColumns({ columns: stdout.isTTY ? stdout.columns : undefined }),
    paint: await loadColourPainter(!plain && isColourWanted(env, stdout, !color)),
    ...(plain ? {} : { glyphs: chooseProgressBarGlyphs(env, platform) }),
    now: await session.serviceNow(),
  };
  const lines = await headOf(session, record, layout);
  const reached = other === undefined ? await readSendCounts(session, record) : undefined;
  if (other === undefined) lines.push('', ...funnelLines(record, reached, layout));
  else lines.push(...(await headOf(session, other, layout)), '', ...comparedLines(record, other, layout));
  const explained = explainTaskReport([record, other], layout.now, reached);
  lines.push('', ...explained.flatMap((text) => wrap(text, layout.width)));
  return lines.map((line) => `${line}\n`).join('');
}

async function headOf(
  session: Clocks,
  record: TaskRecord,
  { paint, width }: ReportLayout,
): Promise<string[]> {
  const title = escapeForTerminal(titleOf(task, record));
  return [
    ...wrapLinesBreakingWords(title, width).map((line) => paint.heading(line)),
    ...wrapLinesBreakingWords(escapeForTerminal(await formatTaskState(session, record)), width),
  ];
}

function funnelLines(
  record: TaskRecord,
  reached: SendCounts | undefined,
  looks: ReportLayout,
): readonly string[] {
  const { glyphs, now } = looks;
  const size = sizeOf(record) ?? 0;
  const figures = buildTaskReportLines(record, now, reached).map(({ label, count, share }) => ({
    label,
    count: groupThousands(count),
    percent: share,
    share: size > 0 ? count / size : 0,
  }));
  if (glyphs === undefined)
    return figures.map(
      ({ label, count, percent }) => `${label}: ${count}${percent === '' ? '' : `, ${percent}`}`,
    );
  const labels = widest(figures.map(({ label }) => label));
  const counts = widest(figures.map(({ count }) => count));
  const percents = widest(figures.map(({ percent }) => percent));
  return figures.map(({ label, count, percent, share }) => {
    const text = `${label.padEnd(labels)}  ${count.padStart(counts)}  ${percent.padStart(percents)}`;
    return appendProgressBar(text, share, { ...looks, glyphs });
  });
}

const widest = (texts: readonly string[]): number => Math.max(0, ...texts.map(displayWidth));

function comparedLines(record: TaskRecord, other: TaskRecord, looks: ReportLayout): readonly string[] {
  const { paint, width, glyphs, now } = looks;
  const names = [record, other].map(({ id }) => `task ${String(id)}`);
  const figures = buildComparisonLines(record, other, now).map(({ points, ...line }) => ({
    ...line,
    points: points === '' ? '' : `${points} points`,
  }));
  const rows = [
    ['', names[0] ?? '', '', names[1] ?? '', '', '', ''],
    ...figures.map(({ label, values, points, chance }) => [label, ...values.flat(), points, chance]),
  ];
  const lastColumn = 6;
  const table = alignColumns(rows, (column) => column > 0 && column < lastColumn);
  if (glyphs !== undefined && table.every((line) => displayWidth(line) <= width)) {
    const [head = '', ...lines] = table;
    return [paint.heading(head), ...lines];
  }
  const spoken = figures.flatMap(({ label, values, points, chance }) => [
    `${label}:`,
    ...values.map((value, at) => `  ${names[at]}: ${value.filter((text) => text !== '').join(', ')}`),
    ...(points === '' ? [] : [`  difference: ${points}, ${chance}`]),
  ]);
  return spoken.map((line) => truncateToWidth(line, width));
}
