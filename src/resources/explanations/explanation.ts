/** The words for explaining a resource: what the interface says of it beyond the line that the declaration has. */

/**
 * Whole sentences in our own words. A trap is what surprises people and costs them money, mail or data; traps stand in the
 * order of what they cost. What the interface leaves open is said to be open, before what the sandbox does there.
 */
export interface FieldExplanation {
  readonly traps?: readonly string[];
  readonly about?: readonly string[];
  /** What each of its values means. */
  readonly values?: Readonly<Record<string, string>>;
  /** Flags that have to do with it beside its own, without dashes: `now` of `scheduledtime`. */
  readonly flags?: readonly string[];
  /** A command line that works, without `svc`, where the one that can be derived tells too little. */
  readonly example?: string;
}

export interface Explanation<A extends string = string> {
  /** Where the interface speaks of it. */
  readonly sections: string;
  readonly about: readonly string[];
  readonly traps: readonly string[];
  /** Which states there are, and what leads from one to the other. */
  readonly states?: readonly string[];
  /** The errors that the interface names, with code and subcode. */
  readonly refusals?: readonly string[];
  /** Who may do what. */
  readonly permissions?: readonly string[];
  /** Only those that need more than the line of their declaration. */
  readonly fields: Readonly<Partial<Record<A, FieldExplanation>>>;
}

type FieldsOf<R> = R extends { readonly fields: Readonly<Record<infer A, unknown>> } ? A & string : never;

/** An explanation whose fields the compiler holds against those of the declaration. */
export type ExplanationOf<R> = Explanation<FieldsOf<R>>;

/** Messages of both channels are locked in the same way. */
export const LOCKED_MESSAGE =
  '423 subcode 10, "Message … is locked": the message is scheduled to be sent, or has been sent.';
