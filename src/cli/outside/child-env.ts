/** The environment of a program that svc starts: all but its own keys. */
export const withoutKeys = (
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !/^SVC_.*KEY$/.test(name)));
