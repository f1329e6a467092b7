/** Reads, compares and writes the sends files beside test files. */

import { resolve } from 'node:path';
import { decodeText } from '../../../features/campaign/file/content-files.ts';
import { MAX_CAMPAIGN_FILE_OCTETS } from '../../../features/campaign/file/versioned-file.ts';
import {
  diffSends,
  formatSends,
  isSendsFile,
  type SendLine,
  sendsPathOf,
} from '../../../features/campaign/test-file/sends-file.ts';
import { createAtomicFile, fillFile } from '../../../kit/files/atomic-file.ts';
import { FileError, systemErrorReason } from '../../../kit/files/errors.ts';
import { CliError, UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import type { Ports } from '../../session/ports.ts';
import { type ReadTests, readFileOctets } from './read-tests.ts';
import type { SendsResult } from './results.ts';

/** A sends file as it is now, or where it will be. */
export interface KeptSends {
  readonly path: string;
  /** Undefined if there is no such file. */
  readonly text: string | undefined;
}

/**
 * Returns the sends files by the paths of their test files: those that exist, and with `isUpdate` all.
 * @throws UsageError if a file is not one of svc, or if the account's sends change by themselves
 */
export async function readSendsFiles(
  { context: { cwd } }: Ports,
  tests: readonly ReadTests[],
  isUpdate: boolean,
): Promise<ReadonlyMap<string, KeptSends>> {
  const kept = new Map<string, KeptSends>();
  const seen = new Set<string>();
  for (const { file, accountName } of tests) {
    const path = sendsPathOf(file.path);
    const text = await readSendsFile(resolve(cwd, path), path);
    if (text === undefined && !isUpdate) continue;
    if (accountName === 'profile')
      throw new UsageError(
        `cannot compare the sends of ${file.path} with ${path}: the account of the profile changes by itself`,
        {
          hint: `set account: to demo or to a snapshot file${text === undefined ? '' : `, or remove ${path}`}`,
        },
      );
    if (seen.has(resolve(cwd, path)))
      throw new UsageError(`two test files have the sends file ${path}; rename one of them`);
    seen.add(resolve(cwd, path));
    kept.set(file.path, { path, text });
  }
  return kept;
}

async function readSendsFile(full: string, path: string): Promise<string | undefined> {
  const read = await readFileOctets(full, MAX_CAMPAIGN_FILE_OCTETS);
  if ('code' in read && read.code === 'ENOENT') return undefined;
  const text = 'fault' in read ? undefined : decodeText(read.octets);
  if (text !== undefined && isSendsFile(text)) return text;
  const why = 'fault' in read ? read.fault : 'was not written by svc test --update';
  throw new UsageError(`${path} ${why}`, { hint: 'move it away; svc test --update writes a new one' });
}

/** Compares the sends with the file, or writes the file if they differ. @throws CliError if it cannot be written */
export function resultOfSends(
  { context: { cwd } }: Ports,
  { path, text }: KeptSends,
  given: { readonly campaign: string; readonly sends: readonly SendLine[]; readonly isUpdate: boolean },
): SendsResult {
  const now = formatSends(given.campaign, given.sends);
  const isNew = text === undefined;
  const diff = diffSends(text ?? formatSends(given.campaign, []), now);
  if (diff.length === 0 && !isNew) return { path, state: 'same', diff };
  if (!given.isUpdate) return { path, state: 'changed', diff };
  try {
    fillFile(createAtomicFile(resolve(cwd, path), { mode: 0o644 }), (file) => file.write(now));
  } catch (error) {
    const cause = error instanceof FileError ? (error.cause ?? error) : error;
    throw new CliError('system', `cannot write ${path}: ${systemErrorReason(cause)}`, {
      exit: EXIT.failed,
      cause,
    });
  }
  return { path, state: 'written', diff };
}
