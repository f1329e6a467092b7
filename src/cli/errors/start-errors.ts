/** Explains why a sandbox cannot start. Recognizes errors by their names, so that svc does not load the sandbox to explain them. */
import { CliError, UsageError } from './errors.ts';
import { EXIT } from './exit-codes.ts';

/** Returns an unknown error unchanged. @param listening the host is undefined if the port came from `--port` */
export function explainSandboxStartError(
  error: unknown,
  listening?: { readonly host: string | undefined; readonly port: number },
): unknown {
  if (!(error instanceof Error)) return error;
  const code = 'code' in error ? error.code : undefined;
  if (error.name === 'NamingError') {
    const hint = 'hint' in error && typeof error.hint === 'string' ? { hint: error.hint } : {};
    return new UsageError(`--companions: ${error.message}`, { ...hint, cause: error });
  }
  if (error.name === 'ClockAheadError')
    return new UsageError(`--clock real would move the sandbox's time back: ${error.message}`, {
      hint: 'start the sandbox with --clock manual, or delete its data with svc sandbox reset',
      cause: error,
    });
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new UsageError('--listen: this machine does not have that address', {
      hint: 'use an address of this machine, or 0.0.0.0:PORT for all its addresses',
      cause: error,
    });
  if (typeof code === 'string' && /^SQLITE_(?:FULL|IOERR|READONLY)/.test(code))
    return new CliError('storage', `the sandbox can't write in its data folder: ${error.message} (${code})`, {
      exit: EXIT.failed,
      hint: 'free some disk space, or choose a folder on another disk with --data DIR',
      cause: error,
    });
  if (listening !== undefined && (code === 'EADDRINUSE' || code === 'EACCES')) {
    const why = code === 'EACCES' ? 'needs more rights' : 'is taken';
    const { host, port } = listening;
    return host === undefined
      ? new UsageError(`--port ${port}: the port ${why}`, {
          hint: 'choose another port, or leave out --port to use a free one',
          cause: error,
        })
      : new UsageError(`--listen ${host}:${port}: the port ${why}`, {
          hint: 'choose another port with --listen HOST:PORT; port 0 selects any free port',
          cause: error,
        });
  }
  if (code === 'ERR_MODULE_NOT_FOUND' && error.message.includes('libsql'))
    return new CliError('storage', 'the sandbox needs the package libsql, which is not installed here', {
      exit: EXIT.failed,
      hint: 'run npm install libsql',
      cause: error,
    });
  return error;
}
