/**
 * Judges a history by the records and the outbox of the service alone. The rules are those of the contract, "Safety" and "Campaigns as
 * files"; the code of svc is not used.
 */
import type { SqlRow } from '../../../src/sandbox/store/rows.ts';
import type { Channel, Job, Wanted } from './makers.ts';
import { type Arrived, type Content, EMAILS, HAND, TEXTS, type World } from './world.ts';

/** A task or a rule. */
export interface Thing {
  readonly kind: 'task' | 'rule';
  readonly id: number;
  readonly name: string;
  /** False if it is cancelled, paused or deleted. A sent task counts as live. */
  readonly isLive: boolean;
  /** What people get, on which channel, to which list, and when. Equal for two things that are the same. */
  readonly effect: string;
  /** The key or the campaign item of its mark. */
  readonly identity: string | undefined;
  readonly row: SqlRow;
  /** The run that made it, or `HAND`; undefined if it was there before. */
  readonly madeBy: string | undefined;
  /** When it was made, in milliseconds. */
  readonly at: number;
}

const PATHS = { task: '/v1/task', rule: '/v1/subscriptionAutomation' } as const;
export const pathOf = ({ kind, id }: Pick<Thing, 'kind' | 'id'>): string => `${PATHS[kind]}/${id}`;

/** Reads all tasks and rules. */
export async function thingsOf({ sandbox, arrived }: World): Promise<readonly Thing[]> {
  const contents = await contentsOf(sandbox);
  const made = (kind: Thing['kind'], row: SqlRow): Pick<Thing, 'madeBy' | 'at'> => {
    const post = arrived.find(
      ({ method, path, id }) => method === 'POST' && path === PATHS[kind] && id === row['id'],
    );
    return { madeBy: post?.run, at: post?.at ?? 0 };
  };
  const base = (kind: Thing['kind'], row: SqlRow) => ({
    kind,
    row,
    id: Number(row['id']),
    name: String(row['name']),
    identity: identityOf(String(row['name'])),
    ...made(kind, row),
  });
  const tasks = (await sandbox.rows('task')).map((row): Thing => {
    const base_ = base('task', row);
    const minute = Math.floor(Number(row['scheduledtime']) / 60);
    const content = contents.get(`${row['channel']} ${row['message_id']}`);
    return {
      ...base_,
      isLive: row['cancelled'] === 0,
      // Each proof is a person's own choice, as is each task by hand.
      effect: base_.name.startsWith('[Proof]')
        ? `proof ${base_.id}`
        : `${row['channel']} ${content} to ${row['list_id']} at ${minute}`,
    };
  });
  const rules = (await sandbox.rows('subscription_automation')).map((row): Thing => {
    const channel = String(row['actiontype']).replace('_autoresponder', '');
    const content = contents.get(`${channel} ${row['actiontarget']}`);
    return {
      ...base('rule', row),
      isLive: row['paused'] === 0,
      effect: `${channel} ${content} to newcomers of ${row['list_id']} after ${row['actiontimediff']}`,
    };
  });
  return [...tasks, ...rules];
}

async function contentsOf({ rows }: World['sandbox']): Promise<ReadonlyMap<string, string>> {
  const all = new Map<string, string>();
  for (const row of await rows('email_message')) all.set(`email ${row['id']}`, textOf(row, SHOWN.email));
  for (const row of await rows('sms_message')) all.set(`sms ${row['id']}`, textOf(row, SHOWN.sms));
  return all;
}

/** What people see of a message. No message of a history has links, which the service would rewrite. */
const SHOWN = { email: ['fromname', 'subject', 'html', 'text'], sms: ['fromname', 'message'] } as const;
const textOf = (values: Readonly<Record<string, unknown>>, names: readonly string[]): string =>
  JSON.stringify(names.map((name) => String(values[name]).trim()));
const contentOf = (channel: Channel, content: Content): string =>
  channel === 'email'
    ? textOf(EMAILS[content], SHOWN.email)
    : textOf({ fromname: 'Company', message: TEXTS[content] }, SHOWN.sms);

/** Returns the key or the campaign item of a mark, without its hash of the content. */
function identityOf(name: string): string | undefined {
  const [, mark] = / \[svc-([0-9a-z-]+)\]$/.exec(name) ?? [];
  if (mark === undefined) return undefined;
  const [campaign = '', item] = mark.split('-');
  return item === undefined ? name : `item ${campaign}-${item}`;
}

/** Reports whether the job asked for this thing. */
export function isWanted(thing: Thing, job: Job): boolean {
  return job.owns(thing.name) && job.wants.some((wanted) => matches(thing, wanted));
}

/** Reports whether the thing is what the job asks for, whoever made it. */
export function matches({ kind, row, effect, name }: Thing, wanted: Wanted): boolean {
  if (wanted.kind === 'proof') return kind === 'task' && name.startsWith('[Proof]') && row['list_id'] === 3;
  if (wanted.kind === 'task')
    return (
      kind === 'task' &&
      effect.startsWith(
        `${wanted.channel} ${contentOf(wanted.channel, wanted.content)} to ${wanted.list} at `,
      ) &&
      (wanted.time === undefined || Number(row['scheduledtime']) === wanted.time)
    );
  return (
    wanted.kind === 'rule' &&
    effect ===
      `${wanted.channel} ${contentOf(wanted.channel, wanted.content)} to newcomers of ${wanted.list} after ${wanted.minutes}`
  );
}

/** Returns the groups of two or more live things that are the same send or the same rule: same mark, or same effect. */
export function doublesIn(things: readonly Thing[], jobs: readonly Job[]): readonly (readonly Thing[])[] {
  const groups: Thing[][] = [];
  for (const thing of things.filter(({ isLive }) => isLive)) {
    const near = groups.filter((group) =>
      group.some(
        (each) =>
          each.kind === thing.kind &&
          (each.effect === thing.effect || (each.identity !== undefined && each.identity === thing.identity)),
      ),
    );
    for (const group of near) groups.splice(groups.indexOf(group), 1);
    groups.push([...near.flat(), thing]);
  }
  return groups
    .filter((group) => isDouble(group, jobs))
    .map((group) => [...group].sort((a, b) => a.id - b.id));
}

function isDouble(group: readonly Thing[], jobs: readonly Job[]): boolean {
  const own = group.filter((each) => each.identity !== undefined);
  if (group.length < 2 || own.length === 0) return false;
  if (own.some(({ name }) => jobs.some((job) => job.both && job.owns(name)))) return false;
  // A person may send the same once more by hand. Whoever comes later than the person must give way.
  const lowest = Math.min(...group.map(({ id }) => id));
  return own.length > 1 || own[0]?.id !== lowest;
}

/** What a person did, and what must hold since. */
export interface Hand {
  readonly what: 'cancel' | 'pause';
  /** True if a twin under the same mark was live, so that the person may only have resolved the double. */
  readonly hasTwin: boolean;
  readonly thing: Thing;
  readonly at: number;
}

/**
 * Returns what svc did although nobody asked for it.
 * @param isTold reports whether every later run ended with an error that names the things, when it was too late to cancel one
 */
export async function unmeantIn(
  world: World,
  jobs: ReadonlyMap<string, Job>,
  hands: readonly Hand[],
  isTold: (things: readonly Thing[]) => boolean,
): Promise<readonly string[]> {
  const faults: string[] = [];
  const things = await thingsOf(world);
  const all = [...jobs.values()];
  for (const thing of things) {
    const { kind, id, name, madeBy, isLive } = thing;
    if (madeBy === undefined || madeBy === HAND || !isLive) continue;
    if (!all.some((job) => isWanted(thing, job)))
      faults.push(`${kind} ${id} (${name}) is what nobody asked for`);
  }
  for (const { what, thing, at, hasTwin } of hands) {
    const now = things.find(({ kind, id }) => kind === thing.kind && id === thing.id);
    if (now?.isLive && !wasOnItsWay(world, thing, at))
      faults.push(`${pathOf(thing)} is live again, though a person did: ${what}`);
    for (const each of things)
      if (
        !hasTwin &&
        each.isLive &&
        each.identity === thing.identity &&
        each.kind === thing.kind &&
        each.at > at &&
        each.madeBy !== HAND &&
        !isTold([thing, each]) &&
        !wasHidden(world, thing, each)
      )
        faults.push(`${pathOf(each)} is what a person ended before: ${what} ${thing.id}`);
  }
  return [...faults, ...(await touchedIn(world, jobs))];
}

/**
 * Reports whether the write that made the thing live again was on its way when the person ended it, or whether its run had read the thing
 * directly before. The interface has no conditional PUT (docs/reliability.md).
 */
function wasOnItsWay({ arrived }: World, thing: Thing, at: number): boolean {
  const path = pathOf(thing);
  const write = arrived.findLast(
    (each) => each.method === 'PUT' && each.path === path && each.status < 300 && each.run !== HAND,
  );
  if (write === undefined || write.at < at) return false;
  const before = arrived.filter(({ run, sentAt }) => run === write.run && sentAt < write.sentAt);
  const last = before.reduce<Arrived | undefined>((a, b) => (a && a.sentAt > b.sentAt ? a : b), undefined);
  return write.sentAt <= at || (last?.method === 'GET' && last.path === path && last.at <= at);
}

/**
 * Reports whether no list showed the ended thing to the run of a campaign that made the other one, because the lists lagged. A later run can't
 * tell the other one from what someone made again with `--overwrite` (docs/reliability.md). A run with a key can.
 */
function wasHidden({ arrived }: World, ended: Thing, made: Thing): boolean {
  const looks = arrived.filter(
    ({ run, method, path }) => run === made.madeBy && method === 'GET' && path === PATHS[made.kind],
  );
  return made.identity?.startsWith('item ') === true && looks.every(({ asOf }) => asOf < ended.at);
}

/** Returns the writes of runs to records that are not their own. */
async function touchedIn(
  { sandbox, arrived }: World,
  jobs: ReadonlyMap<string, Job>,
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const { run, method, path, status } of arrived) {
    const job = jobs.get(run);
    const [, resource = '', id] = /^\/v1\/([a-zA-Z]+)\/(\d+)$/.exec(path) ?? [];
    if (!job || status >= 300 || id === undefined || !['PUT', 'DELETE'].includes(method)) continue;
    const isMade = arrived.some(
      (each) =>
        each.run === run &&
        each.method === 'POST' &&
        each.path === `/v1/${resource}` &&
        String(each.id) === id,
    );
    if (isMade) continue;
    const table = resource.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const row = (await sandbox.rows(table as 'task')).find((each) => String(each['id']) === id);
    // A record that was deleted has no name any more in some tables.
    const posted = arrived.find(
      (each) => each.method === 'POST' && each.path === `/v1/${resource}` && String(each.id) === id,
    );
    const name = String(row?.['name'] ?? posted?.body['name'] ?? '');
    if (!job.owns(name)) faults.push(`${run} did ${method} ${path} (${name}), which is not its own`);
  }
  return faults;
}

/** Returns the addresses to which people got the same of two live things, by group. */
export async function receivedTwice({ sandbox }: World, group: readonly Thing[]): Promise<readonly string[]> {
  const [first] = group;
  const ids = group.map(({ id }) => id);
  const addresses =
    first?.kind === 'task'
      ? (await sandbox.rows('task_recipient'))
          .filter((row) => ids.includes(Number(row['task_id'])))
          .map((row) => row['address'])
      : (await sandbox.rows('delivery'))
          .filter((row) => row['rule_kind'] === 'subscription' && ids.includes(Number(row['cause_id'])))
          .map((row) => row['recipient']);
  return [...new Set(addresses.filter((each, at) => addresses.indexOf(each) !== at).map(String))];
}

/** Returns the records of other resources that bear the job's mark and are not deleted, lowest id first. */
export async function markedRecords({ sandbox }: World, job: Job): Promise<readonly SqlRow[]> {
  const [wanted] = job.wants;
  if (wanted === undefined || !['folder', 'email_message', 'sms_message'].includes(wanted.kind)) return [];
  return (await sandbox.rows(wanted.kind as 'folder'))
    .filter((row) => row['deleted'] !== 1 && job.owns(String(row['name'])))
    .sort((a, b) => Number(a['id']) - Number(b['id']));
}
