import { EXIT, type ExitCode } from '../../errors/exit-codes.ts';
import { type Group, isGroup, type Verb } from '../command.ts';
import { type HelpPage, helpSection } from '../help-page.ts';
import { aliasesOfVerb, COMMANDS_OF_OTHER_TOOLS, NOUN_ALIASES } from '../other-words.ts';

/** Exit codes and their meanings (contract, "Output": the table of exit codes). */
export const EXIT_CODE_MEANINGS: Readonly<Record<ExitCode, string>> = {
  0: 'Done',
  1: 'Any other error: a bug, or a 5xx status after retries',
  2: 'Usage error, or svc refused the command before it sent anything',
  3: '401, 403, or no credentials',
  4: 'Status 404: not found. "svc … exists" and "svc dnc check" found no record',
  5: 'Status 409 or 423: a conflict, or the record is locked',
  6: 'Status 400, 413 or 415: the service rejects the request as invalid',
  7: 'svc cannot reach the service',
  8: 'Some items of a batch failed',
  9: 'Status 429: rate limited, after retries',
  10: 'svc sent a request, but cannot tell whether it succeeded',
  11: 'A check found a problem: a failed --check, lint errors, or too few credits in a forecast',
  130: 'Interrupted',
};

const CODES: readonly ExitCode[] = Object.values(EXIT).sort((a, b) => a - b);

// Contract, "Output": the table of exit codes.
export const EXIT_CODES_TOPIC: HelpPage = {
  summary: 'What each exit code means',
  usage: 'svc <noun> <verb> [flags]; echo $?',
  sections: [
    helpSection(
      'Exit codes',
      CODES.map((code) => [String(code), EXIT_CODE_MEANINGS[code]]),
    ),
    {
      heading: 'What to do',
      paragraphs: [
        'After 7 or 9, run the same command again. After 10, first run the command that the hint shows, to find out what happened. If you used --key, you can run the same command again at once.',
        'If a command for many companies fails with the same exit code for all of them, svc exits with that code; otherwise with 8.',
      ],
    },
  ],
  examples: ['svc folder exists News || svc folder create --name News'],
  notes: [
    'The help of each command lists its exit codes. Any command can also exit with 1 or 130.',
    'With -o json, an error is one JSON object on stderr. It contains the exit code.',
  ],
};

export function aliasesTopic(trees: readonly (Verb | Group)[]): HelpPage {
  const verbs = new Map<string, Set<string>>();
  for (const tree of trees) collect(tree, verbs);
  const nouns = [...new Set(Object.values(NOUN_ALIASES))];
  return {
    summary: 'Other names for nouns and verbs that svc accepts',
    usage: 'svc <noun> <verb> [id] [flags]',
    sections: [
      helpSection(
        'Verbs',
        [...verbs].map(([verb, others]) => [verb, [...others].join(', ')]),
      ),
      helpSection(
        'Nouns',
        nouns.map((noun) => [
          noun,
          Object.keys(NOUN_ALIASES)
            .filter((alias) => NOUN_ALIASES[alias] === noun)
            .join(', '),
        ]),
      ),
      helpSection(
        'Commands',
        Object.entries(COMMANDS_OF_OTHER_TOOLS).map(([phrase, words]) => [phrase, `svc ${words.join(' ')}`]),
      ),
    ],
    examples: ['svc get task 1', 'svc tasks ls --json id,name'],
    notes: [
      'Nouns can be plural, and a verb can come first: svc get task 1 is svc task get 1.',
      'For names of your own, use your shell: a function or an alias can run any command of svc.',
      '-o=json means -o json, and --json id,name means --json --fields id,name.',
    ],
  };
}

function collect(tree: Verb | Group, into: Map<string, Set<string>>): void {
  if (!isGroup(tree)) return;
  const names = tree.commands.map(({ name }) => name);
  for (const command of tree.commands) {
    const others = aliasesOfVerb(command.name, names);
    if (others.length > 0) into.set(command.name, new Set([...(into.get(command.name) ?? []), ...others]));
    collect(command, into);
  }
}

// Contract, "Environment".
export const ENVIRONMENT_TOPIC: HelpPage = {
  summary: 'Environment variables: they override the profile, and flags override them',
  usage: 'svc <noun> <verb> [flags]',
  sections: [
    helpSection('Credentials', {
      SVC_PROFILE: 'Profile to use',
      SVC_BASE_URL: 'Address of the service',
      SVC_COMPANY_ID: 'Company to act for',
      SVC_USER_ID: 'User to act as',
      SVC_API_KEY: 'API key of the company',
      SVC_PARTNER_ID: 'Partner to act as',
      SVC_PARTNER_API_KEY: 'API key of the partner',
    }),
    helpSection('Files', {
      SVC_CONFIG_DIR: 'Folder of the profiles; default: XDG_CONFIG_HOME/svc, ~/.config/svc or %APPDATA%/svc',
      SVC_NAMING:
        'JSON file with the names that your service uses for HTTP headers and attributes; svc reads the file only without a profile',
      SVC_STATE_DIR:
        'Folder of the journal (record of your changes) and the sandbox data; default: XDG_STATE_HOME/svc, ~/.local/state/svc or ' +
        '%LOCALAPPDATA%/svc',
      XDG_CACHE_HOME:
        'Folder for caches, also for the compiled code of svc; default: ~/.cache or %LOCALAPPDATA%',
      SVC_SANDBOX_STORE: 'PostgreSQL database for svc sandbox start, as with --store',
      SVC_COMPLETE_LIVE: '0: shell completion sends no requests for ids',
      NODE_COMPILE_CACHE:
        "Folder for svc's compiled code, instead of the folder in XDG_CACHE_HOME (Node 22.1 or later)",
      NODE_DISABLE_COMPILE_CACHE: '1: no compile cache',
    }),
    helpSection('Output', {
      SVC_OUTPUT: 'Default output format, like -o',
      'SVC_PAGER, PAGER': 'Program for long output on a terminal; if empty or cat, svc uses no pager',
      SSH_AUTH_SOCK: 'Address of the ssh-agent that has the keys for svc approve',
      BROWSER: 'Program that opens pages, such as those of email preview --open',
      SVC_PLAIN: '1: output for screen readers, like --plain',
      SVC_AGENT: '1: output for assistants: lists of 50 rows, JSON on stderr, no questions',
      NO_COLOR: 'If set: no color, even with FORCE_COLOR or CLICOLOR_FORCE',
      'FORCE_COLOR, CLICOLOR_FORCE': 'If set: color even without a terminal',
      'CLICOLOR=0': 'No color',
      'TERM=dumb': 'No color, no redrawn lines, no pager',
      'LC_ALL, LC_CTYPE, LANG': 'Locale, which decides whether progress bars use Unicode characters',
      CI: 'If set: no prompts and no pager; a command that needs a prompt exits 2',
      GITHUB_ACTIONS: 'true: output has no text that the job would obey, such as ::add-mask::',
    }),
    helpSection('Network', {
      'HTTPS_PROXY, NO_PROXY':
        'Proxy that svc uses (CONNECT only), and hosts that it reaches without a proxy',
      NODE_EXTRA_CA_CERTS: 'File with additional certificates to trust',
      NODE_TLS_REJECT_UNAUTHORIZED:
        'Must not be 0: with 0, Node accepts any certificate, so svc refuses to start',
    }),
  ],
  examples: ['SVC_PROFILE=prod svc task list'],
  notes: [
    'An empty variable counts as unset, except SVC_PAGER and PAGER.',
    'There is no flag for an API key, because ps and the shell history would show the key.',
  ],
};

// Contract, "Output", "Global flags".
export const OUTPUT_TOPIC: HelpPage = {
  summary: 'Output formats and filters; stdout and stderr',
  usage: 'svc <noun> <verb> -o <format> [flags]',
  sections: [
    helpSection('Formats of -o', {
      table: 'Tables for people (default). If a list is empty, svc prints a note on stderr',
      json: 'A JSON array for a list (empty: []), or a JSON object for a single record',
      'ndjson, jsonl': 'One JSON object per line; svc prints each line as soon as it is ready',
      'csv, tsv':
        'Rows for spreadsheets, with a header line unless you add --no-header; a null becomes an empty cell',
      yaml: 'The same data as -o json, written as YAML',
      id: 'Only the ids of the records, one per line; the id of a rule includes its kind, such as click:3',
    }),
    helpSection('Choose what to show', {
      '--json': 'Prints JSON, like -o json; --json id,name prints only these attributes',
      '--fields <a,b>': 'Shows only the attributes that you list, in your order',
      '--query <expression>':
        'Prints the result of a JMESPath expression; --fields then selects attributes of this result',
      '--jq <program>':
        'Prints the results of a jq program, one per line, texts without quotes. jq 1.8 is inside svc. A list is one array, ' +
        'kept in memory (256 MB for jq); for a longer list, pipe -o ndjson into jq',
      '--wide': 'Shows all columns of a table, and the whole text of each cell',
      '--csv-raw': 'Does not escape cells that look like formulas (csv and tsv)',
      '--plain': 'For screen readers: one name and value per line, no color, no redrawn lines',
    }),
    {
      heading: 'Streams',
      paragraphs: [
        'stdout contains only data. Prompts, progress, notes and errors go to stderr; --quiet hides the notes.',
        'With -o json, an error is one JSON object on stderr: {"error":{"kind":…,"exit":…,"message":…,"hint":…}}, with ' +
          'http and subcode if the service responded.',
        'svc uses the format of -o. Without -o, it uses SVC_OUTPUT, or else the setting output of the profile.',
      ],
    },
    {
      heading: 'On a terminal',
      paragraphs: [
        'If a table is too wide, svc shortens long texts, hides the least important columns, and prints a note. It never shortens ' +
          'ids, times and states. Without a terminal, svc shortens and hides nothing, and uses no color.',
        'On a terminal, lists show the first 50 rows, with names next to ids. Tasks, messages, single SMS and the log are newest first, other lists by ascending id; --reverse turns the order. To see more, use --limit or --all.',
        'svc shows long output in a pager: the program in SVC_PAGER, or else in PAGER, or else less. To turn the pager off, use ' +
          '--no-pager or an empty SVC_PAGER. Help uses a pager only with --pager or SVC_PAGER.',
      ],
    },
    {
      heading: 'In a spreadsheet',
      paragraphs: [
        "In csv and tsv, svc puts a ' before cells that a spreadsheet would run as a formula, but not before phone " +
          "numbers. With --csv-raw, svc adds no '.",
      ],
    },
    {
      heading: 'Values',
      paragraphs: [
        'Formats other than table use the attribute names, types and nulls of the API, including unknown fields, ' +
          'and keep every digit of a number. A table shows the state of a task in one word: scheduled, sending, ' +
          'completed, cancelled or stopped.',
      ],
    },
  ],
  examples: [
    'svc task list -o csv --fields id,name,scheduledtime',
    "svc folder list -o json --query '[].name'",
  ],
  notes: [],
};

// Contract, "Flags for attributes" (times, durations), "Forms", "Safety" (times that are past, the truth of a time), "Output".
export const TIME_TOPIC: HelpPage = {
  summary: 'How to write times and durations, and in which zone svc reads them',
  usage: 'svc task create --at <time> [flags]',
  sections: [
    helpSection('Times', [
      ['"2026-12-01 09:00"', 'Local time'],
      ['"tomorrow 09:00"', 'Local time tomorrow'],
      ['"friday 9am"', 'Next Friday at 9:00 local time; on a Friday before 9:00, the same day'],
      ['"next monday 08:00"', 'svc rejects this time if it could mean either of two Mondays'],
      ['09:00, 9am', 'The next time at which the clock shows this; svc prints on stderr which day that is'],
      [
        '"25.12.2026 09:00"',
        'Day, month, year; svc rejects such a date if the day is 12 or less, because it could be the month',
      ],
      ['2026-12-01T09:00:00Z', 'ISO 8601 with Z or an offset, such as +01:00'],
      ['1796000000', 'Unix seconds'],
      ['+2h, "in 3 hours"', "Relative to now, by the service's clock; +2d is 48 hours"],
    ]),
    helpSection('Durations', {
      '90s, 5m, 2h, 1d, 1w': 'Seconds, minutes, hours, days, weeks',
      '1h30m': 'Combined',
      '--after 2d': 'Delay of a rule; svc converts it to minutes or seconds, as the kind of rule requires',
      '--before 1d': "How long before the subscriber's date a date rule acts",
    }),
    {
      heading: 'Zones',
      paragraphs: [
        'svc reads a local time in the zone of --tz, then of the profile (tz), then of the company. It never reads a time in ' +
          "the zone of this machine; it only shows times in that zone next to the company's.",
        "Tables show times in the company's zone. Other output formats contain Unix seconds. --tz does not change the output; it applies only to times that you type.",
        "If svc does not know the company's zone, give --tz or set tz of the profile. Otherwise, svc rejects local times, and tables show UTC.",
        "The actionhour of a rule is in the company's local time.",
      ],
    },
    {
      heading: 'Clock changes',
      paragraphs: [
        'If the clocks go forward and skip a local time, svc rejects it and names the next valid time.',
        'If the clocks go back and a local time occurs twice, svc uses the first and says so on stderr.',
      ],
    },
    {
      heading: 'Rejected times',
      paragraphs: [
        'The service treats a past time as now, so a wrong year or zone would send at once. task create, task update ' +
          'and sms send reject a time in the past, less than 2 minutes ahead, or more than 2 years ahead. They also reject ' +
          'a Unix time in milliseconds. To send at once, use --now; svc rejects --at now.',
        "Before svc schedules a task, it prints the task's time on stderr: in UTC, the company's zone and yours, with the " +
          'weekday and the time left until then. --quiet does not hide this.',
      ],
    },
  ],
  examples: [
    'svc task update 1 --at "tomorrow 09:00"',
    'svc task update 1 --at "2026-12-01 09:00" --tz Europe/London',
  ],
  notes: [],
};
