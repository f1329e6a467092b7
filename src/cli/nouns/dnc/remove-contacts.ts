/** Sends one DELETE per row, streamed. A row that fails doesn't stop the others. */

import type { CheckedRow, RowOperation } from '../../../client/bulk/row.ts';
import { openInputSource } from '../../../client/bulk/source.ts';
import type { Client } from '../../../client/requests/client.ts';
import { ClientError } from '../../../client/requests/errors.ts';
import { SERVICE_CLOCK_SLACK_SECONDS } from '../../../client/requests/recovery/settle.ts';
import type { Values } from '../../../kit/schema/resource.ts';
import { formatCountWithNoun, groupThousands } from '../../../kit/text/words.ts';
import { doNotContact } from '../../../service/resources/do-not-contact.ts';
import { runBulkJob } from '../../bulk/job.ts';
import type { Input, Outcome } from '../../command/command.ts';
import { CliError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { createItemResult } from '../../output/result.ts';
import { confirmActionWithAccountShown, requireYesFlagOrTerminal } from '../../request/guards.ts';
import type { Ports, ServiceAccess } from '../../session/ports.ts';
import { checkContactRows, surveyContactRows } from './contacts.ts';

/** Only entries that this import added are removed. */
export interface ImportToUndo {
  /** Number of the import in the journal. */
  readonly n: number;
  readonly sha256: string;
  /** Service's time at the start and at the end of the import, in Unix seconds. */
  readonly since: number;
  readonly until: number;
}

const ROWS_PER_CHECKPOINT = 256;

/** Reads standard input for `-`. If `imported` is set, older and newer entries stay. */
export async function removeContacts(
  session: Ports,
  input: Input,
  file: string,
  { column, imported }: { readonly column: string | undefined; readonly imported?: ImportToUndo },
): Promise<Outcome> {
  const source = openInputSource(session.context, file, 'give - and pipe the rows in');
  const action = (rows: number | undefined): string => {
    const of =
      rows === undefined
        ? `all of ${source.name}`
        : `the ${formatCountWithNoun(rows, 'row', groupThousands(rows))} of ${source.name}`;
    return imported === undefined
      ? `remove ${of} from Do Not Contact, so that they can receive messages again`
      : `undo ${imported.n}: remove ${of} from Do Not Contact, except the entries that existed before the import`;
  };
  requireYesFlagOrTerminal(session, action(undefined));
  const survey = await surveyContactRows(session, source, column);
  if (imported !== undefined && survey?.sha256 !== imported.sha256)
    throw new CliError('changed', `cannot undo ${imported.n}: ${source.name} has changed since the import`, {
      exit: EXIT.conflict,
      hint: 'restore the file that was imported',
    });
  const readRows = () => checkContactRows(session, source, column, true);
  if (session.globals.dryRun) return dryRunRemoval(session, readRows(), imported);
  await session.warn('Subscribers that the service deleted are not restored.');
  await confirmActionWithAccountShown(session, action(survey?.rows));
  return runBulkJob(session, input, {
    command: 'dnc remove',
    resource: doNotContact,
    method: 'DELETE',
    ...(imported === undefined ? {} : { undoes: imported.n }),
    verb: 'removed',
    source,
    survey,
    options: { column: column ?? null, ...(imported && { since: imported.since, until: imported.until }) },
    readRows,
    readStart: async () => ({}),
    operation: (client) => removalOf(client, imported),
    rowsPerCheckpoint: ROWS_PER_CHECKPOINT,
    isRepeatable: true,
  });
}

/** Undefined for a row without an entry that may be removed. */
async function findEntry(client: Client, body: Values, imported: ImportToUndo | undefined) {
  const [found] = await client.find(doNotContact, body);
  if (found === undefined || imported === undefined) return found;
  const created = Number(found.cdate);
  const { since, until } = imported;
  return created >= since - SERVICE_CLOCK_SLACK_SECONDS && created <= until + SERVICE_CLOCK_SLACK_SECONDS
    ? found
    : undefined;
}

function removalOf(client: Client, imported: ImportToUndo | undefined): RowOperation<Values> {
  return {
    sendAgain: true,
    send: async (body) => {
      const found = await findEntry(client, body, imported);
      if (found === undefined) return 'skipped';
      try {
        await client.remove(doNotContact, { id: found.id });
        return 'added';
      } catch (error) {
        if (error instanceof ClientError && error.status === 404) return 'skipped';
        throw error;
      }
    },
    lookUp: async (body) => ((await findEntry(client, body, imported)) === undefined ? 'added' : undefined),
  };
}

/** Rows that a dry run looks up. Each row costs one GET. */
const SAMPLE_SIZE = 200;

async function dryRunRemoval(
  session: ServiceAccess,
  rows: AsyncIterable<CheckedRow<Values>>,
  imported: ImportToUndo | undefined,
): Promise<Outcome> {
  const client = await session.bareClient();
  const counts = { rows: 0, skipped: 0, rejected: 0, sampled: 0, removable: 0 };
  for await (const row of rows) {
    counts.rows += 1;
    if (row.kind === 'duplicate') counts.skipped += 1;
    else if (row.kind === 'rejected') counts.rejected += 1;
    else if (counts.sampled < SAMPLE_SIZE) {
      counts.sampled += 1;
      if ((await findEntry(client, row.body, imported)) !== undefined) counts.removable += 1;
    }
  }
  return { result: createItemResult(counts), exit: counts.rejected > 0 ? EXIT.partial : EXIT.done };
}
