/** What one resource does unlike the others: the seam between the generic operations and `rules/`. */
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
  /** Makes the record from checked values; returns its id. Absent where POST is unsupported. */
  readonly create?: (call: Call, values: Values, several: Several) => Promise<number | string>;
  /** Does what a POST asks for where it makes no record; returns what is answered. */
  readonly perform?: (call: Call, values: Values) => Promise<JsonObject>;
  /** Whether a PUT that names the record by its keys makes it where there is none, by `create`. */
  readonly upserts?: true;
  /** Changes `current`; `values` hold only what was sent, checked, and consistent with the rest of the record. */
  readonly update?: (call: Call, current: SqlRow, values: Values) => Promise<void>;
  /** Dependent attributes that a PUT moves along, before the record as it would be is checked. */
  readonly adjust?: (current: Values, sent: Values) => Values;
  /** What a PUT says of a record that the caller doesn't see, where that is more than that it isn't there. */
  readonly absent?: (call: Call) => ServiceError | undefined;
  readonly remove?: (call: Call, current: SqlRow) => Promise<void>;
  /** Last touch on what is shown. */
  readonly present?: (call: Call, values: Values) => Values;
}

/** The attributes that were sent as arrays, checked: `list_id` of a subscriber. */
export type Several = Readonly<Record<string, readonly Scalar[]>>;

/** One for each resource, empty where it behaves as all do: none is forgotten. */
export type Behaviours = Readonly<Record<ServedName, Behaviour>>;
