import type { Group, Verb } from '../command.ts';
import { type HelpPage, helpSection } from '../help-page.ts';

export const sandboxTopic = (commands: readonly (Verb | Group)[]): HelpPage => ({
  summary: 'Rehearse a campaign with a simulated service on this machine',
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
    helpSection('Start', {
      'svc sandbox start': 'Starts the sandbox in the foreground; with --detach, in the background',
      '--port <n>':
        'Port to listen on (0: any free port); by default the port of the last start, else 4010, else any free port',
      '--data <dir>':
        'Data folder, which survives restarts and kill -9; other sandbox commands also take --data',
      '--seed <demo|empty>':
        'Initial data; if the sandbox already has data, svc ignores the flag and says so',
      '--profile <name|none>':
        'Name of the profile to save (default: sandbox); the word none means that no profile is saved',
      '--smtp, --allow-notify':
        'Lets e-mail and notifyurl calls leave the sandbox; by default nothing leaves it',
    }),
    helpSection('For a team', {
      '--store <url>': 'PostgreSQL database that several sandboxes share, so that they act as one',
      '--listen <host:port>': 'Address to listen on; any address except loopback needs HTTPS',
      '--tls-cert, --tls-key': 'TLS certificate and key; kill -HUP makes the sandbox read them again',
      '--behind-proxy': 'Accepts plain HTTP, because a proxy in front of the sandbox handles HTTPS',
      '--allow-host <name>': 'Accepts requests for this host name; requests for other names are rejected',
      'svc sandbox requests':
        'Shows requests, and why a signature was rejected; --follow also shows each new request',
    }),
    helpSection('Pages', {
      'svc sandbox open':
        'Opens the outbox, messages, requests and clock in the browser; you can act as a recipient',
      '--print': 'Prints a link for another browser on this machine; the link works once, within a minute',
    }),
    helpSection('Clock', {
      '--clock real': 'Time passes normally',
      '--clock manual': 'Time stands still until you advance the clock',
      'svc sandbox clock': 'Subcommands: show, set TIME, advance DURATION, run',
      'svc sandbox queue': 'Shows the queued actions, in the order in which they run',
    }),
    helpSection('Outbox', {
      'svc sandbox outbox list':
        'Lists delivered messages and their cause; filters: --to, --task, --channel, --rule',
      'svc sandbox outbox show': 'Shows one message; --eml prints the raw e-mail',
    }),
    helpSection('Events', {
      'svc sandbox event':
        'Simulates an event: open, click, subscribe, unsubscribe, complaint, bounce, ' +
        'date (birthday or other date for a date rule), sms-in (inbound SMS), failed-login (of a user)',
      '': 'Each event shows which rules it triggered, and why other rules did not run',
    }),
    helpSection('Faults', {
      'svc sandbox fault set': 'Injects faults: error, rate-limit, slow, reset, lost-answer',
      '--rate, --times, --match':
        'Limit the fault to a share of the requests, to a number of requests, or to a method and path',
      'svc sandbox fault clear': 'Stops injecting faults',
    }),
    helpSection(
      'All svc sandbox commands',
      commands.map(({ name, summary }) => [name, summary]),
    ),
  ],
  examples: ['svc sandbox event click --link 1 --subscriber 12'],
  notes: [
    'The sandbox answers the same HTTP requests as the service, so you can test a client in any language.',
    'To see the flags of a command, add --help to it, for example svc sandbox start --help.',
  ],
});
