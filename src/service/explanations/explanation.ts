/** Defines the texts that explain a resource beyond what the declaration of the resource says. */

/** Explanation of a field in whole sentences, the costliest trap first. It says what the interface leaves open. */
export interface FieldExplanation {
  readonly traps?: readonly string[];
  readonly about?: readonly string[];
  /** Meaning of each possible value of the field. */
  readonly values?: Readonly<Record<string, string>>;
  /** Other flags that concern the field, without dashes. For `scheduledtime`: `now`. */
  readonly flags?: readonly string[];
  /** Example command line without `svc`, if the generated example shows too little. */
  readonly example?: string;
}

export interface Explanation<A extends string = string> {
  /** Sections of the interface that define the resource. */
  readonly sections: string;
  readonly about: readonly string[];
  readonly traps: readonly string[];
  /** States of a record, and the transitions between them. */
  readonly states?: readonly string[];
  /** Errors that the interface names, with code and subcode. */
  readonly refusals?: readonly string[];
  /** Permissions: which users may read, create, change and delete records. */
  readonly permissions?: readonly string[];
  /** Explanations of the fields for which the description in the declaration is not enough. */
  readonly fields: Readonly<Partial<Record<A, FieldExplanation>>>;
}

type FieldsOf<R> = R extends { readonly fields: Readonly<Record<infer A, unknown>> } ? A & string : never;

/** Explanation of the resource `R`. The compiler checks that each explained field is a field in the declaration of `R`. */
export type ExplanationOf<R> = Explanation<FieldsOf<R>>;

/** Error for a locked message, the same for both channels. */
export const LOCKED_MESSAGE =
  '423 subcode 10, "Message … is locked": the message is scheduled to be sent, or has been sent.';
