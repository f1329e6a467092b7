/** Exit codes (contract, "Output"). A command returns no other code. */
export const EXIT = {
  done: 0,
  /** Any other failure: a bug, a 5xx after retries. */
  failed: 1,
  /** Invalid command, or one refused before anything was sent. */
  usage: 2,
  /** 401, 403 or no credentials. */
  denied: 3,
  notFound: 4,
  /** 409, 423. */
  conflict: 5,
  /** 400, 413, 415 from the service. */
  invalid: 6,
  unreachable: 7,
  /** Batch in which some items failed. */
  partial: 8,
  throttled: 9,
  /** Request sent, but its outcome could not be established. */
  unknown: 10,
  /** Failed check: `features diff --check`, or a forecast with too few credits. */
  unmet: 11,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Returns the exit code for the status of an error response. */
export function exitForStatus(status: number): ExitCode {
  switch (status) {
    case 401:
    case 403:
      return EXIT.denied;
    case 404:
      return EXIT.notFound;
    case 409:
    case 423:
      return EXIT.conflict;
    case 400:
    case 413:
    case 415:
      return EXIT.invalid;
    case 429:
      return EXIT.throttled;
    default:
      return EXIT.failed;
  }
}

/**
 * Returns the exit code of work over many items: 0 if all succeeded, their common code if all failed alike, else 8. A failed check of some
 * items fails the whole check: 11 is kept although others succeeded.
 */
export function exitOfMany(exits: readonly ExitCode[]): ExitCode {
  const counted = exits.includes(EXIT.unmet) ? exits.filter((exit) => exit !== EXIT.done) : exits;
  const [first = EXIT.done] = counted;
  return counted.every((exit) => exit === first) ? first : EXIT.partial;
}
