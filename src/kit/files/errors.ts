/** Errors for a file or directory that is unsafe or unusable, or that another process has locked. */
import { SvcError } from '../text/svc-error.ts';
export type FileErrorKind =
  | 'held'
  | 'missing'
  | 'link'
  | 'not-a-file'
  | 'not-a-directory'
  /** The system refused to create a folder, which the message names with the reason. */
  | 'no-folder'
  | 'not-own'
  | 'open-to-others'
  | 'too-large'
  | 'not-text'
  | 'unusable';

/**
 * Error that changed nothing. The message does not say for which purpose svc uses the file, so callers may replace it with a more precise
 * one.
 */
export class FileError extends SvcError<FileErrorKind> {
  override readonly name = 'FileError';

  constructor(kind: FileErrorKind, message: string, hint?: string, cause?: unknown) {
    super(kind, message, { hint, cause });
  }
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

/** Words such as `the disk is full`. Errors that are not of the system keep their message. */
export function systemErrorReason(error: unknown): string {
  switch (codeOf(error)) {
    case 'ENOENT':
      return 'file or folder not found';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'EISDIR':
    case 'ERR_FS_EISDIR':
      return 'the path is a folder';
    case 'ENOTDIR':
      return 'a part of the path is not a folder';
    case 'EEXIST':
      return 'the file already exists';
    case 'ENOSPC':
      return 'the disk is full';
    case 'EROFS':
      return 'the disk is read-only';
    case 'EPIPE':
      return 'the program that read the pipe has ended';
    case 'ENXIO':
      return 'the path is a socket, or a device that does not exist';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}
