/** Reads from a JSON file the header and attribute names that a deployment of the service uses instead of the usual ones. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isObject } from '../../kit/text/json-object.ts';
import { NamingError, namingWithOverrides, parseNamingOverrides } from '../../service/protocol/naming.ts';
import { UsageError } from '../errors/errors.ts';

/** The values are not checked yet. */
export type UncheckedNamingOverrides = Readonly<Record<string, unknown>>;

/**
 * @param settingName the setting that names the file: `--naming`, `SVC_NAMING` @throws UsageError for a file that can't be read, or that
 * contains anything other than valid names
 */
export async function readAttributeNamingFile(
  cwd: string,
  file: string,
  settingName = '--naming',
): Promise<UncheckedNamingOverrides> {
  const overrides = await objectIn(resolve(cwd, file), `${settingName}: ${file}`);
  try {
    return (await loadAttributeNamingChecker())(overrides);
  } catch (error) {
    throw convertNamingErrorToUsageError(error, settingName);
  }
}

/**
 * The function throws a NamingError for an invalid entry, for an attribute that no resource declares, and for a new name that cannot be
 * used.
 */
export async function loadAttributeNamingChecker(): Promise<
  (overrides: UncheckedNamingOverrides) => UncheckedNamingOverrides
> {
  const [{ checkFieldNames }, { catalogue }, { sandboxOnlyResources }] = await Promise.all([
    import('../../service/protocol/naming-fields.ts'),
    import('../../service/resources/catalogue.ts'),
    import('../../service/resources/companions.ts'),
  ]);
  return (overrides) => {
    checkFieldNames(namingWithOverrides(overrides), catalogue, sandboxOnlyResources);
    return parseNamingOverrides(overrides);
  };
}

export function convertNamingErrorToUsageError(error: unknown, settingName: string): unknown {
  if (!(error instanceof NamingError)) return error;
  const { message, hint } = error;
  return new UsageError(`${settingName}: ${message}`, { cause: error, hint });
}

async function objectIn(path: string, called: string): Promise<UncheckedNamingOverrides> {
  let value: unknown;
  try {
    const text = await readFile(path, 'utf8');
    // Editors on Windows begin a file with a byte order mark.
    value = JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
  } catch (cause) {
    const why = cause instanceof SyntaxError ? 'is not JSON' : "can't be read";
    throw new UsageError(`${called} ${why}`, { cause });
  }
  if (isObject(value)) return value;
  throw new UsageError(`${called} must hold one JSON object`);
}
