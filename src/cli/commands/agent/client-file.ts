/** Reads and replaces the configuration file of a client. A link stays a link, and a file keeps its mode. */
import { chmodSync, lstatSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { createAtomicFile, fillFile } from '../../../kit/files/atomic-file.ts';
import { FileError, systemErrorReason } from '../../../kit/files/errors.ts';
import { makeFolders } from '../../../kit/files/make-folders.ts';
import { readRegularFile } from '../../../kit/files/private-file.ts';
import { CliError, UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import type { AssistantClient } from './clients.ts';
import { readJsonConfiguration } from './json-configuration.ts';
import { type Configuration, ConfigurationFault } from './server-entry.ts';
import { readTomlConfiguration } from './toml-configuration.ts';

export interface ClientFile {
  readonly path: string;
  /** False if `path` names no file yet. */
  readonly exists: boolean;
  readonly configuration: Configuration;
  /** @throws CliError if the file cannot be written */
  readonly replace: (text: string) => void;
}

const MAX_OCTETS = 32 * 1024 * 1024;
const BYTE_ORDER_MARK = '\ufeff';
const LEAVE = 'correct the file, or leave this client out with --client';

/** @throws UsageError for a file that svc cannot read or parse */
export function readClientFile(client: AssistantClient, path: string): ClientFile {
  const target = targetOf(path);
  const content = target === undefined ? '' : textOf(target, path);
  const mark = content.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  return {
    path,
    exists: target !== undefined,
    configuration: guarded(path, client, content.slice(mark.length)),
    replace: (text) => write(target ?? path, path, mark + text),
  };
}

/** Names the file in each error. */
function guarded(path: string, client: AssistantClient, content: string): Configuration {
  const { entry, withEntry, withoutEntry } = naming(path, () => parsed(client, content));
  return {
    entry,
    withEntry: (wanted) => naming(path, () => withEntry(wanted)),
    withoutEntry: () => naming(path, withoutEntry),
  };
}

const parsed = ({ form, servers }: AssistantClient, content: string): Configuration =>
  form === 'toml'
    ? readTomlConfiguration(content, servers)
    : readJsonConfiguration(content, servers, { allowsComments: form === 'jsonc' });

function naming<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof ConfigurationFault)) throw cause;
    throw new UsageError(`${path} ${cause.message}; nothing was changed`, { hint: LEAVE, cause });
  }
}

/** Returns the path that a link names. Returns undefined if no file exists. */
function targetOf(path: string): string | undefined {
  const named = lstatSync(path, { throwIfNoEntry: false });
  if (named === undefined) return undefined;
  if (!named.isSymbolicLink()) return path;
  try {
    return realpathSync(path);
  } catch (cause) {
    throw new UsageError(`${path} is a link to a file that does not exist; nothing was changed`, { cause });
  }
}

function textOf(target: string, path: string): string {
  try {
    const content = readRegularFile(target, path, MAX_OCTETS);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch (cause) {
    const reason = cause instanceof FileError ? cause.message : `${path} is not UTF-8 text`;
    throw new UsageError(`${reason}; nothing was changed`, { hint: LEAVE, cause });
  }
}

function write(target: string, path: string, text: string): void {
  makeFolders(dirname(target));
  try {
    const mode = (statSync(target, { throwIfNoEntry: false })?.mode ?? 0o600) & 0o7777;
    fillFile(createAtomicFile(target, { suffix: '.svc-new', mode }), (file) => {
      // The mask of the process may have removed bits.
      chmodSync(file.temporaryPath, mode);
      file.write(text);
    });
  } catch (cause) {
    const system = cause instanceof FileError && cause.cause instanceof Error ? cause.cause : cause;
    throw new CliError('file', `cannot write ${path}: ${systemErrorReason(system)}`, {
      exit: EXIT.failed,
      cause,
    });
  }
}
