/** The special behaviour of one resource, which the generic operations call. */
import type { JsonObject } from '../../protocol/json.ts';
import type { ServiceError } from '../../protocol/service-errors.ts';
import type { ServedName } from '../../resources/companions/catalogue.ts';
import type { Scalar } from '../../schema/field.ts';
import type { Method, Values } from '../../schema/resource.ts';
import type { Call } from '../request/call.ts';
import type { SqlRow } from '../store/rows.ts';

export interface Behaviour {
  /** Refuses a caller who may not use this method on the resource at all. */
  readonly permit?: (call: Call, method: Method) => void;
  /** Creates the record from checked values; returns its id. Absent if POST is unsupported. */
  readonly create?: (call: Call, values: Values, several: Several) => Promise<number | string>;
  /** Runs a POST that creates no record; returns the data of the response. */
  readonly perform?: (call: Call, values: Values) => Promise<JsonObject>;
  /** Reports whether a PUT that names a missing record by its keys creates it, through `create`. */
  readonly upserts?: true;
  /** Changes `current`. `values` has only the attributes that were sent, checked and consistent with the rest of the record. */
  readonly update?: (call: Call, current: SqlRow, values: Values) => Promise<void>;
  /** Returns dependent attributes that a PUT also changes. The resulting record is checked afterwards. */
  readonly adjust?: (current: Values, sent: Values) => Values;
  /** Returns the error for a PUT of a record that the caller can't see, if it is not the usual one. */
  readonly absent?: (call: Call) => ServiceError | undefined;
  readonly remove?: (call: Call, current: SqlRow) => Promise<void>;
  /** Changes the values just before they are returned to the client. */
  readonly present?: (call: Call, values: Values) => Values;
}

/** The checked values of attributes that were sent as arrays, such as `list_id` of a subscriber. */
export type Several = Readonly<Record<string, readonly Scalar[]>>;

/** One behaviour for each resource; it is empty if the generic operations are enough. */
export type Behaviours = Readonly<Record<ServedName, Behaviour>>;
