/** Declares `svc sandbox …`, the commands that run and control a simulated service on this machine (contract, "Sandbox"). */
import {
  type ControlNoun,
  type ControlOperationName,
  controlOperationNamed,
  controlOperationNames,
} from '../../../service/protocol/control.ts';
import type { CommandHelpSection, Group, Verb } from '../../command/command.ts';
import { sandboxClone } from './clone.ts';
import { sandboxConformance } from './conformance.ts';
import { createOperationVerb } from './control-verb.ts';
import { createEventVerb, type EventName } from './events.ts';
import { sandboxReset, sandboxStatus, sandboxStop } from './lifecycle.ts';
import { sandboxOpen } from './open.ts';
import { exportMail, listOutbox, showDelivery } from './outbox.ts';
import { createListVerb } from './pages.ts';
import { sandboxQueue } from './queue.ts';
import { sandboxRequests } from './requests.ts';
import { sandboxStart } from './start.ts';
import { importSubscribers } from './subscribers.ts';

/** Summaries of the groups of `svc sandbox`, in the order of the help page. Only the pages of the sandbox use `message`. */
const NOUNS: Readonly<Record<Exclude<ControlNoun, 'message'>, string>> = {
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
  rule: 'List the actions that automation rules did or skipped',
  task: 'Show how many recipients a task reached, and who was left out',
  fault: 'Set, list and clear injected faults',
  log: 'Show why rules, tasks and SMS were skipped or stopped',
  snapshot: 'Save, restore, list and delete snapshots',
  token: 'Create, list and revoke access tokens for programs',
};

const declared = createOperationVerb('token create');

const createToken: Verb = {
  ...declared,
  run: async (session, input) => {
    const outcome = await declared.run(session, input);
    await session.info('svc shows the token only this time. To revoke it, run svc sandbox token revoke.');
    return outcome;
  },
};

const SPECIAL_VERBS: Readonly<Partial<Record<ControlOperationName, Verb>>> = {
  'subscriber import': importSubscribers,
  'subscriber list': createListVerb('subscriber list', { first: 0, cursorOf: ({ id }) => id }),
  'company key': { ...createOperationVerb('company key'), section: 'Authentication' },
  'outbox list': listOutbox,
  'outbox show': showDelivery,
  'outbox eml': exportMail,
  'task skipped': createListVerb('task skipped', { first: 0, cursorOf: ({ subscriber }) => subscriber }),
  'token create': createToken,
};

/** Sections of the sandbox's help page. The page names the remaining commands without a summary. */
const SECTIONS: readonly CommandHelpSection[] = [
  {
    heading: 'Start and stop',
    rows: [
      { names: ['start', 'clone'], text: 'Start the sandbox; copy your account into a sandbox' },
      { names: ['status', 'open'], text: 'Show the state of the sandbox; open its pages in a browser' },
      { names: ['stop', 'reset'], text: 'Stop the sandbox; delete all its data' },
    ],
  },
  {
    heading: 'Rehearse',
    rows: [
      { names: ['clock'], text: "Show, set, advance and run the sandbox's clock" },
      { names: ['event'], text: 'Simulate opens, clicks, inbound SMS and other events' },
      { names: ['outbox'], text: 'List, show, export and clear delivered messages' },
      { names: ['task', 'rule'], text: 'Show the recipients of a task, and the actions of rules' },
      { names: ['queue', 'requests'], text: 'Show queued actions, and received requests' },
    ],
  },
  {
    heading: 'Add data',
    rows: [{ names: ['list', 'subscriber'], text: 'Create lists; create or import subscribers' }],
  },
];

const isEvent = (name: ControlOperationName): name is EventName => name.startsWith('event ');

const groupOf = (noun: string, summary: string): Group => ({
  name: noun,
  summary,
  commands: controlOperationNames
    .filter(
      (name) =>
        name.startsWith(`${noun} `) &&
        (SPECIAL_VERBS[name] ?? controlOperationNamed(name).usedBy === undefined),
    )
    .map(
      (name) => SPECIAL_VERBS[name] ?? (isEvent(name) ? createEventVerb(name) : createOperationVerb(name)),
    ),
});

export const sandbox: Group = {
  name: 'sandbox',
  summary: 'Run a simulated service on this machine, to rehearse and test',
  sections: SECTIONS,
  commands: [
    sandboxStart,
    sandboxStop,
    sandboxStatus,
    sandboxOpen,
    sandboxReset,
    sandboxClone,
    ...Object.entries(NOUNS).flatMap(([noun, summary]) => [
      // The queue is listed between the clock and the outbox, and the requests before the faults.
      ...(noun === 'outbox' ? [sandboxQueue] : []),
      ...(noun === 'fault' ? [sandboxRequests, sandboxConformance] : []),
      groupOf(noun, summary),
    ]),
  ],
};
