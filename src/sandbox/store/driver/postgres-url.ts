/** Parses URLs of PostgreSQL databases. This file is separate, so that a start without PostgreSQL does not load its client. */
export const isPostgresUrl = (text: string): boolean => /^postgres(?:ql)?:\/\//i.test(text);

/** Returns the URL; undefined if it is invalid. No error is thrown, because its message could contain the password. */
export function readPostgresUrl(text: string): URL | undefined {
  if (!isPostgresUrl(text)) return undefined;
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** Returns the passwords in the URL, each in its encoded and its decoded form, so that callers can remove them from texts. */
export function findUrlPasswords(text: string): readonly string[] {
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

/** Returns the URL without its password, for display, logs and files. */
export function removeUrlPassword(text: string): string {
  const url = readPostgresUrl(text);
  if (!url) return 'postgres://…';
  url.password = '';
  for (const name of [...url.searchParams.keys()]) if (isPassword(name)) url.searchParams.delete(name);
  return url.href;
}
