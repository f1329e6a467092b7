/** Rehearses campaigns in the copy of an account (contract, "Rehearse"). No real message is sent. */

import { ClientError } from '../../client/requests/errors.ts';
import { SendError } from '../../client/sends/errors.ts';
import { type Id, readIdText } from '../../kit/schema/integer.ts';
import type { RecordOf } from '../../kit/schema/resource.ts';
import { formatTime } from '../../kit/text/timezone.ts';
import { formatCountWithNoun } from '../../kit/text/words.ts';
import { type AccountCopy, lastSubscriberIdPerAudience } from '../../sandbox/seed/copied-account.ts';
import { addSender } from '../../sandbox/store/accounts.ts';
import {
  countMessagesPerPerson,
  findLastActivityTime,
  listTasksEndedSince,
  listTasksUnfinishedAt,
  measureMostMessagesPerPerson,
  nextTaskDueTime,
  type RuleActivity,
  ruleActivitySince,
} from '../../sandbox/store/rehearsal.ts';
import { listLeftOutSubscribers, type TaskRow } from '../../sandbox/store/tasks.ts';
import { buildRuleGraph } from '../../service/automations/graph.ts';
import { readRule } from '../../service/automations/rules.ts';
import type { SimulatedRecipientSettings } from '../../service/protocol/control/audience.ts';
import { account } from '../../service/resources/account.ts';
import { resourceOfActionTarget } from '../../service/resources/automation.ts';
import { parseCampaignMark } from '../../service/resources/campaign-mark.ts';
import { emailMessage } from '../../service/resources/email-message.ts';
import {
  RULE_DEFINITIONS,
  RULE_KINDS,
  type RuleKind,
  type RuleResource,
} from '../../service/resources/rule-kinds.ts';
import { smsMessage } from '../../service/resources/sms-message.ts';
import type { Channel, MessageRecord } from '../../service/resources/task.ts';
import { CampaignError } from '../campaign/errors.ts';
import type { Campaign, ItemKind } from '../campaign/model.ts';
import { readNameWithoutCampaignMark } from '../campaign/plan/adoption.ts';
import type { PlanOptions } from '../campaign/plan/situation.ts';
import { createItemFinder } from '../campaign/renames.ts';
import { expandSeries } from '../campaign/series.ts';
import { audienceKey, audienceOfTask } from './campaign-audiences.ts';
import { type ServiceWithAccountCopy, startServiceWithAccountCopy } from './copied-service.ts';
import {
  findSendProblems,
  findSkippedHours,
  listUtcOffsetPeriods,
  type RehearsalFinding,
  type RehearsalResult,
  type RehearsedMessage,
  type RehearsedRuleCounts,
  type RehearsedSend,
  type Sentence,
} from './rehearsal-result.ts';
import { rehearsedSequences } from './rehearsed-sequences.ts';
import { rehearsedSeries, withWholeSeries } from './rehearsed-series.ts';

export interface RehearsedCampaign {
  readonly campaign: Campaign;
  readonly options: PlanOptions;
  readonly file: string;
}

export interface RehearsalOptions {
  readonly random: (octets: number) => Uint8Array;
  readonly signal: AbortSignal;
  readonly simulatedRecipients: SimulatedRecipientSettings;
  /** Stays after the rehearsal. If omitted, the copy is in memory. */
  readonly database?: string | undefined;
  /** Seconds. */
  readonly maxDuration: number;
  /** Seconds between two sends to one list. */
  readonly minGap: number;
  /** Some facts about people are unknown. */
  readonly estimated: boolean;
  readonly unknown: readonly Sentence[];
  /** Their size on a channel is that of the other channel; as `audienceKey` writes them. */
  readonly guessedSizes: ReadonlySet<string>;
  /** No task was sent to them; as `audienceKey` writes them. */
  readonly unknownSizes: ReadonlySet<string>;
  /** Another rehearsal is compared with this one. */
  readonly countsMessagesPerPerson?: boolean;
}

/** @throws the signal's reason if the signal is aborted */
export async function rehearse(
  copy: AccountCopy,
  files: readonly RehearsedCampaign[],
  options: RehearsalOptions,
): Promise<RehearsalResult> {
  const end = copy.at + options.maxDuration;
  const campaigns = files.map((each) => ({
    ...each,
    campaign: withWholeSeries(each.campaign, each.options.zone, end),
  }));
  const service = await startServiceWithAccountCopy(copy, options);
  try {
    const findings: RehearsalFinding[] = [];
    const initial = await balancesOf(service);
    const unknown = await addSenders(service, campaigns);
    for (const each of campaigns) {
      const campaign = withoutUncheckableSizes(each.campaign, options);
      findings.push(...(await applyCampaign(service, { ...each, campaign })));
    }
    const balances = await advanceThroughTasks(service, end, copy.at);
    return await tell(service, copy, {
      ...{ campaigns, findings, balances, initial },
      options: { ...options, unknown: [...options.unknown, ...unknown] },
    });
  } finally {
    await service.close();
  }
}

/** The interface does not list senders, so the copy has only those of the account's messages. */
export async function addSenders(
  { store, companyId }: ServiceWithAccountCopy,
  campaigns: readonly Pick<RehearsedCampaign, 'campaign'>[],
): Promise<readonly Sentence[]> {
  const added: string[] = [];
  for (const { campaign } of campaigns)
    for (const item of campaign.items) {
      const sender = item.kind === 'message' ? item.values['fromemail'] : null;
      if (typeof sender === 'string' && (await addSender(store.db, companyId, sender))) added.push(sender);
    }
  return added.map((sender) => [
    `sender ${sender}: no stored message uses this sender, so svc does not know whether the account has this address`,
  ]);
}

/** The check of `expect-size` would refuse a number that the rehearsal made up. */
export function withoutUncheckableSizes(
  campaign: Campaign,
  { guessedSizes, unknownSizes }: Pick<RehearsalOptions, 'guessedSizes' | 'unknownSizes'>,
): Campaign {
  const isKnown = (audience: string): boolean => !guessedSizes.has(audience) && !unknownSizes.has(audience);
  const items = campaign.items.map((item) =>
    item.kind !== 'task' || isKnown(audienceOfTask(campaign, item)) ? item : { ...item, expectSize: null },
  );
  return { ...campaign, items };
}

async function applyCampaign(
  service: ServiceWithAccountCopy,
  { campaign, options, file }: RehearsedCampaign,
): Promise<readonly RehearsalFinding[]> {
  try {
    const applied = await service.apply(campaign, options);
    return applied
      .filter(({ step }) => step.action === 'blocked')
      .map(({ step: { kind, key, id, name, reason = 'no reason is known' } }) =>
        error('blocked', [`${kind} ${key ?? id ?? name} is blocked: ${reason}`], file),
      );
  } catch (caught) {
    if (caught instanceof ClientError && caught.kind === 'interrupted') throw caught;
    if (caught instanceof ClientError && caught.status === 423)
      return [error('locked', [caught.message], file)];
    if (caught instanceof ClientError || caught instanceof CampaignError || caught instanceof SendError)
      return [error('blocked', [caught.message], file)];
    throw caught;
  }
}

const error = (rule: RehearsalFinding['rule'], message: Sentence, at: string | null): RehearsalFinding => ({
  ...{ rule, severity: 'error', message, at },
});

type Balances = Readonly<Record<Channel, number>>;

/** Returns the balances after each task that ended, by the task's id. */
async function advanceThroughTasks(
  service: ServiceWithAccountCopy,
  until: number,
  from: number,
): Promise<ReadonlyMap<number, Balances>> {
  const { store, companyId } = service;
  const after = new Map<number, Balances>();
  for (;;) {
    const due = await nextTaskDueTime(store.db, companyId, until);
    await service.advanceTo(due === undefined ? until : Math.max(due, from));
    let balances = await balancesOf(service);
    const ended = await listTasksEndedSince(store.db, companyId, from);
    // Tasks that end together get their balances from the last one back.
    for (const { id, channel, credits } of ended.filter((row) => !after.has(row.id)).reverse()) {
      after.set(id, balances);
      const spent: Channel = channel === 'sms' ? 'sms' : 'email';
      balances = { ...balances, [spent]: balances[spent] + credits };
    }
    if (due === undefined) return after;
  }
}

async function balancesOf({ client }: ServiceWithAccountCopy): Promise<Balances> {
  const { emailcreditbalance, smscreditbalance } = await client.single(account);
  return { email: Number(emailcreditbalance), sms: Number(smscreditbalance) };
}

interface Played {
  readonly campaigns: readonly RehearsedCampaign[];
  readonly options: RehearsalOptions;
  readonly findings: readonly RehearsalFinding[];
  readonly balances: ReadonlyMap<number, Balances>;
  readonly initial: Balances;
}

async function tell(
  service: ServiceWithAccountCopy,
  copy: AccountCopy,
  { campaigns, options, findings, balances, initial }: Played,
): Promise<RehearsalResult> {
  const { store, companyId, client } = service;
  const { db } = store;
  const zone = String(copy.account.timezone);
  const { unknownSizes } = options;
  const expanded = campaigns.map(({ campaign, options: { zone: own } }) => ({
    ...campaign,
    items: expandSeries(campaign.items, own),
  }));
  const playback: Playback = { zone, keyOf: keysIn(expanded), balances, now: copy.at, unknownSizes };
  const end = copy.at + options.maxDuration;
  const all = await listTasksUnfinishedAt(db, companyId, copy.at);
  const isDue = (row: TaskRow): boolean => Number(row.scheduledtime) <= end;
  const tasks = all.filter(isDue);
  const later = all.filter((row) => !isDue(row));
  const sends: RehearsedSend[] = [];
  for (const task of tasks) sends.push(await sendOf(service, task, playback));
  const rules = await allRules(client);
  const activity = await ruleActivitySince(db, companyId, copy.at);
  const until = Math.max(copy.at, (await findLastActivityTime(db, companyId, copy.at)) ?? 0);
  const utcOffsetSpans = listUtcOffsetPeriods(copy.at, until, zone);
  const days = {
    firstMessageTime: copy.at,
    utcOffsetSpans,
    lastSubscriberIds: lastSubscriberIdPerAudience(copy),
  };
  const counted = countRuns(activity, rules, playback);
  const isActive = ({ rule }: RehearsedRuleCounts): boolean =>
    activity.some(({ kind, id }) => `${kind}:${id}` === rule);
  const [runs, idleRules] = [counted.filter(isActive), counted.filter((each) => !isActive(each))];
  const acting = runs.filter(({ ran, queued }) => ran + queued > 0).map(({ rule }) => rule);
  const timed = rules.map(({ kind, record }) => readRule(kind, record));
  const final = await balancesOf(service);
  return {
    company: { id: companyId, name: String(copy.account.name) },
    from: copy.at,
    until,
    sends,
    rules: runs,
    sequences: await rehearsedSequences(db, companyId, {
      ...{ campaigns: campaigns.map(({ campaign }) => campaign), runs },
      ...{ rules: rules.map(({ kind, record }) => ({ kind, ...record })), since: copy.at, zone },
    }),
    series: rehearsedSeries(
      campaigns.map(({ campaign, options: { zone: own } }) => ({ campaign, zone: own })),
      sends,
    ),
    people: {
      mostInADay: await measureMostMessagesPerPerson(db, companyId, days, 'day'),
      mostInAWeek: await measureMostMessagesPerPerson(db, companyId, days, 'week'),
    },
    findings: [
      ...findings,
      ...stoppedTaskFindings(tasks, zone),
      ...starvedRuleFindings(activity, zone),
      ...loopFindings(rules, copy),
      ...findSendProblems(sends, { zone, apart: options.minGap }),
      ...findSkippedHours(
        timed.filter(({ ref }) => acting.includes(ref)),
        utcOffsetSpans,
      ),
    ],
    estimated: options.estimated || sends.some(({ size }) => size === null),
    unknown: [...options.unknown, ...later.map((row) => laterTask(row, zone))],
    messages: await messagesOf(client, copy, [
      ...tasks.map((task) => ({ ...task, by: readNameWithoutCampaignMark(task) })),
      ...runs.filter(({ sent }) => sent > 0).flatMap(({ rule, name }) => messageOfRule(rule, name, rules)),
    ]),
    idleRules,
    campaigns: expanded,
    items: itemsOf(all, rules),
    spent: { email: initial.email - final.email, sms: initial.sms - final.sms },
    messagesPerPerson: options.countsMessagesPerPerson
      ? await countMessagesPerPerson(db, companyId, copy.at)
      : new Map(),
  };
}

const itemsOf = (tasks: readonly TaskRow[], rules: readonly RuleRecord[]): RehearsalResult['items'] =>
  new Map(
    [
      ...tasks.map(({ id, name }) => ({ ref: `task ${id}`, kind: 'task', name }) as const),
      ...rules.map(
        ({ kind, record: { id, name } }) =>
          ({ ref: `rule ${kind}:${id}`, kind: 'automation', name }) as const,
      ),
    ].flatMap(({ ref, kind, name }) => {
      const mark = parseCampaignMark(name)?.mark;
      return mark === undefined ? [] : [[ref, { ...mark, kind }] as const];
    }),
  );

interface MessageUse {
  readonly channel: string;
  readonly message_id: Id;
  readonly by: string;
}

function messageOfRule(ref: string, by: string, rules: readonly RuleRecord[]): readonly MessageUse[] {
  const found = rules.find(({ kind, record }) => `${kind}:${record.id}` === ref);
  const { actiontype, actiontarget }: Readonly<Record<string, unknown>> = found?.record ?? {};
  const resource = resourceOfActionTarget(actiontype);
  const message_id = readIdText(String(actiontarget));
  if (message_id === undefined || (resource !== 'emailMessage' && resource !== 'smsMessage')) return [];
  return [{ channel: resource === 'smsMessage' ? 'sms' : 'email', message_id, by }];
}

/** Prefers the records of the account, because the addresses in the copy are those of the rehearsal. */
async function messagesOf(
  client: ServiceWithAccountCopy['client'],
  copy: AccountCopy,
  uses: readonly MessageUse[],
): Promise<readonly RehearsedMessage[]> {
  const found = new Map<string, RehearsedMessage>();
  for (const { channel: name, message_id: id, by } of uses) {
    const channel: Channel = name === 'sms' ? 'sms' : 'email';
    const key = `${channel} ${id}`;
    const known = found.get(key);
    const own: readonly MessageRecord[] = channel === 'sms' ? copy.smsMessages : copy.emails;
    const record =
      known?.record ??
      own.find((each) => String(each.id) === String(id)) ??
      (await client.get(channel === 'sms' ? smsMessage : emailMessage, id));
    if (record) found.set(key, { channel, record, sentBy: [...new Set([...(known?.sentBy ?? []), by])] });
  }
  return [...found.values()];
}

const laterTask = ({ id, name, scheduledtime }: TaskRow, zone: string): Sentence => [
  { task: id, name: readNameWithoutCampaignMark({ name }) },
  ` is due on ${formatTime(Number(scheduledtime), zone, 'table')}, after the end of this rehearsal`,
];

interface Playback {
  readonly zone: string;
  /** Null if no campaign file has the record. */
  readonly keyOf: (kind: ItemKind, name: string) => string | null;
  readonly balances: ReadonlyMap<number, Balances>;
  /** Unix seconds at which the rehearsal begins. */
  readonly now: number;
  readonly unknownSizes: RehearsalOptions['unknownSizes'];
}

function keysIn(campaigns: readonly Campaign[]): Playback['keyOf'] {
  const finders = campaigns.map(createItemFinder);
  return (kind, name) => {
    for (const findItem of finders) {
      const item = findItem(kind, name);
      if (item) return item.key;
    }
    return null;
  };
}

async function sendOf(
  { store: { db } }: ServiceWithAccountCopy,
  task: TaskRow,
  { zone, keyOf, balances, now, unknownSizes }: Playback,
): Promise<RehearsedSend> {
  const time = Math.max(now, Number(task.scheduledtime));
  const channel: Channel = task.channel === 'sms' ? 'sms' : 'email';
  const left: Record<string, number> = {};
  if (task.skipped > 0 || task.stopped !== null)
    for (let after = 0; ; ) {
      const rows = await listLeftOutSubscribers(db, task, { after, limit: 1000 });
      for (const { reason } of rows) left[reason] = (left[reason] ?? 0) + 1;
      if (rows.length < 1000) break;
      after = rows.at(-1)?.subscriber ?? 0;
    }
  const isUnknown = unknownSizes.has(
    task.list_id === null
      ? audienceKey('search', Number(task.search_id), channel)
      : audienceKey('list', task.list_id, channel),
  );
  const { size, sent, credits } = isUnknown ? { size: null, sent: null, credits: null } : task;
  return {
    time,
    until: task.endtime === null ? null : Math.max(time, Number(task.endtime)),
    local: formatTime(time, zone, 'table'),
    task: task.id,
    name: readNameWithoutCampaignMark({ name: task.name }),
    key: keyOf('task', task.name),
    ...{ channel, list: task.list_id, search: task.search_id, size, sent },
    leftOut: left,
    credits,
    balance: isUnknown ? null : (balances.get(task.id)?.[channel] ?? null),
  };
}

const stoppedTaskFindings = (tasks: readonly TaskRow[], zone: string): readonly RehearsalFinding[] =>
  tasks.flatMap(({ id, name, stopped, scheduledtime, size, sent }) => {
    if (stopped === null) return [];
    const at = formatTime(Number(scheduledtime), zone, 'table');
    const titled = { task: id, name: readNameWithoutCampaignMark({ name }) };
    return /credits/.test(stopped)
      ? [error('credits-short', [titled, ` runs out of credits after ${sent} of ${size} recipients`], at)]
      : [error('blocked', [titled, ` is not sent: ${stopped}`], at)];
  });

interface RuleRecord {
  readonly kind: RuleKind;
  readonly record: RecordOf<RuleResource>;
}

async function allRules(client: ServiceWithAccountCopy['client']): Promise<readonly RuleRecord[]> {
  const found: RuleRecord[] = [];
  for (const kind of RULE_KINDS)
    for (const record of await client.find(RULE_DEFINITIONS[kind].resource, {})) found.push({ kind, record });
  return found;
}

const starvedRuleFindings = (activity: readonly RuleActivity[], zone: string): readonly RehearsalFinding[] =>
  activity.flatMap(({ kind, id, withoutCredits, withoutCreditsSince }) => {
    if (withoutCreditsSince === null) return [];
    const messages = formatCountWithNoun(Number(withoutCredits), 'message');
    const at = formatTime(Number(withoutCreditsSince), zone, 'table');
    const starved = ` runs out of credits: ${messages} not sent`;
    return [error('credits-short', ['rule ', { rule: `${kind}:${id}` }, starved], at)];
  });

/** Counts 0 for a rule without activity. */
function countRuns(
  work: readonly RuleActivity[],
  rules: readonly RuleRecord[],
  { keyOf }: Playback,
): readonly RehearsedRuleCounts[] {
  return rules.map(({ kind, record }) => {
    const done = work.find((each) => each.kind === kind && each.id === record.id);
    return {
      rule: `${kind}:${record.id}`,
      name: readNameWithoutCampaignMark(record),
      key: keyOf('automation', record.name),
      ran: Number(done?.changed ?? 0) + Number(done?.sent ?? 0),
      sent: Number(done?.sent ?? 0),
      skipped: Number(done?.skipped ?? 0),
      queued: Number(done?.queued ?? 0),
    };
  });
}

/** Leaves out loops that a paused rule interrupts. */
function loopFindings(rules: readonly RuleRecord[], copy: AccountCopy): readonly RehearsalFinding[] {
  const messageOf = new Map(copy.links.map(({ id, message_id }) => [String(id), String(message_id)]));
  const graph = buildRuleGraph(
    rules.map(({ kind, record }) => readRule(kind, record)),
    (link) => messageOf.get(link),
  );
  return graph.loops
    .filter(({ paused }) => !paused)
    .map(({ rules: [first = '', ...others] }) =>
      others.length === 0
        ? error('loop', [{ rule: first }, ': this rule triggers itself'], null)
        : error(
            'loop',
            [
              { rule: first },
              ...others.flatMap((rule) => [', ', { rule }]),
              ': these rules trigger each other',
            ],
            null,
          ),
    );
}
