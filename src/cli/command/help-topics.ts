/** The topics of `svc help`. Each states what docs/contract.md promises, for a person at a prompt. */
import { type Entry, type Group, isGroup, type Verb } from './command.ts';
import { companiesFlags } from './companies-flags.ts';
import { describeFlag } from './flag.ts';
import { flagsHelp } from './help.ts';
import { type HelpItem, type HelpPage, type HelpSection, layOut } from './help-page.ts';
import type { TopicName } from './help-topic-names.ts';
import { aliasesOf, NOUN_ALIASES, PHRASES } from './other-words.ts';

/** @param columns the width of the terminal */
export async function topicHelp(
  topic: TopicName,
  entries: readonly Entry[],
  columns: number,
): Promise<string> {
  switch (topic) {
    case 'flags':
      return flagsHelp(columns);
    case 'aliases':
      return layOut(aliases(await Promise.all(entries.map(({ load }) => load()))), columns);
    case 'companies':
      return layOut(COMPANIES, columns);
    case 'environment':
      return layOut(ENVIRONMENT, columns);
    case 'exit-codes':
      return layOut(EXIT_CODES, columns);
    case 'lint':
      return layOut((await import('./topics/lint.ts')).LINT, columns);
    case 'times':
      return layOut(TIMES, columns);
  }
}

function aliases(trees: readonly (Verb | Group)[]): HelpPage {
  const verbs = new Map<string, Set<string>>();
  for (const tree of trees) collect(tree, verbs);
  const nouns = [...new Set(Object.values(NOUN_ALIASES))];
  return {
    summary: 'Words of other tools that work as well',
    usage: 'svc <noun> <verb> [id] [flags]',
    sections: [
      section(
        'Verbs',
        [...verbs].map(([verb, others]): HelpItem => ({ term: verb, text: [...others].join(', ') })),
      ),
      section(
        'Nouns',
        nouns.map((noun) => ({
          term: noun,
          text: Object.keys(NOUN_ALIASES)
            .filter((alias) => NOUN_ALIASES[alias] === noun)
            .join(', '),
        })),
      ),
      section(
        'Commands',
        Object.entries(PHRASES).map(([phrase, words]) => ({ term: phrase, text: `svc ${words.join(' ')}` })),
      ),
    ],
    examples: ['svc get task 1', 'svc tasks ls --json id,name'],
    notes: [
      'A noun works in its plural too, and a verb before its noun: svc get task 1 is svc task get 1.',
      '-o=json is -o json, and --json id,name is --json --fields id,name.',
    ],
  };
}

/** The aliases that each verb has anywhere. */
function collect(tree: Verb | Group, into: Map<string, Set<string>>): void {
  if (!isGroup(tree)) return;
  const names = tree.commands.map(({ name }) => name);
  for (const command of tree.commands) {
    const others = aliasesOf(command.name, names);
    if (others.length > 0) into.set(command.name, new Set([...(into.get(command.name) ?? []), ...others]));
    collect(command, into);
  }
}

const section = (heading: string, items: readonly HelpItem[]): HelpSection => ({ heading, items });

const items = (rows: readonly (readonly [string, string])[]): readonly HelpItem[] =>
  rows.map(([term, text]) => ({ term, text }));

// Contract, "Partners and many companies".
const COMPANIES: HelpPage = {
  summary: 'How a partner runs one command over many companies',
  usage: 'svc <noun> <verb> --companies <selector> [flags]',
  sections: [
    section(
      'Selectors, separated by commas',
      items([
        ['12, "Harbour Coffee"', 'A company by its id, or by its name in the roster (svc company list)'],
        ['tag:uk', 'All companies of the roster with this tag'],
        ['all', 'All companies of the roster'],
        ['@FILE', 'One id or name a line'],
        ['!12, !tag:closed', 'Takes out, wherever it stands'],
      ]),
    ),
    {
      heading: 'Flags',
      items: companiesFlags.map((flag) => ({
        term: `--${flag.name}${flag.value === undefined ? '' : ` <${flag.value}>`}`,
        text: describeFlag(flag),
      })),
    },
  ],
  examples: ['svc folder list --companies tag:uk -o json'],
  notes: [
    'Rows begin with company_id and company. A company that fails is an error on stderr, and the others go on: exit 8.',
    'What writes needs --write, and asks how many companies are meant; elsewhere --yes says it.',
  ],
};

const ENVIRONMENT: HelpPage = {
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
        ['SVC_CONFIG_DIR', 'Folder of the profiles'],
        ['SVC_NAMING', "JSON file with a deployment's own names, where there is no profile"],
        ['SVC_STATE_DIR', 'Folder of the journal'],
      ]),
    ),
    section(
      'Output',
      items([
        ['SVC_OUTPUT', 'Format, as of -o'],
        ['SVC_PAGER, PAGER', 'Program for long output on a terminal; empty or cat: none'],
        ['BROWSER', 'Program that --open shows a page with'],
        ['SVC_PLAIN', 'Output for screen readers, as of --plain'],
        ['NO_COLOR, CLICOLOR=0', 'No colour'],
        ['FORCE_COLOR, CLICOLOR_FORCE', 'Colour off a terminal too'],
        ['CI', 'Nothing is asked; a command that would ask ends with exit code 2'],
      ]),
    ),
    section(
      'Network',
      items([
        ['HTTPS_PROXY, NO_PROXY', 'Proxy, and hosts that are reached without it'],
        ['NODE_EXTRA_CA_CERTS', 'File of certificates to trust besides'],
      ]),
    ),
  ],
  examples: ['SVC_PROFILE=prod svc task list'],
  notes: ['A key is never given by a flag: ps and the history of the shell would show it.'],
};

// Contract, "Output": the table of exit codes.
const EXIT_CODES: HelpPage = {
  summary: 'What the exit code says',
  usage: 'svc <noun> <verb> [flags]; echo $?',
  sections: [
    section(
      'Exit codes',
      items([
        ['0', 'Done'],
        ['1', 'Anything else: a bug, or a 5xx after retries'],
        ['2', 'Asked wrongly, or refused before anything was sent'],
        ['3', '401, 403, or no credentials'],
        ['4', '404; exists and dnc check when there is none'],
        ['5', '409 or 423: a conflict, or locked'],
        ['6', '400, 413 or 415: the service finds the request invalid'],
        ['7', 'The service could not be reached'],
        ['8', 'Some items of a batch failed'],
        ['9', '429 after retries'],
        ['10', 'Sent, and the outcome could not be established'],
        ['11', 'Checked, and it does not hold: errors of lint'],
        ['130', 'Interrupted'],
      ]),
    ),
  ],
  examples: ['svc folder exists News || svc folder create --name News'],
  notes: ['With -o json an error is one JSON object on stderr, with the exit code in it.'],
};

// Contract, "Flags for attributes": times and durations.
const TIMES: HelpPage = {
  summary: 'How times and durations are written',
  usage: 'svc task create --at <time> [flags]',
  sections: [
    section(
      'Times',
      items([
        ['"2026-12-01 09:00"', "Local time, in --tz or else the company's time zone"],
        ['"tomorrow 09:00"', 'The same, for a day by its name'],
        ['2026-12-01T09:00:00Z', 'ISO 8601 with Z or an offset'],
        ['1796000000', 'Unix seconds'],
        ['+2h', 'From now, by the clock of the service'],
      ]),
    ),
    section(
      'Durations',
      items([
        ['90s, 5m, 2h, 1d', 'Seconds, minutes, hours, days; +2d is 48 hours'],
        ['1h30m', 'Several of them'],
      ]),
    ),
  ],
  examples: ['svc task update 1 --at "tomorrow 09:00"'],
  notes: [
    'A time in the past is refused, since the service would send at once: --now is the way to send now.',
    "The time zone of this machine is never used. Before a task is sent its time is shown in UTC, in the company's zone and in yours.",
  ],
};
