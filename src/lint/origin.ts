/** Describes where the content of a message came from, with further facts that the checks need. */
import type { ContentWords } from '../schema/resource.ts';

/** Attributes of a message by the interface's names. Attributes that were not given are left out. */
export type MessageContent = Readonly<Record<string, unknown>>;

export interface ContentOrigin {
  /** File that each attribute was read from, as the user named it. */
  readonly files: Readonly<Record<string, string>>;
  /** Attributes as the service returned them. Links in them are tracking addresses (interface, "emailMessage"). */
  readonly stored: ReadonlySet<string>;
  /** The deployment's own words for opt-in elements. */
  readonly words: ContentWords;
  /** Postal address of the account, if the account was read. */
  readonly postalAddress?: string;
  /** Original targets of the tracked links of a stored message. */
  readonly targets?: readonly LinkTarget[];
}

export interface LinkTarget {
  readonly part: 'html' | 'text';
  readonly target: string;
}
