import type { Environment } from './context.ts';

/** Returns the program and first arguments that start another process of svc. A single executable is the program itself. */
export function commandToStartSvc(): { readonly program: string; readonly firstArgs: readonly string[] } {
  const script = isSingleExecutable() ? [] : [process.argv[1] ?? ''];
  return { program: process.execPath, firstArgs: [...process.execArgv, ...script] };
}

/** Reports whether svc runs as a single executable, built by `npm run build:binary`. */
export const isSingleExecutable = (): boolean => process.getBuiltinModule('node:sea').isSea();

/** Returns the environment for a program that svc starts, without svc's API keys. Ignores the case of names, as Windows does. */
export const removeApiKeysFromEnvironment = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !/^SVC_.*KEY$/i.test(name)));
