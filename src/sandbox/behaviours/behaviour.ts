/** The functions that a resource supplies where the generic operations (`src/sandbox/operations`), which call them, are not enough. */

import type { Scalar } from '../../kit/schema/field.ts';
import type { Method, RecordOf, Resource, Values } from '../../kit/schema/resource.ts';
import type { Naming } from '../../service/protocol/naming.ts';
import type { ServiceError } from '../../service/protocol/service-errors.ts';
import type { ResourceNamed, SandboxResourceName } from '../../service/resources/companions.ts';
import type { Body } from '../request/body.ts';
import type { Call, PreparedRequestBody } from '../request/call.ts';
import { type RecordNamed, toSqlRow } from '../request/present.ts';
import { insertRow, type SqlRow, updateRow } from '../store/rows.ts';
import type { Row, Tables } from '../store/schema/tables.ts';

export type SentValues<N extends SandboxResourceName> = SentTo<ResourceNamed<N>>;

type SentTo<R extends Resource> = string extends keyof R['fields']
  ? Values
  : Partial<RecordOf<R>> & {
      readonly [A in keyof R['fields'] & string as R['fields'][A] extends { readonly writeOnly: true }
        ? A
        : never]?: Scalar;
    };

/** Behaviour of the resource with the name `N`, whose records are rows of the table `T`. */
export type BehaviourOf<N extends SandboxResourceName, T extends keyof Tables> = ResourceBehaviour<
  SentValues<N>,
  RecordNamed<N>,
  Row<T>
>;

/** The functions that get values or a row are methods, so that the operations can call them for any resource. */
export interface ResourceBehaviour<Sent = Values, Shown = Values, T = SqlRow> {
  /** Throws if the caller may not use this method on the resource at all. */
  readonly permit?: (call: Call, method: Method) => void;
  /** Does long work on a body before the transaction, so that others don't wait for it. The body is not checked yet. */
  readonly prepare?: (body: Body, naming: Naming) => Promise<PreparedRequestBody>;
  /** Returns the body with what the client first sent, instead of what the service has made of it. The body is not checked yet. */
  readonly restore?: (call: Call, body: Body) => Promise<Body>;
  /** Creates the record from checked values, and returns its id. Omitted if the resource has no POST. */
  create?(call: Call, values: Sent, several: ArrayAttributeValues): Promise<number | string>;
  /** Performs a POST that creates no record, and returns the data of the response. */
  perform?(call: Call, values: Sent): Promise<Values>;
  /** True if a PUT creates the record through `create` when no record has the given keys. */
  readonly upserts?: true;
  /** Changes a record. `values` has the sent attributes, checked alone and together with the record's others. */
  update?(call: Call, current: T, values: Sent): Promise<void>;
  /** Returns the attributes that a PUT changes in addition to those that were sent. The resulting record is checked afterwards. */
  adjust?(current: Shown, sent: Sent): Values;
  /** Returns the error for a PUT of a record that the caller can't see. If it returns undefined or is omitted, the response is 404. */
  readonly absent?: (call: Call) => ServiceError | undefined;
  remove?(call: Call, current: T): Promise<void>;
  /** Changes the values just before they are returned to the client. */
  present?(call: Call, values: Shown): Values;
}

/** Checked values of the attributes that were sent as arrays, such as `list_id` of a subscriber. */
export interface ArrayAttributeValues {
  readonly list_id?: readonly Scalar[];
  readonly [attribute: string]: readonly Scalar[] | undefined;
}

/** One behaviour for each resource. The behaviour is empty if the generic operations are enough. */
export type ResourceBehaviours = Readonly<Record<SandboxResourceName, ResourceBehaviour>>;

/** Inserts a row with the sent values, the account and the current time, and returns its id. Clients don't send `otherColumns`. */
export async function insertRecord(
  call: Call,
  table: keyof Tables,
  values: Values,
  otherColumns: SqlRow = {},
): Promise<number> {
  const times = { cdate: call.now, mdate: call.now };
  return insertRow(call.db, table, {
    account_id: call.caller.accountId,
    ...times,
    ...toSqlRow(values),
    ...otherColumns,
  });
}

/** Writes the values that the client sent, and the time of the change. If `values` is empty, the record stays unchanged. */
export async function updateRecord(
  call: Call,
  table: keyof Tables,
  { id }: { readonly id: number },
  values: Values,
): Promise<void> {
  if (Object.keys(values).length === 0) return;
  await updateRow(call.db, table, id, { ...toSqlRow(values), mdate: call.now });
}
