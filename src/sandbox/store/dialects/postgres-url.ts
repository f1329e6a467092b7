/** URLs of PostgreSQL databases. Apart from what opens them, so that no start without one loads that. */

/** What `--store` takes. */
export const isPostgresUrl = (text: string): boolean => /^postgres(?:ql)?:\/\//i.test(text);

/** Undefined where it can't be read as one: the words of the fault might hold the password. */
export function readPostgresUrl(text: string): URL | undefined {
  if (!isPostgresUrl(text)) return undefined;
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** For eyes, logs and files: the same without its password, wherever that stands. */
export function withoutPassword(text: string): string {
  const url = readPostgresUrl(text);
  if (!url) return 'postgres://…';
  url.password = '';
  for (const name of [...url.searchParams.keys()]) if (/password/i.test(name)) url.searchParams.delete(name);
  return url.href;
}
