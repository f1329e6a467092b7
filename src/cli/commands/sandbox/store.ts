/** Reads the database that sandboxes share: `--store`, or `SVC_SANDBOX_STORE`, which process lists do not show. */
import type { Input } from '../../command/command.ts';
import { textFlag } from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import type { Notes, Session } from '../../session/session.ts';

const VARIABLE = 'SVC_SANDBOX_STORE';

export const storeFlag = textFlag('store', {
  describe: 'PostgreSQL database that sandboxes can share',
  value: 'url',
});

/**
 * Returns the URL of the shared database, or undefined if neither flag nor variable gives a URL. @throws UsageError for an invalid URL; the
 * message does not repeat it, because it may contain a password
 */
export async function readStore(session: Session, input: Input): Promise<string | undefined> {
  const given = input.get(storeFlag);
  return given === undefined ? storeInEnvironment(session) : checked(session, given, '--store');
}

/** Returns the URL in `SVC_SANDBOX_STORE`, or undefined if the variable is not set. */
export function storeInEnvironment(session: Session): Promise<string | undefined> {
  const set = session.context.env[VARIABLE];
  return set ? checked(session, set, VARIABLE) : Promise.resolve(undefined);
}

async function checked(session: Notes, text: string, source: string): Promise<string> {
  const { passwordsIn, readPostgresUrl } = await import('../../../sandbox/store/driver/postgres-url.ts');
  session.hide(passwordsIn(text));
  if (readPostgresUrl(text) !== undefined) return text;
  session.hide([text]);
  throw new UsageError(`${source} is not the URL of a PostgreSQL database`, {
    hint: 'write postgres://USER@HOST/DATABASE; PGPASSWORD or ~/.pgpass holds the password',
  });
}

/** Returns the environment variables that pass the URL to another process, so that the URL is not on a command line. */
export const storeForProcess = (store: string | undefined): Readonly<Record<string, string>> =>
  store === undefined ? {} : { [VARIABLE]: store };

/** Returns the shared database of this folder's sandbox without its password. Returns undefined if the sandbox has its own database. */
export async function storeOfFolder(folder: string): Promise<string | undefined> {
  const [{ dataDirAt }, { keptStore }] = await Promise.all([
    import('../../../sandbox/data/data-dir.ts'),
    import('../../../sandbox/data/kept-store.ts'),
  ]);
  return keptStore(dataDirAt(folder));
}
