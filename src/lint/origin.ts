/** Describes where the content of a message came from, with further facts that the checks need. */
import type { ContentMarkupNames } from '../schema/resource.ts';

/** Attributes of a message by the interface's names. Attributes that were not given are left out. */
export type MessageContent = Readonly<Record<string, unknown>>;

export interface ContentOrigin {
  /** Files from which attributes were read, by attribute: `html` -> `sale.html`. A path is as the user wrote it. */
  readonly files: Readonly<Record<string, string>>;
  /**
   * Names of the attributes that were read from the service. Links in these attributes are tracking addresses (interface, "emailMessage").
   */
  readonly stored: ReadonlySet<string>;
  /**
   * Names that the deployment uses for opt-in elements, such as `svc_link`. An opt-in element shows where a message contains the link that
   * confirms an opt-in.
   */
  readonly words: ContentMarkupNames;
  /** Postal address of the account, if the account was read. */
  readonly postalAddress?: string;
  /** Original targets of the tracked links of a stored message. */
  readonly targets?: readonly LinkTarget[];
}

export interface LinkTarget {
  readonly part: 'html' | 'text';
  readonly target: string;
}
