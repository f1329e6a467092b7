/**
 * Returns the command that starts another process of svc: a program and the words before svc's arguments. In the single executable (`npm
 * run build:binary`), the program is the executable itself.
 */
export function ownProgram(): { readonly program: string; readonly before: readonly string[] } {
  const script = process.getBuiltinModule('node:sea').isSea() ? [] : [process.argv[1] ?? ''];
  return { program: process.execPath, before: [...process.execArgv, ...script] };
}

/** Returns the environment for a program that svc starts: everything except svc's keys. */
export const withoutKeys = (
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !/^SVC_.*KEY$/.test(name)));
