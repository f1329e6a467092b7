/** Flags of `sms send`, for one SMS and for a file with many SMS. */
import { fileFlag, switchFlag } from '../../command/flag.ts';

export const sendNowFlag = switchFlag('now', {
  describe: 'Send at once, after a prompt (or with --yes)',
  group: 'Attributes',
});

export const rowsFileFlag = fileFlag('file', {
  describe: 'Send one SMS per row of this file; columns: to, from, message, senddate',
});

export const sendAgainFlag = switchFlag('again', {
  describe: 'Send every row of --file, even if an earlier run sent the file',
});
