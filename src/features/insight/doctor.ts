import type { Client } from '../../client/requests/client.ts';
import { formatRecordId, titleOf } from '../../client/requests/record-title.ts';
import type { ServerCertificate } from '../../client/requests/transport/certificate.ts';
import type { Resource } from '../../kit/schema/resource.ts';
import { relativeTime } from '../../kit/text/duration.ts';
import { formatTime } from '../../kit/text/timezone.ts';
import { formatCountWithNoun, joinFirst } from '../../kit/text/words.ts';
import { parseHttpDate } from '../../service/protocol/wire.ts';
import { emailMessage } from '../../service/resources/email-message.ts';
import { type AnyRule, automations } from '../../service/resources/rule-kinds.ts';
import { smsMessage } from '../../service/resources/sms-message.ts';
import { type MessageResource, type TaskRecord, task } from '../../service/resources/task.ts';
import type { KnownSubscriberList } from './why-deletion.ts';
import { findMissingRuleDependencies, type RuleDependency, ruleDependencies } from './why-rule.ts';

/** A warning has `ok: true`, a note and advice. */
export interface CheckResult {
  readonly ok: boolean;
  readonly warns?: true;
  readonly found: string;
}

export const passedCheck = (finding: string): CheckResult => ({ ok: true, found: finding });

/** A warning is no failure. @param advice what to do, such as `to stop it, run svc task cancel 1` */
export const warningResult = (finding: string, advice: string): CheckResult => ({
  ok: true,
  warns: true,
  found: `careful: ${finding}; ${advice}`,
});

/** Versions before 20.20.2 have a fault that a request header can trigger (acceptance, "Node before 20.20.2"). */
export function checkNodeVersion(version: string): CheckResult {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  const isOld = major < 20 || (major === 20 && (minor < 20 || (minor === 20 && patch < 2)));
  return { ok: !isOld, found: isOld ? `${version}; update Node.js to 20.20.2 or later` : version };
}

/** The service may refuse requests above this difference. */
const SKEW_SECONDS = 30;

/**
 * Compares this machine's clock with the authentication clock of the `Date` header. The schedule clock decides when tasks run (wire,
 * "Authentication, where open"). Users of a sandbox move it on purpose, so it causes no warning. Times are Unix seconds.
 * @param scheduleTime NaN if the responses don't show that clock
 */
export function checkClock(date: string | undefined, scheduleTime: number, machineTime: number): CheckResult {
  const moved = movedClock(scheduleTime, machineTime);
  // The header has whole seconds.
  const there = parseHttpDate(date ?? '');
  if (there === undefined) return passedCheck(`the responses contain no date${moved}`);
  const skew = there / 1000 - machineTime;
  const side = skew > 0 ? 'ahead of' : 'behind';
  const found =
    skew === 0 ? 'same as here' : `the service's clock is ${Math.abs(skew)} s ${side} this machine's`;
  return { ok: Math.abs(skew) < SKEW_SECONDS, found: found + moved };
}

/** Returns the end of a sentence, or '' if the clock was not moved or is unknown. */
function movedClock(scheduleTime: number, machineTime: number): string {
  if (Number.isNaN(scheduleTime) || Math.abs(scheduleTime - machineTime) < SKEW_SECONDS) return '';
  return `; the sandbox's own clock, by which tasks run, shows ${formatTime(scheduleTime, 'UTC', 'table')} UTC`;
}

const DAY = 86_400;
/** Below this remaining validity, a certificate gets a warning. */
const MIN_DAYS = 14;

/** @param now Unix seconds of this machine */
export function checkCertificate(certificate: ServerCertificate, now: number): CheckResult {
  const { validUntil, authority, isPrivate } = certificate;
  const signed = isPrivate
    ? `signed by ${authority}, a private authority that this machine trusts`
    : `signed by ${authority}`;
  const until = `the certificate expires ${formatTime(validUntil, 'UTC', 'table')} UTC, ${relativeTime(validUntil, now)}`;
  return validUntil - now < MIN_DAYS * DAY
    ? warningResult(`${until}, ${signed}`, 'ask the operators of the service to renew the certificate')
    : passedCheck(`${until}; ${signed}`);
}

/** Node ignores a bad file and prints only one warning. */
export function checkExtraCertificates(path: string, text: string): CheckResult {
  const count = text.split('-----BEGIN CERTIFICATE-----').length - 1;
  if (count === 0)
    return warningResult(
      `Node.js ignores ${path}, because the file has no certificate`,
      'use a file in PEM format',
    );
  return passedCheck(`${path}: ${formatCountWithNoun(count, 'certificate')}`);
}

/** One page, with the earliest send time first. */
const MAX_TASKS = 200;
const MAX_LOOK_UPS = 20;
/** Limit of each kind. */
const MAX_RULES = 50;
const MAX_NAMED = 3;
const HOUR = 3600;

/** The earliest send time comes first. */
export async function readOpenTasks(client: Client): Promise<readonly TaskRecord[]> {
  const found: TaskRecord[] = [];
  const filters = { cancelled: false, completed: false };
  const soonest = { sort: 'scheduledtime', limit: MAX_TASKS, pageSize: MAX_TASKS };
  for await (const record of client.list(task, { filters, ...soonest })) found.push(record);
  return found;
}

/** @param now Unix seconds by the service's clock */
export function scheduledTasksFinding(openTasks: readonly TaskRecord[], now: number): CheckResult {
  const next = openTasks.find(({ scheduledtime }) => scheduledtime > now);
  const sending = openTasks.filter(({ scheduledtime }) => !(scheduledtime > now)).length;
  const count = openTasks.length === MAX_TASKS ? `${MAX_TASKS} or more` : String(openTasks.length);
  if (openTasks.length === 0) return passedCheck('none');
  const beingSent = sending === 0 ? '' : `, ${sending} of them being sent`;
  if (next === undefined) return passedCheck(`${count}${beingSent}`);
  const time = next.scheduledtime;
  const title = titleOf(task, next);
  const words = `${count}${beingSent}; next: ${title}, ${relativeTime(time, now)}`;
  return time - now < HOUR
    ? warningResult(words, `to stop it, run svc task cancel ${next.id}`)
    : passedCheck(words);
}

/** Tasks still send deleted messages (interface, "States"). */
export async function checkDeletedMessages(
  client: Client,
  openTasks: readonly TaskRecord[],
): Promise<CheckResult> {
  const byMessage = new Map<string, TaskRecord>();
  for (const record of openTasks) {
    const key = `${record.channel} ${record.message_id}`;
    if (!byMessage.has(key)) byMessage.set(key, record);
  }
  const looked = [...byMessage.values()].slice(0, MAX_LOOK_UPS);
  const gone: TaskRecord[] = [];
  for (const record of looked) {
    if (!(await client.exists(messageOf(record), { id: record.message_id }))) gone.push(record);
  }
  const rest = byMessage.size > looked.length ? ` among the ${MAX_LOOK_UPS} that are sent next` : '';
  const [first] = gone;
  if (first === undefined) return passedCheck(`all messages of scheduled tasks exist${rest}`);
  const named = gone.map(
    (record) => `${titleOf(task, record)} sends ${messageOf(record).noun} ${record.message_id}`,
  );
  return warningResult(
    `${joinFirst(named, MAX_NAMED)}: the message is deleted, but the task is still scheduled`,
    `to stop it, run svc task cancel ${first.id}`,
  );
}

const messageOf = ({ channel }: TaskRecord): MessageResource =>
  channel === 'sms' ? smsMessage : emailMessage;

interface Rule {
  readonly resource: Resource;
  readonly record: AnyRule;
  readonly needs: readonly RuleDependency[];
}

/** The rules can't be changed, paused or not (interface, "Errors", 409 subcode 12). @param lists undefined if they are unknown */
export async function checkBrokenRules(
  client: Client,
  lists: () => Promise<readonly KnownSubscriberList[] | undefined>,
): Promise<CheckResult> {
  const rules: Rule[] = [];
  for (const resource of automations) {
    for await (const record of client.list(resource, { limit: MAX_RULES, pageSize: MAX_RULES }))
      rules.push({ resource, record, needs: ruleDependencies(resource, record) });
  }
  if (rules.length === 0) return passedCheck('none');
  const distinct = new Map(rules.flatMap(({ needs }) => needs.map((each) => [keyOf(each), each])));
  const { missing, unknown } = await findMissingRuleDependencies(
    client,
    lists,
    [...distinct.values()].slice(0, MAX_LOOK_UPS),
  );
  const [gone, unsure] = [missing, unknown].map((each) => new Set(each.map(keyOf)));
  const stuck = rules.filter(({ needs }) => needs.some((each) => gone?.has(keyOf(each))));
  const [first] = stuck;
  if (first !== undefined) {
    const named = stuck.map((rule) => `${nameOf(rule)} needs ${missingOf(rule, gone)}`);
    return warningResult(
      `${joinFirst(named, MAX_NAMED)}: this record is deleted, so the rule cannot run`,
      `run svc why automation ${nameOf(first)}`,
    );
  }
  const open = rules.filter(({ needs }) => needs.some((each) => unsure?.has(keyOf(each))));
  if (open.length === 0)
    return passedCheck(
      `${formatCountWithNoun(rules.length, 'rule')}; no rule uses a deleted list, link or message`,
    );
  return passedCheck(
    `${formatCountWithNoun(rules.length, 'rule')}; svc cannot check whether the lists of these rules exist: ${joinFirst(open.map(nameOf), MAX_NAMED)}`,
  );
}

const keyOf = ({ resource, id }: RuleDependency): string => `${resource} ${String(id)}`;

const nameOf = ({ resource, record }: Rule): string => formatRecordId(resource, record.id ?? null);

function missingOf({ needs }: Rule, gone: ReadonlySet<string> | undefined): string {
  return needs
    .filter((each) => gone?.has(keyOf(each)))
    .map(({ attribute, id }) => `${attribute} ${String(id)}`)
    .join(' and ');
}
