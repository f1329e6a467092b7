/**
 * Stores which `.svc.json` files a person trusts, in `trusted-files.json` next to the profiles: the real path of each file, and the SHA-256
 * of the content that the person accepted. A changed file is no longer trusted.
 */
import { isAbsolute } from 'node:path';
import { TRUSTED_FILES_FILE, type TrustedFiles } from './folder-pin.ts';
import { openTextMapFile, type TextMapFileOptions } from './text-map-file.ts';

/** Store of trusted files. Every method throws ProfileError `storage` if its own file is unsafe, was not written by svc, or is not accessible. */
export interface TrustedFileStore {
  list(): Promise<TrustedFiles>;
  /** Trusts the file as long as its content has this SHA-256. */
  trust(realPath: string, sha256: string): Promise<void>;
  /** Returns false if the file was not trusted. */
  untrust(realPath: string): Promise<boolean>;
}

export function openTrustedFileStore(options: TextMapFileOptions): TrustedFileStore {
  const { list, update } = openTextMapFile(
    {
      fileName: TRUSTED_FILES_FILE,
      member: 'files',
      noun: 'trusted files',
      redo: 'run svc profile trust again',
      isEntry: (path, sha256) => isAbsolute(path) && /^[0-9a-f]{64}$/.test(sha256),
    },
    options,
  );
  return {
    list,
    trust: async (path, sha256) => {
      await update(`trust ${path}`, (files) => new Map(files).set(path, sha256));
    },
    untrust: (path) =>
      update(`stop trusting ${path}`, (files) =>
        files.has(path) ? new Map([...files].filter(([other]) => other !== path)) : undefined,
      ),
  };
}
