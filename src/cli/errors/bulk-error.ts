/** Kinds and exit codes of bulk errors, for scripts. */
import type { BulkErrorKind } from '../../bulk/errors.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';

export const BULK_ERRORS: Readonly<
  Record<BulkErrorKind, { readonly kind: string; readonly exit: ExitCode }>
> = {
  input: { kind: 'usage', exit: EXIT.usage },
  changed: { kind: 'usage', exit: EXIT.usage },
  'damaged-checkpoint': { kind: 'journal', exit: EXIT.usage },
  'unwritable-checkpoint': { kind: 'journal', exit: EXIT.failed },
  'lost-lock': { kind: 'lost-lock', exit: EXIT.failed },
  'unwritable-file': { kind: 'system', exit: EXIT.failed },
};
