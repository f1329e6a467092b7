/** Do Not Contact in bulk: one POST a row, streamed; a row that fails doesn't stop the others. */
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { ClientError } from '../../client/errors.ts';
import { doNotContact } from '../../resources/do-not-contact.ts';
import { normaliseContactdata } from '../../text/address.ts';
import type { Context } from '../context.ts';
import { explainError, UsageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { confirmed } from '../guards.ts';
import type { Session } from '../session.ts';
import { isOn, textOf, type Verb } from '../verb.ts';
import { domainFlag } from './dnc.ts';

interface Row {
  readonly line: number;
  readonly text: string;
}

export const dncImport: Verb = {
  name: 'import',
  summary: 'Add every row of a CSV file, or every line',
  about: 'The service deletes every subscriber that matches. Exit 8 when some rows failed',
  example: 'dnc import unsubscribed.csv --column email --yes',
  positionals: [{ name: 'file', describe: 'The file, or - for standard input' }],
  flags: [
    {
      name: 'column',
      value: 'name',
      describe: 'Column that holds them; contactdata, email, domain or msisdn unless said otherwise',
      group: 'Options',
    },
    domainFlag,
  ],
  run: async (session, input) => {
    const [file = ''] = input.positionals;
    await confirmed(session, `add all of ${file} to Do Not Contact and delete the subscribers that match`);
    const counts = { added: 0, skipped: 0, failed: 0 };
    const seen = new Set<string>();
    for await (const row of readRows(session.context, file, textOf(input, 'column'))) {
      const contact = normaliseContactdata(row.text);
      if (contact && seen.has(contact.value)) {
        counts.skipped += 1;
        continue;
      }
      if (contact) seen.add(contact.value);
      const domainOk = contact?.kind !== 'domain' || isOn(input, 'domain-ok');
      const outcome = !contact
        ? 'is no e-mail address, domain or number'
        : domainOk
          ? await add(session, contact.value)
          : 'is a whole domain; --domain-ok lets those in';
      if (outcome === 'added' || outcome === 'skipped') counts[outcome] += 1;
      else {
        counts.failed += 1;
        await session.tell(`line ${row.line}: ${JSON.stringify(row.text.slice(0, 80))} ${outcome}`);
      }
    }
    const columns = Object.keys(counts).map((name) => ({ name }));
    return {
      result: { kind: 'object', value: { ...counts }, columns },
      exit: counts.failed > 0 ? EXIT.partial : EXIT.done,
    };
  },
};

/** `added`, `skipped` (it is there already), or why not. What would fail for every row is thrown. */
async function add(session: Session, contactdata: string): Promise<string> {
  if (session.globals.dryRun) return 'added';
  const client = await session.client();
  try {
    await client.create(doNotContact, { contactdata });
    return 'added';
  } catch (error) {
    if (!(error instanceof ClientError) || error.status === undefined) throw error;
    if (error.status === 409) return 'skipped';
    if (error.status === 401 || error.status === 403) throw error;
    return explainError(error).message;
  }
}

const KNOWN_COLUMNS = ['contactdata', 'email', 'domain', 'msisdn'];
const LONGEST_RECORD = 100_000;

async function* readRows(context: Context, file: string, column: string | undefined): AsyncGenerator<Row> {
  const [{ parse }, { Readable }] = await Promise.all([import('csv-parse'), import('node:stream')]);
  const source =
    file === '-' ? Readable.from(context.stdin.chunks()) : createReadStream(resolve(context.cwd, file));
  const parser = parse({
    bom: true,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: LONGEST_RECORD,
  });
  source.on('error', (error: Error) => parser.destroy(error));
  source.pipe(parser);
  let at: number | undefined;
  try {
    for await (const item of parser) {
      const { record, info } = item as {
        readonly record: readonly string[];
        readonly info: { readonly lines: number };
      };
      if (at === undefined) {
        const header = columnIn(record, column);
        at = header ?? 0;
        if (header !== undefined) continue;
      }
      yield { line: info.lines, text: record[at] ?? '' };
    }
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause)
      throw new UsageError(`cannot read ${file}: ${cause.message}`, { cause });
    throw cause;
  } finally {
    source.destroy();
  }
}

/** The place of the column in a header line; undefined where the first line is data already. */
function columnIn(header: readonly string[], column: string | undefined): number | undefined {
  const names = header.map((name) => name.trim().toLowerCase());
  const wanted = column === undefined ? KNOWN_COLUMNS : [column.toLowerCase()];
  const at = names.findIndex((name) => wanted.includes(name));
  if (at >= 0) return at;
  if (column === undefined && header.length === 1) return undefined;
  if (column === undefined && normaliseContactdata(header[0] ?? '')) return undefined;
  throw new UsageError(`there is no column ${wanted.join(', ')}`, { hint: `columns: ${header.join(', ')}` });
}
