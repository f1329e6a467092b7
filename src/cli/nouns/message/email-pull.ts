/**
 * Declares `svc email pull`, which writes the HTML and the text of messages to files. The files contain the original links instead of the
 * tracking addresses of the stored message.
 */
import { emailMessage } from '../../../resources/email-message.ts';
import type { Verb } from '../../command/command.ts';
import { folderFlag, switchFlag } from '../../command/flag.ts';
import { idPositional } from '../generic/get.ts';
import { ignoredLintRulesFlag } from './lint-flags.ts';
import { createWatchFlag, isWatchFlagGiven, openFlag } from './parts-watch-flags.ts';

const dirFlag = folderFlag('dir', {
  describe: 'Folder to write to; svc creates it (default: the current folder)',
});
const overwriteFlag = switchFlag('overwrite', { describe: 'Overwrite files that you changed' });
const watchFlag = createWatchFlag(
  'After the download, check and preview the files on each save, until Ctrl-C',
);

export const emailPull: Verb = {
  name: 'pull',
  summary: 'Download e-mail messages to files',
  about:
    'Writes NAME.html and NAME.txt with the original links, and NAME.svc.json, which identifies the message. svc ' +
    'email push uploads the files. With --watch, svc checks the files on each save and reloads a preview in the ' +
    'browser; it sends nothing',
  work: 'finds',
  exits: { 5: 'a local file has changed', 11: 'with --watch: the files have lint errors' },
  methods: ['GET'],
  example: 'email pull 1 --dir mails',
  positionals: [{ ...idPositional(emailMessage), variadic: true }],
  live: true,
  flags: [dirFlag, overwriteFlag, watchFlag, openFlag, ignoredLintRulesFlag],
  run: async (session, input) => {
    const dir = input.get(dirFlag) ?? '';
    const watch = isWatchFlagGiven(input, watchFlag)
      ? await (await import('./parts-watch.ts')).prepareFileWatch(session, input)
      : undefined;
    const [{ pullMessage }, { mapAbsoluteToGivenMessagePaths }] = await Promise.all([
      import('./pull-one.ts'),
      import('./push-all.ts'),
    ]);
    const rows = [];
    for (const text of input.positionals)
      rows.push(await pullMessage(session, text, { dir, overwrite: input.get(overwriteFlag) }));
    if (watch)
      return watch(
        mapAbsoluteToGivenMessagePaths(
          session,
          rows.map(({ html }) => String(html)),
        ),
      );
    const columns = ['id', 'name', 'html', 'text'].map((name) => ({ name }));
    return { result: { kind: 'rows', rows, columns, empty: 'No message was given.' } };
  },
};
