/** `svc sandbox …`: the whole service on this machine (contract, "Sandbox"). */
import type { Group } from '../../command/command.ts';
import { clock, event } from './events.ts';
import { reset, status, stop } from './lifecycle.ts';
import { fault, log, outbox } from './observe.ts';
import { company, credits, destination, field, form, list, search, sender, user } from './records.ts';
import { snapshot } from './snapshots.ts';
import { start } from './start.ts';
import { subscriber } from './subscribers.ts';

export const sandbox: Group = {
  name: 'sandbox',
  summary: 'Run the whole service on this machine, to rehearse and to test',
  commands: [
    start,
    stop,
    status,
    reset,
    list,
    subscriber,
    field,
    search,
    destination,
    form,
    company,
    credits,
    sender,
    user,
    event,
    clock,
    outbox,
    fault,
    log,
    snapshot,
  ],
};
