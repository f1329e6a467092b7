/** Moves the clock of a test sandbox and reads its outbox. */

import type { ContentMarkupNames } from '../../src/kit/schema/resource.ts';
import { type RecipientEvent, recordRecipientEvent } from '../../src/sandbox/engine/events.ts';
import { listOutbox, showDelivery } from '../../src/sandbox/engine/mail/outbox.ts';
import { advanceClockTo, runDueWork } from '../../src/sandbox/engine/tick.ts';
import { IDS, NOW, type TestSandbox } from './sandbox.ts';

const machineNow = () => NOW * 1000;
const trackingBaseUrl = 'http://127.0.0.1:4010';

/** Advances to this many seconds after NOW and performs due work. Returns the number of steps. */
export const advance = ({ service }: TestSandbox, seconds: number) =>
  advanceClockTo(service.store, NOW + seconds, { machineNow });

/** Performs due work without moving the clock. */
export const settle = ({ service }: TestSandbox) => runDueWork(service.store, { machineNow });

export const outbox = ({ service }: TestSandbox, limit = 100) =>
  listOutbox(service.store.db, { accountId: IDS.company, limit });

export const delivery = ({ service }: TestSandbox, id: string, words?: ContentMarkupNames) =>
  showDelivery(service.store.db, IDS.company, id, { trackingBaseUrl, ...(words && { words }) });

export const event = ({ service }: TestSandbox, what: RecipientEvent, seconds = 0) =>
  service.store.transaction((db) => recordRecipientEvent(db, IDS.company, what, NOW + seconds));
