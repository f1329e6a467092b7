/** Verbs of `task` in addition to those of its declaration, or replacing them. */
import type { Verb } from '../../command/command.ts';
import { taskCalendar } from './calendar.ts';
import { taskCancel } from './cancel.ts';
import { taskCreate } from './create.ts';
import { taskGet } from './get.ts';
import { taskGuard } from './guard.ts';
import { taskReport } from './report.ts';
import { taskUndo } from './undo.ts';
import { taskUpdate } from './update.ts';
import { taskWait } from './wait.ts';
import { taskWatch } from './watch.ts';

export const taskVerbs: readonly Verb[] = [
  ...[taskGet, taskCreate, taskUpdate, taskCancel, taskUndo],
  ...[taskWait, taskWatch, taskGuard, taskReport, taskCalendar],
];
