import type { Client } from '../../../client/requests/client.ts';
import { ClientError } from '../../../client/requests/errors.ts';
import { titleOf } from '../../../client/requests/record-title.ts';
import { MAX_PROOF_RECIPIENTS } from '../../../client/sends/cost.ts';
import { type AutomationRule, readRuleOfResource } from '../../../service/automations/rules.ts';
import { emailMessage } from '../../../service/resources/email-message.ts';
import { emailMessageLink } from '../../../service/resources/email-message-link.ts';
import { automations } from '../../../service/resources/rule-kinds.ts';
import type { MessageRecord, MessageResource } from '../../../service/resources/task.ts';
import type { Verb } from '../../command/command.ts';
import { textFlag } from '../../command/flag.ts';
import { allowLintErrorsFlag } from '../../request/message-lint.ts';
import { readRecordId } from '../../request/references.ts';
import type { Notes, ServiceAccess } from '../../session/ports.ts';
import { createVerbToDeleteRecord } from '../generic/write.ts';

/** Warns before the confirmation about rules that lose their message. */
export const createVerbToDeleteMessage = (resource: MessageResource): Verb =>
  createVerbToDeleteRecord(resource, (session, record) => sayDependents(session, resource, record));

async function sayDependents(
  session: ServiceAccess & Notes,
  resource: MessageResource,
  record: MessageRecord,
): Promise<void> {
  const title = titleOf(resource, record);
  try {
    const isEmail = resource.name === emailMessage.name;
    for (const rule of await dependentRules(await session.client(), isEmail, String(readRecordId(record))))
      await session.warn(`${rule} uses ${title}, and does nothing without it`);
  } catch (error) {
    // A user who may delete messages may still lack permission to read rules.
    if (!(error instanceof ClientError) || error.kind !== 'refused') throw error;
    await session.warn(`cannot find the rules that use ${title}: ${error.message}`);
  }
}

/** Rules that send the message, or that an open or a click in it triggers. */
async function dependentRules(client: Client, isEmail: boolean, id: string): Promise<readonly string[]> {
  const found = isEmail ? await client.find(emailMessageLink, { message_id: id }) : [];
  const links = new Set(found.map((link) => String(link.id)));
  const uses = (rule: AutomationRule): boolean => {
    // Rules of kind sms answer with an SMS. The other kinds wait for an e-mail message.
    if (rule.kind === 'sms') return !isEmail && rule.message === id;
    const sends = rule.actiontype === (isEmail ? 'email_autoresponder' : 'sms_autoresponder');
    if (sends && rule.actiontarget === id) return true;
    return isEmail && (rule.message === id || (rule.link !== null && links.has(rule.link)));
  };
  const titles: string[] = [];
  for (const resource of automations)
    for await (const record of client.list(resource, {}))
      if (uses(readRuleOfResource({ resource, record }))) titles.push(titleOf(resource, record));
  return titles;
}

const listFlag = {
  ...textFlag('list', {
    describe: 'List that receives the proof: id or name (default: the profile setting proof-list)',
    value: 'list',
  }),
  completes: 'list',
};

export const createVerbToSendProofMessage = (resource: MessageResource): Verb => ({
  name: 'proof',
  summary: `Send ${resource.singular} to a few people, who check it`,
  about:
    'Copies the message, and creates a task that sends the copy in five minutes. The copy goes to the list in --list ' +
    '(default: the profile setting proof-list). After svc creates the task, svc deletes the copy, so that lists of ' +
    'messages do not show it. The task still sends the deleted copy. You can still edit the original message. ' +
    `If the list has more than ${MAX_PROOF_RECIPIENTS} subscriptions, svc cancels the task before the task sends anything`,
  work: 'changes',
  does: 'sends',
  asks: true,
  exits: { 2: `more than ${MAX_PROOF_RECIPIENTS} subscriptions, or lint errors` },
  methods: ['POST'],
  example: `${resource.noun} proof 1 --list 5 --yes`,
  positionals: [{ name: 'message', describe: 'Id or exact name', completes: resource.noun }],
  flags: [listFlag, allowLintErrorsFlag],
  run: async (session, input) => {
    const { sendProof } = await import('./send-proof.ts');
    return sendProof(session, resource, input, input.get(listFlag));
  },
});
