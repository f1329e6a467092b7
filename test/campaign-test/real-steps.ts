/** Lets people act for real in a sandbox, as the steps of a random campaign test say. Reads only the tables. */
import type { Campaign, WantedItem } from '../../src/features/campaign/model.ts';
import { clickableLinks } from '../../src/sandbox/engine/audience/plan.ts';
import { receiveSms } from '../../src/sandbox/engine/automations/inbound-sms.ts';
import { type RecipientEvent, recordRecipientEvent } from '../../src/sandbox/engine/events.ts';
import { advanceClockTo } from '../../src/sandbox/engine/tick.ts';
import { linksOf } from '../../src/sandbox/store/messages.ts';
import type { SqlRow } from '../../src/sandbox/store/rows.ts';
import type { SimulatedRecipientSettings } from '../../src/service/protocol/control/audience.ts';
import { ServiceError } from '../../src/service/protocol/service-errors.ts';
import { IDS, NOW, type TestSandbox } from '../support/sandbox.ts';

export const SHORTCODE = '64446';
export const SPAN = 30 * 86_400;
const END = NOW + SPAN;
const HOUR = 3600;

export interface Person {
  readonly name: string;
  readonly id: number;
  readonly email: string | undefined;
  readonly msisdn: string;
}

export interface RealMessage {
  readonly person: number;
  readonly time: number;
  readonly channel: string;
  readonly message: number;
  readonly task: number | null;
  /** Kind and id, such as `click:3`. */
  readonly rule: string | null;
}

export interface RealStep {
  readonly kind: string;
  readonly person: Person;
  readonly text: string;
  /** Undefined if the moment never came. */
  time?: number;
  isPossible: boolean;
}

type ListHistory = Map<string, { time: number; lists: readonly number[] }[]>;

interface Given {
  readonly people: readonly Person[];
  readonly campaign: Campaign;
  readonly lists: readonly number[];
  readonly simulatedRecipients: SimulatedRecipientSettings;
  readonly random: () => number;
}

/** Returns the messages to people since the start, oldest first. */
export async function messagesOf(sandbox: TestSandbox): Promise<readonly RealMessage[]> {
  const tasks = new Map((await sandbox.rows('task')).map((row) => [row['id'], row]));
  const ofTasks = (await sandbox.rows('task_recipient')).map((row) => {
    const task = tasks.get(row['task_id'] ?? null);
    return {
      ...{ person: Number(row['subscriber_id']), time: Number(row['senttime']) },
      ...{ channel: String(task?.['channel']), message: Number(task?.['message_id']) },
      ...{ task: Number(task?.['id']), rule: null },
    };
  });
  const ofRules = (await sandbox.rows('delivery'))
    .filter((row) => row['cause'] === 'rule' && row['message_id'] !== null && row['subscriber_id'] !== null)
    .map((row) => ({
      ...{ person: Number(row['subscriber_id']), time: Number(row['time']) },
      ...{ channel: String(row['channel']), message: Number(row['message_id']) },
      ...{ task: null, rule: `${row['rule_kind']}:${row['cause_id']}` },
    }));
  return [...ofTasks, ...ofRules].filter(({ time }) => time >= NOW).sort((a, b) => a.time - b.time);
}

/** Returns whether a message is one of an item of the campaign, which has the item's name and a mark. */
export async function createMatcher(sandbox: TestSandbox, campaign: Campaign) {
  const found = new Map<string, ReadonlySet<unknown>>();
  for (const item of campaign.items) {
    const table = tableOf(item);
    const rows = table === undefined ? [] : await sandbox.rows(table);
    const own = rows.filter(({ name }) => 'name' in item && String(name).startsWith(`${item.name} `));
    found.set(item.key, new Set(own.map(({ id }) => `${table} ${id}`)));
  }
  return (key: string, { channel, message, task, rule }: RealMessage): boolean => {
    const own = found.get(key);
    const [kind, id] = rule?.split(':') ?? [];
    return [`${channel}_message ${message}`, `task ${task}`, `${kind}_automation ${id}`].some((name) =>
      own?.has(name),
    );
  };
}

/** Returns the keys of the items that send a message. */
export const keysOfMessages = ({ items }: Campaign): readonly string[] =>
  items.flatMap((item) =>
    item.kind === 'automation' && !String(item.values.actiontype).endsWith('_autoresponder')
      ? []
      : [item.key],
  );

function tableOf(item: WantedItem) {
  if (item.kind === 'message') return item.channel === 'email' ? 'email_message' : 'sms_message';
  if (item.kind === 'task') return 'task';
  if (item.kind !== 'automation') return undefined;
  return `${item.rule as 'click' | 'open' | 'subscription'}_automation` as const;
}

type Due = (steps: readonly RealStep[], index: number) => Promise<number | undefined>;

interface Planned extends RealStep {
  readonly due: Due;
  readonly act: (now: number) => Promise<boolean>;
}

/** Plays 30 days with zero to five random steps. Returns what people did, and on which lists they were. */
export async function playForReal(
  sandbox: TestSandbox,
  { people, campaign, lists, simulatedRecipients, random }: Given,
): Promise<{ readonly steps: readonly RealStep[]; readonly history: ListHistory }> {
  const { store } = sandbox.service;
  const one = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;
  const isOf = await createMatcher(sandbox, campaign);
  const silent = new Set(people.map(({ id }) => id));
  const messages = async ({ id }: Person) =>
    (await messagesOf(sandbox)).filter(({ person }) => person === id);
  const record = async (event: RecipientEvent, now: number): Promise<boolean> => {
    const { trigger } = await store.transaction((db) => recordRecipientEvent(db, IDS.company, event, now));
    return event.kind !== 'subscription' || trigger !== undefined;
  };
  const keys = keysOfMessages(campaign);
  const emails = campaign.items.flatMap((item) =>
    item.kind === 'message' && item.channel === 'email' ? [item.key] : [],
  );
  const steps: Planned[] = [];
  for (let left = Math.floor(random() * 6); left > 0; left -= 1) steps.push(plan());

  function plan(): Planned {
    const person = one(people);
    const key = one(emails);
    const subscriberId = person.id;
    const kind = one(['open', 'open', 'click', 'click', 'subscribe', 'unsubscribe', 'complain', 'write']);
    const isReading = kind === 'open' || kind === 'click';
    const [words, due] = moment(person, isReading ? key : undefined);
    const step = (verb: string, act: Planned['act']): Planned => ({
      ...{ kind, person, text: `${person.name} ${verb}${words}`, due, act, isPossible: false },
    });
    switch (kind) {
      case 'subscribe': {
        const listId = one(lists);
        return step(`subscribes to list ${listId}`, (now) =>
          record({ kind: 'subscription', listId, subscriberId }, now),
        );
      }
      case 'write': {
        const text = one(['JOIN', 'JOIN', 'OTHER']);
        return step(`writes ${text} to ${SHORTCODE}`, async (now) => {
          const sms = { to: SHORTCODE, from: person.msisdn, text };
          const { why, ruleIds } = await store.transaction((db) =>
            receiveSms(db, sms, IDS.company, now, { requestAfterCommit: () => undefined }),
          );
          return why === null && ruleIds.length > 0;
        });
      }
      case 'unsubscribe':
      case 'complain':
        return step(`${kind}s`, async (now) => {
          const taskId = (await messages(person)).findLast(({ task }) => task !== null)?.task;
          if (taskId === undefined || taskId === null) return false;
          return record({ kind: kind === 'complain' ? 'complaint' : kind, taskId, subscriberId }, now);
        });
      default:
        return step(`${kind}s ${key}`, async (now) => {
          const got = (await messages(person)).findLast(
            (each) => each.channel === 'email' && isOf(key, each),
          );
          if (!got) return false;
          const reader = { subscriberId, taskId: got.task ?? undefined };
          if (kind === 'open') return record({ kind: 'open', messageId: got.message, ...reader }, now);
          const linkId = clickableLinks(await linksOf(store.db, got.message))[0]?.id;
          return linkId !== undefined && record({ kind: 'click', linkId, ...reader }, now);
        });
    }
  }

  function moment(person: Person, key: string | undefined): readonly [words: string, due: Due] {
    const hours = one([1, 2, 5, 30, 100]);
    const firstOf = async (wanted: string | undefined) =>
      (await messages(person)).find((each) =>
        wanted === undefined ? each.task !== null : isOf(wanted, each),
      )?.time;
    const after = one(['start', 'message', 'message', 'at once']);
    if (after === 'start') return [` ${hours}h after start`, async () => NOW + hours * HOUR];
    if (after === 'message') {
      const wanted = key !== undefined && random() < 0.7 ? key : one(keys);
      return [
        ` ${hours}h after ${wanted}`,
        async () => {
          const time = await firstOf(wanted);
          return time === undefined ? undefined : time + hours * HOUR;
        },
      ];
    }
    return [
      '',
      async (all, index) => {
        const above = all[index - 1];
        if (above && above.time === undefined) return undefined;
        const earliest = (above?.time ?? NOW) + 60;
        const verb = all[index]?.kind;
        if (verb === 'subscribe' || verb === 'write' || (above && key === undefined)) return earliest;
        const time = await firstOf(key);
        return time === undefined ? undefined : Math.max(earliest, time + 60);
      },
    ];
  }

  const history: ListHistory = new Map();
  let now = NOW;
  const noteLists = async (): Promise<void> => {
    const rows = await sandbox.rows('subscription');
    for (const { name, id } of people) {
      const own = rows.flatMap((row) => (row['subscriber_id'] === id ? [Number(row['list_id'])] : []));
      history.set(name, [...(history.get(name) ?? []), { time: now, lists: own }]);
    }
  };
  await noteLists();
  for (;;) {
    const times = await Promise.all(
      steps.map((step, index) => (step.time === undefined ? step.due(steps, index) : undefined)),
    );
    const earliest = Math.min(...times.map((time) => time ?? Number.POSITIVE_INFINITY));
    if (earliest <= now && earliest <= END) {
      const step = steps[times.indexOf(earliest)];
      if (!step) break;
      step.isPossible = await step.act(now).catch((error: unknown) => {
        if (error instanceof ServiceError) return false;
        throw error;
      });
      step.time = now;
      await noteLists();
      continue;
    }
    if (now >= END) break;
    now = Math.min(END, earliest, await nextDue(sandbox, now));
    await advanceClockTo(store, now, {
      machineNow: () => NOW * 1000,
      simulatedRecipients: { ...simulatedRecipients, silent },
    });
    await noteLists();
  }
  return { steps, history };
}

/** Returns the time of the next due work, which is the only time at which a person can get a message or come on a list. */
async function nextDue(sandbox: TestSandbox, now: number): Promise<number> {
  const rows: readonly SqlRow[] = [
    ...(await sandbox.rows('task')),
    ...(await sandbox.rows('queued_action')),
    ...(await sandbox.rows('sms')),
  ];
  const due = rows.flatMap((row) => (row['due'] === null ? [] : [Number(row['due'])]));
  return Math.min(...due.map((time) => Math.max(time, now)), now + 86_400);
}
