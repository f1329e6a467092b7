/** Computes the cost of scheduled tasks, and the balances after each task. */
import type { Client } from '../../client/requests/client.ts';
import { ClientError } from '../../client/requests/errors.ts';
import { runConcurrently } from '../../client/requests/limiter.ts';
import { channelOfRecord, countSmsParts, creditsInWords } from '../../client/sends/cost.ts';
import { type Id, isId } from '../../kit/schema/integer.ts';
import { groupThousands } from '../../kit/text/words.ts';
import type { AccountRecord } from '../../service/resources/account.ts';
import { smsMessage } from '../../service/resources/sms-message.ts';
import { type Channel, type TaskRecord, taskPhase } from '../../service/resources/task.ts';

export interface Forecast {
  readonly hasBalance: (channel: Channel) => boolean;
  readonly setBalance: (channel: Channel, balance: number) => void;
  /** Tasks come in the order of their times, after the balances were set. @param now the service's clock */
  readonly add: (task: TaskRecord, prices: TaskPriceInputs, now: number) => object;
  readonly runsShort: () => boolean;
  readonly notes: () => readonly string[];
}

interface Shortfall {
  readonly task: string;
  /** To send all scheduled tasks. */
  missing: number;
}

/** Keeps only the balances and a few names of tasks in memory, not the tasks. */
export function createCreditForecast(): Forecast {
  const left = new Map<Channel, number>();
  const short = new Map<Channel, Shortfall>();
  const remarks = new Map<Remark, { readonly named: string[]; count: number }>();
  let mayBeFree = false;

  const remark = (about: Remark, id: string): void => {
    const known = remarks.get(about) ?? { named: [], count: 0 };
    remarks.set(about, known);
    known.count += 1;
    if (known.named.length < NAMED) known.named.push(id);
  };

  return {
    hasBalance: (channel) => left.has(channel),
    setBalance: (channel, balance) => {
      left.set(channel, balance);
    },
    add: (task, prices, now) => {
      const id = String(task.id);
      const channel = channelOfRecord(task);
      const { size, parts, credits } = costOf(task, prices);
      const balance = (left.get(channel) ?? 0) - (credits ?? 0);
      left.set(channel, balance);
      if (channel === 'email' && prices.isEmailFree === undefined) mayBeFree = true;
      if (size === null) remark('no-size', id);
      if (parts === null) remark('no-parts', id);
      if (balance < 0 && (credits ?? 0) > 0)
        short.set(channel, { task: short.get(channel)?.task ?? id, missing: -balance });
      if (taskPhase(task, now) === 'sending') remark('begun', id);
      return {
        task_id: task.id ?? null,
        channel: task.channel ?? null,
        scheduledtime: task.scheduledtime ?? null,
        ...{ size, parts, credits, balance },
      };
    },
    runsShort: () => short.size > 0,
    notes: () => [
      ...(mayBeFree
        ? [
            'Only an admin or partner can see whether e-mail costs credits. This forecast assumes that e-mail costs credits.',
          ]
        : []),
      ...[...remarks].map(([about, { named, count }]) => {
        const more = count > named.length ? ` and ${count - named.length} more` : '';
        return `${count === 1 ? 'Task' : 'Tasks'} ${named.join(', ')}${more}: ${WORDS[about]}`;
      }),
      ...[...short].map(shortNote),
    ],
  };
}

type Remark = 'begun' | 'no-size' | 'no-parts';

const NAMED = 5;

const WORDS: Readonly<Record<Remark, string>> = {
  begun:
    'already being sent; the forecast counts the credits for all recipients, but the service may already have charged some of them.',
  'no-size': 'size unknown; the forecast counts no credits, so the real balance may be lower.',
  'no-parts': 'message not readable; the forecast counts one part, the minimum.',
};

const shortNote = ([channel, { task, missing }]: readonly [Channel, Shortfall]): string =>
  `Too few credits: ${creditsInWords(missing, channel)} ${missing === 1 ? 'is' : 'are'} missing. The credits run out at task ${task}. ` +
  'A quota or an overdraft (overage), which the service does not show, may pay for the missing credits.';

/** The account also shows the current counts (interface, Limits, "Per-account limits"). Null means unlimited. */
const LIMITS = [
  { limit: 'list_limit', count: 'list_count', what: 'lists' },
  { limit: 'subscriber_limit', count: 'subscriber_count', what: 'subscribers' },
  { limit: 'user_limit', count: 'user_count', what: 'sub-users' },
] as const;

const NEARLY = 0.9;

export function describeReachedLimits(account: AccountRecord): readonly string[] {
  return LIMITS.flatMap(({ limit, count, what }) => {
    const most = account[limit];
    const now = account[count];
    if (typeof most !== 'number' || typeof now !== 'number' || now === 0 || now < most * NEARLY) return [];
    const reached = now < most ? 'The account has nearly reached a limit' : 'The account has reached a limit';
    return [`${reached}: ${groupThousands(now)} of ${groupThousands(most)} ${what} (${limit}).`];
  });
}

export interface TaskPriceInputs {
  /** Undefined if unknown. */
  readonly isEmailFree: boolean | undefined;
  /** Maps the message's id to its parts. Null if the message can't be read. */
  readonly parts: ReadonlyMap<Id, number | null>;
}

/** Null if unknown. An e-mail has 1 part. If only the parts are unknown, the credits are those of one part. */
function costOf(
  task: TaskRecord,
  { isEmailFree, parts }: TaskPriceInputs,
): { readonly size: number | null; readonly parts: number | null; readonly credits: number | null } {
  const size = task.size ?? null;
  if (channelOfRecord(task) === 'email')
    return { size, parts: 1, credits: size === null ? null : isEmailFree ? 0 : size };
  const known = parts.get(task.message_id) ?? null;
  return { size, parts: known, credits: size === null ? null : size * (known ?? 1) };
}

const AT_ONCE = 4;
const MAX_KEPT = 10_000;

/**
 * Reads each message once, and a few at a time.
 * @param isEmailFree called at most once, and only if a task sends e-mail
 */
export function createTaskPriceReader(
  client: Client,
  isEmailFree: () => Promise<boolean | undefined>,
  signal: AbortSignal,
): (tasks: readonly TaskRecord[]) => Promise<TaskPriceInputs> {
  const parts = new Map<Id, number | null>();
  let isFree: Promise<boolean | undefined> | undefined;

  const read = async (id: Id): Promise<void> => {
    const message = await client.get(smsMessage, id).catch((error: unknown) => {
      // A message that this user may not read, or that was deleted, is unknown.
      if (error instanceof ClientError && error.status === 403) return undefined;
      throw error;
    });
    parts.set(id, (message && countSmsParts(message)) ?? null);
  };

  return async (tasks) => {
    if (tasks.some((each) => channelOfRecord(each) === 'email')) isFree ??= isEmailFree();
    const free = await isFree;
    if (parts.size > MAX_KEPT) parts.clear();
    const wanted = tasks.flatMap((each) => {
      const { message_id: id } = each;
      return channelOfRecord(each) === 'sms' && isId(id) && !parts.has(id) ? [id] : [];
    });
    await runConcurrently([...new Set(wanted)], AT_ONCE, read, signal);
    signal.throwIfAborted();
    return { isEmailFree: free, parts };
  };
}
