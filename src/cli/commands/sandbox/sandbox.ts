/** `svc sandbox …`: the whole service on this machine (contract, "Sandbox"). */
import { type ControlNoun, type OperationName, operationNames } from '../../../protocol/control.ts';
import type { Group, Verb } from '../../command/command.ts';
import { controlVerb } from './control-verb.ts';
import { exportMail, withEml } from './eml.ts';
import { reset, status, stop } from './lifecycle.ts';
import { listOutbox } from './outbox.ts';
import { start } from './start.ts';
import { importSubscribers, listSubscribers } from './subscribers.ts';

/** What the nouns of the control plane are for, in the order of the help. */
const NOUNS: Readonly<Record<ControlNoun, string>> = {
  list: 'Make, see and delete lists',
  subscriber: 'Make, import and see subscribers',
  field: 'Make and see subscriber profile fields',
  search: 'Make and see saved searches',
  destination: 'Make SMS destinations',
  form: 'Make forms',
  company: 'See the companies and their keys',
  credits: 'Set the credits',
  sender: 'Configure the sender addresses',
  user: 'Restrict users to folders',
  event: 'Do what a recipient would do',
  clock: "See and move the sandbox's clock",
  outbox: 'See every message that was delivered',
  fault: 'Let the service misbehave on purpose',
  log: 'See what the sandbox noticed',
  snapshot: 'Save the whole sandbox, and go back to it',
};

/** Those that do more than ask; every other verb is made of its declaration alone. */
const OWN: Readonly<Partial<Record<OperationName, Verb>>> = {
  'subscriber import': importSubscribers,
  'subscriber list': listSubscribers,
  'outbox list': listOutbox,
  'outbox show': withEml(controlVerb('outbox show')),
  'outbox eml': exportMail,
};

const groupOf = (noun: string, summary: string): Group => ({
  name: noun,
  summary,
  commands: operationNames
    .filter((name) => name.startsWith(`${noun} `))
    .map((name) => OWN[name] ?? controlVerb(name)),
});

export const sandbox: Group = {
  name: 'sandbox',
  summary: 'Run the whole service on this machine, to rehearse and to test',
  commands: [
    start,
    stop,
    status,
    reset,
    ...Object.entries(NOUNS).map(([noun, summary]) => groupOf(noun, summary)),
  ],
};
