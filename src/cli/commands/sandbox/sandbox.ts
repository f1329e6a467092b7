/** Declares `svc sandbox …`: the whole service on this machine (contract, "Sandbox"). */
import {
  type ControlNoun,
  type OperationName,
  operationNames,
  operationOf,
} from '../../../protocol/control.ts';
import type { CommandSection, Group, Verb } from '../../command/command.ts';
import { clone } from './clone.ts';
import { conformance } from './conformance.ts';
import { controlVerb } from './control-verb.ts';
import { exportMail, withEml } from './eml.ts';
import { eventVerb } from './events.ts';
import { reset, status, stop } from './lifecycle.ts';
import { open } from './open.ts';
import { listOutbox, showDelivery } from './outbox.ts';
import { queue } from './queue.ts';
import { requests } from './requests.ts';
import { start } from './start.ts';
import { importSubscribers, listSubscribers } from './subscribers.ts';
import { listSkipped } from './tasks.ts';

/** Summaries of the control plane's nouns, in the order of the help. */
const NOUNS: Readonly<Record<ControlNoun, string>> = {
  list: 'Create, list and delete lists',
  subscriber: 'Create, import and list subscribers',
  field: 'Create and list subscriber profile fields',
  search: 'Create and list saved searches',
  destination: 'Create SMS destinations',
  form: 'Create forms',
  company: 'List companies and show their API keys',
  credits: 'Set credit balances',
  sender: 'Add and list sender addresses',
  user: 'Restrict users to folders',
  event: 'Simulate opens, clicks, inbound SMS and other events',
  clock: "Show, set, advance and run the sandbox's clock",
  outbox: 'List, show and export delivered messages',
  rule: 'List what automation rules did',
  task: 'Show how many recipients a task reached, and who was left out',
  fault: 'Set, list and clear injected faults',
  log: "List the sandbox's log",
  snapshot: 'Save, restore, list and delete snapshots',
  token: 'Create, list and revoke tokens of the control plane',
};

/** Declares `sandbox token create`, whose output can't be shown again. */
const declared = controlVerb('token create');

const createToken: Verb = {
  ...declared,
  run: async (session, input) => {
    const outcome = await declared.run(session, input);
    await session.info('The token is shown this once; svc sandbox token revoke ends it.');
    return outcome;
  },
};

/** Verbs with code of their own. All others are built from their declaration. */
const OWN: Readonly<Partial<Record<OperationName, Verb>>> = {
  'subscriber import': importSubscribers,
  'subscriber list': listSubscribers,
  'company key': { ...controlVerb('company key'), section: 'Authentication' },
  'outbox list': listOutbox,
  'outbox show': withEml(showDelivery),
  'outbox eml': exportMail,
  'task skipped': listSkipped,
  'token create': createToken,
};

/** The help page names the commands that are not listed here without a summary. */
const SECTIONS: readonly CommandSection[] = [
  {
    heading: 'Run it',
    rows: [
      { names: ['start', 'clone'], text: 'Start the sandbox; make one of your own account' },
      { names: ['status', 'open'], text: 'Show what it holds; open its pages in the browser' },
      { names: ['stop', 'reset'], text: 'Stop the sandbox; delete all of its data' },
    ],
  },
  {
    heading: 'Rehearse',
    rows: [
      { names: ['clock'], text: "Show, set, advance and run the sandbox's clock" },
      { names: ['event'], text: 'Simulate opens, clicks, inbound SMS and other events' },
      { names: ['outbox'], text: 'List, show and export delivered messages' },
      { names: ['task', 'rule'], text: 'Show who a task was sent to, and what rules did' },
      { names: ['queue', 'requests'], text: 'Show what is due, and the requests that came in' },
    ],
  },
  {
    heading: 'Fill it',
    rows: [{ names: ['list', 'subscriber'], text: 'Create lists; create or import subscribers' }],
  },
];

const groupOf = (noun: string, summary: string): Group => ({
  name: noun,
  summary,
  commands: operationNames
    .filter((name) => name.startsWith(`${noun} `) && (OWN[name] ?? operationOf(name).askedBy === undefined))
    .map((name) => OWN[name] ?? (noun === 'event' ? eventVerb(name) : controlVerb(name))),
});

export const sandbox: Group = {
  name: 'sandbox',
  summary: 'Run the whole service on this machine, to rehearse and test',
  sections: SECTIONS,
  commands: [
    start,
    stop,
    status,
    open,
    reset,
    clone,
    ...Object.entries(NOUNS).flatMap(([noun, summary]) => [
      // The queue is listed between the clock and the outbox, and the requests before the faults.
      ...(noun === 'outbox' ? [queue] : []),
      ...(noun === 'fault' ? [requests, conformance] : []),
      groupOf(noun, summary),
    ]),
  ],
};
