/** A deployment's own names from a JSON file: overrides of the neutral ones, as a profile's `naming` holds them. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { namingWith } from '../../protocol/naming.ts';
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
    namingWith(overrides);
    return overrides;
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(`${source}: ${error.message}`, { cause: error });
    throw error;
  }
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
