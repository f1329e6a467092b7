/** Declares `email proof` and `sms-message proof`. They send a message to a few people, who check it before all recipients get it. */
import { type Id, isId, readIdText } from '../../../schema/integer.ts';
import type { Resource } from '../../../schema/resource.ts';
import type { Verb } from '../../command/command.ts';
import { parsedFlag } from '../../command/flag.ts';
import { MAX_PROOF_RECIPIENTS } from './proof-limit.ts';

const listFlag = parsedFlag<Id>(
  'list',
  { describe: 'List that receives the proof (default: the profile setting proof-list)', value: 'id' },
  (text) => {
    const id = readIdText(text);
    return id !== undefined && isId(id)
      ? { value: id }
      : { fault: { reason: 'is not a whole number of at least 1' } };
  },
);

export const createVerbToSendProofMessage = (resource: Resource): Verb => ({
  name: 'proof',
  summary: `Send ${resource.singular} to a few people, who check it`,
  about:
    'Copies the message, and creates a task that sends the copy in five minutes. The copy goes to the list in --list ' +
    '(default: the profile setting proof-list). After svc creates the task, svc deletes the copy, so that lists of ' +
    'messages do not show it. The task still sends the deleted copy. You can still edit the original message. ' +
    `If the list has more than ${MAX_PROOF_RECIPIENTS} subscriptions, svc cancels the task before the task sends anything`,
  work: 'changes',
  exits: { 2: `more than ${MAX_PROOF_RECIPIENTS} subscriptions` },
  methods: ['POST'],
  example: `${resource.noun} proof 1 --list 5 --yes`,
  positionals: [{ name: 'message', describe: 'Id or exact name', completes: resource.noun }],
  flags: [listFlag],
  run: async (session, input) => {
    const { sendProof } = await import('./send-proof.ts');
    return sendProof(session, resource, input.positionals[0] ?? '', input.get(listFlag));
  },
});
