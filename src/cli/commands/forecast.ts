/** Declares `svc forecast`: the credits of the scheduled tasks in time order, compared with the balances. */
import { type PagedRows, pagedRows, pagesOf } from '../../client/paging/paged-rows.ts';
import type { JsonObject } from '../../protocol/envelope.ts';
import { task } from '../../resources/task.ts';
import { phaseOf } from '../../resources/task-status.ts';
import { type Channel, channelOf } from '../../sends/cost.ts';
import { grouped } from '../../text/words.ts';
import type { Verb } from '../command/command.ts';
import { EXIT } from '../errors/exit-codes.ts';
import type { Column } from '../output/result.ts';
import { companyOf } from '../request/company-rows.ts';
import { balanceOf, creditsInWords } from '../request/credits.ts';
import type { Session } from '../session/session.ts';
import { type Costs, createCosts } from './forecast/costs.ts';
import { createRemarks, type Remarks } from './forecast/remarks.ts';

const COLUMNS: readonly Column[] = [
  { name: 'task_id', keep: true },
  { name: 'channel' },
  { name: 'scheduledtime', kind: 'timestamp' },
  { name: 'size', kind: 'number' },
  { name: 'parts', kind: 'number' },
  { name: 'credits', kind: 'number', keep: true },
  { name: 'balance', kind: 'number', keep: true },
];

export const forecast: Verb = {
  name: 'forecast',
  summary: 'Forecast the credits that scheduled tasks will use',
  about:
    'Exits 11 if credits run short. Counts tasks only, not single SMS or messages of rules. Uses the size from when ' +
    'a task was created',
  work: 'reads',
  exits: { 11: 'a balance runs short' },
  section: 'task',
  example: 'forecast -o csv',
  flags: [],
  companies: 'reads',
  run: async (session) => {
    await companyOf(session, 'svc forecast --company 100, or --companies all');
    const account = await session.account();
    const remarks = createRemarks();
    const short = new Map<Channel, Shortfall>();
    return {
      result: {
        kind: 'rows',
        rows: await forecastRows(session, remarks, short),
        columns: COLUMNS,
        empty: 'Nothing is scheduled.',
        notes: () => [...remarks.lines(), ...[...short].map(shortNote), ...limitNotes(account)],
      },
      exit: () => (short.size > 0 ? EXIT.unmet : EXIT.done),
    };
  },
};

interface Shortfall {
  /** First task that the balance does not cover. */
  readonly task: number | string;
  /** Credits missing for all of them. */
  missing: number;
}

/** Returns the rows a page at a time. Only the balances and the parts of messages are kept in memory. */
async function forecastRows(
  session: Session,
  remarks: Remarks,
  short: Map<Channel, Shortfall>,
): Promise<PagedRows> {
  const client = await session.client();
  const costs = createCosts(session, remarks);
  const left = new Map<Channel, number>();
  return pagedRows(async function* () {
    const scheduled = client.list(task, {
      filters: { cancelled: false, completed: false },
      sort: 'scheduledtime',
    });
    for await (const page of pagesOf(scheduled)) {
      await costs.prepare(page);
      const now = await session.serviceNow();
      const rows: JsonObject[] = [];
      for (const record of page) {
        const channel = channelOf(record);
        const before = left.get(channel) ?? (await balanceOf(session, channel));
        const row = rowOf(record, before, costs);
        left.set(channel, row.left);
        if (row.left < 0 && row.needs > 0) noteShort(short, channel, row);
        if (phaseOf(record, now) === 'sending') remarks.add('begun', row.id);
        rows.push(row.shown);
      }
      yield rows;
    }
  });
}

function rowOf(record: JsonObject, before: number, costs: Costs) {
  const { size, parts, credits } = costs.of(record);
  const left = before - (credits ?? 0);
  const id = String(record['id']);
  return {
    id,
    left,
    needs: credits ?? 0,
    shown: {
      task_id: record['id'] ?? null,
      channel: record['channel'] ?? null,
      scheduledtime: record['scheduledtime'] ?? null,
      ...{ size, parts, credits },
      balance: left,
    },
  };
}

function noteShort(
  short: Map<Channel, Shortfall>,
  channel: Channel,
  { id, left }: { readonly id: string; readonly left: number },
): void {
  const known = short.get(channel);
  if (known === undefined) short.set(channel, { task: id, missing: -left });
  else known.missing = -left;
}

const shortNote = ([channel, { task: id, missing }]: readonly [Channel, Shortfall]): string =>
  `Too few credits: ${creditsInWords(missing, channel)} ${missing === 1 ? 'is' : 'are'} missing, from task ${id} on. ` +
  'A quota or overage, which the service does not show, may cover the rest.';

/** Limits with a count (interface, Limits, "Per-account limits"); null means unlimited. The account shows no count for the others. */
const LIMITS = [
  { limit: 'list_limit', count: 'list_count', what: 'lists' },
  { limit: 'subscriber_limit', count: 'subscriber_count', what: 'subscribers' },
  { limit: 'user_limit', count: 'user_count', what: 'sub-users' },
] as const;

/** Share of a limit that counts as nearly reached. */
const NEARLY = 0.9;

function limitNotes(account: JsonObject): readonly string[] {
  return LIMITS.flatMap(({ limit, count, what }) => {
    const most = account[limit];
    const now = account[count];
    if (typeof most !== 'number' || typeof now !== 'number' || now === 0 || now < most * NEARLY) return [];
    const reached = now < most ? 'Nearly at a limit' : 'At a limit';
    return [`${reached}: ${grouped(now)} of ${grouped(most)} ${what} (${limit}).`];
  });
}
