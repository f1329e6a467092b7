/** Declares `svc email push`: sends the files of `email pull` back to the messages. */
import type { Verb } from '../../command/command.ts';
import { switchFlag } from '../../command/flag.ts';
import { ignoredLintRulesFlag } from './lint-flags.ts';
import { createWatchFlag, isWatched, openFlag } from './parts-watch-flags.ts';

const overwriteFlag = switchFlag('overwrite', { describe: 'Overwrite changes made on the service' });
const watchFlag = createWatchFlag('Check, preview and upload the files on each save, until Ctrl-C');

export const emailPush: Verb = {
  name: 'push',
  summary: 'Upload files that svc email pull wrote',
  about:
    'Sends only changes. A task or rule locks the message that it uses. For a locked message, svc asks before it creates ' +
    'a new version; the task or rule still sends the old version. If the message changed on the service since the ' +
    'pull, svc stops with exit 5. With --watch, svc asks for confirmation once, and then uploads the files on each save unless they ' +
    'have lint errors. These uploads create no new versions',
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
    const watched = isWatched(input, watchFlag);
    const { mapBasePathsToGivenPaths, pushMessageFiles } = await import('./push-all.ts');
    if (watched) {
      const { prepareFileWatch } = await import('./parts-watch.ts');
      const watch = await prepareFileWatch(session, input, options);
      return watch(mapBasePathsToGivenPaths(session, input.positionals));
    }
    const rows = await pushMessageFiles(session, input.positionals, options);
    const columns = ['file', 'id', 'done'].map((name) => ({ name }));
    return { result: { kind: 'rows', rows, columns, empty: 'No file was given.' } };
  },
};
