/** Returns the environment for a program that svc starts: everything except svc's keys. */
export const withoutKeys = (
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !/^SVC_.*KEY$/.test(name)));
