/** All pages, in the order of the navigation. */
import { account } from './account.ts';
import { automation } from './automation.ts';
import { automations } from './automations.ts';
import { clock } from './clock.ts';
import { dnc } from './dnc.ts';
import { lists } from './lists.ts';
import { message } from './message.ts';
import { outbox } from './outbox.ts';
import type { Page } from './page.ts';
import { requests } from './requests.ts';
import { subscriber } from './subscriber.ts';
import { list, subscribers } from './subscribers.ts';
import { task } from './task.ts';
import { tasks } from './tasks.ts';

export const PAGES: readonly Page[] = [
  ...[outbox, message, tasks, task, automations, automation],
  ...[lists, list, subscribers, subscriber, dnc, account],
  ...[requests, clock],
];
