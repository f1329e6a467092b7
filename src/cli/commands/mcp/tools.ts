/** Declares the tools of `svc mcp` (contract, "Assistants"): their commands, their flags, and what they may change. */

import { COUNTED_ATTRIBUTES } from '../../../features/insight/usage.ts';
import type { Field } from '../../../kit/schema/field.ts';
import { isObject } from '../../../kit/text/json-object.ts';
import { controlOperationNamed, controlOperationNames } from '../../../service/protocol/control.ts';
import { type CatalogueResource, catalogue } from '../../../service/resources/catalogue.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { LENGTH_KEYS } from './record-fields.ts';
import type { TrustedProperties, TrustedValueKindOrChoices } from './untrusted.ts';

export interface Tool {
  readonly name: string;
  /** For the assistant. Contains no data of the service. */
  readonly describe: string;
  /** If there are several, the argument named in `choice` selects one. */
  readonly commands: (commandsBelow: CommandLookup) => readonly ToolCommandPath[];
  readonly choice?: { readonly name: string; readonly describe: string };
  /** Descriptions of arguments, where the one for a command line is long or does not fit. */
  readonly words?: Readonly<Record<string, string>>;
  /** An assistant can't use any other flag. */
  readonly flags: readonly string[] | { readonly allBut: readonly string[] };
  readonly fixedFlags?: Readonly<Record<string, string | true>>;
  /** A change of the service needs an approval. */
  readonly changes: 'nothing' | 'files' | 'sandbox' | 'service';
  /** `all` if the output contains no text from the service, subscribers or files. */
  readonly trusted: TrustedProperties | 'all' | ((choice: string | undefined) => TrustedProperties);
  readonly select?: (printed: unknown) => unknown;
  /** The command gives an answer and not a failure with these exit codes and 0. */
  readonly answers?: readonly number[];
  /** Lists among the output's members that can be read page by page. A result that consists of rows needs no names. */
  readonly parts?: readonly string[];
  /** Set for `explain`, which prints text for campaign files, and also a page of `svc help` that the argument `command` names. */
  readonly takesHelp?: true;
  /** The argument `field` can select a long text, which the tool returns page by page. */
  readonly hasLongTexts?: true;
  /** The output is one text, which the tool returns page by page. */
  readonly isText?: true;
  /** Argument that names a plan for a person to approve: after a success, or after a refusal by a tool that changes the service. */
  readonly plan?: string;
  /** The arguments `write` and `replace` are files that the tool writes before its command runs. */
  readonly writesFiles?: true;
  /** Only the set `all` has the tool. */
  readonly isExtra?: true;
  /** No call can ask for more or fewer rows. */
  readonly isOneRecord?: true;
  /** The commands have the flag `--limit`, and the argument `fields` selects attributes. */
  readonly listsRecords?: true;
  /** Clients usually stop waiting after 60 seconds, so a tool that only reads ends before that. */
  readonly seconds: number;
}

export interface ToolCommandPath {
  /** Selects this command in the argument that `Tool.choice` names, such as `clock advance`. */
  readonly value: string;
  readonly path: readonly string[];
}

type CommandLookup = (word: string) => readonly (readonly string[])[];

const one =
  (...path: readonly string[]) =>
  (): readonly ToolCommandPath[] => [{ value: path.join(' '), path }];

/** For `list`, finds `task list`, `folder list` and others. Skips the noun `but`. */
const ofNouns =
  (verb: string, but?: string) =>
  (commandsBelow: CommandLookup): readonly ToolCommandPath[] =>
    [...new Set(catalogue.map(({ noun }) => noun))].flatMap((noun) =>
      (noun === but ? [] : commandsBelow(noun))
        .filter((path) => path.length === 2 && path[1] === verb)
        .map((path) => ({ value: noun, path })),
    );

/** Leaves out the commands named in `but`, and their subcommands. `value` is `clock advance` for `svc sandbox clock advance`. */
const allBelow =
  (word: string, but: readonly string[] = []) =>
  (commandsBelow: CommandLookup): readonly ToolCommandPath[] =>
    commandsBelow(word)
      .map((path) => ({ value: path.slice(1).join(' '), path }))
      .filter(({ value }) => !but.some((each) => value === each || value.startsWith(`${each} `)));

/** They start a program, connect to another address, show a key, or delete all data. */
const NOT_FOR_ASSISTANTS = ['start', 'stop', 'open', 'clone', 'conformance', 'company key', 'token', 'reset'];

const CAMPAIGN_WORDS = { set: 'Variables of the file: NAME=VALUE' };
const CAMPAIGN_FLAGS = ['set', 'overwrite', 'prune', 'adopt', 'both'];
const CHANNEL: TrustedValueKindOrChoices = ['email', 'sms'];

/** The service restricts the values of these fields, so they cannot contain free text. */
function fieldKeys(resources: readonly CatalogueResource[]): TrustedProperties {
  const keys = resources.flatMap(({ fields }) =>
    Object.entries(fields).flatMap(([name, field]): [string, TrustedValueKindOrChoices][] => {
      const kind = kindOf(field);
      return kind === undefined ? [] : [[name, kind]];
    }),
  );
  const statuses = resources.flatMap(({ status }) => Object.keys(status?.common ?? {}));
  return { ...Object.fromEntries(keys), kind: 'word', ...(statuses.length > 0 ? { status: statuses } : {}) };
}

function kindOf({ kind, values, format }: Field): TrustedValueKindOrChoices | undefined {
  if (format === 'timestamp') return 'instant';
  if (kind !== 'string' && kind !== 'enum') return 'value';
  return values?.map(String);
}

const recordKeys = (noun: string | undefined): TrustedProperties =>
  fieldKeys(catalogue.filter((resource) => noun === undefined || resource.noun === noun));

const TASK_KEYS = recordKeys('task');

/** Only numbers, times, booleans and channels are trusted. They contain no text from subscribers. */
const SANDBOX_KEYS: TrustedProperties = {
  ...Object.fromEntries(
    controlOperationNames
      .flatMap((name) => controlOperationNamed(name).columns)
      .map(({ name, kind }) => [name, kind === 'timestamp' ? ('instant' as const) : ('value' as const)]),
  ),
  id: 'value',
  channel: CHANNEL,
};

const USAGE_KEYS: TrustedProperties = Object.fromEntries([
  ['month', 'time'],
  ['company_id', 'id'],
  ...COUNTED_ATTRIBUTES.flatMap((name) => [name, `${name}_before`]).map((name) => [name, 'value']),
  ...['email_balance', 'sms_balance'].map((name) => [name, 'value']),
]);

const LINT_KEYS: TrustedProperties = {
  ...{ rule: 'word', severity: ['error', 'warning', 'info'], line: 'value', column: 'value' },
};

function listedContacts(printed: unknown) {
  const rows = Array.isArray(printed) ? printed.filter(isObject) : [];
  return {
    checked: rows.length,
    listed: rows.flatMap(({ listed, ...row }) => (listed === true ? [row] : [])),
  };
}

/** Sets of tools, which the flag `--tools` names. */
export const TOOL_SETS = ['review', 'plan', 'all'] as const;
export type ToolSet = (typeof TOOL_SETS)[number];

export const isInSet = ({ changes, isExtra }: Tool, set: ToolSet): boolean =>
  set === 'all' || (isExtra !== true && (set === 'plan' || changes === 'nothing'));

export const TOOLS: readonly Tool[] = [
  {
    name: 'explain',
    describe:
      'Explain a resource or field (what: task, task.scheduledtime), the campaign file with an example (what: campaign), or a command or topic of svc help (command: task create, exit-codes, lint). Without arguments: all resources.',
    commands: one('explain'),
    takesHelp: true,
    flags: [],
    changes: 'nothing',
    trusted: 'all',
    seconds: 30,
  },
  {
    name: 'list_records',
    describe:
      'List records of one kind, usually newest first. Arguments named after attributes are filters; a kind refuses those it lacks. Messages come without their texts, but with their lengths in characters, unless fields names them. For an address, use check_do_not_contact.',
    commands: ofNouns('list'),
    choice: { name: 'noun', describe: 'Kind of record' },
    flags: { allBut: ['all', 'limit', 'start'] },
    changes: 'nothing',
    trusted: (noun) => ({ ...recordKeys(noun), ...LENGTH_KEYS }),
    listsRecords: true,
    seconds: 50,
  },
  {
    name: 'get_record',
    describe:
      'Get one record by its id or exact name; the id of a rule has its kind: click:3. Texts are cut; the argument field reads one of them whole.',
    // An address can be on Do Not Contact by its domain, which `dnc get` does not look up.
    commands: ofNouns('get', 'dnc'),
    choice: { name: 'noun', describe: 'Kind of record' },
    flags: [],
    changes: 'nothing',
    trusted: recordKeys,
    hasLongTexts: true,
    isOneRecord: true,
    seconds: 50,
  },
  {
    name: 'check_do_not_contact',
    describe:
      'Check up to 500 e-mail addresses, domains and phone numbers, given or in a file. Returns how many were checked, and those on Do Not Contact, by themselves or by their domain.',
    commands: one('dnc', 'check'),
    flags: ['column'],
    changes: 'nothing',
    trusted: { checked: 'value', listed: 'part', id: 'id' },
    answers: [EXIT.notFound],
    select: listedContacts,
    parts: ['listed'],
    seconds: 300,
  },
  {
    name: 'why_locked',
    describe: 'Explain why a record cannot be changed or deleted: what uses it, and until when.',
    commands: allBelow('why'),
    choice: { name: 'kind', describe: 'Kind of record' },
    flags: [],
    changes: 'nothing',
    trusted: { locked: 'value', by: 'part', kind: 'word', id: 'id', until: 'instant', free: 'instant' },
    isOneRecord: true,
    seconds: 50,
  },
  {
    name: 'task_report',
    describe:
      'Count recipients, opens, clicks, bounces, unsubscriptions and complaints of a sent task, in numbers and percent, or compare it with another task.',
    commands: one('task', 'report'),
    flags: ['compare'],
    changes: 'nothing',
    trusted: {
      ...TASK_KEYS,
      ...{ statistic: 'word', count: 'value', percent: 'value', task: 'part', other: 'part' },
    },
    seconds: 50,
  },
  {
    name: 'forecast',
    describe:
      'List the credits that each scheduled task will use, and the balance after it. Exit 11: too few credits.',
    commands: one('forecast'),
    flags: [],
    changes: 'nothing',
    trusted: {
      ...{ task_id: 'id', channel: CHANNEL, scheduledtime: 'instant', size: 'value' },
      ...{ parts: 'value', credits: 'value', balance: 'value' },
    },
    seconds: 50,
  },
  {
    name: 'calendar',
    describe:
      'List tasks by local time of the company. clashes names others that send to the same list at nearly the same time.',
    commands: one('task', 'calendar'),
    flags: ['from', 'weeks'],
    changes: 'nothing',
    trusted: { ...TASK_KEYS, local: 'time', clashes: 'part' },
    seconds: 50,
  },
  {
    name: 'lint',
    describe:
      'Check a stored message by its id, or a text or file. Returns findings with line and column. Exit 11: errors. To check a campaign file, use draft_campaign or plan.',
    commands: () => [
      { value: 'email', path: ['email', 'lint'] },
      { value: 'sms-message', path: ['sms-message', 'lint'] },
    ],
    choice: { name: 'noun', describe: 'Kind of message' },
    flags: [
      ...['ignore', 'subject', 'html', 'html-file', 'text', 'text-file', 'message', 'message-file'],
      ...['fromemail', 'fromname', 'name', 'customoptin'],
    ],
    changes: 'nothing',
    trusted: LINT_KEYS,
    seconds: 50,
  },
  {
    name: 'estimate_sms',
    describe: 'Count the parts of an SMS text, and the credits for one recipient and for all.',
    commands: one('sms', 'estimate'),
    flags: ['message', 'recipients'],
    changes: 'nothing',
    trusted: {
      ...{ alphabet: 'word', characters: 'value', septets: 'value', octets: 'value' },
      ...{ parts: 'value', credits: 'value', totalCredits: 'value' },
    },
    isOneRecord: true,
    seconds: 30,
  },
  {
    name: 'simulate_rule',
    describe:
      'Show what a rule would do, and when, after an event at a given time. If a rule has not acted, use why_not.',
    commands: one('automation', 'simulate'),
    flags: ['at'],
    changes: 'nothing',
    trusted: { time: 'instant', local: 'time', action: 'word' },
    seconds: 50,
  },
  {
    name: 'why_not',
    describe:
      'Explain why a rule has not acted: paused, made after the event, message not sent, no opens or clicks, target gone, or still to come.',
    commands: one('automation', 'why'),
    flags: [],
    changes: 'nothing',
    trusted: { reason: 'word', time: 'instant' },
    seconds: 50,
  },
  {
    name: 'rule_graph',
    describe:
      'Show what triggers each rule, and which rules trigger each other. Loops are rules that trigger each other again and again.',
    commands: one('automation', 'graph'),
    flags: [],
    changes: 'nothing',
    trusted: {
      ...{ nodes: 'part', edges: 'part', loops: 'part', id: 'id', from: 'id', to: 'id' },
      ...{ kind: 'word', actiontype: 'word', paused: 'value', loop: 'value', rules: 'id' },
    },
    parts: ['nodes', 'edges', 'loops'],
    seconds: 50,
  },
  {
    name: 'draft_campaign',
    describe:
      'Write a campaign file and its content files (write), then check the campaign file without the service. Returns findings with line and column. Exit 11: errors. explain with what: campaign has the format. Then call plan.',
    commands: one('lint'),
    words: { ...CAMPAIGN_WORDS, file: 'Campaign file to check, such as spring.yaml' },
    flags: ['set'],
    writesFiles: true,
    changes: 'files',
    trusted: LINT_KEYS,
    seconds: 50,
  },
  {
    name: 'plan',
    describe:
      'Compare a campaign file with the account. Returns the steps that apply would take, with size in recipients and credits, and findings; passed is false if apply would refuse. Changes nothing in the account. With out, saves the plan for approval, and returns approve. Then call rehearse.',
    commands: one('plan', 'make'),
    words: { ...CAMPAIGN_WORDS, out: 'New file for the plan, such as spring.plan' },
    flags: ['out', 'valid', ...CAMPAIGN_FLAGS],
    plan: 'out',
    fixedFlags: { format: 'summary' },
    changes: 'files',
    trusted: {
      ...{
        company: 'part',
        id: 'id',
        made: 'instant',
        validUntil: 'instant',
        sha256: 'digest',
        steps: 'part',
      },
      ...{ passed: 'value', findings: 'part', rule: 'word', severity: ['error', 'warning'] },
      ...{ line: 'value', column: 'value' },
      action: ['create', 'change', 'replace', 'rename', 'keep', 'blocked', 'cancel', 'orphaned'],
      kind: ['folder', 'message', 'task', 'automation'],
      ...{ time: 'instant', size: 'value', credits: 'value', until: 'instant', blockedBy: 'word' },
    },
    parts: ['steps', 'findings'],
    seconds: 120,
  },
  {
    name: 'rehearse',
    describe:
      'Apply campaign files or a plan to a copy of the account in memory, and move its clock. Returns each send with time, recipients and credits, what rules did, messages per person, and findings. Sends nothing. Exit 11: errors.',
    commands: one('rehearse'),
    words: {
      ...CAMPAIGN_WORDS,
      file: 'Campaign files, or one plan',
      audience: 'Reactions: lively, quiet, none, or shares such as opens=30%,clicks=4% (default: as before)',
      list_size: 'Invented subscribers: LIST-ID=NUMBER, or LIST-ID:sms=NUMBER',
    },
    flags: ['for', 'audience', 'seed', 'list-size', 'apart', ...CAMPAIGN_FLAGS],
    fixedFlags: { format: 'json' },
    changes: 'nothing',
    trusted: {
      ...{ company: 'part', id: 'id', from: 'instant', until: 'instant' },
      ...{ audience: 'part', sends: 'part', rules: 'part' },
      ...{ opens: 'value', clicks: 'value', unsubscribes: 'value', bounces: 'value', complaints: 'value' },
      ...{ source: ['account', 'flag', 'none'], seed: 'value', time: 'instant', local: 'time', task: 'id' },
      ...{ channel: CHANNEL, list: 'id', search: 'id', size: 'value', sent: 'value', leftOut: 'part' },
      ...{ credits: 'value', balance: 'value' },
      ...{ rule: 'word', ran: 'value', skipped: 'value', queued: 'value' },
      ...{ people: 'part', mostInADay: 'value', mostInAWeek: 'value', findings: 'part' },
      ...{ severity: ['error', 'warning'], estimated: 'value' },
    },
    parts: ['sends', 'rules', 'findings', 'unknown'],
    seconds: 300,
  },
  {
    name: 'review_plan',
    describe:
      'Return a saved plan as a page in Markdown: steps, times, recipients, texts and approvals. Show it to the person who approves, or use it as the body of a pull request.',
    commands: one('plan', 'show'),
    words: { plan: 'Plan that the tool plan saved' },
    flags: [],
    plan: 'plan',
    fixedFlags: { format: 'markdown' },
    changes: 'nothing',
    trusted: {},
    isText: true,
    seconds: 50,
  },
  {
    name: 'export',
    describe: 'Write messages, tasks and rules of the account as a campaign file to a new folder.',
    commands: one('export'),
    flags: ['campaign'],
    changes: 'files',
    trusted: { messages: 'value', tasks: 'value', automations: 'value', leftOut: 'value' },
    isOneRecord: true,
    seconds: 120,
  },
  {
    name: 'usage',
    describe:
      'Count sends, bounces, complaints and unsubscriptions of a month, beside those of the month before (_before), with the present balances in credits.',
    commands: one('usage'),
    flags: ['month'],
    isExtra: true,
    changes: 'nothing',
    trusted: USAGE_KEYS,
    seconds: 50,
  },
  {
    name: 'audit',
    describe:
      'Compare sent and scheduled tasks and active rules with approved plans. verdict is approved, unapproved or changed; changes has the differences.',
    commands: one('audit'),
    flags: ['since', 'until', 'plans'],
    isExtra: true,
    changes: 'nothing',
    trusted: {
      ...{ kind: ['task', 'automation'], id: 'id', time: 'instant', size: 'value' },
      verdict: ['approved', 'unapproved', 'changed'],
    },
    seconds: 50,
  },
  {
    name: 'sandbox',
    describe:
      'Run a command of the sandbox on this machine, such as clock advance, event click or outbox list; never on the real service. explain with command: sandbox clock advance has the arguments of a command.',
    commands: allBelow('sandbox', NOT_FOR_ASSISTANTS),
    choice: { name: 'command', describe: 'Command of svc sandbox, such as clock advance' },
    flags: { allBut: ['data', 'follow', 'watch'] },
    fixedFlags: { yes: true },
    isExtra: true,
    changes: 'sandbox',
    trusted: SANDBOX_KEYS,
    parts: ['sends'],
    seconds: 300,
  },
  {
    name: 'apply',
    describe:
      'Apply a plan that a person has approved: makes its messages, tasks and rules, and so sends. Without approval it is refused (exit 2), and approve has the command that a person must run.',
    commands: one('apply'),
    words: { file: 'Plan that the tool plan saved' },
    flags: [],
    plan: 'file',
    fixedFlags: { yes: true },
    changes: 'service',
    trusted: {
      action: ['create', 'change', 'replace', 'rename', 'keep', 'blocked', 'cancel', 'orphaned'],
      kind: ['folder', 'message', 'task', 'automation'],
      ...{ id: 'id', rule: 'word', done: 'value', size: 'value' },
    },
    seconds: 600,
  },
];
