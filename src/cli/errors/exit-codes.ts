/** What a script learns from the exit code (contract, "Output"). Nothing else may be returned. */
export const EXIT = {
  done: 0,
  /** Anything else: a bug, a 5xx after retries. */
  failed: 1,
  /** Asked wrongly, or refused before anything was sent. */
  usage: 2,
  /** 401, 403 or no credentials. */
  denied: 3,
  notFound: 4,
  /** 409, 423. */
  conflict: 5,
  /** 400, 413, 415 from the service. */
  invalid: 6,
  unreachable: 7,
  /** A batch in which some items failed. */
  partial: 8,
  throttled: 9,
  /** Sent, and the outcome could not be established. */
  unknown: 10,
  /** Checked, and it does not hold: `features diff --check`, a forecast that runs short. */
  unmet: 11,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The exit code of an answer that says no. */
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
 * Of work over many: 0 where all went well, their own code where all failed alike, else 8. A check that does not hold in
 * one does not hold of all: 11 beside others that went well is 11.
 */
export function exitOfMany(exits: readonly ExitCode[]): ExitCode {
  const counted = exits.includes(EXIT.unmet) ? exits.filter((exit) => exit !== EXIT.done) : exits;
  const [first = EXIT.done] = counted;
  return counted.every((exit) => exit === first) ? first : EXIT.partial;
}
