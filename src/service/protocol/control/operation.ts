/** Declares operations of the sandbox's control plane: pure data, and the types derived from it. */
import type { ParameterKind, ParameterValue } from '../../../kit/schema/parameter.ts';
import type { JsonObject } from '../json.ts';

interface Common {
  readonly describe: string;
  readonly required?: true;
  /** Whole seconds. People write a unit, such as `2h`. */
  readonly nameInCommand?: string;
  /**
   * Source of the argument, if it has no flag of its own. `place`: a positional argument. `global`: the global flag with the same name.
   * `computed`: the command computes the value, so that a person never gives it.
   */
  readonly given?: 'place' | 'global' | 'computed';
  readonly placeholder?: string;
}

export type Parameter = Common & ParameterKind;

interface ResultColumn {
  readonly name: string;
  /** Form of the value in a table. If omitted, the type of the value decides. */
  readonly kind?: 'timestamp' | 'bool' | 'number' | 'text';
  readonly title?: string;
}

export interface ControlOperation {
  readonly summary: string;
  readonly about?: string;
  /** Working command line that calls the operation, after `svc sandbox`. */
  readonly example: string;
  /**
   * Scope of the operation. `company`: one company, which the argument `company` names (default: the first company). `sandbox`: the whole
   * sandbox.
   */
  readonly scope: 'company' | 'sandbox';
  readonly parameters: Readonly<Record<string, Parameter>>;
  /** Columns of each item, most important first. An item may have values without a column. */
  readonly columns: readonly ResultColumn[];
  /** Line that is printed for an empty list. Set it if the result is a list. */
  readonly empty?: string;
  /**
   * True if the operation only reads, so that it can be repeated. A dry run performs such operations. It stops before the first operation
   * that changes something.
   */
  readonly reads?: true;
  /** True if the duration of the operation is unpredictable, because it does all due work or copies all data. */
  readonly long?: true;
  /**
   * Effect of a destructive operation, as an infinitive. `{id}` is replaced by the argument of that name. The command asks for confirmation
   * first.
   */
  readonly destroys?: string;
  readonly usedBy?: string;
}

type ArgumentOf<P> = P extends { readonly kind: 'rows' } ? readonly JsonObject[] : ParameterValue<P>;

type Required<P> = { [K in keyof P]: P[K] extends { readonly required: true } ? K : never }[keyof P];

/**
 * Names of the parameters that an operation always gets, either given or by default. An omitted switch is off, and an omitted list is
 * empty.
 */
type Present<P> = {
  [K in keyof P]: P[K] extends
    | { readonly required: true }
    | { readonly default: number | string }
    | { readonly kind: 'switch' | 'ids' }
    ? K
    : never;
}[keyof P];

type With<P, Known extends keyof P> = { readonly [K in Known]: ArgumentOf<P[K]> } & {
  readonly [K in Exclude<keyof P, Known>]?: ArgumentOf<P[K]> | undefined;
};

export type CheckedArgumentsOf<D extends ControlOperation> = With<D['parameters'], Present<D['parameters']>>;

/** Only the required arguments must be present. */
export type RequestArgumentsOf<D extends ControlOperation> = With<D['parameters'], Required<D['parameters']>>;

type ItemBy<D extends ControlOperation> = Readonly<Record<D['columns'][number]['name'], unknown>>;

export type OperationResultOf<D extends ControlOperation> = D extends { readonly empty: string }
  ? readonly ItemBy<D>[]
  : ItemBy<D>;

/** Column for the id of a record. The results of several operations have this column. */
export const ID_COLUMN = { name: 'id', kind: 'number' } as const;
export const NAME_COLUMN = { name: 'name' } as const;
export const CREATED_COLUMN = { name: 'cdate', kind: 'timestamp' } as const;

/** Number of rows in one response of a long list. The command line sends further requests until it has enough rows. */
export const PAGE_LIMIT_PARAMETER = {
  kind: 'count',
  min: 1,
  max: 1000,
  default: 1000,
  given: 'computed',
  describe: 'Maximum number of rows in one response',
} as const;

/** The response has only rows with higher ids. */
export const AFTER_ID_PARAMETER = {
  kind: 'count',
  min: 0,
  max: 1e15,
  default: 0,
  given: 'computed',
  describe: 'Return only rows with ids above this id',
} as const;
