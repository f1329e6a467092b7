import type { JsonObject } from '../../../protocol/envelope.ts';
import { task } from '../../../resources/task.ts';
import type { Verb } from '../../command/command.ts';
import { recordOf } from '../../request/references.ts';
import { idPositional } from '../generic/get.ts';
import { tellStopped } from './stopped.ts';

export const taskReport: Verb = {
  name: 'report',
  summary: 'Show the statistics of a task: counts, and their share of its size',
  example: 'task report 12',
  positionals: [idPositional(task)],
  flags: [],
  run: async (session, { positionals: [text = ''] }) => {
    const record = await recordOf(session, task, text);
    const rows = statisticsOf(record);
    await tellStopped(session, record);
    const columns = [
      { name: 'statistic' },
      { name: 'count', kind: 'number' as const },
      { name: 'percent', kind: 'number' as const },
    ];
    return { result: { kind: 'rows', rows, columns, empty: 'it has no statistics' } };
  },
};

const STATISTICS: Readonly<Record<string, string>> = {
  size: 'size',
  emailuniqueopens: 'opens',
  emailuniqueclicks: 'clicks',
  emailuniquebounces: 'bounces',
  smsuniquebounces: 'bounces',
  emailuniqueunsubscriptions: 'unsubscriptions',
  emailuniquecomplaints: 'complaints',
};

/** A row for each statistic that the task's channel has; a share of nothing is null. */
export function statisticsOf(record: JsonObject): readonly JsonObject[] {
  const size = Number(record['size']);
  return Object.entries(STATISTICS).flatMap(([attribute, statistic]) => {
    const count = record[attribute];
    if (typeof count !== 'number') return [];
    const percent = size > 0 ? Math.round((count / size) * 10_000) / 100 : null;
    return [{ statistic, count, percent: attribute === 'size' ? null : percent }];
  });
}
