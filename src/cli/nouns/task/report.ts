/** Contract, "Insight". */

import { task } from '../../../service/resources/task.ts';
import type { Input, Outcome, Verb } from '../../command/command.ts';
import { createReplaceFileFlag, textFlag, writtenFileFlag } from '../../command/flag.ts';
import { createVerbWithPrepareStep } from '../../command/run-verb.ts';
import { UsageError } from '../../errors/errors.ts';
import type { Column } from '../../output/result.ts';
import { checkNewFileAndNoCompaniesFlag } from '../../request/new-file.ts';
import { resolveRecord } from '../../request/references.ts';
import { isResultPrintedAsText } from '../../request/write-outcome.ts';
import type { Ports, ServiceAccess } from '../../session/ports.ts';
import { idPositional } from '../generic/read.ts';
import { warnIfCreditsRanOut } from './credit-stop.ts';
import {
  compareTaskFigures,
  comparisonOf,
  computeTaskFigures,
  type TaskAndComparedTask,
} from './report-figures.ts';

const compareFlag = {
  ...textFlag('compare', { describe: 'Task to compare with, by id or exact name', value: 'id-or-name' }),
  completes: task.noun,
};
const htmlFlag = writtenFileFlag('html', {
  writes: 'output',
  describe: 'Also write the report to this HTML file',
});
const forceFlag = createReplaceFileFlag('html');

export const taskReport: Verb = createVerbWithPrepareStep({
  name: 'report',
  summary: 'Show opens, clicks, unsubscribes, bounces and complaints of a task',
  about:
    'Each percentage is a share of the size: the number of subscriptions when the task was created. Each result, such as bounced, counts a recipient at most once. The service does not report how many messages were sent; a sandbox on this machine does. --compare shows differences in percentage points, and whether they are statistically significant',
  work: 'finds',
  methods: ['GET'],
  example: 'task report 1',
  positionals: [idPositional(task)],
  flags: [compareFlag, htmlFlag, forceFlag],
  companies: 'reads',
  prepare: async (session, input) => {
    const file = await checkNewFileAndNoCompaniesFlag(session, input, htmlFlag, forceFlag);
    return {
      run: async (acting) => {
        const records = await recordsIn(acting, input);
        for (const record of records) if (record !== undefined) await warnIfCreditsRanOut(acting, record);
        if (file !== undefined) {
          const { writeTaskReportPage } = await import('./report-page.ts');
          await writeTaskReportPage(acting, file, records);
        }
        return outcomeOf(acting, records);
      },
    };
  },
});

async function recordsIn(session: ServiceAccess, input: Input): Promise<TaskAndComparedTask> {
  const record = await resolveRecord(session, task, input.positionals[0] ?? '');
  const compared = input.get(compareFlag);
  if (compared === undefined) return [record, undefined];
  const other = await resolveRecord(session, task, compared);
  if (String(other.id) !== String(record.id)) return [record, other];
  throw new UsageError(`cannot compare task ${String(record.id)} with itself`, {
    hint: 'choose another task; svc task list shows the ids',
  });
}

async function outcomeOf(session: Ports, [record, other]: TaskAndComparedTask): Promise<Outcome> {
  if (await isResultPrintedAsText(session)) {
    const { formatTaskReport } = await import('./report-text.ts');
    return { result: { kind: 'text', text: await formatTaskReport(session, [record, other]) } };
  }
  const empty = 'The task has no statistics.';
  if (other === undefined) {
    const rows = computeTaskFigures(record).map((figure) => ({ ...figure }));
    return { result: { kind: 'rows', rows, columns: COLUMNS, empty } };
  }
  const { query, jq } = session.globals;
  // Other formats print a row for each statistic, with columns for both tasks.
  const isOneObject =
    (query ?? jq) !== undefined || ['json', 'ndjson', 'yaml'].includes(await session.format());
  if (isOneObject) {
    const value = { task: comparisonOf(record, other), other: comparisonOf(other, record) };
    return { result: { kind: 'object', value, columns: [{ name: 'task' }, { name: 'other' }] } };
  }
  const rows = compareTaskFigures(record, other).map((figure) => ({ ...figure }));
  return { result: { kind: 'rows', rows, columns: COMPARED_COLUMNS, empty } };
}

const numbers = (...names: readonly string[]): readonly Column[] =>
  names.map((name) => ({ name, kind: 'number' }));

const COLUMNS: readonly Column[] = [{ name: 'statistic' }, ...numbers('count', 'percent')];
const COMPARED_COLUMNS: readonly Column[] = [
  { name: 'statistic' },
  ...numbers('task_count', 'task_percent', 'other_count', 'other_percent', 'points'),
  { name: 'may_be_chance', kind: 'bool' },
];
