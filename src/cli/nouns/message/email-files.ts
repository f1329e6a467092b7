/** The files of `svc email pull` and `push` contain the original links instead of the stored tracking addresses. */

import { emailMessage } from '../../../service/resources/email-message.ts';
import type { Input, Verb } from '../../command/command.ts';
import { type Flag, folderFlag, switchFlag } from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import { columnsNamed } from '../../output/result.ts';
import { idPositional } from '../generic/read.ts';
import { ignoredLintRulesFlag, openFlag } from './lint-flags.ts';

const dirFlag = {
  ...folderFlag('dir', { describe: 'Folder to write to; svc creates it (default: the current folder)' }),
  writes: 'folder',
} as const;
const pullOverwriteFlag = switchFlag('overwrite', { describe: 'Overwrite files that you changed' });
const pullWatchFlag = switchFlag('watch', {
  describe: 'After the download, check and preview the files on each save, until Ctrl-C',
});

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
  flags: [dirFlag, pullOverwriteFlag, pullWatchFlag, openFlag, ignoredLintRulesFlag],
  run: async (session, input) => {
    const dir = input.get(dirFlag) ?? '';
    const watch = isWatchFlagGiven(input, pullWatchFlag)
      ? await (await import('./parts-watch.ts')).prepareFileWatch(session, input)
      : undefined;
    const [{ pullMessage }, { mapAbsoluteToGivenMessagePaths }] = await Promise.all([
      import('./pull-one.ts'),
      import('./push-all.ts'),
    ]);
    const rows = [];
    for (const text of input.positionals)
      rows.push(await pullMessage(session, text, { dir, overwrite: input.get(pullOverwriteFlag) }));
    const files = rows.map(({ html }) => String(html));
    if (watch) return watch(mapAbsoluteToGivenMessagePaths(session, files));
    const columns = columnsNamed(['id', 'name', 'html', 'text']);
    return { result: { kind: 'rows', rows, columns, empty: 'No message was given.' } };
  },
};

const pushOverwriteFlag = switchFlag('overwrite', { describe: 'Overwrite changes made on the service' });
const pushWatchFlag = switchFlag('watch', {
  describe: 'Check, preview and upload the files on each save, until Ctrl-C',
});

export const emailPush: Verb = {
  name: 'push',
  summary: 'Upload files that svc email pull wrote',
  about:
    'Uploads only changes. If the message on the service has changed since svc email pull, svc stops with exit 5. A task or ' +
    'rule locks its message, so that svc cannot change it. If you confirm, svc creates a new version, but the task or rule ' +
    'still sends the old one. With --watch, svc asks once, then uploads files without lint errors on each save. Only the first ' +
    'upload can create a new version; later uploads change that version',
  work: 'changes',
  asks: true,
  exits: { 5: 'the message has changed on the service', 11: 'with --watch: the files have lint errors' },
  methods: ['PUT', 'POST'],
  example: 'email push mails/christmas-hampers-draft.html',
  positionals: [
    { name: 'file', describe: 'NAME.html, NAME.txt or NAME.svc.json', variadic: true, completes: 'file' },
  ],
  live: true,
  flags: [pushOverwriteFlag, pushWatchFlag, openFlag, ignoredLintRulesFlag],
  run: async (session, input) => {
    const options = { overwrite: input.get(pushOverwriteFlag), createsVersions: true };
    const watched = isWatchFlagGiven(input, pushWatchFlag);
    const { mapAbsoluteToGivenMessagePaths, pushMessageFiles } = await import('./push-all.ts');
    if (watched) {
      const { prepareFileWatch } = await import('./parts-watch.ts');
      const watch = await prepareFileWatch(session, input, options);
      return watch(mapAbsoluteToGivenMessagePaths(session, input.positionals));
    }
    const rows = await pushMessageFiles(session, input.positionals, options);
    const columns = columnsNamed(['file', 'id', 'done']);
    return { result: { kind: 'rows', rows, columns, empty: 'No file was given.' } };
  },
};

/** @throws UsageError for another flag that needs `--watch`, if `--watch` is missing */
function isWatchFlagGiven(input: Input, watchFlag: Flag<boolean>): boolean {
  if (input.get(watchFlag)) return true;
  const alone = [openFlag, ignoredLintRulesFlag].find((flag) => input.has(flag));
  if (alone !== undefined)
    throw new UsageError(`--${alone.name} needs --watch`, {
      hint: `add --watch, or leave out --${alone.name}`,
    });
  return false;
}
