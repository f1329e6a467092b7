/**
 * Reads from a JSON file the header and attribute names that a deployment of the service uses instead of the usual ones. The file has the
 * same form as `naming` in a profile.
 */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { NamingError, namingWithOverrides, parseNamingOverrides } from '../../protocol/naming.ts';
import { isObject } from '../../text/json-object.ts';
import { UsageError } from '../errors/errors.ts';

/** Header and attribute names that a deployment of the service uses instead of the usual ones. The values are not checked yet. */
export type AttributeNamingOverrides = Readonly<Record<string, unknown>>;

/**
 * Reads the file. @param source the setting that named the file: `--naming`, `SVC_NAMING`
 * @throws UsageError for a file that can't be read, or that contains anything other than valid names
 */
export async function readAttributeNamingFile(
  cwd: string,
  file: string,
  source = '--naming',
): Promise<AttributeNamingOverrides> {
  const overrides = await objectIn(resolve(cwd, file), `${source}: ${file}`);
  try {
    return (await loadAttributeNamingChecker())(overrides);
  } catch (error) {
    throw convertNamingErrorToUsageError(error, source);
  }
}

/**
 * Returns a function that checks the names in a naming file against the declared resources, and normalizes the spelling of the file's keys.
 * The function throws a NamingError for an impossible name.
 */
export async function loadAttributeNamingChecker(): Promise<
  (overrides: AttributeNamingOverrides) => AttributeNamingOverrides
> {
  const [{ checkFieldNames }, { catalogue }, { sandboxOnlyResources }] = await Promise.all([
    import('../../protocol/naming-fields.ts'),
    import('../../resources/catalogue.ts'),
    import('../../resources/companions.ts'),
  ]);
  return (overrides) => {
    checkFieldNames(namingWithOverrides(overrides), catalogue, sandboxOnlyResources);
    return parseNamingOverrides(overrides);
  };
}

/** Converts a NamingError to a usage error whose message begins with `source`, such as `--naming`. Returns any other error unchanged. */
export function convertNamingErrorToUsageError(error: unknown, source: string): unknown {
  if (!(error instanceof NamingError)) return error;
  const { message, hint } = error;
  return new UsageError(`${source}: ${message}`, { cause: error, hint });
}

async function objectIn(path: string, called: string): Promise<AttributeNamingOverrides> {
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
