/** Reads the series of a task, or the sequence of a rule, from the records of the service (contract, "Insight"). */

import type { Client } from '../../client/requests/client.ts';
import {
  describePlaceInSequence,
  findRuleSequences,
  mayBeStep,
} from '../../service/automations/rule-sequences.ts';
import { type AutomationRule, readRule } from '../../service/automations/rules.ts';
import { ruleResource } from '../../service/resources/rule-kinds.ts';
import { SEQUENCE_RULE_KIND } from '../../service/resources/step-names.ts';
import { type TaskRecord, task } from '../../service/resources/task.ts';
import { describePlaceInSeries, findTaskSeries, mayBeOfSeries } from '../../service/resources/task-series.ts';
import type { FormatMoment } from './why.ts';

/** Limit of the records that svc reads. If it reaches the limit, it says nothing, because numbers could be wrong. */
const MAX_RECORDS = 1000;

type Place = (moment: FormatMoment) => readonly string[];
const NOWHERE: Place = () => [];

/** Sends no request for a task without the mark of a campaign. @param now Unix seconds by the service's clock */
export async function readPlaceInSeries(
  client: Client,
  record: TaskRecord,
  zone: string,
  now: number,
): Promise<Place> {
  if (!mayBeOfSeries(record)) return NOWHERE;
  const filters = record.list_id == null ? {} : { list_id: record.list_id };
  const found = await collect(client.list(task, { filters, limit: MAX_RECORDS }));
  const own = found.find(({ id }) => String(id) === String(record.id));
  const series = own && findTaskSeries(found, zone).get(own);
  if (own === undefined || series === undefined || found.length === MAX_RECORDS) return NOWHERE;
  return (moment) => describePlaceInSeries(own, series, now, moment);
}

/** Sends no request for a rule whose name is not that of a step. */
export async function readPlaceInSequence(client: Client, rule: AutomationRule): Promise<Place> {
  if (!mayBeStep(rule)) return NOWHERE;
  const found = await collect(client.list(ruleResource(SEQUENCE_RULE_KIND), { limit: MAX_RECORDS }));
  const rules = found.map((record) => readRule(SEQUENCE_RULE_KIND, record));
  const sequence = findRuleSequences(rules).get(rule.ref);
  if (sequence === undefined || found.length === MAX_RECORDS) return NOWHERE;
  return () => [describePlaceInSequence(rule, sequence)];
}

async function collect<T>(rows: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const row of rows) found.push(row);
  return found;
}
