/** Declares `svc email push`: sends the files of `email pull` back to the messages. */
import type { Verb } from '../../command/command.ts';
import { switchFlag } from '../../command/flag.ts';
import { ignoredLintRulesFlag } from './lint-flags.ts';
import { createWatchFlag, isWatchFlagGiven, openFlag } from './parts-watch-flags.ts';

const overwriteFlag = switchFlag('overwrite', { describe: 'Overwrite changes made on the service' });
const watchFlag = createWatchFlag('Check, preview and upload the files on each save, until Ctrl-C');

export const emailPush: Verb = {
  name: 'push',
  summary: 'Upload files that svc email pull wrote',
  about:
    'Uploads only changes. If the message on the service has changed since svc email pull, svc stops with exit 5. A task or ' +
    'rule locks its message, so that svc cannot change it. If you confirm, svc creates a new version, but the task or rule ' +
    'still sends the old one. With --watch, svc asks once, then uploads files without lint errors on each save. Only the first ' +
    'upload can create a new version; later uploads change that version',
  work: 'changes',
  exits: { 5: 'the message has changed on the service', 11: 'with --watch: the files have lint errors' },
  methods: ['PUT', 'POST'],
  example: 'email push mails/christmas-hampers-draft.html',
  positionals: [
    {
      name: 'file',
      describe: 'NAME.html, NAME.txt or NAME.svc.json',
      variadic: true,
      completes: 'file',
    },
  ],
  live: true,
  flags: [overwriteFlag, watchFlag, openFlag, ignoredLintRulesFlag],
  run: async (session, input) => {
    const options = { overwrite: input.get(overwriteFlag), createsVersions: true };
    const watched = isWatchFlagGiven(input, watchFlag);
    const { mapAbsoluteToGivenMessagePaths, pushMessageFiles } = await import('./push-all.ts');
    if (watched) {
      const { prepareFileWatch } = await import('./parts-watch.ts');
      const watch = await prepareFileWatch(session, input, options);
      return watch(mapAbsoluteToGivenMessagePaths(session, input.positionals));
    }
    const rows = await pushMessageFiles(session, input.positionals, options);
    const columns = ['file', 'id', 'done'].map((name) => ({ name }));
    return { result: { kind: 'rows', rows, columns, empty: 'No file was given.' } };
  },
};
