/** Declares `svc sandbox subscriber import`, which sends the rows of a CSV file in batches. */

import { readDelimitedRecords } from '../../../client/bulk/records.ts';
import { openInputSource } from '../../../client/bulk/source.ts';
import { similarWords } from '../../../kit/text/words.ts';
import { controlOperationNamed } from '../../../service/protocol/control.ts';
import { createRowProgressDisplay } from '../../bulk/progress.ts';
import type { Input, Verb } from '../../command/command.ts';
import { UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { chooseProgressBarGlyphs } from '../../output/bar.ts';
import { canRedrawLines } from '../../output/redraw.ts';
import type { Changes, Invocation } from '../../session/ports.ts';
import { dataFlag, requestSandboxOperation } from './connection.ts';
import { operationVerbHelp } from './control-verb.ts';
import { operationParameterFlags, readOperationParameters } from './parameters.ts';

const OPERATION = controlOperationNamed('subscriber import');
const BATCH = 1_000;
const MAX_LISTED_ROWS = 50;

export const importSubscribers: Verb = {
  ...operationVerbHelp('subscriber import'),
  exits: { 8: 'rows failed' },
  positionals: [{ name: 'file', describe: 'CSV file, or - for standard input', completes: 'file' }],
  flags: [...operationParameterFlags(OPERATION), dataFlag],
  run: async (session, input) => {
    const args = await readOperationParameters(session, input, 'subscriber import');
    const file = input.positionals[0] ?? '-';
    if (session.dryRun.isOn) await sayImport(session, file, args.lists);
    const done = { rows: 0, made: 0, subscribed: 0, rejected: 0 };
    const progress = progressOf(session);
    try {
      const checkColumns = (names: readonly string[]) => requireFields(session, input, names);
      for await (const batch of batches(session, file, checkColumns)) {
        const rows = batch.map(({ values }) => values);
        const { data } = await requestSandboxOperation(session, input, 'subscriber import', {
          ...args,
          rows,
        });
        for (const { row, reason } of data.rejected) {
          done.rejected += 1;
          if (done.rejected > MAX_LISTED_ROWS) continue;
          progress.end();
          await session.warn(`line ${batch[row]?.line ?? '?'}: ${reason}`);
        }
        done.rows += rows.length;
        done.made += data.made;
        done.subscribed += data.subscribed;
        const added = done.rows - done.rejected;
        progress.update({ ...done, added, skipped: 0, failed: 0, unconfirmed: 0 });
      }
    } finally {
      progress.end();
    }
    if (done.rejected > MAX_LISTED_ROWS)
      await session.warn(`and ${done.rejected - MAX_LISTED_ROWS} more rejected rows`);
    return {
      result: {
        kind: 'object',
        value: done,
        columns: Object.keys(done).map((name) => ({ name, kind: 'number' as const })),
      },
      ...(done.rejected > 0 ? { exit: EXIT.partial } : {}),
    };
  },
};

/** There is no total, because the file may be a pipe whose rows cannot be counted in advance. */
const progressOf = ({ context, globals }: Invocation) =>
  createRowProgressDisplay({
    stderr: context.stderr,
    isDrawn: canRedrawLines(context.stderr, context.env, globals.plain),
    clock: context.clock,
    quiet: globals.quiet,
    glyphs: chooseProgressBarGlyphs(context.env, context.platform),
    total: undefined,
    verb: 'imported',
    waiting: () => undefined,
  });

/** Reads the whole file first, so that the dry run also reports unreadable rows. */
async function sayImport(
  session: Invocation & Changes,
  file: string,
  lists: readonly number[],
): Promise<void> {
  let rows = 0;
  for await (const batch of batches(session, file)) rows += batch.length;
  session.beforeChange(`subscribe the ${rows} rows of ${file} to list ${lists.join(' and ')}`);
}

/** @throws UsageError for the first column that is no profile field, because the sandbox would refuse every row */
async function requireFields(
  session: Parameters<typeof requestSandboxOperation>[0],
  input: Input,
  columns: readonly string[],
): Promise<void> {
  const others = columns.filter((name) => name !== 'email' && name !== 'msisdn');
  if (others.length === 0) return;
  const { data } = await requestSandboxOperation(session, input, 'field list', {});
  const fields = data.map(({ name }) => name);
  const unknown = others.find((name) => !fields.includes(name));
  if (unknown === undefined) return;
  const [near] = similarWords(unknown, fields);
  throw new UsageError(
    `column "${unknown}" is not a profile field${near === undefined ? '' : `; did you mean ${near}?`}`,
    { hint: 'run svc sandbox field list to see the fields' },
  );
}

interface Row {
  readonly line: number;
  readonly values: ReturnType<typeof valuesOf>;
}

async function* batches(
  { context }: Invocation,
  file: string,
  checkColumns?: (names: readonly string[]) => Promise<void>,
): AsyncGenerator<readonly Row[]> {
  const source = openInputSource(context, file);
  let names: readonly string[] | undefined;
  let batch: Row[] = [];
  for await (const { line, cells } of readDelimitedRecords(source.chunks(), source.name, true)) {
    if (names === undefined) {
      names = cells.map(columnName);
      await checkColumns?.(names);
      continue;
    }
    if (cells.length !== names.length)
      throw new UsageError(
        `line ${line} of ${source.name} has ${cells.length} cells, but its header has ${names.length}`,
      );
    const record = Object.fromEntries(names.map((name, at) => [name, cells[at] ?? '']));
    batch.push({ line, values: valuesOf(record) });
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

const columnName = (name: string): string =>
  /^(email|msisdn)$/i.test(name.trim()) ? name.trim().toLowerCase() : name.trim();

function valuesOf({ email, msisdn, ...others }: Readonly<Record<string, string>>) {
  const fields = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== ''));
  return { ...(email ? { email } : {}), ...(msisdn ? { msisdn } : {}), fields };
}
