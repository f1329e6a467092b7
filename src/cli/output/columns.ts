/** From the declaration of a resource to what its output shows. */
import type { Field } from '../../schema/field.ts';
import type { Resource } from '../../schema/resource.ts';
import type { Column } from './result.ts';

/** `columns` and `attributes` of a result that holds this resource; what is never shown (`password`) is in neither. */
export function columnsOf(resource: Resource): {
  readonly columns: readonly Column[];
  readonly attributes: readonly Column[];
} {
  const fields = Object.entries(resource.fields)
    .filter(([, field]) => !field.writeOnly)
    .map(([name, field]) => columnOf(name, field));
  const isRule = resource.variant !== undefined;
  const attributes = isRule
    ? [KIND, ...fields.map((column) => (column.name === 'id' ? { name: 'id' } : column))]
    : fields;
  const columns = [...(isRule ? ['kind'] : []), ...resource.columns].map(
    (name) => attributes.find((attribute) => attribute.name === name) ?? { name },
  );
  return { columns, attributes };
}

const KIND: Column = { name: 'kind', kind: 'text' };

function columnOf(name: string, field: Field): Column {
  if (field.format === 'timestamp') return { name, kind: 'timestamp' };
  if (field.kind === 'bool') return { name, kind: 'bool' };
  if (field.kind === 'int' || field.kind === 'decimal') return { name, kind: 'number' };
  return { name, kind: 'text' };
}
