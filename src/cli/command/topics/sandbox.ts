import type { Group, Verb } from '../command.ts';
import type { HelpPage } from '../help-page.ts';
import { items, section } from './section.ts';

/** Returns the help page of the sandbox (contract, "Sandbox"). @param commands the commands of `svc sandbox` */
export const sandboxTopic = (commands: readonly (Verb | Group)[]): HelpPage => ({
  summary: 'How a campaign is rehearsed: the whole service on this machine',
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
    section(
      'Start',
      items([
        ['svc sandbox start', 'Runs in the foreground; --detach in the background'],
        ['--port <n>', 'Without it: the port of its data, else 4010, else a free one; 0 takes any free one'],
        [
          '--data <dir>',
          'Its data, which survives restarts and kill -9; the other commands find it by this too',
        ],
        ['--seed <demo|empty>', 'What a new one begins with; ignored, with a note, where there is data'],
        ['--profile <name|none>', 'The profiles to write in place of sandbox and sandbox-partner'],
        ['--smtp, --allow-notify', 'Let e-mail and calls to a notifyurl leave it; without them nothing does'],
      ]),
    ),
    section(
      'For a team',
      items([
        ['--store <url>', 'A PostgreSQL database that any number of sandboxes share: they serve as one'],
        ['--listen <host:port>', 'Another address; beyond the loopback ones it speaks HTTPS alone'],
        ['--tls-cert, --tls-key', 'The certificate; kill -HUP reads a renewed one'],
        ['--behind-proxy', 'TLS ends in a proxy in front'],
        ['--allow-host <name>', 'What it is reached by; requests under any other name are refused'],
        [
          'svc sandbox requests',
          'What came, and why a signature was refused; --follow shows each as it comes',
        ],
      ]),
    ),
    section(
      'Pages',
      items([
        [
          'svc sandbox open',
          'Outbox, messages, requests and clock in the browser, to look and to be a recipient',
        ],
        ['--print', 'The link alone, for another browser of this machine; it works once, within a minute'],
      ]),
    ),
    section(
      'Clock',
      items([
        ['--clock real', 'Time passes as it does'],
        ['--clock manual', 'Nothing moves by itself'],
        ['svc sandbox clock', 'show, set TIME, advance DURATION, run'],
        ['svc sandbox queue', 'What is due, in the order in which it will be done'],
      ]),
    ),
    section(
      'Outbox',
      items([
        [
          'svc sandbox outbox list',
          'Every message delivered, and what caused it: --to, --task, --channel, --rule',
        ],
        ['svc sandbox outbox show', 'One of them; --eml as it would travel'],
      ]),
    ),
    section(
      'Events',
      items([
        [
          'svc sandbox event',
          'What recipients would do: open, click, subscribe, unsubscribe, complaint, bounce, date, sms-in, failed-login',
        ],
        ['', 'Each says which rules it set off, and why others were not'],
      ]),
    ),
    section(
      'Faults',
      items([
        ['svc sandbox fault set', 'Misbehaves on purpose: error, rate-limit, slow, reset, lost-answer'],
        ['--rate, --times, --match', 'How often, how many times, and of which requests'],
        ['svc sandbox fault clear', 'Behaves again'],
      ]),
    ),
    section(
      'All commands of svc sandbox',
      commands.map(({ name, summary }) => ({ term: name, text: summary })),
    ),
  ],
  examples: ['svc sandbox event click --link 1 --subscriber 12'],
  notes: [
    'It speaks HTTP as the interface says, so that a client in any language can be tested against it.',
    'svc sandbox start --help shows the flags of a command.',
  ],
});
