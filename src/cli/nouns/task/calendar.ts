/** Declares `svc task calendar`: the scheduled sends, week by week in the company's zone (contract, "Insight"). */
import { task } from '../../../resources/task.ts';
import { readDay } from '../../../text/day.ts';
import type { Outcome, Verb } from '../../command/command.ts';
import { countFlag, fileFlag, parsedFlag } from '../../command/flag.ts';
import { preparedVerb } from '../../command/run-verb.ts';
import { columnsOf } from '../../output/columns.ts';
import { isInWords } from '../../request/in-words.ts';
import { forceFlagFor, planFileOfOne } from '../../request/new-file.ts';
import type { Session } from '../../session/session.ts';
import type { Planned } from './calendar-tasks.ts';

const fromFlag = parsedFlag(
  'from',
  {
    describe: "First day on the company's clocks, such as 2026-12-01",
    value: 'date',
    otherwise: 'today',
  },
  (text) =>
    readDay(text)
      ? { value: text }
      : { fault: { reason: 'is not a day', instead: 'write a date from 1970 on: 2026-12-01' } },
);
const weeksFlag = countFlag('weeks', { describe: 'How many weeks, 1 to 53', min: 1, max: 53, default: 1 });
const icsFlag = fileFlag('ics', { describe: 'Write an iCalendar file of it too' });
const forceFlag = forceFlagFor('ics');

export const taskCalendar: Verb = preparedVerb({
  name: 'calendar',
  summary: "Show what is sent when, week by week on the company's clocks",
  about:
    'Tasks to the same list or search less than an hour apart are marked as a clash. The iCalendar file leaves out ' +
    'cancelled tasks, and completed ones unless --from is past',
  example: 'task calendar --weeks 4 --ics tasks.ics',
  flags: [fromFlag, weeksFlag, icsFlag, forceFlag],
  companies: 'reads',
  prepare: async (session, input) => {
    const given = { name: input.get(icsFlag), force: input.get(forceFlag) };
    const file = await planFileOfOne(session, 'ics', given);
    return {
      run: async (acting) => {
        const { planTasks } = await import('./calendar-tasks.ts');
        const planned = await planTasks(acting, { from: input.get(fromFlag), weeks: input.get(weeksFlag) });
        if (file !== undefined) {
          const { writeCalendarFile } = await import('./calendar-file.ts');
          await writeCalendarFile(acting, file, planned);
        }
        return outcomeOf(acting, planned);
      },
    };
  },
});

async function outcomeOf(session: Session, planned: Planned): Promise<Outcome> {
  const { tasks, notes, first, last } = planned;
  if (tasks.length > 0 && (await isInWords(session))) {
    const { calendarDrawing } = await import('./calendar-text.ts');
    return { result: { kind: 'text', text: await calendarDrawing(session, planned) } };
  }
  const { columns, attributes } = columnsOf(task);
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
      empty: `Nothing is scheduled from ${first} to ${last}. svc task list shows all tasks.`,
      notes: () => notes,
    },
  };
}
