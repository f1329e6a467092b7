/** Implements `dnc import --dry-run`: shows what would be added, and how many contacts it would reach. */

import { createFingerprints } from '../../../bulk/fingerprints.ts';
import type { CheckedRow } from '../../../bulk/row.ts';
import { createLimiter } from '../../../client/limiter.ts';
import { doNotContact } from '../../../resources/do-not-contact.ts';
import type { Values } from '../../../schema/resource.ts';
import { domainOf } from '../../../text/address.ts';
import { concurrencyFlag } from '../../bulk/flags.ts';
import type { Input, Outcome } from '../../command/command.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import type { Session } from '../../session/session.ts';

/** Rows that are checked with the service, spread over the file: one GET each. */
const SAMPLE = 200;
const NAMED = 20;
const NAMED_DOMAINS = 100;

/**
 * Returns `{rows, add, skipped, rejected, email, msisdn, domain, email_domains, whole_domains, sampled, listed}`. `skipped` counts the
 * duplicates in the file. `email_domains` counts the different domains of its addresses, and `whole_domains` names the first 100 entries
 * that are domains. `listed` of `sampled` rows are already on the list.
 * @param total number of rows in the file, if known
 */
export async function dryRunImport(
  session: Session,
  input: Input,
  rows: AsyncIterable<CheckedRow<Values>>,
  total: number | undefined,
): Promise<Outcome> {
  const counts = { rows: 0, add: 0, skipped: 0, rejected: 0, email: 0, msisdn: 0, domain: 0 };
  const domains = createFingerprints(session.context.random(16));
  const whole: string[] = [];
  const sample: Values[] = [];
  const stride = Math.max(1, Math.floor((total ?? 0) / SAMPLE));
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
      if (row.row % stride === 0 && sample.length < SAMPLE) sample.push(row.body);
    }
  }
  if (counts.rejected > NAMED) await session.info(`and ${counts.rejected - NAMED} more rows`);
  const listed = await countListed(session, input, sample);
  const value = {
    ...counts,
    email_domains: domains.size(),
    whole_domains: whole,
    sampled: sample.length,
    listed,
  };
  const columns = Object.keys(value).map((name) => ({ name }));
  const exit = counts.rejected > 0 ? EXIT.partial : EXIT.done;
  return { result: { kind: 'object', value, columns }, exit };
}

async function countListed(session: Session, input: Input, sample: readonly Values[]): Promise<number> {
  const { clock, signal } = session.context;
  const client = await session.bareClient();
  const limiter = createLimiter({ clock, signal, max: input.get(concurrencyFlag) });
  const found = await Promise.all(
    sample.map((body) => limiter.run(async () => (await client.find(doNotContact, body)).length > 0)),
  );
  return found.filter(Boolean).length;
}
