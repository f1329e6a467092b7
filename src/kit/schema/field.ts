/** Types and functions for declaring a field of a resource: a row of a table in the interface's "Resources and their fields". */

/** Value of a field. A whole number is a bigint only if a double can't hold it; see `integer.ts`. */
export type Scalar = string | number | bigint | boolean | null;

/** Types in the interface's tables. A `decimal` is a JSON number, and most decimals are Unix timestamps. */
export type FieldKind = 'int' | 'decimal' | 'bool' | 'string' | 'enum';

/** Required form of a text or number, in addition to its type. `formats.ts` has a check for each format. */
export type Format =
  | 'actionhour'
  | 'contactdata'
  | 'country'
  | 'destination-keyword'
  | 'domain'
  | 'email'
  | 'html'
  | 'msisdn'
  | 'password'
  | 'sender'
  | 'sms-text'
  | 'sub-keyword'
  | 'text-body'
  | 'timestamp'
  | 'timezone'
  | 'url'
  | 'username'
  | 'website'
  | 'windows-1252';

/** Field of a resource: one attribute, as the interface's table of the resource describes it. */
export interface Field {
  readonly kind: FieldKind;
  readonly describe: string;
  /** True if null is allowed: `x/null` in the interface's tables. */
  readonly nullable?: true;
  /** True if the field can be a filter of GET: F in the interface's tables. */
  readonly filter?: true;
  /** True if a POST also accepts an array of values. */
  readonly several?: true;
  /** True if the field can be a sort key: S in the interface's tables. */
  readonly sort?: true;
  /** Value that the service sets if a POST omits the attribute. */
  readonly default?: Exclude<Scalar, bigint>;
  readonly values?: readonly (string | number)[];
  readonly format?: Format;
  /** Unit of the field's value, if it is a duration. */
  readonly unit?: 'seconds' | 'minutes';
  readonly min?: number;
  readonly max?: number;
  /** Inclusive bounds on the UTF-8 length of a string. */
  readonly octets?: readonly [number, number];
  /** Resource whose `id` this field holds. The interface does not describe some of them, such as `list` and `subscriber`. */
  readonly refersTo?: string;
  /** True if the referenced record has a name, which people may give instead of its id. */
  readonly byName?: true;
  readonly writeOnly?: true;
  readonly deprecated?: true;
  /** True if the field occurs in a sample response of the interface, but not in its table of fields. */
  readonly sampleOnly?: true;
  /** Name of a flag that suits people better than the attribute's own name. Help shows it first. */
  readonly flag?: string;
  /** Flag that reads the value from a file: `--html-file`. */
  readonly fileFlag?: string;
}

/** Properties of a field, except its kind and its description, which are separate arguments of functions such as `int`. */
type FieldOptions = Omit<Partial<Field>, 'kind' | 'describe'>;

/** Returns the name of the flag that sets an attribute: `list_id` → `list-id`. */
export const flagName = (attribute: string): string => attribute.replaceAll('_', '-');

/** Options of a field that can be a filter of GET. The interface's tables mark such a field with F. */
export const filterable = { filter: true } as const;
/** Options of a field that can be a sort key. The interface's tables mark such a field with S. */
export const sortable = { sort: true } as const;
/** Options of a field that can be a filter and a sort key. The interface's tables mark such a field with F and S. */
export const filterableAndSortable = { filter: true, sort: true } as const;

/** A field with the exact kind and options of its declaration, from which `RecordOf` derives the type of its value. */
type Declared<K extends FieldKind, O> = Field & { readonly kind: K } & O;

const declareKind =
  <const K extends FieldKind>(kind: K) =>
  <const O extends FieldOptions = FieldOptions>(describe: string, options?: O): Declared<K, O> =>
    ({ kind, describe, ...options }) as Declared<K, O>;

/** Declares an attribute with a whole number. */
export const int = declareKind('int');
/** Declares an attribute with a number that may have a fraction. */
export const decimal = declareKind('decimal');
export const bool = declareKind('bool');
export const string = declareKind('string');
/** Declares an attribute with one of these values. */
export const oneOf = <const V extends string | number, const O extends FieldOptions = FieldOptions>(
  values: readonly V[],
  describe: string,
  options?: O,
) => ({ ...declareKind('enum')(describe, options), values });

/** Returns the field with null as an additional value. */
export const orNull = <const F extends Field>(field: F) => ({ ...field, nullable: true }) as const;
/** Declares an attribute with a time in Unix seconds. */
export const timestamp = <const O extends FieldOptions = FieldOptions>(describe: string, options?: O) =>
  ({ ...decimal(describe, options), format: 'timestamp' }) as const;

/** Declares the attribute `id`. It can be a filter and a sort key in nearly every table. */
export const id = (describe: string) => int(describe, filterableAndSortable);
/** Declares the attribute `cdate`, the creation time of a record. It is a sort key, unless `options` say otherwise. */
export const creationTime = (options: FieldOptions = { sort: true }) =>
  timestamp('When the record was created', options);
/** Declares the attribute `mdate`, the time of the last change of a record. */
export const lastChangeTime = (options: FieldOptions = {}) =>
  timestamp('When the record was last changed', options);
