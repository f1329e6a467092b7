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

/** As they are written there, and as they are. */
export function passwordsIn(text: string): readonly string[] {
  const url = readPostgresUrl(text);
  if (!url) return [];
  const written = [
    url.password,
    ...[...url.searchParams].flatMap(([name, value]) => (isPassword(name) ? value : [])),
  ];
  return written.filter((each) => each !== '').flatMap((each) => [each, decoded(each)]);
}

const isPassword = (parameter: string): boolean => /password/i.test(parameter);

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** For eyes, logs and files: the same without its password, wherever that stands. */
export function withoutPassword(text: string): string {
  const url = readPostgresUrl(text);
  if (!url) return 'postgres://…';
  url.password = '';
  for (const name of [...url.searchParams.keys()]) if (isPassword(name)) url.searchParams.delete(name);
  return url.href;
}
