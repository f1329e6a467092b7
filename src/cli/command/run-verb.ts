import type { JsonObject } from '../../service/protocol/envelope.ts';
import { formatJson } from '../../service/protocol/json.ts';
import type { Column } from '../output/result.ts';
import type { PlannedChange } from '../session/dry-run.ts';
import type { Changes, Ports, Tell } from '../session/ports.ts';
import type { Input, Outcome, PreparedVerb, Verb } from './command.ts';

/** Returns the planned requests of a dry run, and then ignores errors, because no request was sent. */
export async function runOrListPlannedRequests(
  session: Tell & Changes,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  const { dryRun } = session;
  try {
    const outcome = await work();
    if (dryRun.planned.length === 0) return outcome;
  } catch (error) {
    if (dryRun.planned.length === 0) throw error;
  }
  return dryRunOutcome(session);
}

export function createVerbWithPrepareStep(
  verb: Omit<Verb, 'run' | 'prepare'> & {
    readonly prepare: (session: Ports, input: Input) => Promise<PreparedVerb>;
  },
): Verb {
  return {
    ...verb,
    run: async (session, input) => {
      const { run, finish } = await verb.prepare(session, input);
      const outcome = await run(session, input);
      return finish?.(outcome) ?? outcome;
    },
  };
}

async function dryRunOutcome(session: Tell & Changes): Promise<Outcome> {
  const { warn } = session;
  const { planned } = session.dryRun;
  const format = await session.format();
  const isForPeople = format === 'table' || format === 'id';
  const rows: JsonObject[] = [];
  for (const each of planned) {
    if ('would' in each && isForPeople) await warn(`Would ${each.would}`);
    else if (format === 'id') await warn(`Would send ${plannedText(each)}`);
    else rows.push({ ...each });
  }
  const [only] = rows;
  if (only === undefined) return { result: { kind: 'nothing' } };
  const columns = PLANNED_COLUMNS.filter(({ name }) => rows.some((row) => Object.hasOwn(row, name)));
  if (rows.length === 1) return { result: { kind: 'object', value: only, columns } };
  return { result: { kind: 'rows', rows, columns, empty: '' } };
}

/** A dry run that hides what it would send is useless, so the body is never omitted or cut. */
const PLANNED_COLUMNS: readonly Column[] = [
  { name: 'would' },
  { name: 'method' },
  { name: 'path' },
  { name: 'body', keep: true, wraps: true },
];

const plannedText = (planned: PlannedChange): string =>
  'would' in planned
    ? planned.would
    : [planned.method, planned.path, ...(planned.body === undefined ? [] : [formatJson(planned.body)])].join(
        ' ',
      );
