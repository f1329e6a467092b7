/** Reads the error that a command with `-o json` printed. */

/** Returns `error` of the last line of stderr. Lines before it are notes: a slow machine has some about waits (contract, "Waits"). */
export const readJsonError = (stderr: string) => JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error;
