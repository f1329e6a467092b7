/**
 * Stores which `.svc.json` files a person trusts, in `trusted-files.json` next to the profiles: the real path of each file, and the SHA-256
 * of the content that the person accepted. A changed file is no longer trusted.
 */
import { isAbsolute } from 'node:path';
import { TRUSTED_FILES_FILE } from './folder-pin.ts';
import { openTextMapFile, type TextMapFile, type TextMapFileOptions } from './text-map-file.ts';

export const openTrustedFileStore = (options: TextMapFileOptions): TextMapFile =>
  openTextMapFile(
    {
      fileName: TRUSTED_FILES_FILE,
      member: 'files',
      noun: 'trusted files',
      redo: 'run svc profile trust again',
      isEntry: (path, sha256) => isAbsolute(path) && /^[0-9a-f]{64}$/.test(sha256),
      describeSet: (path) => `trust ${path}`,
      describeRemove: (path) => `stop trusting ${path}`,
    },
    options,
  );
