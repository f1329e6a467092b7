/** Runs one measurement in a separate process, and prints JSON. Usage: `rehearse-runner rehearse|raw RECIPIENTS`. */
import { createHash } from 'node:crypto';
import Database from 'libsql';
import { rehearse } from '../src/features/rehearse/rehearse.ts';
import type { AccountCopy } from '../src/sandbox/seed/copied-account.ts';
import { RULE_KINDS, type RuleKind } from '../src/service/resources/rule-kinds.ts';

const NOW = 1_796_115_600;
const DAY = 86_400;
const LIST = 1;
const EMAIL = 1;
const ANSWER = 2;

const [what, count] = process.argv.slice(2);
const recipients = Number(count);
const start = performance.now();
if (what === 'rehearse') {
  const story = await rehearse(copyOf(recipients), [], {
    random: reproducibleBytes(),
    signal: new AbortController().signal,
    // Customers of such services report about these shares: a third opens, a twentieth clicks.
    simulatedRecipients: {
      shares: { open: 0.3, click: 0.04, unsubscribe: 0.002, complaint: 0.0002, bounce: 0.01 },
      seed: 1,
    },
    ...{ maxDuration: 30 * DAY, minGap: DAY, estimated: false, unknown: [] },
    ...{ guessedSizes: new Set<string>(), unknownSizes: new Set<string>() },
  });
  const sent = story.sends.reduce((sum, send) => sum + (send.sent ?? 0), 0);
  const ran = story.rules.reduce((sum, rule) => sum + rule.ran, 0);
  if (sent < recipients || story.rules.length < 8) throw new Error(`sent to ${sent}, ${ran} actions`);
  report({ sent, ran });
} else {
  const database = new Database(':memory:');
  database.exec(`create table task_recipient (task_id integer, subscriber_id integer, address text, senttime integer,
    primary key (task_id, subscriber_id)) without rowid`);
  const insert = database.prepare('insert into task_recipient values (?, ?, ?, ?)');
  database.exec('begin');
  for (let id = 1; id <= recipients; id += 1) insert.run(1, id, `s${id}@example.com`, NOW);
  database.exec('commit');
  report({ sent: recipients, ran: 0 });
}

function report(work: { readonly sent: number; readonly ran: number }): void {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  const cpu = (userCPUTime + systemCPUTime) / 1000;
  console.log(JSON.stringify({ ms: performance.now() - start, cpu, peak: maxRSS / 1024, ...work }));
}

/** Returns an account with one send and ten rules. */
function copyOf(size: number): AccountCopy {
  const cdate = NOW - DAY;
  const message = (id: number) => ({
    ...{ id, name: `Message ${id}`, fromname: 'Company', replyemail: 'office@example.com', subject: 'Hello' },
    ...{ html: '<p><a href="https://example.com/">Hello</a></p>', text: 'Hello', cdate, mdate: cdate },
  });
  const rules = Object.fromEntries(RULE_KINDS.map((kind) => [kind, []])) as unknown as Record<
    RuleKind,
    object[]
  >;
  for (const [kind, days, actiontype, actiontarget] of [
    ['open', 0, 'addtolist', '2'],
    ['open', 2, 'email_autoresponder', String(ANSWER)],
    ['click', 0, 'email_autoresponder', String(ANSWER)],
    ['click', 1, 'addtolist', '3'],
    ['click', 3, 'email_autoresponder', String(ANSWER)],
    ['click', 7, 'addtolist', '4'],
    ['click', 10, 'email_autoresponder', String(ANSWER)],
    ['subscription', 1, 'email_autoresponder', String(ANSWER)],
    ['subscription', 3, 'copytolist', '4'],
    ['click', 14, 'notify', 'office@example.com'],
  ] as const) {
    const watched =
      kind === 'subscription'
        ? { list_id: 3 }
        : { message_id: EMAIL, ...(kind === 'click' ? { link_id: null } : {}) };
    const actiontimediff = days * (kind === 'subscription' ? 1440 : DAY);
    rules[kind].push({
      ...{
        id: rules[kind].length + 1,
        name: `Rule of ${kind}`,
        user_id: 1,
        ...watched,
        actiontype,
        actiontarget,
      },
      ...{
        actiontimediff,
        actiononweekend: true,
        actionhour: null,
        paused: false,
        summary: null,
        cdate,
        mdate: cdate,
      },
    });
  }
  // The records have only the attributes that the rehearsal reads.
  const copy: Record<keyof AccountCopy, unknown> = {
    ...{ at: NOW, userId: 1, features: null, folders: [], destinations: [], smsMessages: [], searches: [] },
    account: {
      ...{
        id: 1,
        name: 'Company',
        timezone: 'Europe/London',
        emailcreditbalance: 10 * size,
        smscreditbalance: 0,
      },
      ...{ cdate, mdate: cdate },
    },
    users: [{ id: 1, active: true, isadmin: true, timezone: 'Europe/London', cdate, mdate: cdate }],
    emails: [message(EMAIL), message(ANSWER)],
    links: [EMAIL, ANSWER].map((id) => ({
      ...{ id, message_id: id, name: null, target: 'https://example.com/', type: 'html', cdate },
    })),
    tasks: [
      {
        ...{ id: 1, name: 'Send', channel: 'email', message_id: EMAIL, list_id: LIST, search_id: null, size },
        ...{ scheduledtime: NOW + DAY, cancelled: false, completed: false, endtime: null, rate: null, cdate },
      },
    ],
    rules,
    lists: [LIST, 2, 3, 4].map((id) => ({ id, email: id === LIST ? size : 0, sms: 0 })),
  };
  return copy as AccountCopy;
}

/** Returns a source of bytes that are the same in each run. */
function reproducibleBytes(): (octets: number) => Uint8Array {
  let made = 0;
  return (octets) => {
    made += 1;
    return createHash('sha512').update(String(made)).digest().subarray(0, octets);
  };
}
