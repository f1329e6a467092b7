/** Converts stored rows to the values of responses, and the values of requests to stored ones. */

import type { Field, Scalar } from '../../kit/schema/field.ts';
import type { Finding, RecordOf, Resource, Values } from '../../kit/schema/resource.ts';
import { hasRenamedAttributes, type Naming, renameKeys, toWireName } from '../../service/protocol/naming.ts';
import type { ResourceNamed, SandboxResourceName } from '../../service/resources/companions.ts';
import type { RowToJsonSql } from '../store/driver/store.ts';
import type { SqlRow, SqlValue } from '../store/rows.ts';

/** A record of the resource with this name, as the interface shows it. It has no bigint, because the store has none. */
export type RecordNamed<N extends SandboxResourceName> = Shown<RecordOf<ResourceNamed<N>>>;

type Shown<R> = { readonly [A in keyof R]: Exclude<R[A], bigint> };

export type TaskRecord = RecordNamed<'task'>;

/** Returns the declared attributes of a row, in the order of the interface's table, with the types that the interface declares. */
export function rowToAttributeValues(resource: Resource, row: SqlRow): Values {
  const values: Record<string, Scalar> = {};
  for (const [name, field] of entriesOf(resource)) {
    values[name] = field.writeOnly ? null : fromSql(field, row[name] ?? null);
  }
  return values;
}

/** Cache of each resource's attributes, which every row of a page needs. */
const entries = new WeakMap<Resource, readonly (readonly [string, Field])[]>();

function entriesOf(resource: Resource): readonly (readonly [string, Field])[] {
  const found = entries.get(resource);
  if (found) return found;
  const made = Object.entries(resource.fields);
  entries.set(resource, made);
  return made;
}

export function toWireAttributeNames(values: Values, naming: Naming): Values {
  return hasRenamedAttributes(naming) ? renameKeys<Scalar>(values, toWireName, naming) : values;
}

/** Returns SQL that converts rows to JSON as `rowToAttributeValues` and `toWireAttributeNames` would. */
export function buildRowToJsonSql(resource: Resource, naming: Naming): RowToJsonSql {
  const known = members.get(naming) ?? new WeakMap<Resource, RowToJsonSql>();
  members.set(naming, known);
  let found = known.get(resource);
  if (!found) {
    const entries = entriesOf(resource).map(([name, field]) => [
      toWireName(naming, name),
      jsonInSql(name, field),
    ]);
    found = {
      sqlByName: Object.fromEntries(entries),
      canHoldFractionalNumbers: entriesOf(resource).some(([, { kind }]) => kind === 'decimal'),
    };
    known.set(resource, found);
  }
  return found;
}

const members = new WeakMap<Naming, WeakMap<Resource, RowToJsonSql>>();

function jsonInSql(name: string, { kind, writeOnly }: Field): string {
  if (writeOnly) return 'null';
  if (kind !== 'bool') return `"${name}"`;
  return `case when "${name}" is null then null when "${name}" = 1 then json('true') else json('false') end`;
}

/** Returns a value as it is stored. A bigint becomes a double above every stored integer, so a filter by it matches no row. */
export function toSqlValue(value: Scalar): SqlValue {
  return typeof value === 'boolean' || typeof value === 'bigint' ? Number(value) : value;
}

/** Returns findings, with all digits, about numbers that can't be stored exactly. A look-up refuses ids of other records. */
export function findTooLargeValues(resource: Resource, values: Values): readonly Finding[] {
  return Object.entries(values)
    .filter(([name, value]) => typeof value === 'bigint' && name !== 'id' && !resource.fields[name]?.refersTo)
    .map(([attribute, value]) => ({
      attribute,
      value,
      reason: `is larger than this service can store: ${value}`,
    }));
}

export function toSqlRow(values: Values): SqlRow {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, toSqlValue(value)]));
}

function fromSql(field: Field, value: SqlValue): Scalar {
  return field.kind === 'bool' && value !== null ? value === 1 : value;
}
