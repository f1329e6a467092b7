/** Declares `svc log`, which shows the journal: the changes that svc requested from this machine. Sends no requests. */

import { describeWrittenRecord, type Entry, isRecordArray } from '../../client/journal/entry.ts';
import { type JournalLocation, journalFolder } from '../../client/journal/file.ts';
import { followJournal, readJournalEntries } from '../../client/journal/read.ts';
import type { Profile } from '../../client/profiles/profile.ts';
import { companiesOfProfile, findProfileCompany, parseCompanyId } from '../../client/profiles/roster.ts';
import type { Parsed } from '../../kit/schema/parameter.ts';
import type { AnyRecord } from '../../kit/schema/resource.ts';
import { parseDuration } from '../../kit/text/duration.ts';
import { formatTime } from '../../kit/text/timezone.ts';
import type { AccountId } from '../../service/auth/credentials.ts';
import { formatJson } from '../../service/protocol/json.ts';
import type { Group, Input, Verb } from '../command/command.ts';
import { parsedFlag, switchFlag, textFlag, wholeNumberFlag } from '../command/flag.ts';
import { CliError, UsageError } from '../errors/errors.ts';
import { EXIT } from '../errors/exit-codes.ts';
import { type Column, type Continuation, DEFAULT_ROWS_ON_TERMINAL } from '../output/result.ts';
import type { Invocation, Profiles, Tell } from '../session/ports.ts';
import { chooseRowLimit } from '../session/row-limit.ts';

const COLUMNS: readonly Column[] = [
  { name: 'n', kind: 'number', keep: true },
  { name: 'time', kind: 'text', role: 'state' },
  { name: 'company_id' },
  { name: 'company', kind: 'text', role: 'name', keep: false },
  { name: 'profile', kind: 'text' },
  { name: 'command', kind: 'text' },
  { name: 'change', kind: 'text', keep: true },
  { name: 'what', kind: 'text', keep: true },
  { name: 'state', kind: 'text', role: 'state' },
];

/** Puts important columns first, because a narrow terminal omits the last ones. Leaves out a company that all rows share. */
function tableOf(rows: readonly ReturnType<typeof rowOf>[]): readonly Column[] {
  const companies = new Set(rows.map(({ company_id: id }) => id));
  const profiles = new Set(rows.map(({ profile }) => profile));
  const ends = profiles.size > 1 ? ['profile', 'command'] : ['command', 'profile'];
  const names = ['n', 'time', ...(companies.size > 1 ? ['company_id', 'company'] : [])];
  return [...names, 'state', 'change', 'what', ...ends].flatMap((name) =>
    COLUMNS.filter((column) => column.name === name),
  );
}

const sinceFlag = parsedFlag(
  'since',
  { describe: 'Only changes after this time, such as 2h (2 hours ago) or 2026-12-01', value: 'time' },
  pastTime,
);
const resourceFlag = textFlag('resource', {
  describe: 'Only changes to this kind of record, such as task',
  value: 'name',
});
const commandFlag = textFlag('command', {
  describe: 'Only changes by commands that begin with these words, such as "task create"',
});
const failedFlag = switchFlag('failed', { describe: 'Only changes that failed or whose outcome is unknown' });
const limitFlag = wholeNumberFlag('limit', {
  describe: 'Maximum number of rows',
  defaultText: `${DEFAULT_ROWS_ON_TERMINAL} on a terminal`,
});
const reverseFlag = switchFlag('reverse', { describe: 'Show the oldest changes first' });
const linesFlag = wholeNumberFlag('lines', { describe: 'Number of changes to print', default: 10 });
const followFlag = switchFlag('follow', { describe: 'Wait for new changes' });

const list: Verb = {
  name: 'list',
  summary: 'List changes made from this machine, newest first',
  about: 'To see only the changes of one company or profile, use --company or --profile',
  work: 'local',
  example: 'log list --since 2d --resource task',
  flags: [sinceFlag, resourceFlag, commandFlag, failedFlag, reverseFlag, limitFlag],
  run: async (session, input) => {
    const profiles = await readableProfiles(session);
    const wanted = filterOf(session, input, wantedCompany(session, profiles));
    const entries = (await readJournalEntries(placeOf(session))).filter(wanted);
    if (!input.get(reverseFlag)) entries.reverse();
    const isTable = (await session.format()) === 'table';
    const { limit, isForAgent } = await chooseRowLimit(session, input.get(limitFlag));
    const rows = entries.slice(0, limit).map((entry) => rowOf(session, entry, profiles, isTable));
    const notes = (): readonly string[] => [
      ...(isTable && rows.length > 0
        ? [`Times are in ${session.context.machineZone}, this machine's time zone.`]
        : []),
      ...(entries.length > limit && !isForAgent
        ? [
            `showing the ${input.get(reverseFlag) ? 'oldest' : 'newest'} ${limit} of ${entries.length}; use --limit ${entries.length} to see all`,
          ]
        : []),
    ];
    const empty = 'No journal entry matches.';
    const isCut = isForAgent && entries.length > limit;
    const continuation = (): Continuation | undefined =>
      isCut ? { shown: limit, flag: ['--limit', String(entries.length)] } : undefined;
    const shape = { columns: tableOf(rows), attributes: COLUMNS, empty };
    return { result: { kind: 'rows', rows, ...shape, notes, continuation } };
  },
};

const show: Verb = {
  name: 'show',
  summary: 'Show a change and its previous values',
  work: 'local',
  exits: { 4: 'entry not found' },
  example: 'log show 17',
  positionals: [{ name: 'n', describe: 'Number of the change, from svc log list' }],
  flags: [],
  run: async (session, { positionals: [text = ''] }) => {
    const entry = await findJournalEntry(session, text);
    const profiles = await readableProfiles(session);
    const value = { ...entry, what: describeWrittenRecord(entry) };
    if ((await session.format()) !== 'table') return { result: { kind: 'object', value, columns: [] } };
    return { result: { kind: 'object', value: flattened(session, entry, profiles), columns: [] } };
  },
};

const tail: Verb = {
  name: 'tail',
  summary: 'Print the last changes; with --follow, wait for new ones',
  about: 'Runs until Ctrl-C if you add --follow',
  work: 'local',
  example: 'log tail --follow',
  output: 'ndjson',
  live: true,
  flags: [linesFlag, followFlag],
  run: async (session, input) => {
    const rows = lastRows(session, input.get(linesFlag), input.get(followFlag));
    return { result: { kind: 'rows', rows, columns: COLUMNS, empty: 'The journal is empty.' } };
  },
};

export const log: Group = {
  name: 'log',
  summary: 'Show changes made from this machine',
  commands: [list, show, tail],
  commandWithoutWords: 'list',
};

/** @throws UsageError if the text is not a number; CliError exit 4 if no entry has the number */
export async function findJournalEntry(session: Invocation, text: string): Promise<Entry> {
  if (!/^[0-9]{1,12}$/.test(text))
    throw new UsageError(`${text} is not the number of a change`, {
      hint: 'run svc log list to see the number of each change',
    });
  const found = (await readJournalEntries(placeOf(session))).find(({ n }) => n === Number(text));
  if (found) return found;
  throw new CliError('not-found', `change ${text} not found in the journal`, {
    exit: EXIT.notFound,
    hint: 'run svc log list to see the number of each change',
  });
}

function placeOf({ context }: Invocation): JournalLocation {
  const folder = journalFolder(context);
  if (folder === undefined)
    throw new UsageError('cannot find a home folder for the journal', {
      hint: 'set SVC_STATE_DIR',
    });
  return { folder, platform: context.platform };
}

function filterOf(
  session: Invocation,
  input: Input,
  company: AccountId | undefined,
): (entry: Entry) => boolean {
  const since = input.get(sinceFlag)?.(session.context.clock.now());
  const resource = input.get(resourceFlag)?.toLowerCase();
  const command = input.get(commandFlag);
  const { profile } = session.globals;
  return (entry) =>
    (since === undefined || Date.parse(entry.time) >= since) &&
    (resource === undefined ||
      entry.resource.toLowerCase() === resource ||
      describeWrittenRecord(entry).toLowerCase().startsWith(`${resource} `)) &&
    (command === undefined || `${entry.command} `.startsWith(`${command} `)) &&
    (profile === undefined || entry.profile === profile) &&
    (company === undefined || entry.company === company) &&
    (!input.get(failedFlag) || entry.state !== 'done');
}

/** The result takes the current time and returns the past time, both in Unix milliseconds. */
function pastTime(text: string): Parsed<(now: number) => number> {
  const ago = parseDuration(text);
  if (ago !== undefined) return { value: (now) => now - ago * 1000 };
  const time = /^[0-9]{4}-[0-9]{2}-[0-9]{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return { value: () => time };
  return { fault: { reason: 'is not a time', instead: 'write 2h, 3d, 2026-12-01 or 2026-12-01T09:00Z' } };
}

/** Times in a table are in this machine's time zone. Times in other formats are in UTC. */
function rowOf({ context }: Invocation, entry: Entry, profiles: readonly Profile[], isTable: boolean) {
  const { n, profile, command, state, recovered } = entry;
  const time = isTable ? formatTime(Date.parse(entry.time) / 1000, context.machineZone, 'table') : entry.time;
  const shown = state === 'intent' ? 'unfinished' : recovered ? 'recovered' : state;
  const company = { company_id: entry.company, company: companyName(profiles, entry) };
  return {
    n,
    time,
    ...company,
    profile,
    command,
    change: changeOf(entry),
    what: describeWrittenRecord(entry),
    state: shown,
  };
}

function changeOf({ method, sent }: Entry): string {
  if (method === 'POST') return 'created';
  if (method === 'DELETE') return 'deleted';
  const { cancelled, paused, ...others }: AnyRecord = sent ?? {};
  if (cancelled === true) return 'cancelled';
  if (Object.keys(others).length > 0 || cancelled !== undefined || typeof paused !== 'boolean')
    return 'changed';
  return paused ? 'paused' : 'resumed';
}

function flattened(session: Invocation, entry: Entry, profiles: readonly Profile[]) {
  const { before, after, sent, error, kept, undoes, origin, user, method, resource } = entry;
  const rows = isRecordArray(before) ? before : [];
  const was = isRecordArray(before) || before === null ? {} : before;
  const names = [...new Set([...Object.keys(was), ...Object.keys(method === 'PUT' ? (after ?? {}) : {})])];
  const text = (value: unknown): string => (value === undefined ? '?' : formatJson(value));
  const changes = names.map((name) => [name, `${text(was[name])} → ${text(after?.[name])}`] as const);
  return {
    ...rowOf(session, entry, profiles, true),
    request: `${method} ${resource}`,
    origin,
    user,
    ...(method === 'PUT' ? Object.fromEntries(changes) : { sent }),
    ...(method === 'POST' && after ? { created: after } : {}),
    ...(rows.length > 0 ? { deleted: rows.length === 1 ? (rows[0] ?? null) : [...rows] } : {}),
    ...(kept ? { deleted: `${kept.records} records, saved in ${kept.file}` } : {}),
    ...(error ? { error: error.message } : {}),
    ...(undoes === undefined ? {} : { undoes }),
    ...(entry.state === 'intent'
      ? { note: 'svc was about to send this request, and recorded no outcome' }
      : {}),
  };
}

async function* lastRows(session: Invocation & Tell & Profiles, count: number, follow: boolean) {
  const place = placeOf(session);
  const isTable = (await session.format()) === 'table';
  const since = followJournal(place, session.context);
  const profiles = await readableProfiles(session);
  const entries = await readJournalEntries(place);
  for (const entry of count === 0 ? [] : entries.slice(-count))
    yield rowOf(session, entry, profiles, isTable);
  if (!follow) return;
  for await (const entry of since) yield rowOf(session, entry, profiles, isTable);
}

/** Rosters have the names of companies, so svc sends no request. Without readable profiles, `svc log` still shows the journal. */
const readableProfiles = ({ store }: Profiles): Promise<readonly Profile[]> =>
  store()
    .then((opened) => opened.list())
    .then(
      ({ profiles }) => profiles,
      () => [],
    );

function companyName(profiles: readonly Profile[], entry: Entry): string | null {
  const own = profiles.find(({ name }) => name === entry.profile);
  return (own && companiesOfProfile(own).find(({ id }) => id === entry.company)?.name) ?? null;
}

/** @throws UsageError for an unknown company */
function wantedCompany({ globals }: Invocation, profiles: readonly Profile[]): AccountId | undefined {
  const { company, profile } = globals;
  if (company === undefined) return undefined;
  const id = parseCompanyId(company);
  if (id !== undefined) return id;
  const searched = profiles.filter(({ name }) => profile === undefined || name === profile);
  const owner = searched.find((each) => companiesOfProfile(each).some(({ name }) => name === company));
  if (owner !== undefined) return findProfileCompany(owner, company, 'flag --company').id;
  throw new UsageError(`no profile has a company called ${JSON.stringify(company)} (flag --company)`, {
    hint: 'give the id of the company; svc company list shows the companies of a profile',
  });
}
