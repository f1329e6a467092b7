/** Describes a copy of a real account, from which a sandbox is made (contract, "Rehearse"). It has no personal data. */
import type { JsonObject } from '../../protocol/json.ts';
import type { RuleKind } from '../../resources/rule-kinds.ts';

/** A list or a saved search of the real account. `email` and `sms` say how many people the sandbox creates for this list or search. */
export interface CopiedAudienceSize {
  readonly id: number;
  /** Number of people with an e-mail address. */
  readonly email: number;
  /**
   * Number of people with a mobile number. The first `email` people get an e-mail address, and the first `sms` people get a number. Some
   * people therefore have both.
   */
  readonly sms: number;
}

/** Copy of an account. Its records have the interface's attributes. Personal data are invented or omitted. */
export interface AccountCopy {
  /** The service's time when the account was read, in Unix seconds. */
  readonly at: number;
  /** Id of the user who read the account. Requests to the copy are made as this user. */
  readonly userId: number;
  readonly account: JsonObject;
  /** Features of the account. Null if the user may not read them. */
  readonly features: JsonObject | null;
  readonly users: readonly JsonObject[];
  readonly folders: readonly JsonObject[];
  readonly destinations: readonly JsonObject[];
  readonly emails: readonly JsonObject[];
  readonly links: readonly JsonObject[];
  readonly smsMessages: readonly JsonObject[];
  readonly tasks: readonly JsonObject[];
  readonly rules: Readonly<Record<RuleKind, readonly JsonObject[]>>;
  readonly lists: readonly CopiedAudienceSize[];
  readonly searches: readonly CopiedAudienceSize[];
}
