import type { JsonObject } from '../../protocol/envelope.ts';
import { formatJson } from '../../protocol/json.ts';
import type { OutputFormat } from '../output/format.ts';
import type { DryRunState, PlannedChange } from '../session/dry-run.ts';
import type { Outcome } from './command.ts';

/** Returns the outcome of a command with `--dry-run`: the changes that the command would make. `warn` prints a line on stderr. */
export async function dryRunOutcome(
  { planned }: DryRunState,
  format: OutputFormat,
  warn: (line: string) => Promise<void>,
): Promise<Outcome> {
  const isForPeople = format === 'table' || format === 'id';
  const rows: JsonObject[] = [];
  for (const each of planned) {
    if ('would' in each && isForPeople) await warn(`Would ${each.would}`);
    else if (format === 'id') await warn(`Would send ${plannedText(each)}`);
    else rows.push({ ...each });
  }
  const [only] = rows;
  if (only === undefined) return { result: { kind: 'nothing' } };
  const columns = ['would', 'method', 'path', 'body']
    .filter((name) => rows.some((row) => Object.hasOwn(row, name)))
    .map((name) => ({ name }));
  if (rows.length === 1) return { result: { kind: 'object', value: only, columns } };
  return { result: { kind: 'rows', rows, columns, empty: '' } };
}

const plannedText = (planned: PlannedChange): string =>
  'would' in planned
    ? planned.would
    : [planned.method, planned.path, ...(planned.body === undefined ? [] : [formatJson(planned.body)])].join(
        ' ',
      );
