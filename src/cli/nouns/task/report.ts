import type { JsonObject } from '../../../protocol/envelope.ts';
import { task } from '../../../resources/task.ts';
import type { Verb } from '../../command/command.ts';
import { barOf, glyphsFor } from '../../output/bar.ts';
import type { Column } from '../../output/result.ts';
import { recordOf } from '../../request/references.ts';
import type { Session } from '../../session/session.ts';
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
    const columns: readonly Column[] = [
      { name: 'statistic' },
      { name: 'count', kind: 'number' },
      { name: 'percent', kind: 'number' },
      ...(session.context.stdout.isTTY && !session.globals.plain ? [shareBar(session)] : []),
    ];
    return { result: { kind: 'rows', rows, columns, empty: 'it has no statistics' } };
  },
};

const BAR_COLUMNS = 20;

/** Where a person looks: as long as all of them. */
function shareBar({ context: { env, platform } }: Session): Column {
  const glyphs = glyphsFor(env, platform);
  const word = ({ percent }: JsonObject): { readonly text: string } => {
    if (typeof percent !== 'number') return { text: '' };
    const { full, rest } = barOf(percent / 100, BAR_COLUMNS, glyphs);
    return { text: `${full}${rest}` };
  };
  return { name: 'share', workedOut: { from: ['percent'], word } };
}

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
