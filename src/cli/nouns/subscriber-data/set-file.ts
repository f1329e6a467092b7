/** Sets the value of each row, whether or not the subscriber already has a value. */

import {
  type RowByColumnName,
  readRowsByColumnName,
  type WantedColumn,
} from '../../../client/bulk/columns.ts';
import { createTextFingerprintSet } from '../../../client/bulk/fingerprints.ts';
import type { CheckedRow, RowOperation } from '../../../client/bulk/row.ts';
import { type InputSource, openInputSource } from '../../../client/bulk/source.ts';
import type { Client } from '../../../client/requests/client.ts';
import { sayFinding } from '../../../kit/schema/reason.ts';
import { type Finding, fieldOf, joinCompositeId, type Values } from '../../../kit/schema/resource.ts';
import { parseFieldText } from '../../../kit/schema/text-value.ts';
import { subscriberProfileData as data } from '../../../service/resources/subscriber-profile-data.ts';
import { runBulkJob } from '../../bulk/job.ts';
import { checkingRowsNotice, withWaitNotice } from '../../bulk/waiting.ts';
import type { Input, Outcome } from '../../command/command.ts';
import { InvalidInputError, UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { createItemResult } from '../../output/result.ts';
import { lookUpPendingValues, readBody } from '../../request/body.ts';
import type { Invocation, Notes, Ports, Profiles } from '../../session/ports.ts';

type Attribute = 'subscriber_id' | 'subscriberprofilefield_id' | 'value';

const COLUMNS: readonly (WantedColumn & { readonly attribute: Attribute })[] = [
  { name: 'subscriber', attribute: 'subscriber_id', names: ['subscriber', 'subscriberid'], optional: true },
  {
    name: 'field',
    attribute: 'subscriberprofilefield_id',
    names: ['field', 'fieldid', 'subscriberprofilefieldid'],
    optional: true,
  },
  { name: 'value', attribute: 'value', names: ['value'], optional: true },
];

const STEP = 256;
const NAMED = 20;

export async function setValuesFromFile(session: Ports, input: Input, file: string): Promise<Outcome> {
  const source = openInputSource(
    session.context,
    file,
    'give - and pipe the rows in; such a run cannot be resumed',
  );
  const draft = await readBody(session, data, 'POST', input);
  if (draft.findings.length > 0) throw new InvalidInputError(draft.findings);
  if (input.positionals.length > 0) throw new UsageError('cannot combine an id with --file');
  const defaults = await lookUpPendingValues(draft.body, draft.lookUps);
  const rows = () => checkedRows(session, readRowsByColumnName(source, COLUMNS), defaults);
  if (session.globals.dryRun) return dryRunResult(session, rows());
  const count =
    source.path === undefined
      ? 0
      : await withWaitNotice(session, checkingRowsNotice(source), () => countRows(source));
  const sha256 = source.digest();
  await session.accountLabel.announce();
  return runBulkJob(session, input, {
    command: 'subscriber-data set',
    resource: data,
    verb: 'set',
    source,
    survey: sha256 === undefined ? undefined : { sha256, rows: count },
    options: { defaults },
    readRows: rows,
    readStart: async () => ({}),
    operation: settingOf,
    rowsPerCheckpoint: STEP,
    isRepeatable: true,
  });
}

async function countRows(source: InputSource): Promise<number> {
  let count = 0;
  for await (const _ of readRowsByColumnName(source, COLUMNS)) count += 1;
  return count;
}

async function* checkedRows(
  session: Invocation & Profiles,
  named: AsyncIterable<RowByColumnName>,
  defaults: Values,
): AsyncGenerator<CheckedRow<Values>> {
  const [{ checkPayload }, { credentials, naming }] = await Promise.all([
    import('../../../kit/schema/validator.ts'),
    session.resolved(),
  ]);
  const keys = createTextFingerprintSet(session.context.random(16));
  const whole = createTextFingerprintSet(session.context.random(16));
  for await (const { row, line, cells } of named) {
    const { body, findings } = bodyOf(cells, defaults);
    const checked = checkPayload(data, 'POST', credentials.kind, body, naming);
    const told = new Set(findings.map(({ attribute }) => attribute));
    const all = [...findings, ...checked.findings.filter(({ attribute }) => !told.has(attribute))];
    const value = [...cells.values()].join(' ');
    const key = idOf(checked.values);
    const keyAndValue = `${key} ${String(checked.values['value'])}`;
    if (all.length > 0) {
      const reason = all.map(sayFinding).join('; ');
      yield { kind: 'rejected', row, line, value, reason };
    } else if (keys.add(key) < 0) {
      // Rows are sent in parallel, so it would be unclear which value is stored last.
      if (whole.find(keyAndValue) >= 0) yield { kind: 'duplicate', row };
      else yield { kind: 'rejected', row, line, value, reason: 'has a different value in an earlier line' };
    } else {
      whole.add(keyAndValue);
      yield { kind: 'good', row, line, value, body: checked.values };
    }
  }
}

/** An empty cell in the column `value` sets an empty text. Any other empty cell takes the value of its flag. */
function bodyOf(cells: ReadonlyMap<string, string>, defaults: Values) {
  const body: Record<string, Values[string]> = { value: '', ...defaults };
  const findings: Finding[] = [];
  for (const { name, attribute } of COLUMNS) {
    const cell = cells.get(name);
    if (cell === undefined) continue;
    const parsed = parseFieldText(fieldOf(data, attribute), attribute === 'value' ? cell : cell.trim());
    if (parsed.ok) body[attribute] = parsed.value;
    else findings.push({ attribute, value: cell, reason: parsed.reason });
  }
  return { body, findings };
}

const idOf = (body: Values): string => String(joinCompositeId(data, body));

function settingOf(client: Client): RowOperation<Values> {
  return {
    sendAgain: true,
    send: async (body) => {
      await client.update(data, undefined, body);
      return 'added';
    },
    lookUp: async (body) => {
      const found = await client.get(data, idOf(body));
      return found !== undefined && found.value === body['value'] ? 'added' : undefined;
    },
  };
}

async function dryRunResult(session: Notes, rows: AsyncIterable<CheckedRow<Values>>): Promise<Outcome> {
  const value = { rows: 0, set: 0, skipped: 0, rejected: 0 };
  for await (const row of rows) {
    value.rows += 1;
    if (row.kind === 'good') value.set += 1;
    else if (row.kind === 'duplicate') value.skipped += 1;
    else {
      value.rejected += 1;
      if (value.rejected <= NAMED) await session.info(`line ${row.line}: ${row.reason}`);
    }
  }
  return { result: createItemResult(value), exit: value.rejected > 0 ? EXIT.partial : EXIT.done };
}
