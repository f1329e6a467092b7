/** Declares the tools of `svc mcp` (contract, "Assistants"): their commands, their flags, and what they may change. */

import type { Field } from '../../../kit/schema/field.ts';
import { isObject } from '../../../kit/text/json-object.ts';
import { controlOperationNamed, controlOperationNames } from '../../../service/protocol/control.ts';
import { type CatalogueResource, catalogue } from '../../../service/resources/catalogue.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { LENGTH_KEYS } from './record-fields.ts';
import type { TrustedProperties, TrustedValueKindOrChoices } from './untrusted.ts';

export interface Tool {
  readonly name: string;
  /** Shown to people. */
  readonly title: string;
  /** For the assistant. Contains no data of the service. */
  readonly describe: string;
  /** If there are several, the argument named in `choice` selects one. */
  readonly commands: (commandsBelow: CommandLookup) => readonly ToolCommandPath[];
  readonly choice?: { readonly name: string; readonly describe: string };
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

function listedContacts(printed: unknown) {
  const rows = Array.isArray(printed) ? printed.filter(isObject) : [];
  return {
    checked: rows.length,
    listed: rows.flatMap(({ listed, ...row }) => (listed === true ? [row] : [])),
  };
}

export const TOOLS: readonly Tool[] = [
  {
    name: 'explain',
    title: 'Explain svc and the service',
    describe:
      'Explains a resource, a field or the campaign file (what: task, task.scheduledtime, campaign), or a command or ' +
      'help topic of svc (command: task create, exit-codes, lint). Without arguments, it lists the resources.',
    commands: one('explain'),
    takesHelp: true,
    flags: [],
    changes: 'nothing',
    trusted: 'all',
    seconds: 30,
  },
  {
    name: 'list_records',
    title: 'List records',
    describe:
      'Lists records of one kind. Arguments named after attributes are filters; those that the kind does not have are refused. Messages have ' +
      'few attributes and the lengths of their texts, unless fields names others. To know whether an address may be contacted, use check_do_not_contact.',
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
    title: 'Get a record',
    describe:
      'Gets one record by its id or exact name. The id of a rule begins with its kind, such as click:3.',
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
    title: 'Check Do Not Contact',
    describe:
      'Checks up to 500 addresses, domains and phone numbers, also in files of the working folder. Lists those on Do Not Contact, ' +
      'by themselves or by their domain.',
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
    title: 'Explain a lock',
    describe: 'Shows why a record cannot be changed, and until when.',
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
    title: 'Report on a task',
    describe:
      'Counts opens, clicks, bounces, unsubscriptions and complaints of a task, or compares two tasks.',
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
    title: 'Forecast credits',
    describe:
      'Lists the credits that each scheduled task will use, and the balance after that task. Exit 11: too few credits.',
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
    title: 'Show the calendar',
    describe:
      'Lists tasks by local time, in the time zone of the company. Marks tasks that send to the same list at nearly the same time.',
    commands: one('task', 'calendar'),
    flags: ['from', 'weeks'],
    changes: 'nothing',
    trusted: { ...TASK_KEYS, local: 'time', clashes: 'part' },
    seconds: 50,
  },
  {
    name: 'lint',
    title: 'Lint a message',
    describe:
      'Checks an e-mail or SMS message: a stored message by its id, or a message given as text or files. Exit 11: errors found.',
    commands: () => [
      { value: 'email', path: ['email', 'lint'] },
      { value: 'sms-message', path: ['sms-message', 'lint'] },
    ],
    choice: { name: 'noun', describe: 'Kind of message' },
    flags: [
      ...['strict', 'ignore', 'subject', 'html', 'html-file', 'text', 'text-file', 'message', 'message-file'],
      ...['fromemail', 'fromname', 'name', 'customoptin'],
    ],
    changes: 'nothing',
    trusted: { rule: 'word', severity: ['error', 'warning', 'info'], line: 'value', column: 'value' },
    seconds: 50,
  },
  {
    name: 'estimate_sms',
    title: 'Estimate an SMS',
    describe: 'Counts the SMS parts of a text, and the credits that it costs. Makes no request.',
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
    title: 'Simulate a rule',
    describe: 'Shows what an automation rule would do for an event at a given time. Changes nothing.',
    commands: one('automation', 'simulate'),
    flags: ['at'],
    changes: 'nothing',
    trusted: { time: 'instant', local: 'time', action: 'word' },
    seconds: 50,
  },
  {
    name: 'why_not',
    title: 'Explain why a rule did not act',
    describe:
      'Shows why a rule has not acted: paused, too young, message not sent, no opens or clicks, target gone, or still to come.',
    commands: one('automation', 'why'),
    flags: [],
    changes: 'nothing',
    trusted: { reason: 'word', time: 'instant' },
    seconds: 50,
  },
  {
    name: 'rule_graph',
    title: 'Show the graph of rules',
    describe:
      'Shows what triggers each rule, and which rules trigger each other. ' +
      'Also lists loops, in which rules trigger each other again and again.',
    commands: one('automation', 'graph'),
    flags: ['check'],
    changes: 'nothing',
    trusted: {
      ...{ nodes: 'part', edges: 'part', loops: 'part', id: 'id', from: 'id', to: 'id' },
      ...{ kind: 'word', actiontype: 'word', paused: 'value', loop: 'value', rules: 'id' },
    },
    parts: ['nodes', 'edges', 'loops'],
    seconds: 50,
  },
  {
    name: 'plan',
    title: 'Plan a campaign',
    describe:
      'Compares a campaign file with the service, and lists the steps that apply would take, and the findings. passed is false if apply ' +
      'would refuse a message or a step. With the argument "out", saves the plan to a new file that people approve with svc approve. ' +
      'Writes nothing to the service.',
    commands: one('plan', 'make'),
    flags: ['out', 'check', 'valid', ...CAMPAIGN_FLAGS],
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
      action: ['create', 'change', 'replace', 'keep', 'blocked', 'cancel', 'orphaned'],
      kind: ['folder', 'message', 'task', 'automation'],
      ...{ time: 'instant', size: 'value', credits: 'value', until: 'instant', blockedBy: 'word' },
    },
    parts: ['steps', 'findings'],
    seconds: 120,
  },
  {
    name: 'rehearse',
    title: 'Rehearse a campaign',
    describe:
      'Applies campaign files or a plan to a copy of the account in memory, and moves the clock of the copy. Reports each send with its time, and the findings. Sends nothing. Exit 11: errors among the findings.',
    commands: one('rehearse'),
    flags: ['for', 'audience', 'seed', 'list-size', 'apart', 'strict', ...CAMPAIGN_FLAGS],
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
    name: 'export',
    title: 'Export a campaign file',
    describe:
      'Writes messages, tasks and rules of the company as a campaign file to a new folder below the working folder.',
    commands: one('export'),
    flags: ['campaign'],
    changes: 'files',
    trusted: { messages: 'value', tasks: 'value', automations: 'value', leftOut: 'value' },
    isOneRecord: true,
    seconds: 120,
  },
  {
    name: 'sandbox',
    title: 'Use the sandbox',
    describe:
      'Runs a command of the sandbox on this machine, such as clock advance, event click or outbox list. The command never reaches the real service. To learn the arguments of a command, use the tool explain, for example with command: sandbox clock advance.',
    commands: allBelow('sandbox', NOT_FOR_ASSISTANTS),
    choice: { name: 'command', describe: 'Command of svc sandbox, such as clock advance' },
    flags: { allBut: ['data', 'follow', 'watch'] },
    fixedFlags: { yes: true },
    changes: 'sandbox',
    trusted: SANDBOX_KEYS,
    parts: ['sends'],
    seconds: 300,
  },
  {
    name: 'apply',
    title: 'Apply an approved plan',
    describe:
      'Applies a plan that at least one person has approved with svc approve. The signers file of the profile says who may approve. A plan ' +
      'without approval is refused (exit 2), and nothing is sent.',
    commands: one('apply'),
    flags: [],
    fixedFlags: { yes: true },
    changes: 'service',
    trusted: {
      action: ['create', 'change', 'replace', 'keep', 'blocked', 'cancel', 'orphaned'],
      kind: ['folder', 'message', 'task', 'automation'],
      ...{ id: 'id', rule: 'word', done: 'value', size: 'value' },
    },
    seconds: 600,
  },
];
