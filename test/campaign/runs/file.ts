/** Generates random campaign files, and the edits that people make between two commits. */
import type {
  Campaign,
  WantedItem,
  WantedMessage,
  WantedRule,
  WantedTask,
} from '../../../src/features/campaign/model.ts';
import { formatStepItemKey, parseStepItemKey } from '../../../src/features/campaign/sequences.ts';
import { formatStepName, parseStepName } from '../../../src/service/resources/step-names.ts';
import type { Chance } from '../../client/simulation-world.ts';
import { HOUR } from '../support.ts';
import { isSeries, randomRepeat, type SeriesTask } from './series.ts';

export type File = readonly WantedItem[];

export const CAMPAIGN = 'Spring';
export const campaignOf = (items: File): Campaign => ({ campaign: CAMPAIGN, company: null, items });

/** Makes another campaign that sends the same as this one, under its own keys and names. */
export function otherCampaign(chance: Chance, items: File): Campaign | undefined {
  const tasks = items.filter((item): item is WantedTask => item.kind === 'task');
  if (tasks.length === 0) return undefined;
  const copied = chance.pick(tasks);
  const { message } = copied;
  const text = messagesIn(items).find(({ key }) => 'key' in message && key === message.key);
  if (!text) return undefined;
  const named = isSeries(copied) ? { key: 'e9', name: 'Task e9' } : { key: 's1', name: 'Task s1' };
  return {
    campaign: 'Summer',
    company: null,
    items: [
      { ...text, key: 's1', name: 'Message s1' },
      { ...copied, ...named, message: { key: 's1' }, expectSize: null },
    ],
  };
}

/** Returns the same item under another key, with references to that key: `t1` becomes `u1`. */
function renamed(items: File, item: WantedItem): File {
  const key = item.key.replace(/^[a-z]/, (letter) => KEYS[letter] ?? letter);
  if (key === item.key || items.some((each) => each.kind === item.kind && each.key === key)) return items;
  const point = <T extends object>(reference: T): T =>
    item.kind === 'message' && 'key' in reference && reference.key === item.key
      ? { ...reference, key }
      : reference;
  return items.map((each): WantedItem => {
    if (each === item) return { ...item, key, name: item.name.replace(/[a-z][0-9]/, key) };
    if (each.kind === 'task') return { ...each, message: point(each.message) };
    if (each.kind !== 'automation') return each;
    const references = Object.entries(each.references).map(([name, reference]) => [name, point(reference)]);
    return { ...each, references: Object.fromEntries(references) };
  });
}

const KEYS: Readonly<Record<string, string>> = {
  t: 'u',
  u: 't',
  d: 'e',
  e: 'd',
  m: 'n',
  n: 'm',
  r: 'q',
  q: 'r',
};

const LISTS = ['1', '2'] as const;

export function randomFile(chance: Chance, now: number): File {
  const items: WantedItem[] = [];
  if (chance.is(0.5)) items.push({ kind: 'folder', key: 'f1', name: 'Folder f1' });
  for (const key of ['m1', 'm2', 'm3'].slice(0, Math.ceil(chance.between(0, 3))))
    items.push(message(chance, key));
  for (const key of ['t1', 't2', 't3'].slice(0, Math.ceil(chance.between(0, 3))))
    items.push(task(chance, key, items, now));
  if (chance.is(0.5)) items.push(series(chance, 'd1', items, now));
  for (const key of ['r1', 'r2'].slice(0, Math.floor(chance.between(0, 3))))
    items.push(rule(chance, key, items));
  return chance.is(0.4) ? [...items, ...sequence(chance, items)] : items;
}

function message(chance: Chance, key: string): WantedMessage {
  const isEmail = chance.is(0.7);
  return {
    kind: 'message',
    key,
    channel: isEmail ? 'email' : 'sms',
    name: `Message ${key}`,
    values: isEmail
      ? {
          fromname: 'Company',
          replyemail: 'office@example.com',
          subject: `Subject ${word(chance)}`,
          html: html(chance),
          text: `Hello\nhttps://example.com/${word(chance)}\n`,
          ...(chance.is(0.2) ? { friendlink: chance.is(0.5) } : {}),
          ...(chance.is(0.2) ? { tracktextlinks: chance.is(0.5) } : {}),
        }
      : {
          fromname: 'Company',
          message: `Hello ${word(chance)}`,
          ...(chance.is(0.2) ? { subinfo: true } : {}),
        },
    files: {},
  };
}

const WORDS = ['ant', 'bee', 'cat', 'dog', 'elk', 'fox'] as const;
const word = (chance: Chance): string => chance.pick(WORDS);
const html = (chance: Chance): string =>
  `<p>Hello <a href="https://example.com/${word(chance)}">${word(chance)}</a> <a href="mailto:office@example.com">us</a></p>`;

const messagesIn = (items: File): readonly WantedMessage[] =>
  items.filter((item): item is WantedMessage => item.kind === 'message');

const hoursAhead = (chance: Chance, now: number): string =>
  chance.is(0.3)
    ? `+${Math.ceil(chance.between(1, 30))}h`
    : String(now + Math.ceil(chance.betweenLog(0.05, 40) * HOUR));

function task(chance: Chance, key: string, items: File, now: number): WantedTask {
  return {
    kind: 'task',
    key,
    name: `Task ${key}`,
    channel: null,
    message: { key: chance.pick(messagesIn(items)).key },
    list: chance.pick(LISTS),
    search: null,
    at: hoursAhead(chance, now),
    rate: chance.is(0.2) ? 2 : null,
    expectSize: null,
    maxCredits: null,
    hold: chance.is(0.1) ? 1800 : null,
  };
}

const series = (chance: Chance, key: string, items: File, now: number): SeriesTask => ({
  ...task(chance, key, items, now),
  ...randomRepeat(chance),
});

function editedSeries(chance: Chance, item: SeriesTask, items: File, now: number): SeriesTask {
  const another = series(chance, item.key, items, now);
  const { repeat } = item;
  const one = chance.pick(['first', 'hour', 'end', 'every', 'ahead', 'task', 'task', 'all'] as const);
  switch (one) {
    case 'first':
      return { ...item, at: another.at };
    case 'hour':
      return { ...item, at: item.at.slice(0, 'yyyy-mm-dd'.length) + another.at.slice('yyyy-mm-dd'.length) };
    case 'end': {
      const { until, times } = another.repeat;
      return { ...item, repeat: { ...repeat, until, times } };
    }
    case 'every':
    case 'ahead':
      return { ...item, repeat: { ...repeat, [one]: another.repeat[one] } };
    case 'task':
      return { ...editedTask(chance, item, another), at: item.at, repeat };
    case 'all':
      return another;
  }
}

function rule(chance: Chance, key: string, items: File): WantedRule {
  const emails = messagesIn(items).filter(({ channel }) => channel === 'email');
  const texts = messagesIn(items).filter(({ channel }) => channel === 'sms');
  const base = { kind: 'automation' as const, key, name: `Rule ${key}`, paused: chance.is(0.15) };
  const minutes = chance.pick([60, 120, 1440]);
  const timed = {
    actiontimediff: minutes,
    actiononweekend: chance.is(0.5),
    summary: null,
    ...(minutes === 1440 && chance.is(0.5) ? { actionhour: '09:00:00' } : {}),
  };
  const notify = { actiontype: 'notify', actiontarget: 'office@example.com' };
  const list = { list_id: { id: chance.pick(LISTS) } };
  const kind = chance.pick(['answer', 'text', 'open', 'subscription', 'date', 'sms', 'plain'] as const);
  if (kind === 'answer' && emails.length > 0)
    return {
      ...base,
      rule: 'subscription',
      values: { ...timed, actiontype: 'email_autoresponder' },
      references: { ...list, actiontarget: { key: chance.pick(emails).key } },
    };
  if (kind === 'text' && texts.length > 0)
    return {
      ...base,
      rule: 'date',
      values: { ...timed, actiontype: 'sms_autoresponder' },
      references: { actiontarget: { key: chance.pick(texts).key } },
    };
  if (kind === 'open' && emails.length > 0)
    return {
      ...base,
      rule: chance.pick(['open', 'click'] as const),
      values: { ...timed, ...notify },
      references: { message_id: { key: chance.pick(emails).key } },
    };
  if (kind === 'date') return { ...base, rule: 'date', values: { ...timed, ...notify }, references: {} };
  if (kind === 'sms')
    return {
      ...base,
      rule: 'sms',
      values: {
        keyword: `JOIN${key}`,
        summary: null,
        ...(chance.is(0.5) ? { notifyemail: 'office@example.com' } : {}),
      },
      references: {
        ...list,
        ...(texts.length > 0 && chance.is(0.5) ? { message_id: { key: chance.pick(texts).key } } : {}),
      },
    };
  if (kind === 'plain')
    return { ...base, rule: 'subscription', values: { ...notify, summary: null }, references: list };
  return { ...base, rule: 'subscription', values: { ...timed, ...notify }, references: list };
}

const STEP_KEYS = ['a', 'b', 'c', 'd'] as const;
const SEQUENCE = 'w1';

/** Returns the rules of a sequence, as the file's reader makes them of its steps. */
function sequence(chance: Chance, items: File): readonly WantedRule[] {
  const shared = { name: 'Rule w1', list: chance.pick(LISTS), paused: chance.is(0.15) };
  return inOrderOfTime(
    STEP_KEYS.slice(0, Math.ceil(chance.between(0, 3))).map((key) =>
      stepOf(chance, items, { key, ...shared }),
    ),
  );
}

function stepOf(
  chance: Chance,
  items: File,
  of: { readonly key: string; readonly name: string; readonly list: string; readonly paused: boolean },
): WantedRule {
  const message = chance.pick(messagesIn(items));
  const minutes = chance.pick([0, 60, 1440, 2880]);
  const actionhour = minutes % 1440 === 0 && chance.is(0.3) ? '09:00:00' : undefined;
  return {
    kind: 'automation',
    key: formatStepItemKey(SEQUENCE, of.key),
    name: formatStepName(of.name, of.key),
    rule: 'subscription',
    paused: of.paused,
    values: {
      actiontype: `${message.channel}_autoresponder`,
      actiontimediff: minutes,
      ...(actionhour === undefined ? {} : { actionhour }),
      ...(minutes > 0 || actionhour !== undefined ? { actiononweekend: chance.is(0.5) } : {}),
    },
    references: { list_id: { id: of.list }, actiontarget: { key: message.key } },
  };
}

const minutesOf = ({ values }: WantedRule): number => Number(values['actiontimediff']);
const inOrderOfTime = (steps: readonly WantedRule[]): readonly WantedRule[] =>
  steps.toSorted((a, b) => minutesOf(a) - minutesOf(b));

const isStep = (item: WantedItem): item is WantedRule =>
  item.kind === 'automation' && parseStepItemKey(item.key)?.sequence === SEQUENCE;

/** Edits the sequence as a whole or one of its steps. A file has all of them in the order of time. */
function withSequenceEdited(chance: Chance, items: File, item: WantedRule): File {
  const steps = items.filter(isStep);
  const others = items.filter((each) => !isStep(each));
  const [first] = steps;
  const list = first?.references['list_id'];
  if (!first || !list || !('id' in list)) return items;
  const keyOf = ({ key }: WantedRule): string => parseStepItemKey(key)?.step ?? '';
  const name = parseStepName(first.name)?.sequence ?? first.name;
  const shared = { name, list: list.id, paused: first.paused };
  const replaced = (change: (step: WantedRule) => WantedRule): File => [
    ...others,
    ...inOrderOfTime(steps.map(change)),
  ];
  const unused = STEP_KEYS.filter((key) => !steps.some((step) => keyOf(step) === key));
  switch (chance.pick(['step', 'step', 'more', 'less', 'order', 'name', 'list', 'paused'] as const)) {
    case 'step':
      return replaced((step) =>
        step === item ? stepOf(chance, items, { ...shared, key: keyOf(step) }) : step,
      );
    case 'more': {
      const [key] = unused;
      if (key === undefined) return items;
      return [...others, ...inOrderOfTime([...steps, stepOf(chance, items, { ...shared, key })])];
    }
    case 'less':
      return items.filter((each) => each !== item);
    case 'order':
      // Steps at the same time may stand in either order.
      return [...others, ...inOrderOfTime(steps.toReversed())];
    case 'name': {
      const other = `Rule w1 ${word(chance)}`;
      return replaced((step) => ({ ...step, name: formatStepName(other, keyOf(step)) }));
    }
    case 'list': {
      const id = chance.pick(LISTS);
      return replaced((step) => ({ ...step, references: { ...step.references, list_id: { id } } }));
    }
    case 'paused':
      return replaced((step) => ({ ...step, paused: !shared.paused }));
  }
}

/** Edits the file once. No two of its rules have the same keyword, because the service would refuse that. */
export function edited(chance: Chance, items: File, now: number): File {
  const after = editedAnyhow(chance, items, now);
  const keywords = after.flatMap((item) =>
    item.kind === 'automation' ? (item.values['keyword'] ?? []) : [],
  );
  return new Set(keywords).size === keywords.length ? after : items;
}

function editedAnyhow(chance: Chance, items: File, now: number): File {
  if (items.length === 0) return randomFile(chance, now);
  const item = chance.pick(items);
  const replace = (other: WantedItem): File => items.map((each) => (each === item ? other : each));
  if (chance.is(0.1)) return withoutItem(items, item);
  if (chance.is(0.1)) return withAnother(chance, items, now);
  if (chance.is(0.15)) return renamed(items, item);
  switch (item.kind) {
    case 'folder':
      return replace({ ...item, name: `Folder f1 ${word(chance)}` });
    case 'message': {
      const another = message(chance, item.key);
      if (chance.is(0.15)) return replace(another);
      if (chance.is(0.15)) return replace({ ...item, name: `Message ${item.key} ${word(chance)}` });
      if (another.channel !== item.channel) return replace(item);
      return replace({ ...item, values: another.values });
    }
    case 'task': {
      if (isSeries(item)) return replace(editedSeries(chance, item, items, now));
      return replace(editedTask(chance, item, task(chance, item.key, items, now)));
    }
    case 'automation': {
      if (parseStepItemKey(item.key) !== undefined) return withSequenceEdited(chance, items, item);
      const another = rule(chance, item.key, items);
      const one = chance.pick(['paused', 'name', 'all', 'all'] as const);
      if (one === 'paused') return replace({ ...item, paused: !item.paused });
      if (one === 'name') return replace({ ...item, name: `Rule ${item.key} ${word(chance)}` });
      return replace(another);
    }
  }
}

function editedTask(chance: Chance, item: WantedTask, another: WantedTask): WantedTask {
  const one = chance.pick(['at', 'list', 'rate', 'message', 'name', 'limit', 'all'] as const);
  if (one === 'all') return another;
  if (one === 'name') return { ...item, name: `Task ${item.key} ${word(chance)}` };
  if (one === 'limit')
    return { ...item, expectSize: chance.is(0.4) ? null : { from: 1, to: chance.pick([1, 2, 4, 9]) } };
  return { ...item, [one]: another[one] };
}

/** Removes an item with everything that refers to it. */
function withoutItem(items: File, gone: WantedItem): File {
  if (gone.kind === 'message' && messagesIn(items).length === 1) return items;
  const refers = (item: WantedItem): boolean => {
    if (gone.kind !== 'message') return false;
    const references =
      item.kind === 'task'
        ? [item.message]
        : item.kind === 'automation'
          ? Object.values(item.references)
          : [];
    return references.some((each) => 'key' in each && each.key === gone.key);
  };
  return items.filter((item) => item !== gone && !refers(item));
}

function withAnother(chance: Chance, items: File, now: number): File {
  const has = (kind: string, key: string): boolean =>
    items.some((each) => each.kind === kind && each.key === key);
  const messages = ['m1', 'm2', 'm3'].filter((key) => !has('message', key));
  const tasks = ['t1', 't2', 't3'].filter((key) => !has('task', key));
  const rules = ['r1', 'r2'].filter((key) => !has('automation', key));
  const inOrder = (more: WantedItem): File => {
    const all = [...items, more];
    const order = ['folder', 'message', 'task', 'automation'];
    return all.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
  };
  if (tasks.length > 0 && chance.is(0.5)) return inOrder(task(chance, tasks[0] ?? '', items, now));
  if (!items.some(isSeries) && chance.is(0.5)) return inOrder(series(chance, 'd1', items, now));
  if (rules.length > 0 && chance.is(0.5)) return inOrder(rule(chance, rules[0] ?? '', items));
  if (!items.some(isStep) && chance.is(0.5)) return [...items, ...sequence(chance, items)];
  if (messages.length > 0) return inOrder(message(chance, messages[0] ?? ''));
  return items;
}
