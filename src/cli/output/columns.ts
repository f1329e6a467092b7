import type { Field } from '../../kit/schema/field.ts';
import { isId, readIdText } from '../../kit/schema/integer.ts';
import type { Resource } from '../../kit/schema/resource.ts';
import { resourceOfActionTarget } from '../../service/resources/automation.ts';
import type { Tone } from './colour.ts';
import type { Column, Reference, Row } from './result.ts';

/** Leaves out write-only fields (`password`). */
export function columnsOfResource(resource: Resource): {
  readonly columns: readonly Column[];
  readonly attributes: readonly Column[];
} {
  const fields = Object.entries(resource.fields)
    .filter(([, field]) => !field.writeOnly)
    .map(([name, field]) => columnOf(resource, name, field));
  const isRule = resource.variant !== undefined;
  // A table shows the id of a rule as a text: `click:12`.
  const attributes = isRule
    ? [KIND, ...fields.map((column) => (column.name === 'id' ? { name: 'id' } : column))]
    : fields;
  const status = statusOf(resource);
  const columns = resource.columns.map((name) => {
    const column = (name === 'status' ? status : undefined) ??
      attributes.find((attribute) => attribute.name === name) ?? { name };
    return resource.keptColumns?.includes(name) ? { ...column, keep: true } : column;
  });
  return { columns, attributes };
}

const KIND: Column = { name: 'kind', kind: 'text', role: 'state' };

function columnOf(resource: Resource, name: string, field: Field): Column {
  const column = { name, kind: kindOf(field) };
  if (column.kind === 'timestamp')
    return TIMES_OF_WRITES.includes(name) ? column : { ...column, showsRelativeTime: true };
  const reference = referenceIn(name, field);
  if (reference) return { ...column, reference };
  if (name === resource.calledBy) return { ...column, role: 'name' };
  if (field.fileFlag !== undefined) return { ...column, hasLines: true };
  return field.kind === 'enum' ? { ...column, role: 'state' } : column;
}

/** Tables show the times of creation and change last, because people rarely need them. */
const TIMES_OF_WRITES: readonly string[] = ['cdate', 'mdate'];

function kindOf(field: Field): NonNullable<Column['kind']> {
  if (field.format === 'timestamp') return 'timestamp';
  if (field.kind === 'bool') return 'bool';
  return field.kind === 'int' || field.kind === 'decimal' ? 'number' : 'text';
}

function statusOf({ status }: Resource): Column | undefined {
  if (status === undefined) return undefined;
  const word = (row: Row, now: number) => {
    const text = status.of(row, now);
    return {
      text,
      ...(COLOR_TONE_BY_TASK_STATE[text] === undefined ? {} : { tone: COLOR_TONE_BY_TASK_STATE[text] }),
    };
  };
  return { name: 'status', kind: 'text', role: 'state', computed: { from: status.from, word } };
}

export const COLOR_TONE_BY_TASK_STATE: Readonly<Record<string, Tone>> = {
  scheduled: 'info',
  sending: 'warning',
  completed: 'good',
  cancelled: 'faint',
  stopped: 'bad',
};

/** The service does not return the names of lists and searches. */
function referenceIn(name: string, { refersTo, byName }: Field): Column['reference'] {
  if (name === 'actiontarget')
    return (row) => referenceTo(resourceOfActionTarget(row['actiontype']), row[name]);
  if (refersTo === 'message') return (row) => referenceTo(messageOf(row['channel']), row[name]);
  if (refersTo === undefined || !byName) return undefined;
  return (row) => referenceTo(refersTo, row[name]);
}

function referenceTo(resource: string | undefined, value: unknown): Reference | undefined {
  // The id of a target is a text.
  const id = typeof value === 'string' ? readIdText(value) : value;
  return resource !== undefined && isId(id) ? { resource, id } : undefined;
}

function messageOf(channel: unknown): string | undefined {
  if (channel === 'email') return 'emailMessage';
  return channel === 'sms' ? 'smsMessage' : undefined;
}
