/** Interprets errors of PostgreSQL and of its connections. Codes: PostgreSQL's documentation, appendix A. */

import { readPostgresUrl, removeUrlPassword } from './postgres-url.ts';
import { ReadOnlyStoreError, StoreError, StoreUnavailableError } from './store.ts';

/** Reports whether the database rolled the transaction back because of a conflict with another transaction. */
export const isConflict = (error: unknown): boolean => /^(?:40001|40P01)$/.test(codeOf(error));

/**
 * Returns the error to throw instead of an error of the database client.
 * @param message the message of the new error if the database can't be reached
 */
export function toStoreError(error: unknown, message: string): unknown {
  if (codeOf(error) === READ_ONLY) return new ReadOnlyStoreError(error);
  return isConnectionLost(error) ? new StoreUnavailableError(message, error) : error;
}

const READ_ONLY = '25006';

/** Reports whether the server is gone, is starting or stopping, or has no free connection. Its uncommitted work is then rolled back. */
function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error);
  if (/^(?:08...|57P0[1-5]|53300|25P03)$/.test(code)) return true;
  if (/^(?:ECONN|EPIPE|ENOENT|ENOTFOUND|EAI_|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/.test(code)) return true;
  return error instanceof Error && WITHOUT_CODE.test(error.message);
}

/** Messages of errors to which the database client gives no code. */
const WITHOUT_CODE =
  /^(?:Connection terminated|Connection ended|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end)/;

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/**
 * Returns the reason why the database can't be opened. The reason does not contain the password. Returns undefined if the error is a bug.
 */
export function explainPostgresError(error: unknown, url: string): StoreError | undefined {
  if (error instanceof StoreError || !(error instanceof Error)) return undefined;
  const shown = removeUrlPassword(url);
  const refuse = (message: string, hint: string): StoreError => new StoreError(message, hint, error);
  const code = codeOf(error);
  if (/^28/.test(code) || error.message.startsWith('SASL'))
    return refuse(
      `PostgreSQL denies access to the user: ${shown}`,
      'set the password in the URL, PGPASSWORD or ~/.pgpass; SVC_SANDBOX_STORE keeps the URL out of the command line',
    );
  if (code === '3D000') {
    const name = decodeURIComponent(readPostgresUrl(url)?.pathname.slice(1) ?? '');
    return refuse(`database not found: ${shown}`, `createdb ${name === '' ? 'NAME' : name} makes it`);
  }
  if (code === READ_ONLY || error instanceof ReadOnlyStoreError)
    return refuse(
      `the PostgreSQL database is read-only: ${shown}`,
      'check that it is not a standby, and that default_transaction_read_only is off; a sandbox can still serve an up-to-date database',
    );
  if (code === '42501')
    return refuse(
      `PostgreSQL does not let the user create tables: ${shown} (${error.message})`,
      'make the user the owner of the database: createdb --owner USER NAME',
    );
  if (code === '2BP01')
    return refuse(
      `something else in the database depends on the sandbox's tables: ${error.message}`,
      'remove it first; nothing was removed',
    );
  if (isConnectionLost(error))
    return refuse(
      `cannot reach PostgreSQL: ${shown} (${code === '' ? error.message : code})`,
      'check that it is running, and that host and port are correct',
    );
  return undefined;
}
