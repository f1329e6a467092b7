import { type HelpPage, helpItems, helpSection } from '../help-page.ts';

// Contract, "Environment".
export const ENVIRONMENT_TOPIC: HelpPage = {
  summary: 'Environment variables: they override the profile, and flags override them',
  usage: 'svc <noun> <verb> [flags]',
  sections: [
    helpSection(
      'Credentials',
      helpItems([
        ['SVC_PROFILE', 'Profile to use'],
        ['SVC_BASE_URL', 'Address of the service'],
        ['SVC_COMPANY_ID', 'Company to act for'],
        ['SVC_USER_ID', 'User to act as'],
        ['SVC_API_KEY', 'API key of the company'],
        ['SVC_PARTNER_ID', 'Partner to act as'],
        ['SVC_PARTNER_API_KEY', 'API key of the partner'],
      ]),
    ),
    helpSection(
      'Files',
      helpItems([
        [
          'SVC_CONFIG_DIR',
          'Folder of the profiles; default: XDG_CONFIG_HOME/svc, ~/.config/svc or %APPDATA%/svc',
        ],
        [
          'SVC_NAMING',
          'JSON file with the names that your service uses for HTTP headers and attributes; svc reads the file only without a profile',
        ],
        [
          'SVC_STATE_DIR',
          'Folder of the journal (record of your changes) and the sandbox data; default: XDG_STATE_HOME/svc, ~/.local/state/svc or ' +
            '%LOCALAPPDATA%/svc',
        ],
        [
          'XDG_CACHE_HOME',
          'Folder for caches, also for the compiled code of svc; default: ~/.cache or %LOCALAPPDATA%',
        ],
        ['SVC_SANDBOX_STORE', 'PostgreSQL database for svc sandbox start, as with --store'],
        ['SVC_COMPLETE_LIVE', '0: shell completion sends no requests for ids'],
        [
          'NODE_COMPILE_CACHE',
          "Folder for svc's compiled code, instead of the folder in XDG_CACHE_HOME (Node 22.1 or later)",
        ],
        ['NODE_DISABLE_COMPILE_CACHE', '1: no compile cache'],
      ]),
    ),
    helpSection(
      'Output',
      helpItems([
        ['SVC_OUTPUT', 'Default output format, like -o'],
        ['SVC_PAGER, PAGER', 'Program for long output on a terminal; if empty or cat, svc uses no pager'],
        ['SSH_AUTH_SOCK', 'Address of the ssh-agent that has the keys for svc approve'],
        ['BROWSER', 'Program that opens pages, such as those of email preview --open'],
        ['SVC_PLAIN', '1: output for screen readers, like --plain'],
        ['NO_COLOR', 'If set: no color, even with FORCE_COLOR or CLICOLOR_FORCE'],
        ['FORCE_COLOR, CLICOLOR_FORCE', 'If set: color even without a terminal'],
        ['CLICOLOR=0', 'No color'],
        ['TERM=dumb', 'No color, no redrawn lines, no pager'],
        ['LC_ALL, LC_CTYPE, LANG', 'Locale, which decides whether progress bars use Unicode characters'],
        ['CI', 'If set: no prompts and no pager; a command that needs a prompt exits 2'],
        [
          'SVC_UPDATE_URL',
          'Address that returns the newest version number of svc; if unset: no update notice',
        ],
        ['SVC_NO_UPDATE_NOTICE', '1: no update notice'],
      ]),
    ),
    helpSection(
      'Network',
      helpItems([
        [
          'HTTPS_PROXY, NO_PROXY',
          'Proxy that svc uses (CONNECT only), and hosts that it reaches without a proxy',
        ],
        ['NODE_EXTRA_CA_CERTS', 'File with additional certificates to trust'],
        [
          'NODE_TLS_REJECT_UNAUTHORIZED',
          'Must not be 0: with 0, Node accepts any certificate, so svc refuses to start',
        ],
      ]),
    ),
  ],
  examples: ['SVC_PROFILE=prod svc task list'],
  notes: [
    'An empty variable counts as unset, except SVC_PAGER and PAGER.',
    'There is no flag for an API key, because ps and the shell history would show the key.',
  ],
};
