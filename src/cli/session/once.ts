/**
 * Returns a function that calls `make` on first use and returns the same result to all callers. If `make` fails, all callers get the same
 * error.
 */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
