/** Rehearses series as if a job applied the file again and again until the end of the rehearsal. */

import type { Campaign } from '../campaign/model.ts';
import { isSeries, listOccurrences, type SeriesTask } from '../campaign/series.ts';
import type { RehearsedSend, RehearsedSeries } from './rehearsal-result.ts';

/** Makes the tasks of all times until the end, at once. The last ones may be due later. */
export const withWholeSeries = (campaign: Campaign, zone: string, until: number): Campaign => ({
  ...campaign,
  items: campaign.items.map((item) => {
    if (!isSeries(item)) return item;
    const { length } = listOccurrences(item, zone).filter(({ time }) => time <= until);
    return { ...item, repeat: { ...item.repeat, ahead: Math.max(1, length) } };
  }),
});

/** @param sends all sends of the rehearsal */
export const rehearsedSeries = (
  campaigns: readonly { readonly campaign: Campaign; readonly zone: string }[],
  sends: readonly RehearsedSend[],
): readonly RehearsedSeries[] =>
  campaigns.flatMap(({ campaign, zone }) =>
    campaign.items.filter(isSeries).map((item) => seriesOf(item, zone, sends)),
  );

function seriesOf(item: SeriesTask, zone: string, sends: readonly RehearsedSend[]): RehearsedSeries {
  const { key, name, list, search } = item;
  const { every, until, times } = item.repeat;
  return {
    ...{ key, name, list: numberOrNull(list), search: numberOrNull(search), every, until, times },
    sends: listOccurrences(item, zone).flatMap((occurrence) => {
      const send = sends.find((each) => each.key === occurrence.key);
      return send === undefined
        ? []
        : [{ day: occurrence.day, time: send.time, task: send.task, size: send.size, sent: send.sent }];
    }),
  };
}

const numberOrNull = (id: string | null): number | null => (id === null ? null : Number(id));
