/** The recorder is loaded at the first write, so a command that only reads does not pay for it. */

import type { Client } from '../client/client.ts';
import { replaceClientWriteMethods, type WriteMethod } from '../client/decorate.ts';
import { cancelsTask } from '../client/recovery/cancellation.ts';
import { formatJson } from '../protocol/json.ts';
import type { Naming } from '../protocol/naming.ts';
import { doNotContact } from '../resources/do-not-contact.ts';
import { type Id, isId } from '../schema/integer.ts';
import {
  type AnyRecord,
  joinCompositeId,
  type RecordOf,
  type Resource,
  type Values,
} from '../schema/resource.ts';
import type { Write, WriteOutcome } from './entry.ts';
import type { JournalRecorder } from './recorder.ts';

interface JournalingClientOptions {
  /** Returns undefined if the writes are not recorded. */
  readonly open: () => Promise<JournalRecorder | undefined>;
  readonly printLine: (line: string) => Promise<void>;
  /** The requests of `svc api` contain the deployment's names. The journal stores the interface's names. */
  readonly naming: Naming;
  readonly failureOf: (error: unknown) => WriteOutcome;
  readonly undoes?: number | undefined;
}

/**
 * Returns the client with methods that also record each write in the journal, with the previous state and the outcome.
 * - A write that can't be undone (every DELETE, a POST to Do Not Contact) is noted before it is sent. If the note can't be written, the
 *   write is not sent: contract, "Safety". A write that reaches people is also noted first, but is sent even without the note.
 * - PUT and DELETE cost one more GET, for the previous state.
 * - If the response was lost and the record was found afterwards, stderr says so.
 */
export function createJournalingClient(
  client: Client,
  { open, printLine, naming, failureOf, undoes }: JournalingClientOptions,
): Client {
  const by = undoes === undefined ? {} : { undoes };

  async function send<T>(
    recorder: JournalRecorder,
    write: Write,
    work: () => Promise<T>,
    outcomeOf: (result: T) => Partial<WriteOutcome>,
    n?: number,
  ): Promise<T> {
    try {
      const result = await work();
      await recorder.end(write, { state: 'done', ...outcomeOf(result) }, n);
      return result;
    } catch (error) {
      await recorder.end(write, failureOf(error), n);
      throw error;
    }
  }

  return replaceClientWriteMethods(client, {
    create: async (resource, body, options = {}) => {
      let recovered = false;
      const work = async () => {
        const record = await client.create(resource, body, {
          ...options,
          onRecovered: (found) => {
            recovered = true;
            options.onRecovered?.(found);
          },
        });
        if (recovered) await printLine(await recoveryNote(resource, record));
        return record;
      };
      const recorder = await open();
      if (!recorder) return work();
      const write: Write = { ...by, ...about('POST', resource, null), sent: body, before: null };
      const isIrreversible = resource.name === doNotContact.name;
      const isNotedFirst = isIrreversible || resource.inDoubt === 'note-first';
      const n = isNotedFirst ? await recorder.begin(write, { refuse: isIrreversible }) : undefined;
      return send(
        recorder,
        write,
        work,
        (after) => ({ id: idOf(after), after, ...(recovered ? { recovered } : {}) }),
        n,
      );
    },
    update: async (resource, id, body, options) => {
      const work = () => client.update(resource, id, body, options);
      const recorder = await open();
      if (!recorder) return work();
      const known = id ?? joinCompositeId(resource, body);
      // A cancellation does not wait for a read, because its previous state is known.
      const record = cancelsTask(resource, body)
        ? undefined
        : await readCurrentRecord(client, resource, known).catch(() => undefined);
      const before = record === undefined ? null : namedAttributes(record, body, resource);
      const write: Write = { ...by, ...about('PUT', resource, known ?? null), sent: body, before };
      return send(recorder, write, work, (after) => difference(record, after, body, resource));
    },
    remove: async (resource, names) => {
      const work = () => client.remove(resource, names);
      const recorder = await open();
      if (!recorder) return work();
      const deleted = await readRecordsToDelete(client, recorder, resource, names);
      const id = idOf(names);
      const write: Write = { ...by, ...about('DELETE', resource, id), sent: names, ...deleted };
      const n = await recorder.begin(write, { refuse: true });
      return send(recorder, write, work, () => ({}), n);
    },
    raw: async (request) => {
      const { method, path } = request;
      const work = () => client.raw(request);
      const recorder = await open();
      if (!recorder) return work();
      const { targetOf, bodyWithInterfaceNames } = await import('./raw-request.ts');
      const { resource, id, names } = targetOf(request);
      const deleted =
        resource && names ? await readRecordsToDelete(client, recorder, resource, names) : { before: null };
      const write: Write = {
        ...by,
        method,
        resource: path,
        id,
        sent: bodyWithInterfaceNames(request, naming),
        ...deleted,
      };
      const n = method === 'DELETE' ? await recorder.begin(write, { refuse: true }) : undefined;
      return send(recorder, write, work, outcomeOfResponse, n);
    },
  });
}

async function recoveryNote(resource: Resource, record: AnyRecord): Promise<string> {
  const { titleOf } = await import('../client/record-title.ts');
  return `the response was lost; ${titleOf(resource, record)} exists, so svc did not repeat the request`;
}

const MAX_RECORDS_IN_LINE = 200;

const about = (method: WriteMethod, { name }: Resource, id: Write['id']) => ({ method, resource: name, id });

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
): Promise<Pick<Write, 'before' | 'kept'>> {
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

const outcomeOfResponse = ({ status }: { readonly status: number }): Partial<WriteOutcome> =>
  status < 400
    ? {}
    : {
        state: status >= 500 ? 'unknown' : 'failed',
        error: { kind: 'refused', message: `the service answered ${status}`, http: status },
      };
