/** Flags of `sms send`, for one and for a file of them. */
import { fileFlag, switchFlag } from '../../command/flag.ts';

export const nowFlag = switchFlag('now', {
  describe: 'Send at once; the only way to do so, and it asks or needs --yes',
  group: 'Attributes',
});

export const rowsFlag = fileFlag('file', {
  describe: 'Send one SMS for each row of a CSV file with the columns to, from, message and senddate',
});

export const againFlag = switchFlag('again', {
  describe: 'With --file: send a file again that was sent before',
});
