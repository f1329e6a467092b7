/** `svc email pull`: the parts of messages as files, with their original links. */
import { emailMessage } from '../../../resources/email-message.ts';
import type { Verb } from '../../command/command.ts';
import { folderFlag, switchFlag } from '../../command/flag.ts';
import { idPositional } from '../generic/get.ts';

const dirFlag = folderFlag('dir', {
  describe: 'Folder to write to, made where it is not there (default: this one)',
});
const overwriteFlag = switchFlag('overwrite', { describe: 'Write over files that were changed here' });

export const emailPull: Verb = {
  name: 'pull',
  summary: 'Write the parts of e-mail messages to files',
  about:
    'NAME.html and NAME.txt, with the links as they were before the service rewrote them, and NAME.svc.json, which says which message they are of. svc email push sends them back; pulled again they are brought up to date',
  example: 'email pull 1 --dir mails',
  positionals: [{ ...idPositional(emailMessage), variadic: true }],
  flags: [dirFlag, overwriteFlag],
  run: async (session, input) => {
    const dir = input.get(dirFlag) ?? '';
    const { pullOne } = await import('./pull-one.ts');
    const rows = [];
    for (const text of input.positionals)
      rows.push(await pullOne(session, text, { dir, overwrite: input.get(overwriteFlag) }));
    const columns = ['id', 'name', 'html', 'text'].map((name) => ({ name }));
    return { result: { kind: 'rows', rows, columns, empty: 'No message was named.' } };
  },
};
