/**
 * Checks invariants, written from the contract ("Campaigns as files", "Safety") and the interface ("States and transitions"). The oracle
 * uses only types of src/features/campaign. It compares the store and the steps with the file.
 */
import type {
  Step,
  WantedItem,
  WantedMessage,
  WantedRule,
  WantedTask,
} from '../../../src/features/campaign/model.ts';
import type { SqlRow } from '../../../src/sandbox/store/rows.ts';
import type { TestSandbox } from '../../support/sandbox.ts';
import type { File } from './file.ts';
import type { Hands } from './hands.ts';
import {
  hasEarlierDayBeside,
  isOfSameSeries,
  isSeries,
  isSettledTime,
  isWithinWeek,
  timesWithSteps,
} from './series.ts';
import { isSetAside, keyOf, rowsOf, type StoredItem } from './stored.ts';

const isMarked = ({ row }: StoredItem): boolean =>
  /\[svc-[0-9a-z]{6}-[0-9a-z]{5}([0-9a-z]{3}|(-[0-9a-z]{4})?-[0-9a-z]+(-[0-9a-z]{6})*)\]$/.test(
    String(row['name']),
  );
const isLive = ({ row }: StoredItem): boolean => row['cancelled'] === 0 && row['completed'] === 0;
const isBegun = ({ row }: StoredItem): boolean => row['completed'] === 1 || row['started'] === 1;

/** Contract: "at no moment are both live". Returns the live tasks by key. */
export async function liveTasks(sandbox: TestSandbox): Promise<ReadonlyMap<string, readonly StoredItem[]>> {
  const live = new Map<string, StoredItem[]>();
  for (const item of await rowsOf(sandbox, ['task']))
    if (isLive(item) && isMarked(item)) live.set(item.key, [...(live.get(item.key) ?? []), item]);
  return live;
}

/** Returns the active rules by key. */
export async function activeRules(sandbox: TestSandbox): Promise<ReadonlyMap<string, readonly StoredItem[]>> {
  const active = new Map<string, StoredItem[]>();
  for (const item of await rowsOf(sandbox))
    if (item.kind === 'automation' && item.row['paused'] === 0 && isMarked(item))
      active.set(item.key, [...(active.get(item.key) ?? []), item]);
  return active;
}

/**
 * Contract, "Campaigns as files": "nothing is sent twice". Returns the recipients who got messages of tasks with one key more than once.
 */
export async function sentTwice(
  sandbox: TestSandbox,
): Promise<readonly { readonly key: string; readonly what: string }[]> {
  const keys = new Map((await rowsOf(sandbox, ['task'])).map((item) => [item.row['id'], item.key]));
  const seen = new Set<string>();
  const twice: { key: string; what: string }[] = [];
  for (const row of await sandbox.rows('task_recipient')) {
    const key = keys.get(row['task_id']) ?? '?';
    const one = `task ${key} to subscriber ${String(row['subscriber_id'])}`;
    if (seen.has(one)) twice.push({ key, what: one });
    seen.add(one);
  }
  return twice;
}

/**
 * Contract: "The same message to the same list at the same time under another key or campaign blocks too." Groups the tasks that are not
 * cancelled by message, list and time, whatever their names are.
 */
export async function sameSends(sandbox: TestSandbox): Promise<ReadonlyMap<string, readonly SqlRow[]>> {
  const contents = new Map<string, string>();
  for (const table of ['email_message', 'sms_message'] as const)
    for (const row of await sandbox.rows(table))
      contents.set(`${table.replace('_message', '')} ${row['id']}`, shownBy({ table, row }));
  const sends = new Map<string, SqlRow[]>();
  for (const row of await sandbox.rows('task')) {
    if (row['cancelled'] === 1) continue;
    const minute = Math.floor(Number(row['scheduledtime']) / 60);
    const content = contents.get(`${row['channel']} ${row['message_id']}`);
    const send = `${row['channel']} ${content} to ${row['list_id']} at ${minute}`;
    sends.set(send, [...(sends.get(send) ?? []), row]);
  }
  return sends;
}

/** Returns whether two messages have one key, or the same content. */
export function isSameMessage(a: StoredItem | undefined, b: StoredItem | undefined): boolean {
  if (a === undefined || b === undefined || a.table !== b.table) return false;
  return a.key === b.key || shownBy(a) === shownBy(b);
}

const shownBy = ({ table, row }: Pick<StoredItem, 'table' | 'row'>): string =>
  table === 'email_message'
    ? JSON.stringify([row['subject'], seen(row['html']), seen(row['text'])])
    : JSON.stringify([row['fromname'], row['message']]);

/** Removes addresses, which the service rewrites. */
const seen = (text: unknown): string => String(text).replace(/https?:[^"<\s]*/g, 'link');

/**
 * Contract, "Sends and campaigns, once more": "so is a rule with the same trigger, action and target", and rules of one file "may differ by
 * their delay alone". Returns pairs of active rules that act alike, one of which a campaign made: the other one is of that campaign or of none.
 */
export async function doubledRules(sandbox: TestSandbox): Promise<ReadonlySet<string>> {
  const active = (await rowsOf(sandbox)).filter(
    ({ kind, row }) => kind === 'automation' && row['paused'] === 0,
  );
  const actOf = ({ table, row }: StoredItem): string =>
    JSON.stringify([table, ...ACT.map((column) => row[column] ?? null)]);
  const campaignOf = ({ row }: StoredItem): string | undefined =>
    / \[svc-([0-9a-z]{6})-/.exec(String(row['name']))?.[1];
  const isPair = (a: StoredItem, b: StoredItem): boolean =>
    isMarked(b) &&
    actOf(a) === actOf(b) &&
    (!isMarked(a) || (a.path < b.path && campaignOf(a) === campaignOf(b)));
  const pairs = active.flatMap((a) =>
    active.filter((b) => a !== b && isPair(a, b)).map((b) => `${b.key}: ${a.path} and ${b.path}`),
  );
  return new Set(pairs);
}

const ACT = [
  'link_id',
  'list_id',
  'message_id',
  'actiontype',
  'actiontarget',
  'actiontimediff',
  'actionhour',
  'message_actiontimediff',
  'message_actionhour',
  'keyword',
  'notifyemail',
];

export interface Settled {
  readonly items: File;
  readonly steps: readonly Step[];
  readonly hands: Hands;
  readonly now: number;
  /** Keys for which two simultaneous runs may have left two messages, with at most one of them in use. */
  readonly mayHaveSpare: boolean;
  /** The values of `--adopt`: `task t1` maps to the id of the record without a mark that now belongs to the item. */
  readonly adopted: Readonly<Record<string, string>>;
  /** When a task first got a relative time, by `key time`. */
  readonly saidSince: ReadonlyMap<string, number>;
}

/** Returns items that differ from the file and are not reported as blocked, and blocked steps without a reason. */
export async function faultsOf(sandbox: TestSandbox, settled: Settled): Promise<readonly string[]> {
  // A task that starts within 5 minutes can no longer be renamed (interface, "task"), so adoption leaves it without a mark.
  const isAdopted = (each: StoredItem): boolean =>
    each.kind === 'task' &&
    settled.adopted[keyOf(each)] === String(each.row['id']) &&
    Number(each.row['scheduledtime']) - settled.now < 300;
  const all = (await rowsOf(sandbox)).filter((each) => isMarked(each) || isAdopted(each));
  const links = await sandbox.rows('email_message_link');
  const faults: string[] = [];
  const say = (item: WantedItem, what: string): void => {
    faults.push(`${item.kind} ${item.key}: ${what}`);
  };
  const items = settled.items.flatMap((item): readonly WantedItem[] => {
    if (!isSeries(item)) return [item];
    const { tasks, faults: found } = timesWithSteps(item, settled.steps, settled.now);
    for (const what of found) say(item, what);
    return tasks;
  });
  for (const item of items) {
    const own = all.filter((each) => each.kind === item.kind && each.key === item.key);
    const step = settled.steps.find((each) => each.kind === item.kind && each.key === item.key);
    if (!step) {
      say(item, 'no step says what became of it');
      continue;
    }
    // svc cancels the duplicates of a task that a person changed, leaves the task, and reports the change.
    if (
      step.action === 'change' &&
      /^the task was created .*; task [0-9]+ was changed by hand/.test(step.reason ?? '')
    )
      continue;
    if (step.action === 'blocked') {
      const rows = await rowsOf(sandbox);
      const isWithReason =
        isDoubled(step, rows, settled) ||
        isBesideEarlierDay(item, step, rows) ||
        wasSentBeside(item, step, rows, settled.items, links);
      const why = isWithReason ? undefined : blockedInVain(item, step, own, settled);
      if (why !== undefined) say(item, `blocked, ${why}: ${JSON.stringify(step)}`);
      continue;
    }
    // The blocked and named step is that of its message. All other changes of this item are applied.
    const isWaiting =
      step.action !== 'keep' &&
      referencesOf(item).some((key) =>
        settled.steps.some(
          (each) => each.kind === 'message' && each.key === key && each.action === 'blocked',
        ),
      );
    const what = ((): string | undefined => {
      switch (item.kind) {
        case 'folder':
          return (own.length === 1 || settled.mayHaveSpare) && bare(own[0]) === item.name
            ? undefined
            : `is there ${own.length} times, or not called so`;
        case 'message':
          return messageFault(item, own, links, settled.mayHaveSpare);
        case 'task':
          if (item.key.includes('@') && step.action === 'keep' && isSettledTime(own)) return undefined;
          return taskFault(item, own, all, settled, links, isWaiting) ?? timeFault(item, own, settled);
        case 'automation':
          return ruleFault(item, own, all, settled.items, links, isWaiting);
      }
    })();
    if (what !== undefined) say(item, what);
  }
  return faults;
}

const bare = (item: StoredItem | undefined): string =>
  String(item?.row['name']).replace(/ \[svc-[^\]]*\]$/, '');

function isAsFile(
  item: WantedMessage,
  { table, row }: StoredItem,
  links: readonly Readonly<Record<string, unknown>>[],
): boolean {
  if (bare({ row } as StoredItem) !== item.name) return false;
  if (table !== (item.channel === 'email' ? 'email_message' : 'sms_message')) return false;
  const { values } = item;
  if (item.channel === 'sms')
    return row['message'] === values['message'] && row['subinfo'] === Number(values['subinfo'] ?? false);
  const targets = links
    .filter((link) => link['message_id'] === row['id'] && link['type'] === 'html')
    .map((link) => link['target']);
  const wanted = /https:[^"]*/.exec(String(values['html']))?.[0];
  const shown = />([a-z]+)<\/a>/.exec(String(values['html']))?.[1] ?? '?';
  const isTracked = values['tracktextlinks'] === true;
  return (
    row['subject'] === values['subject'] &&
    row['friendlink'] === Number(values['friendlink'] ?? false) &&
    row['tracktextlinks'] === Number(isTracked) &&
    String(row['html']).includes(`>${shown}</a>`) &&
    targets.includes(wanted) &&
    (isTracked || row['text'] === values['text'])
  );
}

function messageFault(
  item: WantedMessage,
  own: readonly StoredItem[],
  links: readonly Readonly<Record<string, unknown>>[],
  mayHaveSpare: boolean,
): string | undefined {
  const matching = own.filter((each) => isAsFile(item, each, links));
  if (matching.length === 0)
    return `no version is as the file says: ${JSON.stringify(own.map(({ row }) => row))}`;
  if (matching.length > 1 && !mayHaveSpare) return `${matching.length} versions are as the file says`;
  return undefined;
}

/** Returns whether the record uses the message that the file names, in the version of the file. */
function isOf(
  key: string,
  channel: string,
  id: unknown,
  all: readonly StoredItem[],
  items: File,
  links: readonly Readonly<Record<string, unknown>>[],
): boolean {
  const wanted = items.find((item): item is WantedMessage => item.kind === 'message' && item.key === key);
  const found = all.find(
    ({ table, row }) =>
      table === (channel === 'email' ? 'email_message' : 'sms_message') && String(row['id']) === String(id),
  );
  return wanted !== undefined && found !== undefined && found.key === key && isAsFile(wanted, found, links);
}

function taskFault(
  item: WantedTask,
  own: readonly StoredItem[],
  all: readonly StoredItem[],
  { items }: Settled,
  links: readonly Readonly<Record<string, unknown>>[],
  isWaiting: boolean,
): string | undefined {
  const live = own.filter(isLive);
  const over = own.filter(({ row }) => row['completed'] === 1);
  // The task was sent, whatever the file has said since.
  if (over.length > 0)
    return live.length === 0 ? sentFault(item, over) : 'was sent, and is scheduled once more';
  const [one, ...others] = live;
  if (!one || others.length > 0) return `is scheduled ${live.length} times`;
  const { row } = one;
  const message = item.message as { readonly key: string };
  const isRelative = item.at.startsWith('+');
  const size = Number(row['size']);
  const checks: readonly [string, boolean][] = [
    ['name', bare(one) === item.name],
    ['time', isRelative || String(row['scheduledtime']) === item.at],
    ['list', String(row['list_id']) === item.list],
    ['rate', row['rate'] === item.rate],
    ['size', item.expectSize === null || (size >= item.expectSize.from && size <= item.expectSize.to)],
    ['message', isWaiting || isOf(message.key, String(row['channel']), row['message_id'], all, items, links)],
  ];
  const wrong = checks.filter(([, holds]) => !holds).map(([name]) => name);
  return wrong.length === 0 ? undefined : `${wrong.join(', ')} not as the file says: ${JSON.stringify(row)}`;
}

/** Contract: "A sent task that differs from the file is `blocked`". Checks that such a task does not count as equal to the file. */
function sentFault(item: WantedTask, sent: readonly StoredItem[]): string | undefined {
  const isSame = sent.some(
    (each) =>
      bare(each) === item.name &&
      String(each.row['list_id']) === item.list &&
      each.row['rate'] === item.rate &&
      (item.at.startsWith('+') || String(each.row['scheduledtime']) === item.at),
  );
  return isSame ? undefined : 'was sent otherwise, and is said to be as the file says';
}

/** Seconds that the machine of a run may be ahead of the service. */
const CLOCKS_APART = 300;

/** Contract: "The text of a relative time in a campaign file belongs to the item: editing it is a change." */
function timeFault(
  item: WantedTask,
  own: readonly StoredItem[],
  { saidSince, now, hands }: Settled,
): string | undefined {
  const [, hours] = /^\+([0-9]+)h$/.exec(item.at) ?? [];
  const since = hands.touched.has(keyOf(item)) ? undefined : saidSince.get(`${item.key} ${item.at}`);
  const live = own.find(isLive);
  if (hours === undefined || since === undefined || !live) return undefined;
  const from = Number(live.row['scheduledtime']) - Number(hours) * 3600;
  return from >= since && from <= now + CLOCKS_APART
    ? undefined
    : `counts ${item.at} from ${from}, and it was edited at ${since}`;
}

function ruleFault(
  item: WantedRule,
  own: readonly StoredItem[],
  all: readonly StoredItem[],
  items: File,
  links: readonly Readonly<Record<string, unknown>>[],
  isWaiting: boolean,
): string | undefined {
  const table = `${item.rule}_automation`;
  const fits = own.filter((each) => {
    const { row } = each;
    // A withdrawn record belongs to no item any more.
    if (isSetAside(row)) return false;
    if (each.table !== table || bare(each) !== item.name || row['paused'] !== Number(item.paused))
      return false;
    const plain: Readonly<Record<string, unknown>> =
      item.rule === 'sms'
        ? { keyword: null, notifyemail: null, message_id: null }
        : { actionhour: null, actiontimediff: 0, actiononweekend: true };
    const wanted: Record<string, unknown> = { ...plain, ...item.values };
    for (const [attribute, reference] of Object.entries(item.references)) {
      if ('id' in reference) wanted[attribute] = reference.id;
      if (!('key' in reference)) continue;
      const isSms = item.rule === 'sms' || item.values['actiontype'] === 'sms_autoresponder';
      if (!isWaiting && !isOf(reference.key, isSms ? 'sms' : 'email', row[attribute], all, items, links))
        return false;
      delete wanted[attribute];
    }
    return Object.entries(wanted).every(([attribute, value]) => {
      const found = row[attribute] ?? null;
      return typeof value === 'boolean' ? found === Number(value) : String(found) === String(value);
    });
  });
  if (fits.length !== 1)
    return `${fits.length} rules are as the file says: ${JSON.stringify(own.map(({ table: t, row }) => ({ t, ...row })))}`;
  const acting = own.filter(({ row }) => row['paused'] === 0);
  return acting.length > Number(!item.paused) ? `${acting.length} rules act` : undefined;
}

const isBesideEarlierDay = (item: WantedItem, step: Step, all: readonly StoredItem[]): boolean =>
  item.kind === 'task' &&
  step.blockedBy === 'state' &&
  /is of an earlier day of this series/.test(step.reason ?? '') &&
  hasEarlierDayBeside(item, step.time, all);

/** Contract, "Series": "so does a sent one with the same text, or a deleted message, also of the key before it had `repeat`". */
function wasSentBeside(
  item: WantedItem,
  { blockedBy, reason = '', time }: Step,
  rows: readonly StoredItem[],
  items: File,
  links: readonly Readonly<Record<string, unknown>>[],
): boolean {
  const [, what] = /has sent (the same message|a message that was deleted since) to /.exec(reason) ?? [];
  if (item.kind !== 'task' || blockedBy !== 'state' || what === undefined) return false;
  const wanted = items.find(
    (each): each is WantedMessage =>
      each.kind === 'message' && 'key' in item.message && each.key === item.message.key,
  );
  return rows.some(({ kind, key, row }) => {
    if (kind !== 'task' || row['completed'] !== 1 || !isOfSameSeries(key, item.key)) return false;
    const sent = rows.find((each) => each.kind === 'message' && isMessageOfTask(each, row));
    const hasText = sent
      ? what === 'the same message' && wanted && isAsFile({ ...wanted, name: bare(sent) }, sent, links)
      : what === 'a message that was deleted since';
    return hasText === true && String(row['list_id']) === item.list && isWithinWeek(row, time);
  });
}

const isMessageOfTask = ({ table, row }: StoredItem, task: StoredItem['row']): boolean =>
  table === `${task['channel']}_message` && row['id'] === task['message_id'];

/** Returns whether a live record beside the item could be the one that its step names. */
function isDoubled(
  { kind, id, reason = '', blockedBy }: Step,
  all: readonly StoredItem[],
  { now, hands }: Settled,
): boolean {
  if (kind === 'task' && /message to the same recipients/.test(reason) && blockedBy === 'state')
    return all.some((each) => each.kind === 'task' && (isLive(each) || / was sent \(/.test(reason)));
  // A key without `renamed-from` must not bring back what a person has cancelled.
  if (kind === 'task' && /which the file no longer names, .* was cancelled by hand/.test(reason))
    return all.some((each) => each.kind === 'task' && each.row['cancelled'] === 1);
  // Records of two keys that one item has had are different sends or rules.
  if (/^(task|rule) \S+ \(key .*, and (task|rule) |^rule \S+ \(key .* do different things/.test(reason))
    return all.filter((each) => each.kind === kind).length > 1;
  // Contract: "so does a rule that a person has paused, if the file wants it active".
  if (kind === 'automation' && / is paused, but not in the file, /.test(reason))
    return all.some(
      (each) =>
        id?.endsWith(`:${each.row['id']}`) === true &&
        each.row['paused'] === 1 &&
        hands.touched.has(keyOf(each)),
    );
  if (
    kind === 'automation' &&
    /same trigger(, action and target| and delay)|has (its|the) (same )?keyword/.test(reason)
  )
    // A paused rule keeps its keyword from others (wire, "unique"). One that was made just now may be that of another run.
    return all.some(
      (each) =>
        each.kind === 'automation' &&
        (each.row['paused'] === 0 ||
          !isMarked(each) ||
          now - Number(each.row['cdate']) < 900 ||
          (id === `sms:${each.row['id']}` && hasKeyword(each))),
    );
  return false;
}

/** Interface: no two rules of inbound SMS have one keyword, so a paused rule conflicts, too. */
const hasKeyword = ({ table, row }: StoredItem): boolean =>
  table === 'sms_automation' && row['keyword'] !== null;

/** Returns why a step should not be blocked, or undefined if the contract allows it. */
function blockedInVain(
  item: WantedItem,
  { blockedBy, reason = '', time, id }: Step,
  own: readonly StoredItem[],
  { hands, now, items }: Settled,
): string | undefined {
  if (reason === '') return 'and not said why';
  const needs = referencesOf(item);
  const isTouched = (name: string): boolean => hands.touched.has(name);
  const isTouchedPath = (path: string): boolean => hands.touchedPaths.has(path);
  switch (blockedBy) {
    case 'drift':
      // If a message was deleted by hand, every item that sends it has changed, too.
      // A record may still have a message that was deleted by hand and that the file no longer names.
      if (item.kind !== 'message' && item.kind !== 'folder' && hands.hasDeletedMessage) return undefined;
      // The same applies to a message that was changed by hand and still belongs to a rule for which the file now names another target.
      if (item.kind === 'automation' && own.some((each) => messagePathsOf(each).some(isTouchedPath)))
        return undefined;
      // The item of a task that lost its mark is also unknown.
      if (item.kind === 'task' && hands.lost.size > 0 && own.every(({ row }) => String(row['id']) !== id))
        return undefined;
      if (isTouched(keyOf(item)) || needs.some((key) => isTouched(`message ${key}`))) return undefined;
      return own.some(({ row, kind }) => kind === 'task' && row['cancelled'] === 1 && row['started'] === 1)
        ? undefined
        : 'and nobody has changed it by hand';
    case 'time': {
      if (item.kind !== 'task') return 'for a time that it does not have';
      const due = own.filter(isLive).map(({ row }) => Number(row['scheduledtime']));
      const times = [
        ...due,
        ...(time === undefined ? [] : [time]),
        ...(item.at.startsWith('+') ? [] : [Number(item.at)]),
      ];
      return times.some((each) => each - now < Math.max(300, item.hold ?? 0))
        ? undefined
        : 'and its time is far enough';
    }
    case 'state':
      return own.some((each) => isBegun(each) || Number(each.row['scheduledtime']) - now < 300)
        ? undefined
        : 'and no state forbids it';
    case 'reference': {
      const isWrong = needs.some((key) => !items.some((each) => each.kind === 'message' && each.key === key));
      const isOther = item.kind === 'automation' && !fitsChannels(item, items);
      return isWrong || isOther || needs.some((key) => isTouched(`message ${key}`))
        ? undefined
        : 'and what it refers to is there';
    }
    default:
      return 'and not said by what';
  }
}

/** Returns the paths at which the message of a rule may be, because an id does not show its channel. */
const messagePathsOf = ({ row }: StoredItem): readonly string[] =>
  [row['message_id'], row['actiontarget']].flatMap((id) => [
    `/v1/emailMessage/${id}`,
    `/v1/smsMessage/${id}`,
  ]);

const referencesOf = (item: WantedItem): readonly string[] => {
  const all =
    item.kind === 'task' ? [item.message] : item.kind === 'automation' ? Object.values(item.references) : [];
  return all.flatMap((each) => ('key' in each ? [each.key] : []));
};

function fitsChannels(item: WantedRule, items: File): boolean {
  const isSms = item.rule === 'sms' || item.values['actiontype'] === 'sms_autoresponder';
  return referencesOf(item).every((key) =>
    items.some(
      (each) => each.kind === 'message' && each.key === key && each.channel === (isSms ? 'sms' : 'email'),
    ),
  );
}
