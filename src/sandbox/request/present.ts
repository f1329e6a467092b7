/** Rows as the interface shows them, and values as the store keeps them. */
import type { JsonObject } from '../../protocol/envelope.ts';
import { type Naming, renameKeys, toWireName } from '../../protocol/naming.ts';
import type { Field, Scalar } from '../../schema/field.ts';
import type { Finding, Resource, Values } from '../../schema/resource.ts';
import type { SqlRow, SqlValue } from '../store/rows.ts';

/** The declared attributes of a row, in the order of the table, with their own types. */
export function presentRow(resource: Resource, row: SqlRow): Values {
  const values: Record<string, Scalar> = {};
  for (const [name, field] of Object.entries(resource.fields)) {
    values[name] = field.writeOnly ? null : fromSql(field, row[name] ?? null);
  }
  return values;
}

/** The same under this deployment's names. */
export function onTheWire(values: Values, naming: Naming): JsonObject {
  return renameKeys<Scalar>(values, toWireName, naming);
}

/** The store holds no integer that a double can't hold, so one like it is beyond all that is stored, and equals none. */
export function toSql(value: Scalar): SqlValue {
  return typeof value === 'boolean' || typeof value === 'bigint' ? Number(value) : value;
}

/** What can't be kept digit for digit is refused by its digits. References are refused by whoever looks them up. */
export function tooLargeToKeep(resource: Resource, values: Values): readonly Finding[] {
  return Object.entries(values)
    .filter(([name, value]) => typeof value === 'bigint' && name !== 'id' && !resource.fields[name]?.refersTo)
    .map(([attribute, value]) => ({
      attribute,
      value,
      reason: `is more than this service can keep: ${value}`,
    }));
}

export function toSqlRow(values: Values): SqlRow {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, toSql(value)]));
}

function fromSql(field: Field, value: SqlValue): Scalar {
  return field.kind === 'bool' && value !== null ? value === 1 : value;
}
