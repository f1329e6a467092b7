/** Plans how `svc undo` undoes a write. Uses only what the journal stores, and sends nothing. */

import type { Id } from '../../kit/schema/integer.ts';
import {
  type AnyRecord,
  assertNever,
  type BodyOf,
  type Resource,
  type Values,
} from '../../kit/schema/resource.ts';
import { createShape, fits, objectWithAtLeast, text } from '../../kit/schema/shape.ts';
import type { accountFeatures } from '../../service/resources/account-features.ts';
import { resourceNamed } from '../../service/resources/catalogue.ts';
import type { task } from '../../service/resources/task.ts';
import { formatRecordId } from '../requests/record-title.ts';
import { describeWrittenRecord, type Entry, fileOfBulkJob, isRecordArray } from './entry.ts';

export type UndoPlan =
  /**
   * Sets the attributes in `body` to their values before the write. svc does this only if the record still has the values in `expected`.
   * The record got these values from the write.
   */
  | {
      readonly kind: 'restore';
      readonly resource: Resource;
      readonly id: Id;
      readonly body: Values;
      readonly expected: AnyRecord;
    }
  | { readonly kind: 'cancel'; readonly id: Id }
  | { readonly kind: 'remove-entry'; readonly id: Id; readonly contactdata: string }
  | { readonly kind: 'add-entries'; readonly contacts: readonly string[] }
  /** Times are Unix seconds by the service's clock. */
  | {
      readonly kind: 'remove-imported';
      readonly file: string;
      readonly column: string | undefined;
      readonly sha256: string;
      readonly since: number;
      readonly until: number;
    }
  /**
   * `why` is a sentence for a person, and `hint` says what to do instead. `cancelled` is the id of a cancelled task, which a person can
   * create again.
   */
  | {
      readonly kind: 'refused';
      readonly why: string;
      readonly hint?: string | undefined;
      readonly cancelled?: Id;
    };

/** @param entries all writes of this profile, which show whether the entry was already undone */
export function undoPlanOf(entry: Entry, entries: readonly Entry[]): UndoPlan {
  const by = findUndoEntryNumber(entry, entries);
  if (by !== undefined) return refused(`the change was already undone by change ${by}`);
  const resource = resourceNamed(entry.resource);
  if (resource === undefined)
    return refused('the change is a request of svc api, which svc undo does not cover');
  // An interrupted import may have added entries, too.
  const imported = entry.state === 'failed' ? undefined : importedEntries(entry, resource);
  if (imported !== undefined) return imported;
  switch (entry.state) {
    case 'failed':
      return refused('the request failed, so no change was made');
    case 'intent':
    case 'unknown':
      return refused(
        'it is not known whether the change was made',
        `to see what is known about the change: svc log show ${entry.n}`,
      );
    case 'done':
      return byMethod(entry, resource);
    default:
      return assertNever(entry.state);
  }
}

export function findUndoEntryNumber({ n }: Entry, entries: readonly Entry[]): number | undefined {
  return entries.find(({ undoes, state }) => undoes === n && state === 'done')?.n;
}

function byMethod(entry: Entry, resource: Resource): UndoPlan {
  switch (entry.method) {
    case 'POST':
      return ofPost(entry, resource);
    case 'PUT':
      return ofPut(entry, resource);
    case 'DELETE':
      return ofDelete(entry, resource);
    default:
      return assertNever(entry.method);
  }
}

function importedEntries({ method, sent, after }: Entry, { undo }: Resource): UndoPlan | undefined {
  if (method !== 'POST' || undo?.create !== 'remove') return undefined;
  const { column } = sent ?? {};
  if (!fits(importedFile, sent) || !fits(importTimes, after)) return undefined;
  const { file, sha256 } = sent;
  const { since, until } = after;
  const named = typeof column === 'string' ? column : undefined;
  return { kind: 'remove-imported', file, sha256, since, until, column: named };
}

const number = createShape<number>((value) => typeof value === 'number', 'a number');
const importedFile = objectWithAtLeast({ file: text, sha256: text });
const importTimes = objectWithAtLeast({ since: number, until: number });

function ofPost(entry: Entry, resource: Resource): UndoPlan {
  const { noun, methods, undo } = resource;
  const { id, after, sent } = entry;
  if (fileOfBulkJob(sent) !== undefined)
    return refused('the change was a bulk job, and svc undo does not cover the rows of a bulk job');
  if (id === null) return refused('the journal does not have the id of the record');
  if (undo?.create === 'cancel') return { kind: 'cancel', id };
  if (undo?.create === 'remove')
    return { kind: 'remove-entry', id, contactdata: String(after?.contactdata ?? sent?.contactdata) };
  if (undo?.create !== undefined) return refused(undo.create.never);
  const hint = methods.delete
    ? `svc ${noun} delete ${formatRecordId(resource, id)} deletes the record`
    : undefined;
  return refused(`svc undo does not delete records: ${describeWrittenRecord(entry)}`, hint);
}

function ofPut({ id, sent, before, after }: Entry, resource: Resource): UndoPlan {
  if (sent === null || before === null || isRecordArray(before) || id === null) {
    return resource.undo?.create === 'cancel' && sent?.cancelled === true
      ? cancelledTask(id)
      : refused('the journal does not hold the earlier state of the record');
  }
  const names = Object.keys(sent).filter((name) => name !== 'id');
  const body: Record<string, Values[string]> = {};
  for (const name of names) {
    // A run with the same --key would resume a rule with an unfinished name, although the user has undone that.
    if (name === 'name' && UNFINISHED_NAME.test(String(before[name]))) continue;
    // Interface, emailMessage: links are rewritten on PUT, and GET returns the rewritten version.
    if (resource.fields[name]?.format === 'html')
      return refused(
        `${name} cannot be restored: the service rewrote its links, so the original is not known`,
      );
    if (resource.fields[name]?.writeOnly)
      return refused(`${name} is write-only: its earlier value is not known`);
    const value = before[name];
    if (value === undefined || (typeof value === 'object' && value !== null))
      return refused(`the earlier value of ${name} is not known`);
    body[name] = value;
  }
  const { cancelled }: BodyOf<typeof task> = body;
  const { locked }: BodyOf<typeof accountFeatures> = body;
  if (cancelled === false) return cancelledTask(id);
  if (locked === true)
    return refused(
      'the undo would lock all users out',
      'svc features set --locked asks for the company first',
    );
  return { kind: 'restore', resource, id, body, expected: after ?? sent };
}

/** Matches the name of a rule that svc has created under a `--key` and not resumed yet (`unfinishedName` in `sends/`). */
const UNFINISHED_NAME = / \[svc-[0-9a-f]{8}-new\]$/;

function ofDelete({ before, kept, sent }: Entry, { noun, undo }: Resource): UndoPlan {
  if (fileOfBulkJob(sent) !== undefined)
    return refused(
      'the change was a bulk job, and the journal does not hold its rows',
      'svc dnc import adds the rows of a file',
    );
  if (kept) return refused(`${kept.records} records were deleted; ${kept.file} has a copy of them`);
  const records = isRecordArray(before) ? before : [];
  if (undo?.delete !== 'add')
    return noun === 'subscriber-data'
      ? refused(
          'svc undo does not restore deleted subscriber-data',
          'svc log show has the value; write it again with svc subscriber-data set',
        )
      : refused(`a deleted ${noun} cannot be restored; the journal holds the values that the ${noun} had`);
  const contacts = records.map(({ contactdata }) => contactdata).filter((each) => typeof each === 'string');
  return contacts.length > 0
    ? { kind: 'add-entries', contacts }
    : refused('the journal does not hold the deleted record');
}

const cancelledTask = (id: Id | null): UndoPlan => ({
  kind: 'refused',
  why: 'a cancelled task stays cancelled',
  hint: 'create a new task with svc task create',
  ...(id === null ? {} : { cancelled: id }),
});

const refused = (why: string, hint?: string): UndoPlan => ({ kind: 'refused', why, hint });
