/** `sandbox subscriber …`: one by one, or a file of them. */

import { readRecords } from '../../../bulk/records.ts';
import { sourceOf } from '../../../bulk/source.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import { type Group, textOf, textsOf, type Verb } from '../../command/command.ts';
import { UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import type { Column } from '../../output/result.ts';
import type { Session } from '../../session/session.ts';
import { askSandbox, DATA_FLAG } from './connection.ts';
import { controlVerb } from './control-verb.ts';
import { limitIn, PAGING_FLAGS, pagedRows } from './pages.ts';

const columns: readonly Column[] = [
  { name: 'id', kind: 'number' },
  { name: 'email' },
  { name: 'msisdn' },
  { name: 'lists' },
  { name: 'emailsuspended', kind: 'bool' },
  { name: 'smssuspended', kind: 'bool' },
  { name: 'cdate', kind: 'timestamp' },
];

/** Rows that go in one request. */
const BATCH = 500;
/** Rejected rows that are named; the others are counted. */
const NAMED = 50;

const list: Verb = {
  name: 'list',
  summary: 'Show the subscribers',
  example: 'sandbox subscriber list --list 1 --limit 20',
  flags: [
    { name: 'list', value: 'id', describe: 'Those of this list', group: 'Options' },
    ...PAGING_FLAGS,
    DATA_FLAG,
  ],
  run: async (session, input) => {
    const wanted = textOf(input, 'list');
    const rows = await pagedRows(session, input, {
      operation: 'subscriber list',
      args: wanted === undefined ? {} : { list: wholeNumber('list', wanted) },
      first: 0,
      limit: limitIn(session, input),
      columns,
      empty: 'There are no subscribers yet.',
    });
    return { result: rows };
  },
};

const importFile: Verb = {
  name: 'import',
  summary: 'Subscribe the rows of a CSV file',
  about:
    'The header names email, msisdn and profile fields. Those who are there already are subscribed and their fields ' +
    'set. Rows that are refused are told with their line, and the others go in: exit 8. No rule is set off',
  example: 'sandbox subscriber import --list 1 people.csv',
  positionals: [{ name: 'file', describe: 'CSV file, or - for standard input' }],
  flags: [
    { name: 'list', value: 'id', describe: 'List to subscribe to', group: 'Options', repeatable: true },
    DATA_FLAG,
  ],
  run: async (session, input) => {
    const lists = textsOf(input, 'list').map((text) => wholeNumber('list', text));
    if (lists.length === 0) throw new UsageError('--list must be given');
    if (session.dryRun.isOn) await sayImport(session, input.positionals[0] ?? '-', lists);
    const done = { rows: 0, made: 0, subscribed: 0, rejected: 0 };
    for await (const batch of batches(session, input.positionals[0] ?? '-')) {
      const rows = batch.map(({ values }) => values);
      const { data } = await askSandbox(session, input, 'subscriber import', { lists, rows });
      const answer = Object(data) as Imported;
      for (const { row, reason } of answer.rejected) {
        done.rejected += 1;
        if (done.rejected <= NAMED) await session.tell(`line ${batch[row]?.line ?? '?'}: ${reason}`);
      }
      done.rows += rows.length;
      done.made += answer.made;
      done.subscribed += answer.subscribed;
    }
    if (done.rejected > NAMED) await session.tell(`and ${done.rejected - NAMED} rows more`);
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

/** The whole file is read for it, so that what cannot be read is told. */
async function sayImport(session: Session, file: string, lists: readonly number[]): Promise<void> {
  let rows = 0;
  for await (const batch of batches(session, file)) rows += batch.length;
  session.beforeChange(`subscribe the ${rows} rows of ${file} to list ${lists.join(' and ')}`);
}

interface Imported {
  readonly made: number;
  readonly subscribed: number;
  readonly rejected: readonly { readonly row: number; readonly reason: string }[];
}

interface Row {
  readonly line: number;
  readonly values: JsonObject;
}

async function* batches({ context }: Session, file: string): AsyncGenerator<readonly Row[]> {
  const source = sourceOf(context, file);
  let names: readonly string[] | undefined;
  let batch: Row[] = [];
  for await (const { line, cells } of readRecords(source.chunks(), source.name, true)) {
    if (names === undefined) {
      names = cells.map(columnName);
      continue;
    }
    if (cells.length !== names.length)
      throw new UsageError(
        `line ${line} of ${source.name} has ${cells.length} cells, and its header ${names.length}`,
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

/** An empty cell says nothing. */
function valuesOf({ email, msisdn, ...others }: Readonly<Record<string, string>>): JsonObject {
  const fields = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== ''));
  return { ...(email ? { email } : {}), ...(msisdn ? { msisdn } : {}), fields };
}

function wholeNumber(flag: string, text: string): number {
  if (/^[0-9]{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`--${flag}: ${text} is not a whole number`);
}

export const subscriber: Group = {
  name: 'subscriber',
  summary: 'Make, import and see subscribers',
  commands: [
    controlVerb({
      operation: 'subscriber create',
      summary: 'Make a subscriber; no rule is set off',
      example: 'subscriber create --list 1 --email amelia@example.com',
      params: [
        { name: 'list', as: 'lists', kind: 'ids', describe: 'List to subscribe to', required: true },
        { name: 'email', kind: 'text', value: 'address', describe: 'E-mail address' },
        { name: 'msisdn', kind: 'text', value: 'number', describe: 'Mobile number' },
      ],
      columns,
    }),
    importFile,
    list,
  ],
};
