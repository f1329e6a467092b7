/**
 * Defines kinds of work, such as creating a record, and the exit codes of each kind. Each verb (the last word of a command, such as
 * `create` in `svc task create`) does one kind of work.
 */
import type { Method } from '../../schema/resource.ts';
import type { ExitCode } from '../errors/exit-codes.ts';

/** Exit codes of a verb by its kind of work. Omits 0, 1, 2 and 130, with which every verb can exit. */
export const EXIT_CODES_BY_VERB_ACTION_KIND = {
  /** Exit codes of a verb that sends no requests: none besides 0, 1, 2 and 130. */
  local: [],
  /** Exit codes of a verb that sends only requests that change nothing. */
  reads: [3, 7, 9],
  /** Exit codes of a verb that reads one record. */
  finds: [3, 4, 7, 9],
  /** Exit codes of a verb that sends one POST. */
  creates: [3, 5, 6, 7, 9, 10],
  /** Exit codes of a verb that sends a POST for each row. A rejected row does not stop the other rows. */
  'sends rows': [3, 7, 8, 9, 10],
  /** Exit codes of a verb that changes one record. The user names the record by its id or an attribute. */
  changes: [3, 4, 5, 6, 7, 9, 10],
  /** Exit codes of a verb that only reads from a sandbox's control plane, which needs no key. */
  'reads sandbox': [7],
  'finds in sandbox': [4, 7],
  'changes sandbox': [4, 5, 6, 7, 10],
} as const satisfies Readonly<Record<string, readonly ExitCode[]>>;

export type VerbActionKind = keyof typeof EXIT_CODES_BY_VERB_ACTION_KIND;

/**
 * Work of a verb: how it uses the service, and with which exit codes it can end. Help, the reference and the manual page show these facts.
 */
export interface VerbServiceUsage {
  /** Kind of work that the verb does. The exit codes follow from the kind. */
  readonly work: VerbActionKind;
  /**
   * Exit codes with a special meaning for this verb, and a text that explains each code. The verb can also end with the usual exit codes of
   * its kind of work, which `work` names.
   */
  readonly exits?: Readonly<Partial<Record<ExitCode, string>>>;
  /** HTTP methods of the noun's resource that the verb uses. Undefined for a verb whose noun has no resource. */
  readonly methods?: readonly Method[];
  /** Heading of a section in the interface document (docs of the service's HTTP API). This section describes what the verb does. */
  readonly section?: string;
}
