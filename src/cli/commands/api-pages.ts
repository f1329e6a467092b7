/** Reads all pages of a collection for `svc api --paginate`, and joins them to one response while they arrive. */
import { createHash } from 'node:crypto';
import type { RawRequest } from '../../client/requests/connection.ts';
import { type Json, readEnvelope } from '../../service/protocol/envelope.ts';
import { formatJson } from '../../service/protocol/json.ts';
import { CliError, UsageError } from '../errors/errors.ts';
import { EXIT } from '../errors/exit-codes.ts';

type Send = (request: RawRequest) => Promise<{ readonly status: number; readonly body: string }>;

/**
 * Yields the rows of all pages as the text of one response. `count` follows the rows, because only the end knows it. A row on two pages is
 * included once. Nothing comes before the end, or before `HELD_LENGTH` characters, so that a short collection is printed completely or not
 * at all. @throws UsageError or CliError if the responses are no pages, or if rows may be missing
 */
export async function* readAllPages(send: Send, request: RawRequest): AsyncGenerator<string> {
  let held: string[] | undefined = ['{"status":"ok","response":{"next":null,"data":['];
  let length = 0;
  let count = 0;
  for await (const rows of pagesOf(send, request)) {
    const text = rows.map((row, at) => (count + at === 0 ? row : `,${row}`)).join('');
    count += rows.length;
    length += text.length;
    if (held === undefined) yield text;
    else held.push(text);
    if (held === undefined || length < HELD_LENGTH) continue;
    yield held.join('');
    held = undefined;
  }
  yield `${held?.join('') ?? ''}],"count":${count}}}\n`;
}

/** Number of characters that svc keeps before it prints the first rows. */
const HELD_LENGTH = 16 * 1024 * 1024;

/** Number of rows, and of starts of pages, that svc at least remembers in order to find repeated ones. */
const REMEMBERED = 50_000;

async function* pagesOf(send: Send, request: RawRequest): AsyncGenerator<readonly string[]> {
  const rows = createRecentTexts(REMEMBERED);
  const starts = createRecentTexts(REMEMBERED);
  const parameters = new URLSearchParams(request.query ?? '');
  for (let start: Json | undefined; ; ) {
    const { status, body } = await send({ ...request, query: parameters.toString() });
    const envelope = readEnvelope(body);
    if (envelope.kind === 'error' && status === 404) return;
    if (envelope.kind !== 'ok' || !Array.isArray(envelope.data))
      throw new UsageError(`cannot get all pages of ${request.path}: the response is not a list`);
    const { data, next } = envelope;
    const fresh = data.map((row) => formatJson(row)).filter((row) => rows.add(row));
    if (fresh.length > 0) yield fresh;
    if (next === null) return;
    refuseNext(request, next, start);
    const problem = (why: string): CliError => incompletePagesError(request, `cannot get all pages: ${why}`);
    if (fresh.length === 0) throw problem(`a page had no new rows, but its next is ${formatJson(next)}`);
    if (!starts.add(formatJson(next)))
      throw problem(`the service goes back to the page that starts at ${formatJson(next)}`);
    start = next;
    parameters.set('start', String(start));
  }
}

/** Refuses a `next` that leads to no other page. */
function refuseNext(request: RawRequest, next: Json, start: Json | undefined): void {
  if (next === start)
    throw new CliError(
      'paging',
      `cannot get all pages: more rows have the value ${formatJson(start)} than fit on a page`,
      {
        exit: EXIT.failed,
        hint: 'add sort=id to the query of the path, or use a list command of svc; a list command never skips or repeats rows',
      },
    );
  if (typeof next === 'object')
    throw incompletePagesError(
      request,
      `cannot get all pages: the service returned ${formatJson(next)} as next`,
    );
}

const incompletePagesError = ({ path }: RawRequest, problem: string): CliError =>
  new CliError('not-ours', `GET ${path}: ${problem.slice(0, 200)}`, {
    exit: EXIT.failed,
    hint: 'To see the raw response, leave out --paginate.',
  });

/** Returns a set that keeps at least the latest `least` texts, and at most twice as many. `add` returns false for a text that the set has. */
function createRecentTexts(least: number): { readonly add: (text: string) => boolean } {
  let older: ReadonlySet<string> = new Set();
  let latest = new Set<string>();
  return {
    add: (text) => {
      const key = text.length > 64 ? createHash('sha256').update(text).digest('base64') : text;
      if (latest.has(key) || older.has(key)) return false;
      latest.add(key);
      if (latest.size >= least) [older, latest] = [latest, new Set()];
      return true;
    },
  };
}
