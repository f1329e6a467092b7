/** Flags of `sms send`, for one SMS and for a file of them. */
import { fileFlag, switchFlag } from '../../command/flag.ts';

export const nowFlag = switchFlag('now', {
  describe: 'Send at once; asks first, or needs --yes',
  group: 'Attributes',
});

export const rowsFlag = fileFlag('file', {
  describe: 'Send one SMS per row: to, from, message, senddate',
});

export const againFlag = switchFlag('again', {
  describe: 'Send the same file again (with --file)',
});
