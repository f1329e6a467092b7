import { createHash } from 'node:crypto';
import type { Scalar } from '../../kit/schema/field.ts';
import { type Id, isId } from '../../kit/schema/integer.ts';
import type { AnyRecord, Method, Resource, Values } from '../../kit/schema/resource.ts';
import { createShape, fits, objectWithAtLeast, oneOfValues, text } from '../../kit/schema/shape.ts';
import { formatJson } from '../../service/protocol/json.ts';
import { toComparableText } from '../requests/recovery/find-created.ts';

/** Write as the checkpoint stores it, with digests instead of texts, because a body may contain a password or an address. */
export interface RecordedWrite {
  readonly n: number;
  readonly method: Exclude<Method, 'GET' | 'HEAD'>;
  /** For `svc api`, the path of the request. */
  readonly resource: string;
  readonly id?: Id;
  /** Leaves out times in the body, because `+2h` means another time in the next run. */
  readonly sha256: string;
  readonly times?: Readonly<Record<string, Scalar>>;
  /** `findCreated` searches only records with higher ids. */
  readonly above?: number | bigint;
  /** `findCreated` searches only records that were created since. */
  readonly since?: number;
  /** Milliseconds since the epoch, by this machine's clock, after which the request can no longer reach the service. */
  readonly landsUntil: number;
  readonly names?: readonly string[];
  readonly before?: string;
  readonly wanted?: string;
  /** Undefined if the outcome of the write is unknown. */
  readonly ended?: true;
}

export const isRecordedWrite = (value: unknown): value is RecordedWrite => fits(shape, value);

const number = createShape<number>((value) => typeof value === 'number', 'a number');
const shape = objectWithAtLeast({
  n: number,
  method: oneOfValues('POST', 'PUT', 'DELETE'),
  resource: text,
  sha256: text,
  landsUntil: number,
});

export function digestOfWrite(
  method: RecordedWrite['method'],
  resource: Resource | string,
  id: Id | undefined,
  body: AnyRecord,
): string {
  const [name, fields = {}] = typeof resource === 'string' ? [resource] : [resource.name, resource.fields];
  const isTime = (attribute: string): boolean =>
    Object.hasOwn(fields, attribute) && fields[attribute]?.format === 'timestamp';
  const sorted = Object.entries(body)
    .filter(([attribute]) => !isTime(attribute))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return digest([method, name, id === undefined ? null : String(id), sorted]);
}

export function timestampsInBody(resource: Resource, body: Values): Readonly<Record<string, Scalar>> {
  return Object.fromEntries(
    Object.entries(body).filter(([name]) => resource.fields[name]?.format === 'timestamp'),
  );
}

/** Two ways to write the same value have the same digest. */
export function digestOfRecordValues(
  resource: Resource,
  names: readonly string[],
  record: AnyRecord,
): string {
  return digest(
    names.map((name) => {
      const field = resource.fields[name];
      const value = record[name] ?? null;
      return [name, field === undefined ? formatJson(value) : toComparableText(field, value)];
    }),
  );
}

const digest = (value: unknown): string => createHash('sha256').update(formatJson(value)).digest('hex');

export const idOfDeleteTarget = ({ id }: Values): Id | undefined => (isId(id) ? id : undefined);
