/** Exit codes (contract, "Output"). A command returns no other code. */
export const EXIT = {
  done: 0,
  /** Any other failure: a bug, or a 5xx after all retries. */
  failed: 1,
  /** The command is invalid, or svc refused the command before svc sent anything. */
  usage: 2,
  /** The service refused the caller (401, 403), or there are no credentials. */
  denied: 3,
  notFound: 4,
  /** The record's state or another record prevents the change (409, 423). */
  conflict: 5,
  /** The service found the request invalid (400, 413, 415). */
  invalid: 6,
  unreachable: 7,
  /** Some items of a batch failed, and others succeeded. */
  partial: 8,
  throttled: 9,
  /** svc sent a request and could not find out whether it succeeded. */
  unknown: 10,
  /** A check failed: `features diff --check`, or a forecast with too few credits. */
  unmet: 11,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const exitCodeForHttpStatus = (status: number): ExitCode => EXIT_BY_STATUS[status] ?? EXIT.failed;

const EXIT_BY_STATUS: Readonly<Record<number, ExitCode>> = {
  ...{ 401: EXIT.denied, 403: EXIT.denied },
  404: EXIT.notFound,
  ...{ 409: EXIT.conflict, 423: EXIT.conflict },
  ...{ 400: EXIT.invalid, 413: EXIT.invalid, 415: EXIT.invalid },
  429: EXIT.throttled,
};

/** Returns the code that all items share, 11 if some failed with it and the others succeeded, and otherwise 8. */
export function combineExitCodes(exits: readonly ExitCode[]): ExitCode {
  const counted = exits.includes(EXIT.unmet) ? exits.filter((exit) => exit !== EXIT.done) : exits;
  const [first = EXIT.done] = counted;
  return counted.every((exit) => exit === first) ? first : EXIT.partial;
}
