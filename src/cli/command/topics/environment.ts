import type { HelpPage } from '../help-page.ts';
import { items, section } from './section.ts';

// Contract, "Environment".
export const ENVIRONMENT: HelpPage = {
  summary: 'Environment variables; a flag wins over them, and they win over the profile',
  usage: 'svc <noun> <verb> [flags]',
  sections: [
    section(
      'Credentials',
      items([
        ['SVC_PROFILE', 'Profile to use'],
        ['SVC_BASE_URL', 'Address of the service'],
        ['SVC_COMPANY_ID', 'Company to act for'],
        ['SVC_USER_ID', 'User to act as'],
        ['SVC_API_KEY', 'Key of the company'],
        ['SVC_PARTNER_ID', 'Partner to act as'],
        ['SVC_PARTNER_API_KEY', 'Key of the partner'],
      ]),
    ),
    section(
      'Files',
      items([
        [
          'SVC_CONFIG_DIR',
          'Folder of the profiles; else XDG_CONFIG_HOME/svc, ~/.config/svc or %APPDATA%/svc',
        ],
        ['SVC_NAMING', "JSON file with a deployment's own names, where there is no profile"],
        [
          'SVC_STATE_DIR',
          "Folder of the journal and of the sandbox's data; else XDG_STATE_HOME/svc, ~/.local/state/svc or %LOCALAPPDATA%/svc",
        ],
        [
          'XDG_CACHE_HOME',
          'Compiled code is kept in its folder svc; else in ~/.cache/svc or %LOCALAPPDATA%/svc',
        ],
        ['SVC_SANDBOX_STORE', 'PostgreSQL database of svc sandbox start, as of --store'],
        ['SVC_COMPLETE_LIVE', '0: completion asks for no ids'],
        ['NODE_COMPILE_CACHE', 'Another folder for it, from Node 22.1 on'],
        ['NODE_DISABLE_COMPILE_CACHE', '1: none of it is kept'],
      ]),
    ),
    section(
      'Output',
      items([
        ['SVC_OUTPUT', 'Format, as of -o'],
        ['SVC_PAGER, PAGER', 'Program for long output on a terminal; empty or cat: none'],
        ['SSH_AUTH_SOCK', 'The ssh-agent whose keys svc approve may sign with'],
        ['BROWSER', 'Program that opens a page: email preview --open'],
        ['SVC_PLAIN', '1: output for screen readers, as of --plain'],
        ['NO_COLOR', 'Set: no colour, whatever the next two say'],
        ['FORCE_COLOR, CLICOLOR_FORCE', 'Set: colour off a terminal too'],
        ['CLICOLOR=0', 'No colour'],
        ['TERM=dumb', 'No colour, nothing drawn over, no pager'],
        ['LC_ALL, LC_CTYPE, LANG', 'Whether bars may be drawn with characters of Unicode'],
        ['CI', 'Set: nothing is asked, and nothing is paged; what would ask ends with exit code 2'],
        ['SVC_UPDATE_URL', 'Address that names the newest version; without it there is no notice'],
        ['SVC_NO_UPDATE_NOTICE', '1: no notice of a newer version'],
      ]),
    ),
    section(
      'Network',
      items([
        ['HTTPS_PROXY, NO_PROXY', 'Proxy, by CONNECT alone, and hosts that are reached without it'],
        ['NODE_EXTRA_CA_CERTS', 'File of certificates to trust besides'],
        [
          'NODE_TLS_REJECT_UNAUTHORIZED',
          '0 is refused: nothing is signed for a service that cannot be told from another',
        ],
      ]),
    ),
  ],
  examples: ['SVC_PROFILE=prod svc task list'],
  notes: [
    'An empty variable counts as unset, but for the two of the pager.',
    'A key is never given by a flag: ps and the history of the shell would show it.',
  ],
};
