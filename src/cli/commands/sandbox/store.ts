/** Reads the URL of the shared database. Unlike `--store`, the variable `SVC_SANDBOX_STORE` is not visible in process lists. */

import type { Input } from '../../command/command.ts';
import { textFlag } from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import type { Invocation, Notes, Tell } from '../../session/ports.ts';

const VARIABLE = 'SVC_SANDBOX_STORE';

export const databaseUrlFlag = textFlag('store', {
  describe: 'PostgreSQL database for the data, which several sandboxes can share',
  value: 'url',
});

/** @throws UsageError for an invalid URL; the message does not contain the URL, which may include a password */
export async function readDatabaseUrl(session: Invocation & Tell, input: Input): Promise<string | undefined> {
  const given = input.get(databaseUrlFlag);
  return given === undefined ? databaseUrlInEnvironment(session) : checked(session, given, '--store');
}

export function databaseUrlInEnvironment(session: Invocation & Tell): Promise<string | undefined> {
  const set = session.context.env[VARIABLE];
  return set ? checked(session, set, VARIABLE) : Promise.resolve(undefined);
}

async function checked(session: Notes, text: string, source: string): Promise<string> {
  const { findUrlPasswords, readPostgresUrl } = await import('../../../sandbox/store/driver/postgres-url.ts');
  session.hide(findUrlPasswords(text));
  if (readPostgresUrl(text) !== undefined) return text;
  session.hide([text]);
  throw new UsageError(`${source} is not the URL of a PostgreSQL database`, {
    hint: 'write postgres://USER@HOST/DATABASE; the password comes from PGPASSWORD or ~/.pgpass',
  });
}

/** Passes the URL to another process, so that no command line shows it. */
export const createDatabaseUrlVariable = (store: string | undefined): Readonly<Record<string, string>> =>
  store === undefined ? {} : { [VARIABLE]: store };

/** Leaves out the password. Undefined if the sandbox has its own database. */
export async function readDatabaseUrlOfSandboxFolder(folder: string): Promise<string | undefined> {
  const { dir, settings } = await loadStoredSettings(folder);
  return settings.readStoredDatabaseUrl(dir);
}

export async function loadStoredSettings(folder: string) {
  const [{ dataDirAt }, settings] = await Promise.all([
    import('../../../sandbox/data/data-dir.ts'),
    import('../../../sandbox/data/stored-settings.ts'),
  ]);
  return { dir: dataDirAt(folder), settings };
}
