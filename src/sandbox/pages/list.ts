/** Every page, in the order of the navigation. */
import { clock } from './clock.ts';
import { message } from './message.ts';
import { outbox } from './outbox.ts';
import type { Page } from './page.ts';
import { requests } from './requests.ts';

export const PAGES: readonly Page[] = [outbox, message, requests, clock];
