/** Defines the kinds of work that verbs do, with their exit codes. */
import type { Method } from '../../schema/resource.ts';
import type { ExitCode } from '../errors/exit-codes.ts';

/** Exit codes that follow from each kind of work, besides 0 and 2. Every command can exit with 1 and 130 too. */
export const WORK = {
  /** Makes no requests. */
  local: [],
  /** Sends requests that change nothing. */
  reads: [3, 7, 9],
  /** Reads one record. */
  finds: [3, 4, 7, 9],
  /** Sends one POST. */
  creates: [3, 5, 6, 7, 9, 10],
  /** Sends a POST for each row. A rejected row does not stop the others. */
  'sends rows': [3, 7, 8, 9, 10],
  /** Changes a record that is named by its id or by an attribute. */
  changes: [3, 4, 5, 6, 7, 9, 10],
  /** Sends requests to a sandbox's control plane, which needs no key. */
  'asks the sandbox': [7],
  'finds in the sandbox': [4, 7],
  'changes the sandbox': [4, 5, 6, 7, 10],
} as const satisfies Readonly<Record<string, readonly ExitCode[]>>;

export type Work = keyof typeof WORK;

/** Facts about a verb that its help, the reference and the manual page show. */
export interface VerbWork {
  /** Kind of work that the verb does. Its exit codes depend on it. */
  readonly work: Work;
  /** Exit codes that have a special meaning for this verb, in addition to those of its kind of work. */
  readonly exits?: Readonly<Partial<Record<ExitCode, string>>>;
  /** Methods of the noun's resource that the verb uses. Verbs of other commands name a heading of the interface in `section`. */
  readonly methods?: readonly Method[];
  /** Heading of the interface that the verb is based on. */
  readonly section?: string;
}
