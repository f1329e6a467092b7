/** Sends one POST per row, streamed. A row that fails doesn't stop the others. */

import type { NewRecordBounds } from '../../../client/bulk/checkpoint-file.ts';
import { createTextFingerprintSet } from '../../../client/bulk/fingerprints.ts';
import type { CheckedRow, RowOperation } from '../../../client/bulk/row.ts';
import { type InputSource, openInputSource } from '../../../client/bulk/source.ts';
import type { Client } from '../../../client/requests/client.ts';
import { ClientError } from '../../../client/requests/errors.ts';
import { createConcurrencyLimiter } from '../../../client/requests/limiter.ts';
import { SERVICE_CLOCK_SLACK_SECONDS } from '../../../client/requests/recovery/settle.ts';
import type { Values } from '../../../kit/schema/resource.ts';
import { domainOf } from '../../../kit/text/address.ts';
import { formatCountWithNoun, groupThousands, joinAnd } from '../../../kit/text/words.ts';
import { doNotContact } from '../../../service/resources/do-not-contact.ts';
import { concurrencyFlag } from '../../bulk/flags.ts';
import { runBulkJob } from '../../bulk/job.ts';
import type { Input, Outcome } from '../../command/command.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { createItemResult } from '../../output/result.ts';
import { confirmActionWithAccountShown, requireYesFlagOrTerminal } from '../../request/guards.ts';
import { createTextLinesOutcome, shouldSummarizeWriteInOneLine } from '../../request/write-outcome.ts';
import type { Invocation, Ports, ServiceAccess, Tell } from '../../session/ports.ts';
import { type ContactFileCounts, checkContactRows, surveyContactRows } from './contacts.ts';

/** After a crash, the outcome of at most this number of rows is unknown. */
const ROWS_PER_CHECKPOINT = 256;

export async function importContacts(
  session: Ports,
  input: Input,
  { column, domainOk }: { readonly column: string | undefined; readonly domainOk: boolean },
): Promise<Outcome> {
  const [file = ''] = input.positionals;
  const source = openInputSource(
    session.context,
    file,
    'give - and pipe the rows in; such a run cannot be resumed',
  );
  requireYesFlagOrTerminal(session, actionOf(source, undefined, domainOk));
  const survey = await surveyContactRows(session, source, column);
  const readRows = () => checkContactRows(session, source, column, domainOk);
  if (session.globals.dryRun) {
    const counts = await countDryRun(session, input, readRows(), survey?.rows);
    const exit = counts.rejected > 0 ? EXIT.partial : EXIT.done;
    return (await shouldSummarizeWriteInOneLine(session))
      ? { ...(await createTextLinesOutcome(session, describeDryRun(counts))), exit }
      : { result: createItemResult(counts), exit };
  }
  await confirmActionWithAccountShown(session, actionOf(source, survey, domainOk));
  return runBulkJob(session, input, {
    command: 'dnc import',
    resource: doNotContact,
    verb: 'added',
    source,
    survey,
    options: { column: column ?? null, domainOk },
    readRows,
    readStart: readServiceTimeAsNewRecordBound,
    operation: additionOf,
    rowsPerCheckpoint: ROWS_PER_CHECKPOINT,
    isRepeatable: true,
  });
}

function actionOf({ name }: InputSource, survey: ContactFileCounts | undefined, domainOk: boolean): string {
  const domains = domainOk ? (survey?.domains ?? 0) : 0;
  const whole =
    domains === 0
      ? ''
      : `, including ${formatCountWithNoun(domains, 'whole domain', groupThousands(domains))},`;
  const what = survey === undefined ? `all of ${name}` : `${rowWords(survey, domainOk)} of ${name}`;
  return `add ${what}${whole} to Do Not Contact and delete matching subscribers`;
}

/** Returns `the 3 rows`, or `2 of the 3 rows` if the others can't be added. */
function rowWords({ rows, domains, unusable }: ContactFileCounts, domainOk: boolean): string {
  const usable = rows - unusable - (domainOk ? 0 : domains);
  const all = `the ${formatCountWithNoun(rows, 'row', groupThousands(rows))}`;
  return usable === rows ? all : `${groupThousands(usable)} of ${all}`;
}

/** Entries that were created at `since` or later count as entries of this import. */
async function readServiceTimeAsNewRecordBound(client: Client): Promise<NewRecordBounds> {
  if (client.serviceTime() === undefined) await client.exists(doNotContact, { id: 0 });
  const since = client.serviceTime();
  return since === undefined ? {} : { since };
}

function additionOf(client: Client, start: () => Promise<NewRecordBounds>): RowOperation<Values> {
  return {
    sendAgain: true,
    send: async (body) => {
      try {
        await client.create(doNotContact, body, { ifOutcomeUnknown: 'give-up' });
        return 'added';
      } catch (error) {
        // 409 means that the entry exists (wire, "Responses").
        if (error instanceof ClientError && error.status === 409) return 'skipped';
        throw error;
      }
    },
    lookUp: async (body) => {
      const [found] = await client.find(doNotContact, body);
      if (found === undefined) return undefined;
      const { since } = await start();
      return since === undefined || Number(found.cdate) >= since - SERVICE_CLOCK_SLACK_SECONDS
        ? 'added'
        : 'skipped';
    },
  };
}

/** Rows that a dry run looks up, spread over the file. Each row costs one GET. */
const SAMPLE_SIZE = 200;
const NAMED = 20;
const NAMED_DOMAINS = 100;

/**
 * `skipped` are duplicates in the file. `email_domains` counts the different domains of addresses.
 * `whole_domains` has the first 100 rows that are domains. `listed` counts the `sampled` rows that already
 * have an entry.
 */
async function countDryRun(
  session: Invocation & Tell & ServiceAccess,
  input: Input,
  rows: AsyncIterable<CheckedRow<Values>>,
  total: number | undefined,
) {
  const counts = { rows: 0, add: 0, skipped: 0, rejected: 0, email: 0, msisdn: 0, domain: 0 };
  const domains = createTextFingerprintSet(session.context.random(16));
  const whole: string[] = [];
  const sample: Values[] = [];
  const stride = Math.max(1, Math.floor((total ?? 0) / SAMPLE_SIZE));
  for await (const row of rows) {
    counts.rows += 1;
    if (row.kind === 'duplicate') counts.skipped += 1;
    else if (row.kind === 'rejected') {
      counts.rejected += 1;
      if (counts.rejected <= NAMED)
        await session.info(`line ${row.line}: ${JSON.stringify(row.value.slice(0, 80))} ${row.reason}`);
    } else {
      const kind = row.value.includes('@') ? 'email' : row.value.includes('.') ? 'domain' : 'msisdn';
      counts.add += 1;
      counts[kind] += 1;
      if (kind === 'email') domains.add(domainOf(row.value));
      if (kind === 'domain' && whole.length < NAMED_DOMAINS) whole.push(row.value);
      if (row.row % stride === 0 && sample.length < SAMPLE_SIZE) sample.push(row.body);
    }
  }
  if (counts.rejected > NAMED) await session.info(`and ${counts.rejected - NAMED} more rows`);
  const listed = await countListed(session, input, sample);
  // Scripts read these names.
  const found = { email_domains: domains.size(), whole_domains: whole, sampled: sample.length, listed };
  return { ...counts, ...found };
}

/** Names each domain, because it affects all addresses in it. */
function describeDryRun(counts: Awaited<ReturnType<typeof countDryRun>>): string {
  const { add, rows, email, msisdn, domain, sampled, listed } = counts;
  const counted = (count: number, noun: string, more = ''): readonly string[] =>
    count === 0 ? [] : [`${formatCountWithNoun(count, noun, groupThousands(count))}${more}`];
  const said = (count: number, word: string): readonly string[] =>
    count === 0 ? [] : [`${groupThousands(count)} ${word}`];
  const kinds = [
    ...said(
      email,
      `${email === 1 ? 'address' : 'addresses'} in ${formatCountWithNoun(counts.email_domains, 'domain')}`,
    ),
    ...counted(msisdn, 'phone number'),
    ...counted(domain, 'whole domain', ` (${counts.whole_domains.join(', ')})`),
  ];
  const others = [...said(counts.skipped, 'repeated'), ...said(counts.rejected, 'rejected')];
  const first = [
    `Would add ${groupThousands(add)} of ${formatCountWithNoun(rows, 'row', groupThousands(rows))}`,
    ...others,
  ];
  return [
    `${first.join(', ')}${kinds.length === 0 ? '' : `: ${joinAnd(kinds)}`}.`,
    ...(sampled === 0
      ? []
      : [
          `svc looked up ${groupThousands(sampled)} of them: ${listed === 0 ? 'none is' : listed === 1 ? '1 is' : `${groupThousands(listed)} are`} in Do Not Contact already.`,
        ]),
  ].join(' ');
}

async function countListed(
  session: Invocation & ServiceAccess,
  input: Input,
  sample: readonly Values[],
): Promise<number> {
  const { clock, signal } = session.context;
  const client = await session.bareClient();
  const limiter = createConcurrencyLimiter({ clock, signal, max: input.get(concurrencyFlag) });
  const found = await Promise.all(
    sample.map((body) => limiter.run(async () => (await client.find(doNotContact, body)).length > 0)),
  );
  return found.filter(Boolean).length;
}
