/** Contract, "Insight". */

import type { Campaign } from '../../../features/campaign/model.ts';
import { readDay } from '../../../kit/text/calendar.ts';
import { task } from '../../../service/resources/task.ts';
import type { Input, Outcome, Verb } from '../../command/command.ts';
import {
  createReplaceFileFlag,
  type FlagShape,
  parsedFlag,
  wholeNumberFlag,
  writtenFileFlag,
} from '../../command/flag.ts';
import { createVerbWithPrepareStep } from '../../command/run-verb.ts';
import { columnsOfResource } from '../../output/columns.ts';
import { checkNewFileAndNoCompaniesFlag } from '../../request/new-file.ts';
import { isResultPrintedAsText } from '../../request/write-outcome.ts';
import type { Invocation, Ports, ServiceAccess, Tell } from '../../session/ports.ts';
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

/** Reads campaign files for their series. It belongs to commands, which nouns do not import. */
export interface CampaignsOfCalendar {
  readonly flags: readonly FlagShape[];
  /** @throws InvalidInputError exit 2 with all faults of the files; UsageError for values without a file */
  readonly read: (session: Ports, input: Input) => Promise<readonly Campaign[]>;
}

export const createTaskCalendar = (series: CampaignsOfCalendar): Verb =>
  createVerbWithPrepareStep({
    name: 'calendar',
    summary: "Show scheduled tasks by week, in the company's time zone",
    about:
      'Marks tasks that send to the same list or saved search less than an hour apart. Shows the cancelled tasks of a day in one line. The iCalendar file leaves out cancelled tasks. It includes completed tasks only if --from is in the past. With --campaign, the calendar also shows times of the series in that file that have no task yet; the iCalendar file leaves them out',
    work: 'reads',
    methods: ['GET'],
    example: 'task calendar --weeks 4 --ics tasks.ics',
    flags: [fromFlag, weeksFlag, ...series.flags, icsFlag, forceFlag],
    companies: 'reads',
    prepare: async (session, input) => {
      const file = await checkNewFileAndNoCompaniesFlag(session, input, icsFlag, forceFlag);
      const campaigns = await series.read(session, input);
      return {
        run: async (acting) => {
          const { readCalendar, writeTaskCalendarFile } = await import('./calendar-tasks.ts');
          const planned = await readCalendar(acting, {
            from: input.get(fromFlag),
            weeks: input.get(weeksFlag),
            campaigns,
          });
          if (file !== undefined) await writeTaskCalendarFile(acting, file, planned);
          return outcomeOf(acting, planned);
        },
      };
    },
  });

async function outcomeOf(session: Invocation & Tell & ServiceAccess, planned: Calendar): Promise<Outcome> {
  const { tasks, uncreated, notes, firstDay, lastDay } = planned;
  if (tasks.length + uncreated.length > 0 && (await isResultPrintedAsText(session))) {
    const { formatTaskCalendar } = await import('./calendar-text.ts');
    return { result: { kind: 'text', text: await formatTaskCalendar(session, planned) } };
  }
  const { columns, attributes } = columnsOfResource(task);
  const own = ['local', 'clashes', ...(uncreated.length > 0 ? ['key'] : [])].map((name) => ({ name }));
  return {
    result: {
      kind: 'rows',
      rows: [
        ...tasks.map(({ record, local, clashes }) => ({
          ...record,
          local,
          clashes: clashes.map(({ id }) => id ?? null),
        })),
        ...uncreated.map((each) => ({ id: null, ...each, clashes: [] })),
      ].toSorted((a, b) => Number(a.scheduledtime) - Number(b.scheduledtime)),
      columns: [...columns, { name: 'clashes' }],
      attributes: [...attributes, ...own],
      empty: `Nothing is scheduled from ${firstDay} to ${lastDay}. Run svc task list to see all tasks.`,
      notes: () => notes,
    },
  };
}
