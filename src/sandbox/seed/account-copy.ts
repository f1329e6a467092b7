/** Describes a copy of a real account, from which a sandbox is made (contract, "Rehearse"). It has no personal data. */
import type { JsonObject } from '../../protocol/json.ts';
import type { RuleKind } from '../../resources/rule-kinds.ts';

/** A list or a saved search, with the number of people that the copy gets for it. */
export interface Audience {
  readonly id: number;
  /** People with an e-mail address. */
  readonly email: number;
  /** People with a mobile number. They are the first of the same people. */
  readonly sms: number;
}

/** Records have the interface's attributes. Those of a person are replaced by made-up ones or left out. */
export interface AccountCopy {
  /** The service's time when it was read, in Unix seconds. */
  readonly at: number;
  /** The user who read it. Requests to the copy are made as this user. */
  readonly userId: number;
  readonly account: JsonObject;
  /** Null if the user may not read them. */
  readonly features: JsonObject | null;
  readonly users: readonly JsonObject[];
  readonly folders: readonly JsonObject[];
  readonly destinations: readonly JsonObject[];
  readonly emails: readonly JsonObject[];
  readonly links: readonly JsonObject[];
  readonly smsMessages: readonly JsonObject[];
  readonly tasks: readonly JsonObject[];
  readonly rules: Readonly<Record<RuleKind, readonly JsonObject[]>>;
  readonly lists: readonly Audience[];
  readonly searches: readonly Audience[];
}
