/** Where the content of a message comes from, and what is known besides it. */
import type { ContentWords } from '../schema/resource.ts';

/** Attributes of a message by their neutral names; those that nobody gave are left out. */
export type Content = Readonly<Record<string, unknown>>;

export interface Origin {
  /** By attribute the file that it was read from, as the person named it. */
  readonly files: Readonly<Record<string, string>>;
  /** Attributes as the service returned them. Links in them are tracking addresses (interface, "emailMessage"). */
  readonly stored: ReadonlySet<string>;
  /** A deployment's own words for opt-in elements. */
  readonly words: ContentWords;
  /** The postal address of the account, where the account was read. */
  readonly postalAddress?: string;
  /** Of the tracked links of a stored message: where they lead. */
  readonly targets?: readonly LinkTarget[];
}

export interface LinkTarget {
  readonly part: 'html' | 'text';
  readonly target: string;
}
