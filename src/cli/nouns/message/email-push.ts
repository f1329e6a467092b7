/** Declares `svc email push`: sends the files of `email pull` back to the messages. */
import type { Verb } from '../../command/command.ts';
import { switchFlag } from '../../command/flag.ts';
import { ignoreFlag } from './lint-flags.ts';
import { isWatched, openFlag, partsWatchFlag } from './parts-watch-flags.ts';

const overwriteFlag = switchFlag('overwrite', { describe: 'Write over what was changed on the service' });
const watchFlag = partsWatchFlag('Check, preview and send the files whenever they are saved, until Ctrl-C');

export const emailPush: Verb = {
  name: 'push',
  summary: 'Send the files of email pull back to their messages',
  about:
    'Sends nothing where nothing differs. A message that a task or a rule uses is locked: it gets a new version, which is asked for first, and what uses the old one goes on with that. What was changed on the service since the pull is not written over: exit 5. With --watch what is saved without errors of svc email lint is sent at once, which is asked for in the beginning; no new version is made then',
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
  flags: [overwriteFlag, watchFlag, openFlag, ignoreFlag],
  run: async (session, input) => {
    const options = { overwrite: input.get(overwriteFlag), versions: true };
    const watched = isWatched(input, watchFlag);
    const { basesOf, pushAll } = await import('./push-all.ts');
    if (watched) {
      const { prepareWatch } = await import('./parts-watch.ts');
      const watch = await prepareWatch(session, input, options);
      return watch(basesOf(session, input.positionals));
    }
    const rows = await pushAll(session, input.positionals, options);
    const columns = ['file', 'id', 'done'].map((name) => ({ name }));
    return { result: { kind: 'rows', rows, columns, empty: 'No file was named.' } };
  },
};
