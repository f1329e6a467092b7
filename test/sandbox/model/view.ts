/** The state that both the model and the sandbox can show, in the same words. */
import type { Real } from './real.ts';
import { type Model, RULE_KINDS, STATISTICS } from './state.ts';

export type View = Readonly<Record<string, unknown>>;

export function viewOfModel(model: Model): View {
  return {
    now: model.now,
    credits: [model.credits.email, model.credits.sms],
    folders: [...model.folders].sort(byNumber),
    lists: sorted([...model.lists].map(([id, folder]) => `list ${id} in ${folder}`)),
    subscribers: sorted(
      [...model.subscribers.values()].map(
        ({ id, email, msisdn, city, lists, suspended }) =>
          `${id} ${email} ${msisdn} ${city} ${Number(suspended.email)}${Number(suspended.sms)} on ${[...lists].sort(byNumber)}`,
      ),
    ),
    blocked: sorted([...model.blocked]),
    messages: sorted(
      model.messages.map(
        ({ channel, id, used, deleted }) =>
          `${channel} ${id} used ${Number(used)} deleted ${Number(deleted)}`,
      ),
    ),
    rules: sorted(model.rules.map(({ kind, id, paused }) => `${kind} ${id} paused ${Number(paused)}`)),
    queue: sorted(
      model.queue.map(({ due, rule, subscriber }) => `${due} ${rule.kind} ${rule.id} for ${subscriber}`),
    ),
    tasks: [...model.tasks.values()].map((task) =>
      [
        task.id,
        ...[task.list, task.search, task.scheduledtime, task.size, task.endtime],
        ...[task.cancelled, task.completed, task.stopped].map(Number),
        ...[task.sent.size, task.spent, task.stopped ? 'left out: not said' : task.skipped],
        ...STATISTICS.map((statistic) =>
          shownCount(task.message.channel, statistic, task.did[statistic].size),
        ),
      ]
        .map(String)
        .join(' '),
    ),
    did: sorted(
      [...model.tasks.values()].flatMap((task) =>
        STATISTICS.flatMap((statistic) =>
          [...task.did[statistic]].map((who) => `${task.id} ${statistic} ${who}`),
        ),
      ),
    ),
    sms: sorted([...model.sms.values()].map(({ id, outcome }) => `${id} ${outcome}`)),
    outbox: sorted(model.outbox.map(({ time, channel, to, cause }) => `${time} ${channel} ${to} ${cause}`)),
    loops: model.loops,
  };
}

/** Interface, task: "null when the statistic does not apply to the channel". */
const shownCount = (channel: string, statistic: string, count: number): number | null =>
  channel === 'email' || statistic === 'bounce' ? count : null;

export async function viewOfReal(real: Real): Promise<View> {
  const view = JSON.parse(await real.read(VIEW)) as Record<string, unknown>;
  for (const name of Object.keys(view)) {
    const value = view[name];
    if (Array.isArray(value) && typeof value[0] === 'string' && name !== 'tasks') view[name] = sorted(value);
  }
  return view;
}

const byNumber = (a: number, b: number): number => a - b;
const sorted = (lines: readonly string[]): readonly string[] => [...lines].sort();

const all = (text: string, from: string): string =>
  `coalesce((select json_group_array(${text}) from ${from}${from.endsWith(')') ? ' x' : ''}), json_array())`;
const spaced = (...columns: readonly string[]): string =>
  columns.map((column) => `coalesce(cast(${column} as text), 'null')`).join(` || ' ' || `);

const MARKS = {
  open: 'opened',
  click: 'clicked',
  bounce: 'bounced',
  unsubscribe: 'unsubscribed',
  complaint: 'complained',
} as const;

/** Only the bounces of an SMS are counted. The actions of its recipients are recorded for both channels. */
const COUNTERS = {
  open: 'emailuniqueopens',
  click: 'emailuniqueclicks',
  bounce: 'coalesce(emailuniquebounces, smsuniquebounces)',
  unsubscribe: 'emailuniqueunsubscriptions',
  complaint: 'emailuniquecomplaints',
} as const;

const VIEW = `select json_object(
  'now', (select cast(value as integer) from setting where key = 'clock.time'),
  'credits', (select json_array(emailcreditbalance, smscreditbalance) from account where id = 1),
  'folders', ${all('id', '(select id from folder order by id)')},
  'lists', ${all(`'list ' || id || ' in ' || coalesce(cast(folder_id as text), 'null')`, 'list')},
  'subscribers', ${all(
    `${spaced('s.id', 's.email', 's.msisdn', '(select value from profile_data p where p.subscriber_id = s.id)')}
      || ' ' || s.emailsuspended || '' || s.smssuspended || ' on ' || coalesce((select string_agg(cast(list_id as text), ',') from
      (select list_id from subscription c where c.subscriber_id = s.id order by list_id) l), '')`,
    'subscriber s',
  )},
  'blocked', ${all('contactdata', 'do_not_contact')},
  'messages', ${all(
    `channel || ' ' || id || ' used ' || used || ' deleted ' || deleted`,
    `(select 'email' as channel, id, used, deleted from email_message
      union all select 'sms', id, used, deleted from sms_message)`,
  )},
  'rules', ${all(
    `kind || ' ' || id || ' paused ' || paused`,
    `(${RULE_KINDS.map((kind) => `select '${kind}' as kind, id, paused from ${kind}_automation`).join(' union all ')})`,
  )},
  'queue', ${all(`due || ' ' || rule_kind || ' ' || rule_id || ' for ' || subscriber_id`, 'queued_action')},
  'tasks', ${all(
    spaced(
      'id',
      ...['list_id', 'search_id', 'scheduledtime', 'size', 'endtime', 'cancelled', 'completed'],
      ...[
        'case when stopped is null then 0 else 1 end',
        'sent',
        'credits',
        `case when stopped is null then cast(skipped as text) else 'left out: not said' end`,
      ],
      ...STATISTICS.map((statistic) => COUNTERS[statistic]),
    ),
    '(select * from task order by id)',
  )},
  'did', ${all(
    `task_id || ' ' || what || ' ' || subscriber_id`,
    `(${STATISTICS.map(
      (statistic) => `select task_id, '${statistic}' as what, subscriber_id from task_recipient
        where ${MARKS[statistic]} is not null`,
    ).join(' union all ')})`,
  )},
  'sms', ${all(`id || ' ' || case when dispatched = 1 then 'dispatched' when failed = 1 then 'failed' when tried is not null then 'tried' else 'waiting' end`, 'sms')},
  'outbox', ${all(
    `time || ' ' || channel || ' ' || recipient || ' ' || cause`,
    `(select r.senttime as time, k.channel, r.address as recipient, 'task ' || k.id as cause
        from task_recipient r join task k on k.id = r.task_id
      union all select time, channel, recipient, coalesce(rule_kind, cause) || ' ' || cause_id from delivery)`,
  )},
  'loops', (select count(*) from log where kind = 'loop')
) as value`;
