/** A deployment's own names from a JSON file: overrides of the neutral ones, as a profile's `naming` holds them. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { NamingError, namingWith, readOverrides } from '../../protocol/naming.ts';
import { UsageError } from '../errors/errors.ts';

export type NamingOverrides = Readonly<Record<string, unknown>>;

/**
 * @param source what named the file: `--naming`, `SVC_NAMING`
 * @throws UsageError for a file that can't be read, or holds anything but such names
 */
export async function readNamingFile(
  cwd: string,
  file: string,
  source = '--naming',
): Promise<NamingOverrides> {
  const overrides = await objectIn(resolve(cwd, file), `${source}: ${file}`);
  try {
    return (await namingChecker())(overrides);
  } catch (error) {
    throw asUsage(error, source);
  }
}

/**
 * Gives overrides again, each key in one spelling, once every entry is held against the declarations.
 * @returns throws a NamingError for one that is not possible
 */
export async function namingChecker(): Promise<(overrides: NamingOverrides) => NamingOverrides> {
  const [{ checkFieldNames }, { catalogue }, { companions }] = await Promise.all([
    import('../../protocol/naming-fields.ts'),
    import('../../resources/catalogue.ts'),
    import('../../resources/companions/catalogue.ts'),
  ]);
  return (overrides) => {
    checkFieldNames(namingWith(overrides), catalogue, companions);
    return readOverrides(overrides);
  };
}

/** What of a naming can't be is the fault of who gave it; any other error stays what it is. */
export function asUsage(error: unknown, source: string): unknown {
  if (!(error instanceof NamingError)) return error;
  const { message, hint } = error;
  return new UsageError(`${source}: ${message}`, { cause: error, ...(hint === undefined ? {} : { hint }) });
}

async function objectIn(path: string, called: string): Promise<NamingOverrides> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    const why = cause instanceof SyntaxError ? 'is not JSON' : "can't be read";
    throw new UsageError(`${called} ${why}`, { cause });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new UsageError(`${called} must hold one JSON object`);
}
