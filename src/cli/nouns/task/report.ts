import type { JsonObject } from '../../../protocol/envelope.ts';
import { task } from '../../../resources/task.ts';
import type { Verb } from '../../command/command.ts';
import { recordOf } from '../../request/references.ts';
import { idPositional } from '../generic/get.ts';
import { attributesOf, type StatisticName } from './statistics.ts';
import { tellStopped } from './stopped.ts';

export const taskReport: Verb = {
  name: 'report',
  summary: 'Show the statistics of a task, with shares of its size',
  example: 'task report 1',
  positionals: [idPositional(task)],
  flags: [],
  companies: 'reads',
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

/** What was wanted comes first. */
const REPORTED: readonly StatisticName[] = ['opens', 'clicks', 'bounces', 'unsubscriptions', 'complaints'];

/** A row for each statistic that the task's channel has; a share of nothing is null. */
export function statisticsOf(record: JsonObject): readonly JsonObject[] {
  const size = Number(record['size']);
  const share = (count: number): number | null =>
    size > 0 ? Math.round((count / size) * 10_000) / 100 : null;
  const counted = REPORTED.flatMap((statistic) =>
    attributesOf(statistic).flatMap((attribute) => {
      const count = record[attribute];
      return typeof count === 'number' ? [{ statistic, count, percent: share(count) }] : [];
    }),
  );
  const sized = typeof record['size'] === 'number';
  return sized ? [{ statistic: 'size', count: size, percent: null }, ...counted] : counted;
}
