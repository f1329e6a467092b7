/** What a profile may be called, and what is an id: a file of its own, since what answers a TAB needs no more of profiles. */

const NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/;

export function isProfileName(name: string): boolean {
  return NAME.test(name);
}

/** An id as the service gives them: whole, positive, at most 15 digits. */
export function isId(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= 999_999_999_999_999;
}
