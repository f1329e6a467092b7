/** Contract, "Insight". */

import { readDay } from '../../../kit/text/calendar.ts';
import { task } from '../../../service/resources/task.ts';
import type { Outcome, Verb } from '../../command/command.ts';
import { createReplaceFileFlag, parsedFlag, wholeNumberFlag, writtenFileFlag } from '../../command/flag.ts';
import { createVerbWithPrepareStep } from '../../command/run-verb.ts';
import { columnsOfResource } from '../../output/columns.ts';
import { checkNewFileAndNoCompaniesFlag } from '../../request/new-file.ts';
import { isResultPrintedAsText } from '../../request/write-outcome.ts';
import type { Invocation, ServiceAccess, Tell } from '../../session/ports.ts';
import type { Calendar } from './calendar-tasks.ts';

const fromFlag = parsedFlag(
  'from',
  {
    describe: "First day, in the company's time zone, such as 2026-12-01",
    value: 'date',
    defaultText: 'today',
  },
  (text) =>
    readDay(text)
      ? { value: text }
      : { fault: { reason: 'is not a date', instead: 'write a date, such as 2026-12-01 (1970 or later)' } },
);
const weeksFlag = wholeNumberFlag('weeks', {
  describe: 'Number of weeks, 1 to 53',
  min: 1,
  max: 53,
  default: 1,
});
const icsFlag = writtenFileFlag('ics', { writes: 'output', describe: 'Also write an iCalendar file' });
const forceFlag = createReplaceFileFlag('ics');

export const taskCalendar: Verb = createVerbWithPrepareStep({
  name: 'calendar',
  summary: "Show scheduled tasks by week, in the company's time zone",
  about:
    'Marks tasks that send to the same list or saved search less than an hour apart. Shows the cancelled tasks of a day in one line. The iCalendar file leaves out cancelled tasks. It includes completed tasks only if --from is in the past',
  work: 'reads',
  methods: ['GET'],
  example: 'task calendar --weeks 4 --ics tasks.ics',
  flags: [fromFlag, weeksFlag, icsFlag, forceFlag],
  companies: 'reads',
  prepare: async (session, input) => {
    const file = await checkNewFileAndNoCompaniesFlag(session, input, icsFlag, forceFlag);
    return {
      run: async (acting) => {
        const { readCalendar, writeTaskCalendarFile } = await import('./calendar-tasks.ts');
        const planned = await readCalendar(acting, {
          from: input.get(fromFlag),
          weeks: input.get(weeksFlag),
        });
        if (file !== undefined) await writeTaskCalendarFile(acting, file, planned);
        return outcomeOf(acting, planned);
      },
    };
  },
});

async function outcomeOf(session: Invocation & Tell & ServiceAccess, planned: Calendar): Promise<Outcome> {
  const { tasks, notes, firstDay, lastDay } = planned;
  if (tasks.length > 0 && (await isResultPrintedAsText(session))) {
    const { formatTaskCalendar } = await import('./calendar-text.ts');
    return { result: { kind: 'text', text: await formatTaskCalendar(session, planned) } };
  }
  const { columns, attributes } = columnsOfResource(task);
  const own = [{ name: 'local' }, { name: 'clashes' }];
  return {
    result: {
      kind: 'rows',
      rows: tasks.map(({ record, local, clashes }) => ({
        ...record,
        local,
        clashes: clashes.map(({ id }) => id ?? null),
      })),
      columns: [...columns, { name: 'clashes' }],
      attributes: [...attributes, ...own],
      empty: `Nothing is scheduled from ${firstDay} to ${lastDay}. Run svc task list to see all tasks.`,
      notes: () => notes,
    },
  };
}
