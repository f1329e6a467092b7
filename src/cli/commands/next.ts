/** Declares `svc next`, which lists the tasks that send next. */
import { createPagedRows, pagesOf } from '../../client/requests/paging/page.ts';
import { task, taskStatus } from '../../service/resources/task.ts';
import type { Verb } from '../command/command.ts';
import { wholeNumberFlag } from '../command/flag.ts';
import { limitRowsWithTruncationNote } from '../nouns/generic/list.ts';
import { columnsOfResource } from '../output/columns.ts';

const limitFlag = wholeNumberFlag('limit', {
  describe: 'Maximum number of tasks',
  short: 'L',
  min: 1,
  default: 5,
});

const COLUMNS = ['id', 'name', 'scheduledtime', 'size', 'channel', 'message_id', 'list_id', 'search_id'];

export const nextTasks: Verb = {
  name: 'next',
  summary: 'List the tasks that send next',
  about:
    'Lists scheduled tasks in the order of their send times. Single SMS and the messages of automation rules are not among them: see svc sms list and svc automation list',
  work: 'reads',
  methods: ['GET'],
  section: 'task',
  example: 'next --limit 1 -o json',
  flags: [limitFlag],
  companies: 'reads',
  run: async (session, input) => {
    const client = await session.client();
    const scheduled = createPagedRows(async function* () {
      const now = await session.serviceNow();
      const filters = { cancelled: false, completed: false };
      const ordered = client.list(task, { filters, sort: 'scheduledtime', from: Math.floor(now) });
      for await (const page of pagesOf(ordered))
        yield page.filter((row) => taskStatus(row, now) === 'scheduled');
    });
    const { columns, attributes } = columnsOfResource(task);
    const limits = { limit: input.get(limitFlag), showsNote: false, maxCounted: input.get(limitFlag) };
    return {
      result: {
        kind: 'rows',
        ...limitRowsWithTruncationNote(scheduled, limits),
        columns: columns.filter(({ name }) => COLUMNS.includes(name)),
        attributes,
        empty: 'Nothing is scheduled. To schedule a send: svc task create',
      },
    };
  },
};
