import type { Group, Verb } from '../command.ts';
import { type HelpPage, helpItems, helpSection } from '../help-page.ts';

/** Returns the help page of the sandbox (contract, "Sandbox"). @param commands the commands of `svc sandbox` */
export const sandboxTopic = (commands: readonly (Verb | Group)[]): HelpPage => ({
  summary: 'Rehearse a campaign with the whole service on this machine',
  usage: 'svc sandbox <command> [flags]',
  sections: [
    {
      heading: 'A rehearsal',
      code: [
        'svc sandbox start --detach --seed demo --clock manual',
        'svc task create --channel email --message 1 --name Q4 --list 1 --at +1d',
        'svc sandbox clock advance 2d',
        'svc task report Q4',
        'svc sandbox outbox list --limit 10',
        'svc sandbox stop',
      ],
    },
    helpSection(
      'Start',
      helpItems([
        ['svc sandbox start', 'Runs in the foreground; with --detach in the background'],
        ['--port <n>', 'Default: the port of its data, then 4010, then any free port; 0: any free port'],
        ['--data <dir>', 'Data folder, which survives restarts and kill -9; the other commands take it too'],
        ['--seed <demo|empty>', 'Initial data; ignored, with a note, if there is data'],
        ['--profile <name|none>', 'Profiles to write instead of sandbox and sandbox-partner'],
        [
          '--smtp, --allow-notify',
          'Let e-mail and notifyurl calls leave the sandbox; the default lets nothing out',
        ],
      ]),
    ),
    helpSection(
      'For a team',
      helpItems([
        ['--store <url>', 'PostgreSQL database that several sandboxes share to serve as one'],
        ['--listen <host:port>', 'Another address to listen on; any but loopback needs HTTPS'],
        ['--tls-cert, --tls-key', 'Certificate and key; kill -HUP reloads them'],
        ['--behind-proxy', 'For a proxy in front that terminates TLS'],
        ['--allow-host <name>', 'Host name to accept; requests for other names are rejected'],
        ['svc sandbox requests', 'Shows requests and why a signature was rejected; --follow streams them'],
      ]),
    ),
    helpSection(
      'Pages',
      helpItems([
        [
          'svc sandbox open',
          'Opens the outbox, messages, requests and clock in the browser; you can act as a recipient',
        ],
        ['--print', 'Prints the link, for another browser here; works once, within a minute'],
      ]),
    ),
    helpSection(
      'Clock',
      helpItems([
        ['--clock real', 'Time passes normally'],
        ['--clock manual', 'Time stands still until you advance it'],
        ['svc sandbox clock', 'show, set TIME, advance DURATION, run'],
        ['svc sandbox queue', 'Shows what is due, in order'],
      ]),
    ),
    helpSection(
      'Outbox',
      helpItems([
        [
          'svc sandbox outbox list',
          'Lists delivered messages and their cause: --to, --task, --channel, --rule',
        ],
        ['svc sandbox outbox show', 'Shows one message; --eml prints the raw e-mail'],
      ]),
    ),
    helpSection(
      'Events',
      helpItems([
        [
          'svc sandbox event',
          'Simulates recipients: open, click, subscribe, unsubscribe, complaint, bounce, date, sms-in, failed-login',
        ],
        ['', 'Each event shows which rules it triggered, and why others did not run'],
      ]),
    ),
    helpSection(
      'Faults',
      helpItems([
        ['svc sandbox fault set', 'Injects faults: error, rate-limit, slow, reset, lost-answer'],
        ['--rate, --times, --match', 'Share, maximum number and kind of requests that fail'],
        ['svc sandbox fault clear', 'Stops injecting faults'],
      ]),
    ),
    helpSection(
      'All svc sandbox commands',
      commands.map(({ name, summary }) => ({ term: name, text: summary })),
    ),
  ],
  examples: ['svc sandbox event click --link 1 --subscriber 12'],
  notes: [
    'The sandbox speaks HTTP as the interface says, so you can test a client in any language against it.',
    'Run svc sandbox start --help to see the flags of a command.',
  ],
});
