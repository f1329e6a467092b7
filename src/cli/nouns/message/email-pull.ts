/** Declares `svc email pull`: writes the parts of messages to files, with their original links. */
import { emailMessage } from '../../../resources/email-message.ts';
import type { Verb } from '../../command/command.ts';
import { folderFlag, switchFlag } from '../../command/flag.ts';
import { idPositional } from '../generic/get.ts';
import { ignoreFlag } from './lint-flags.ts';
import { isWatched, openFlag, partsWatchFlag } from './parts-watch-flags.ts';

const dirFlag = folderFlag('dir', {
  describe: 'Folder to write to, made where it is not there (default: this one)',
});
const overwriteFlag = switchFlag('overwrite', { describe: 'Write over files that were changed here' });
const watchFlag = partsWatchFlag('Then check and preview the files whenever they are saved, until Ctrl-C');

export const emailPull: Verb = {
  name: 'pull',
  summary: 'Write the parts of e-mail messages to files',
  about:
    'NAME.html and NAME.txt, with the links as they were before the service rewrote them, and NAME.svc.json, which says which message they are of. svc email push sends them back; pulled again they are brought up to date. With --watch they are checked as svc email lint does, and shown in a page that a browser reads again by itself, whenever they are saved; nothing is sent',
  example: 'email pull 1 --dir mails',
  positionals: [{ ...idPositional(emailMessage), variadic: true }],
  live: true,
  flags: [dirFlag, overwriteFlag, watchFlag, openFlag, ignoreFlag],
  run: async (session, input) => {
    const dir = input.get(dirFlag) ?? '';
    const watch = isWatched(input, watchFlag)
      ? await (await import('./parts-watch.ts')).prepareWatch(session, input)
      : undefined;
    const [{ pullOne }, { basesOf }] = await Promise.all([import('./pull-one.ts'), import('./push-all.ts')]);
    const rows = [];
    for (const text of input.positionals)
      rows.push(await pullOne(session, text, { dir, overwrite: input.get(overwriteFlag) }));
    if (watch)
      return watch(
        basesOf(
          session,
          rows.map(({ html }) => String(html)),
        ),
      );
    const columns = ['id', 'name', 'html', 'text'].map((name) => ({ name }));
    return { result: { kind: 'rows', rows, columns, empty: 'No message was named.' } };
  },
};
