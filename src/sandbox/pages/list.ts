/** Every page, in the order of the navigation. */
import { automation } from './automation.ts';
import { automations } from './automations.ts';
import { clock } from './clock.ts';
import { message } from './message.ts';
import { outbox } from './outbox.ts';
import type { Page } from './page.ts';
import { requests } from './requests.ts';
import { task } from './task.ts';
import { tasks } from './tasks.ts';

export const PAGES: readonly Page[] = [
  ...[outbox, message, tasks, task, automations, automation],
  ...[requests, clock],
];
