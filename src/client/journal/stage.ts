import { type Id, isId } from '../../kit/schema/integer.ts';
import {
  type AnyRecord,
  assertNever,
  joinCompositeId,
  type RecordOf,
  type Resource,
  type Values,
} from '../../kit/schema/resource.ts';
import { formatJson } from '../../service/protocol/json.ts';
import type { Naming } from '../../service/protocol/naming.ts';
import { doNotContact } from '../../service/resources/do-not-contact.ts';
import type { Client } from '../requests/client.ts';
import { cancelsTask } from '../requests/recovery/cancellation.ts';
import {
  type RawWrite,
  type ResourceWrite,
  type Stage,
  type Written,
  writtenRecord,
} from '../requests/write.ts';
import type { NotedWrite, WriteOutcome } from './entry.ts';
import type { JournalRecorder } from './recorder.ts';

interface JournalStageOptions {
  /** Returns undefined if the writes are not recorded. */
  readonly open: () => Promise<JournalRecorder | undefined>;
  readonly printLine: (line: string) => Promise<void>;
  /** The requests of `svc api` contain the deployment's names. The journal stores the interface's names. */
  readonly naming: Naming;
  readonly failureOf: (error: unknown) => WriteOutcome;
  readonly undoes?: number | undefined;
}

/**
 * Records each write in the journal, with the previous state and the outcome.
 * - A write that can't be undone (every DELETE, a POST to Do Not Contact) is noted before it is sent. If the note can't be written, the
 *   write is not sent: contract, "Safety". A write that reaches people is also noted first, but is sent even without the note.
 * - PUT and DELETE cost one more GET, for the previous state.
 * - If the response was lost and the record was found afterwards, stderr says so.
 */
export const recordInJournal =
  (client: Client, { open, printLine, naming, failureOf, undoes }: JournalStageOptions): Stage =>
  (next) =>
  async (write) => {
    const sent = async (): Promise<Written> => {
      const written = await next(write);
      if (written.recovered && write.resource !== undefined)
        await printLine(await recoveryNote(write.resource, writtenRecord(written)));
      return written;
    };
    const recorder = await open();
    if (!recorder) return sent();
    const about =
      write.request === undefined
        ? await noteOf(client, recorder, write)
        : await noteOfRaw(client, recorder, write.request, naming);
    const { first, outcomeOf } = about;
    const note = undoes === undefined ? about.note : { undoes, ...about.note };
    const n = first === undefined ? undefined : await recorder.begin(note, first);
    let written: Written;
    try {
      written = await sent();
    } catch (error) {
      await recorder.end(note, failureOf(error), n);
      throw error;
    }
    await recorder.end(note, { state: 'done', ...outcomeOf?.(written) }, n);
    return written;
  };

interface Note {
  readonly note: NotedWrite;
  /** Set if the write is noted before it is sent. */
  readonly first?: { readonly refuse: boolean };
  readonly outcomeOf?: (written: Written) => Partial<WriteOutcome>;
}

async function noteOf(client: Client, recorder: JournalRecorder, write: ResourceWrite): Promise<Note> {
  const { method, resource, id, body } = write;
  switch (method) {
    case 'POST': {
      const isIrreversible = resource.name === doNotContact.name;
      const isNotedFirst = isIrreversible || resource.inDoubt === 'note-first';
      return {
        note: { method, resource: resource.name, id: null, sent: body, before: null },
        ...(isNotedFirst ? { first: { refuse: isIrreversible } } : {}),
        outcomeOf: (written) => {
          const after = writtenRecord(written);
          return { id: idOf(after), after, ...(written.recovered ? { recovered: true } : {}) };
        },
      };
    }
    case 'PUT': {
      const known = id ?? joinCompositeId(resource, body);
      // A cancellation does not wait for a read, because its previous state is known.
      const record = cancelsTask(resource, body)
        ? undefined
        : await readCurrentRecord(client, resource, known).catch(() => undefined);
      const before = record === undefined ? null : namedAttributes(record, body, resource);
      return {
        note: { method, resource: resource.name, id: known ?? null, sent: body, before },
        outcomeOf: (written) => difference(record, writtenRecord(written), body, resource),
      };
    }
    case 'DELETE': {
      const deleted = await readRecordsToDelete(client, recorder, resource, body);
      return {
        note: { method, resource: resource.name, id: idOf(body), sent: body, ...deleted },
        first: { refuse: true },
      };
    }
    default:
      return assertNever(method);
  }
}

async function noteOfRaw(
  client: Client,
  recorder: JournalRecorder,
  request: RawWrite['request'],
  naming: Naming,
): Promise<Note> {
  const { method, path } = request;
  const { targetOf, bodyWithInterfaceNames } = await import('./raw-request.ts');
  const { resource, id, names } = targetOf(request);
  const deleted =
    resource && names ? await readRecordsToDelete(client, recorder, resource, names) : { before: null };
  return {
    note: { method, resource: path, id, sent: bodyWithInterfaceNames(request, naming), ...deleted },
    ...(method === 'DELETE' ? { first: { refuse: true } } : {}),
    outcomeOf: ({ response }) => outcomeOfResponse(response?.status ?? 0),
  };
}

async function recoveryNote(resource: Resource, record: AnyRecord): Promise<string> {
  const { titleOf } = await import('../requests/record-title.ts');
  return `the response was lost; ${titleOf(resource, record)} exists, so svc did not repeat the request`;
}

const MAX_RECORDS_IN_LINE = 200;

/** Returns undefined if the PUT names no record, or if the record does not exist. */
export async function readCurrentRecord<R extends Resource>(
  client: Client,
  resource: R,
  id: Id | undefined,
): Promise<RecordOf<R> | undefined> {
  if (resource.single) return client.single(resource);
  return id === undefined ? undefined : client.get(resource, id);
}

async function readRecordsToDelete(
  client: Client,
  recorder: JournalRecorder,
  resource: Resource,
  names: Values,
): Promise<Pick<NotedWrite, 'before' | 'kept'>> {
  const { id } = names;
  if (isId(id)) {
    const record = await client.get(resource, id);
    return { before: record === undefined ? [] : [record] };
  }
  const first: AnyRecord[] = [];
  const rows = client.list(resource, { filters: names })[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await rows.next();
    if (done) return { before: first };
    first.push(value);
    if (first.length > MAX_RECORDS_IN_LINE) break;
  }
  async function* all() {
    yield* first;
    yield* { [Symbol.asyncIterator]: () => rows };
  }
  return { before: null, kept: await recorder.keep(all(), resource) };
}

function namedAttributes(record: AnyRecord, body: Values, resource: Resource): AnyRecord {
  const names = [...(resource.calledBy === undefined ? [] : [resource.calledBy]), ...Object.keys(body)];
  return picked(record, new Set(names));
}

/** A PUT changes the attributes in its body, and others such as `mdate` (time of the last change). */
function difference(
  before: AnyRecord | undefined,
  after: AnyRecord,
  body: Values,
  resource: Resource,
): Pick<WriteOutcome, 'before' | 'after'> {
  if (before === undefined) return { after };
  const names = new Set(Object.keys(namedAttributes(after, body, resource)));
  for (const name of Object.keys(after))
    if (formatJson(before[name]) !== formatJson(after[name])) names.add(name);
  return { before: picked(before, names), after: picked(after, names) };
}

function picked(record: AnyRecord, names: ReadonlySet<string>): AnyRecord {
  return Object.fromEntries(Object.entries(record).filter(([name]) => names.has(name)));
}

const idOf = ({ id = null }: { readonly id?: unknown }): Id | null => (isId(id) ? id : null);

const outcomeOfResponse = (status: number): Partial<WriteOutcome> =>
  status < 400
    ? {}
    : {
        state: status >= 500 ? 'unknown' : 'failed',
        error: { kind: 'refused', message: `the service answered ${status}`, http: status },
      };
