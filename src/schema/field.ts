/** The words for declaring one field of a resource: a row of a table in the interface's "Resources and their fields". */

/** A whole number that a double can't hold is a bigint, and only such a one; see `integer.ts`. */
export type Scalar = string | number | bigint | boolean | null;

/** The types that the interface's tables name. A `decimal` is a JSON number; nearly all are Unix timestamps. */
export type FieldKind = 'int' | 'decimal' | 'bool' | 'string' | 'enum';

/** What a text or number has to look like beyond its type. One check each, in `formats.ts`. */
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

export interface Field {
  readonly kind: FieldKind;
  readonly describe: string;
  /** `x/null` in the interface's tables. */
  readonly nullable?: true;
  /** F: usable as a GET filter. */
  readonly filter?: true;
  /** A POST may give an array of such values too. */
  readonly several?: true;
  /** S: usable as a sort key. */
  readonly sort?: true;
  /** The value that the service gives when a POST leaves the attribute out. */
  readonly default?: Scalar;
  readonly values?: readonly (string | number)[];
  readonly format?: Format;
  /** The unit of a number that is a span of time. */
  readonly unit?: 'seconds' | 'minutes';
  readonly min?: number;
  readonly max?: number;
  /** Inclusive bounds on the UTF-8 length of a string. */
  readonly octets?: readonly [number, number];
  /** The resource whose `id` this field holds; `list`, `subscriber` and the like live outside the interface. */
  readonly refersTo?: string;
  readonly writeOnly?: true;
  readonly deprecated?: true;
  /** In a sample response of the interface, not in its field table. */
  readonly sampleOnly?: true;
  /** A flag that people would say sooner than the attribute's own name; help shows it first. */
  readonly flag?: string;
  /** A flag that reads the value from a file: `--html-file`. */
  readonly fileFlag?: string;
}

type Marks = Omit<Partial<Field>, 'kind' | 'describe'>;

/** Marks as the interface's tables write them. */
export const F = { filter: true } as const;
export const S = { sort: true } as const;
export const FS = { filter: true, sort: true } as const;

export const int = (describe: string, marks: Marks = {}): Field => ({
  kind: 'int',
  describe,
  ...marks,
});
export const decimal = (describe: string, marks: Marks = {}): Field => ({
  kind: 'decimal',
  describe,
  ...marks,
});
export const bool = (describe: string, marks: Marks = {}): Field => ({
  kind: 'bool',
  describe,
  ...marks,
});
export const string = (describe: string, marks: Marks = {}): Field => ({
  kind: 'string',
  describe,
  ...marks,
});
export const oneOf = (values: readonly (string | number)[], describe: string, marks: Marks = {}): Field => ({
  kind: 'enum',
  values,
  describe,
  ...marks,
});

export const orNull = (field: Field): Field => ({ ...field, nullable: true });
export const timestamp = (describe: string, marks: Marks = {}): Field =>
  decimal(describe, { format: 'timestamp', ...marks });

/** `id`, F and S, as nearly every table begins. */
export const id = (describe: string): Field => int(describe, FS);
/** `cdate`, S in every table that sorts. */
export const cdate = (marks: Marks = S): Field => timestamp('When it was created', marks);
export const mdate = (marks: Marks = {}): Field => timestamp('When it was last changed', marks);
