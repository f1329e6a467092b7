/** Declares `svc forecast`: the credits of the scheduled tasks in time order, compared with the balances. */

import { createPagedRows, type PagedRows, pagesOf } from '../../client/requests/paging/page.ts';
import { channelOfRecord } from '../../client/sends/cost.ts';
import {
  createCreditForecast,
  createTaskPriceReader,
  describeReachedLimits,
  type Forecast,
} from '../../features/insight/forecast.ts';
import { task } from '../../service/resources/task.ts';
import type { Verb } from '../command/command.ts';
import { EXIT } from '../errors/exit-codes.ts';
import type { Column } from '../output/result.ts';
import { requireCompanyId } from '../request/company-rows.ts';
import { balanceOf, readWhetherEmailsAreFreeOfCharge } from '../request/credits.ts';
import type { Clocks, Invocation, ServiceAccess } from '../session/ports.ts';

const COLUMNS: readonly Column[] = [
  { name: 'task_id', keep: true },
  { name: 'channel' },
  { name: 'scheduledtime', kind: 'timestamp', keep: true },
  { name: 'size', kind: 'number' },
  { name: 'parts', kind: 'number' },
  { name: 'credits', kind: 'number' },
  { name: 'balance', kind: 'number', keep: true },
];

export const creditForecast: Verb = {
  name: 'forecast',
  summary: 'Forecast the credits that scheduled tasks will use',
  about:
    'Exits 11 if there are too few credits. Counts tasks only, not single SMS or messages of rules. For each task, uses the number of subscriptions that the service counted when the task was created',
  work: 'reads',
  exits: { 11: 'too few credits' },
  section: 'task',
  example: 'forecast -o csv',
  flags: [],
  companies: 'reads',
  run: async (session) => {
    await requireCompanyId(session, 'svc forecast --company 100, or --companies all');
    const account = await session.account();
    const forecasting = createCreditForecast();
    return {
      result: {
        kind: 'rows',
        rows: await forecastRows(session, forecasting),
        columns: COLUMNS,
        empty: 'Nothing is scheduled.',
        notes: () => [...forecasting.notes(), ...describeReachedLimits(account)],
      },
      exit: () => (forecasting.runsShort() ? EXIT.unmet : EXIT.done),
    };
  },
};

async function forecastRows(
  session: Invocation & ServiceAccess & Clocks,
  forecasting: Forecast,
): Promise<PagedRows<object>> {
  const client = await session.client();
  const prices = createTaskPriceReader(
    client,
    () => readWhetherEmailsAreFreeOfCharge(session),
    session.context.signal,
  );
  return createPagedRows(async function* () {
    const scheduled = client.list(task, {
      filters: { cancelled: false, completed: false },
      sort: 'scheduledtime',
    });
    for await (const page of pagesOf(scheduled)) {
      const priced = await prices(page);
      const now = await session.serviceNow();
      for (const channel of new Set(page.map(channelOfRecord)))
        if (!forecasting.hasBalance(channel))
          forecasting.setBalance(channel, await balanceOf(session, channel));
      yield page.map((record) => forecasting.add(record, priced, now));
    }
  });
}
